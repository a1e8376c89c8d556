//! The one error type of this crate.

/// What can go wrong when bakes are measured and drawn.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A pattern, table, mesh or file is not what it should be.
    #[error(transparent)]
    Data(#[from] yarnwise_shared::Error),
    /// Equilibria could not be solved.
    #[error(transparent)]
    Bake(#[from] yarnwise_precompute::Error),
    /// Yarns could not be laid on a mesh.
    #[error(transparent)]
    Runtime(#[from] yarnwise_runtime::Error),
    /// Cloth could not be simulated.
    #[error(transparent)]
    Cloth(#[from] yarnwise_solvers::Error),
}

/// `std::result::Result` with this crate's [`Error`].
pub type Result<T, E = Error> = std::result::Result<T, E>;
