//! What a graphics device can fail at.

/// A failure of the device, or of what it was asked for.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DeviceError {
    /// The graphics device is gone: the driver was reset, the adapter removed, or the host destroyed it.
    #[error("the graphics device is lost: make a new one, and pipelines and states on it")]
    Lost,
    /// The device has too little memory.
    #[error("{what}: the graphics device is out of memory")]
    OutOfMemory {
        /// What was being done.
        what: String,
    },
    /// More than the device's limits allow.
    #[error("{what} take {needed} {unit}, the graphics device's limit is {limit}: request a device with higher limits")]
    Limit {
        /// The buffer or the elements.
        what: &'static str,
        /// What they need.
        needed: u64,
        /// What there is.
        limit: u64,
        /// What is counted.
        unit: &'static str,
    },
    /// The device refused a call for another reason.
    #[error("{what}: {problem}")]
    Refused {
        /// What was being done.
        what: String,
        /// What the device says.
        problem: String,
    },
}

/// `std::result::Result` with [`DeviceError`].
pub type Result<T, E = DeviceError> = std::result::Result<T, E>;
