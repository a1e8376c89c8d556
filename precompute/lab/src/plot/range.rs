//! From values to places along an axis or a color bar.

use super::ticks::ticks;

/// How an axis or a color bar counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scale {
    /// Evenly.
    #[default]
    Linear,
    /// By powers of ten; only positive values have a place.
    Logarithmic,
}

/// The ends of an axis or a color bar; `low` is below `high`, and both are positive on a logarithmic scale.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Range {
    /// How it counts between the ends.
    pub(crate) scale: Scale,
    /// The value at the left or lower end.
    pub(crate) low: f64,
    /// The value at the right or upper end.
    pub(crate) high: f64,
}

/// Free space beyond the outermost values, as a share of the whole.
const PADDING: f64 = 0.04;

impl Range {
    /// From `low` to `high`, evenly.
    pub(crate) fn linear(low: f64, high: f64) -> Self {
        Range { scale: Scale::Linear, low, high }
    }

    /// From `low` to `high` by powers of ten; both positive.
    pub(crate) fn logarithmic(low: f64, high: f64) -> Self {
        Range { scale: Scale::Logarithmic, low, high }
    }

    /// A range that shows all `values` that have a place on `scale`, with some space around them.
    pub(crate) fn around(scale: Scale, values: impl Iterator<Item = f64>) -> Self {
        let usable = values.filter(|v| scale.has(*v));
        let (low, high) = usable.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| (l.min(v), h.max(v)));
        let (low, high) = if low <= high { (low, high) } else { (1.0, 2.0) };
        match scale {
            Scale::Linear => {
                let padding = if low < high { PADDING * (high - low) } else { 0.5 * low.abs().max(1.0) };
                Range { scale, low: low - padding, high: high + padding }
            }
            Scale::Logarithmic => {
                let padding = (high / low).powf(PADDING).max(1.15);
                Range { scale, low: low / padding, high: high * padding }
            }
        }
    }

    /// Where a value lies: 0 at the low end, 1 at the high end, beyond them outside of [0, 1].
    pub(super) fn share(self, value: f64) -> f64 {
        match self.scale {
            Scale::Linear => (value - self.low) / (self.high - self.low),
            Scale::Logarithmic => (value / self.low).ln() / (self.high / self.low).ln(),
        }
    }

    /// The value at a share of the way from the low to the high end.
    pub(super) fn value(self, share: f64) -> f64 {
        match self.scale {
            Scale::Linear => self.low + share * (self.high - self.low),
            Scale::Logarithmic => self.low * (self.high / self.low).powf(share),
        }
    }

    /// About `count` round values inside; on a logarithmic scale the powers of ten, and parts of them where there are few.
    pub(super) fn ticks(self, count: usize) -> Vec<f64> {
        match self.scale {
            Scale::Linear => ticks(self.low, self.high, count),
            Scale::Logarithmic => self.decades(count),
        }
    }

    fn decades(self, count: usize) -> Vec<f64> {
        let decades = (self.high / self.low).log10();
        let parts: &[f64] = if decades < 3.0 { &[1.0, 2.0, 5.0] } else { &[1.0] };
        let every = (decades / (2 * count) as f64).ceil().max(1.0) as i32;
        let exponents = self.low.log10().floor() as i32..=self.high.log10().ceil() as i32;
        let values = exponents.filter(|e| e % every == 0).flat_map(|e| parts.iter().map(move |m| m * 10f64.powi(e)));
        values.filter(|v| (self.low..=self.high).contains(v)).collect()
    }
}

impl Scale {
    /// Whether a value has a place on this scale.
    pub(super) fn has(self, value: f64) -> bool {
        value.is_finite() && (self == Scale::Linear || value > 0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_and_values_are_inverse() {
        for range in [Range::linear(-2.0, 3.0), Range::logarithmic(1e-3, 50.0)] {
            for share in [0.0, 0.3, 1.0] {
                assert!((range.share(range.value(share)) - share).abs() < 1e-12);
            }
        }
    }

    #[test]
    fn a_range_holds_its_values_and_ignores_those_without_a_place() {
        let values = [3.0, f64::NAN, -1.0, 0.0, 800.0];
        let logarithmic = Range::around(Scale::Logarithmic, values.into_iter());
        assert!(0.0 < logarithmic.low && logarithmic.low < 3.0 && logarithmic.high > 800.0);
        assert_eq!(logarithmic.ticks(5), [5.0, 10.0, 20.0, 50.0, 100.0, 200.0, 500.0, 1000.0]);
        let linear = Range::around(Scale::Linear, values.into_iter());
        assert!(linear.low < -1.0 && linear.high > 800.0);
        for scale in [Scale::Linear, Scale::Logarithmic] {
            for values in [vec![], vec![7.0]] {
                let Range { low, high, .. } = Range::around(scale, values.into_iter());
                assert!(low < high);
            }
        }
    }

    #[test]
    fn many_decades_have_few_ticks() {
        let ticks = Range::logarithmic(1e-20, 1e20).ticks(5);
        assert!((4..=12).contains(&ticks.len()), "{}", ticks.len());
    }
}
