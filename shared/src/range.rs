//! Numbers from outside, checked against what makes sense.

use crate::{Error, Result};

/// Refuses a number outside of `[low, high]`, and NaN.
///
/// The message reads "origin: name is 3 Pa, it must be from 1 to 2 Pa"; `unit` begins with a space, or is empty.
pub fn check(origin: &str, name: &str, value: f64, [low, high]: [f64; 2], unit: &str) -> Result<()> {
    if (low..=high).contains(&value) {
        return Ok(());
    }
    let [value, low, high] = [value, low, high].map(readable);
    Err(Error::invalid(origin, format!("{name} is {value}{unit}, it must be from {low} to {high}{unit}")))
}

/// Very large and very small numbers as powers of ten.
fn readable(value: f64) -> String {
    let plain = value == 0.0 || !value.is_finite() || (1e-3..1e6).contains(&value.abs());
    if plain { value.to_string() } else { format!("{value:e}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_outside_is_refused_by_name() {
        let message = |value: f64| check("--size", "the size", value, [1e-9, 2.5], " m").unwrap_err().to_string();
        assert_eq!(message(1e300), "--size: the size is 1e300 m, it must be from 1e-9 to 2.5 m");
        assert_eq!(message(f64::NAN), "--size: the size is NaN m, it must be from 1e-9 to 2.5 m");
        assert!(message(0.0).contains("is 0 m") && message(f64::NEG_INFINITY).contains("is -inf m"));
        for inside in [1e-9, 1.0, 2.5] {
            check("--size", "the size", inside, [1e-9, 2.5], " m").unwrap();
        }
    }
}
