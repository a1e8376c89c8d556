//! The one error type of this crate.

/// What can go wrong between a scene and its motion.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A file cannot be read, or what it says makes no sense.
    #[error(transparent)]
    Data(#[from] yarnwise_shared::Error),
    /// The motion left the range of numbers even with the shortest step.
    #[error(
        "cloth: the motion left the range of numbers after {time:.4} s: use an implicit integrator, a shorter step, softer \
         springs or weaker dampers"
    )]
    NotFinite {
        /// When, in simulated seconds.
        time: f64,
    },
    /// The graphics device failed, or cannot do what it was asked for.
    #[cfg(feature = "gpu")]
    #[error(transparent)]
    Device(#[from] yarnwise_device::DeviceError),
    /// A step of yarns failed even at its shortest.
    #[error(
        "yarns: no step after {time:.6} s, not even one of {step:.1e} s: a pin may move too fast, or yarns are pulled harder than they \
         can slide; use slower motions, a smaller 'smallest_step' or more damping"
    )]
    StepTooSmall {
        /// When, in simulated seconds.
        time: f64,
        /// The last step that was tried, seconds.
        step: f64,
    },
}

impl Error {
    /// Data of `origin` that make no sense.
    pub(crate) fn invalid(origin: impl Into<String>, problem: impl Into<String>) -> Self {
        Error::Data(yarnwise_shared::Error::invalid(origin, problem))
    }
}

/// `std::result::Result` with this crate's [`Error`].
pub type Result<T, E = Error> = std::result::Result<T, E>;
