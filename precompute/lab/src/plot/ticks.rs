//! Round numbers along an axis.

/// About `count` round values that cover part of [low, high].
pub(super) fn ticks(low: f64, high: f64, count: usize) -> Vec<f64> {
    let rough = (high - low) / count as f64;
    if !(rough.is_finite() && rough > 0.0) {
        return vec![low];
    }
    let power = 10f64.powf(rough.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0].map(|m| m * power).into_iter().find(|s| *s >= rough).unwrap_or(rough);
    let first = (low / step - 1e-9).ceil() as i64;
    let last = (high / step + 1e-9).floor() as i64;
    (first..=last).map(|i| i as f64 * step).collect()
}

/// A number in few letters.
pub(super) fn short(value: f64) -> String {
    let size = value.abs();
    if size != 0.0 && !(1e-3..1e5).contains(&size) {
        return format!("{value:.0e}");
    }
    let text = format!("{value:.4}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".to_owned() } else { text.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_inside() {
        let labels = |low, high, count| ticks(low, high, count).into_iter().map(short).collect::<Vec<_>>();
        assert_eq!(labels(-0.2, 1.0, 6), ["-0.2", "0", "0.2", "0.4", "0.6", "0.8", "1"]);
        assert_eq!(labels(0.0, 12345.0, 4), ["0", "5000", "10000"]);
        assert_eq!(labels(3.0, 3.0, 4), ["3"]);
        assert_eq!(short(2e-7), "2e-7");
    }
}
