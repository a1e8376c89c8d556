//! The one error type of this crate.

/// What can go wrong between a scene file and a picture.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A file cannot be read, or its contents are not valid.
    #[error(transparent)]
    Data(#[from] yarnwise_shared::Error),
    /// The cloth cannot be simulated.
    #[error(transparent)]
    Cloth(#[from] yarnwise_solvers::Error),
    /// The yarns cannot be laid out, moved or drawn.
    #[error("{origin}: {cause}")]
    Yarns {
        /// The scene or database.
        origin: String,
        /// The runtime's reason.
        cause: yarnwise_runtime::Error,
    },
    /// There is no graphics device to draw with.
    #[error(
        "no graphics device: {0}; install a Vulkan driver (the software one will do: package mesa-vulkan-drivers), or \
         use 'yarnwise-view export', which needs none"
    )]
    NoDevice(String),
    /// The graphics device failed.
    #[error("graphics device: {0}")]
    Device(String),
    /// There is no window to draw in.
    #[error("no window can be opened: {0}; without a display use 'yarnwise-view render'")]
    NoWindow(String),
    /// Something that was requested does not exist.
    #[error("{0}")]
    Request(String),
}

impl Error {
    /// An [`Error::Yarns`] about `origin`.
    pub(crate) fn yarns(origin: &str) -> impl Fn(yarnwise_runtime::Error) -> Self + '_ {
        move |cause| Error::Yarns { origin: origin.to_owned(), cause }
    }
}

/// `std::result::Result` with this crate's [`Error`].
pub type Result<T, E = Error> = std::result::Result<T, E>;
