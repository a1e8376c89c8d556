//! Random tests that can be repeated.

use yarnwise_shared::random::Random;

/// A generator with a seed from the clock, or from the environment variable `YARNWISE_SEED`. The seed is printed even
/// when the test passes, so that every run can be repeated.
///
/// # Panics
/// When the variable is not a number.
pub fn random(test: &str) -> Random {
    let seed = match std::env::var("YARNWISE_SEED") {
        Ok(seed) => seed.parse().expect("YARNWISE_SEED is a number"),
        Err(_) => u64::from(std::time::UNIX_EPOCH.elapsed().map_or(0, |time| time.subsec_nanos())),
    };
    crate::announce(&format!("{test}: YARNWISE_SEED={seed} repeats this run"));
    Random::new(seed)
}
