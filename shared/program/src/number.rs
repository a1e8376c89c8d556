//! Numbers of the command line, checked before work begins.
//!
//! Each function gives the number back or says what the option expects, in one line: `--fps 0: a finite number above 0 is
//! expected`.

use anyhow::{Context, ensure};
pub use yarnwise_shared::words::{count, vertices};

/// A finite number above 0.
pub fn positive(option: &str, value: f64) -> anyhow::Result<f64> {
    ensure!(value.is_finite() && value > 0.0, "{option} {}: a finite number above 0 is expected", short(value));
    Ok(value)
}

/// A number in `[low, high]`.
pub fn within(option: &str, value: f64, [low, high]: [f64; 2]) -> anyhow::Result<f64> {
    ensure!(value >= low && value <= high, "{option} {}: a number from {low} to {high} is expected", short(value));
    Ok(value)
}

/// A number for people: with a power of ten where it would have many zeros.
fn short(value: f64) -> String {
    if value.is_finite() && value.abs() >= 1e15 { format!("{value:e}") } else { value.to_string() }
}

/// How many threads work.
#[derive(Clone, Copy, Debug, Default, clap::Args)]
pub struct Threads {
    /// Threads that work at a time, 0 for all cores; the result is the same for any number
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u16).range(..=1024))]
    threads: u16,
}

impl Threads {
    /// The number of threads, at least 1.
    pub fn count(self) -> usize {
        match self.threads {
            0 => std::thread::available_parallelism().map_or(1, usize::from),
            n => usize::from(n),
        }
    }

    /// Makes that many threads work in this process; once, before anything is done in parallel.
    pub fn start(self) -> anyhow::Result<()> {
        let threads = rayon::ThreadPoolBuilder::new().num_threads(self.count());
        threads.build_global().with_context(|| format!("--threads {}: they cannot be started", self.count()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_number_is_named() {
        assert_eq!(positive("--fps", 30.0).unwrap(), 30.0);
        for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(positive("--fps", bad).unwrap_err().to_string().starts_with("--fps "), "{bad}");
        }
        assert!(within("--clamp", f64::NAN, [0.0, 1.0]).is_err() && within("--clamp", 1.0, [0.0, 1.0]).is_ok());
    }

    #[test]
    fn there_is_always_a_thread() {
        assert!(Threads::default().count() >= 1);
    }
}
