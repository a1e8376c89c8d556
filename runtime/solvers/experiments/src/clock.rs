//! Time of the processor, not of the wall: other programs must not count.

use std::time::Instant;

/// Measures the time that the current thread spends computing.
pub(crate) struct Clock {
    wall: Instant,
    computed: Option<u64>,
}

impl Clock {
    pub(crate) fn start() -> Self {
        Clock { wall: Instant::now(), computed: nanoseconds() }
    }

    /// Seconds of computing since the start; wall time where the system does not report it.
    pub(crate) fn seconds(&self) -> f64 {
        match (self.computed, nanoseconds()) {
            (Some(start), Some(now)) => now.saturating_sub(start) as f64 * 1e-9,
            _ => self.wall.elapsed().as_secs_f64(),
        }
    }
}

/// Linux keeps the time that each thread has run, up to the last time its scheduler looked: offering to yield makes it look.
fn nanoseconds() -> Option<u64> {
    std::thread::yield_now();
    std::fs::read_to_string("/proc/thread-self/schedstat").ok()?.split_whitespace().next()?.parse().ok()
}

/// Runs `work` with one thread in all, so that its [`Clock`] sees everything.
pub(crate) fn on_one_thread<T: Send>(work: impl FnOnce() -> T + Send) -> anyhow::Result<T> {
    Ok(rayon::ThreadPoolBuilder::new().num_threads(1).build()?.install(work))
}

/// Seconds of `first` and of `second`, which are run in turn until both have taken `enough` seconds: whatever else the
/// machine does falls on both, and the ticks of the clock do not count.
pub(crate) fn in_turn<E>(
    enough: f64,
    mut first: impl FnMut() -> Result<(), E>,
    mut second: impl FnMut() -> Result<(), E>,
) -> Result<[f64; 2], E> {
    let mut seconds = [0.0; 2];
    for round in 1..=50 {
        let clock = Clock::start();
        first()?;
        seconds[0] += clock.seconds();
        let clock = Clock::start();
        second()?;
        seconds[1] += clock.seconds();
        if seconds.iter().all(|s| *s >= enough) {
            return Ok(seconds.map(|s| s / f64::from(round)));
        }
    }
    Ok(seconds.map(|s| s / 50.0))
}
