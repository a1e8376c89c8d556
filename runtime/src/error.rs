//! The one error type of this crate.

/// What can go wrong between a garment and its yarns on screen.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The pattern cannot be laid over the mesh as asked.
    #[error("layout: {0}")]
    Layout(String),
    /// A database does not belong to the layout it is used with.
    #[error("database: {0}")]
    Database(String),
    /// A frame's mesh positions cannot be used.
    #[error("positions: {0}")]
    Positions(String),
    /// A parameter of the frame is out of range.
    #[error("parameter {name} is {value}, it must be {range}")]
    Parameter {
        /// The parameter's name.
        name: &'static str,
        /// Its value.
        value: f32,
        /// What it may be.
        range: &'static str,
    },
}

/// `std::result::Result` with this crate's [`Error`].
pub type Result<T, E = Error> = std::result::Result<T, E>;
