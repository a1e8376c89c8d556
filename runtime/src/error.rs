//! The one error type of this crate.

/// What can go wrong between a garment and its yarns on screen.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The pattern cannot be laid over the mesh with these options.
    #[error("layout: {0}")]
    Layout(String),
    /// A database does not belong to the layout it is used with.
    #[error("database: {0}")]
    Database(String),
    /// A frame's mesh positions cannot be used.
    #[error("positions: {0}")]
    Positions(String),
    /// An option of the layout or of the frame is out of range.
    #[error("{name} is {value}, it must be {range}")]
    Parameter {
        /// The option's name, that of its field.
        name: &'static str,
        /// Its value.
        value: String,
        /// What it may be.
        range: String,
    },
    /// The graphics device failed, or cannot do what it was asked for.
    #[cfg(feature = "gpu")]
    #[error(transparent)]
    Device(#[from] yarnwise_device::DeviceError),
    /// A frame was encoded before it was prepared.
    #[error("there is no frame to encode: call prepare first")]
    NotPrepared,
}

impl Error {
    /// An option that is out of range; `range` says what it may be.
    pub(crate) fn parameter(name: &'static str, value: impl std::fmt::Display, range: impl Into<String>) -> Self {
        Error::Parameter { name, value: value.to_string(), range: range.into() }
    }
}

/// `std::result::Result` with this crate's [`Error`].
pub type Result<T, E = Error> = std::result::Result<T, E>;
