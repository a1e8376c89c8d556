//! Time of the processor, not of the wall: other programs must not count.

use std::time::Instant;

/// Measures the time that the current thread spends computing.
pub(super) struct Clock {
    wall: Instant,
    computed: Option<u64>,
}

impl Clock {
    pub(super) fn start() -> Self {
        Clock { wall: Instant::now(), computed: nanoseconds() }
    }

    /// Seconds of computing since the start; of the wall where the system does not tell.
    pub(super) fn seconds(&self) -> f64 {
        match (self.computed, nanoseconds()) {
            (Some(start), Some(now)) => now.saturating_sub(start) as f64 * 1e-9,
            _ => self.wall.elapsed().as_secs_f64(),
        }
    }
}

/// Linux keeps the time that each thread has run.
fn nanoseconds() -> Option<u64> {
    std::fs::read_to_string("/proc/thread-self/schedstat").ok()?.split_whitespace().next()?.parse().ok()
}

/// Runs `work` with one thread in all, so that its [`Clock`] sees everything.
pub(super) fn on_one_thread<T: Send>(work: impl FnOnce() -> T + Send) -> anyhow::Result<T> {
    Ok(rayon::ThreadPoolBuilder::new().num_threads(1).build()?.install(work))
}
