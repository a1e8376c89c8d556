//! Memory of an experiment, counted by the allocator.

use peak_alloc::PeakAlloc;

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

/// What was reserved when something began, bytes.
pub(crate) struct Reserved(usize);

impl Reserved {
    /// Now.
    pub(crate) fn now() -> Self {
        MEMORY.reset_peak_usage();
        Reserved(MEMORY.current_usage())
    }

    /// The most that was reserved besides since the beginning or the last call, bytes.
    pub(crate) fn most(&self) -> f64 {
        let most = MEMORY.peak_usage().saturating_sub(self.0);
        MEMORY.reset_peak_usage();
        most as f64
    }
}
