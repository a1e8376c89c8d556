//! Strain axes, and multilinear interpolation of a table over them.
//!
//! Axes are explicit and need not be uniform. Beyond its ends an axis is continued by its end value [Sperl21, Section
//! 4.4]. `N` axes span a table: three for in-plane strains (sx, sa, sy), four with a curvature [Sperl21, App. C].

mod presets;

pub use presets::PRESETS;

use crate::table::strain::Strain;
use crate::words::count;
use crate::{Error, Result};

/// The most values one axis may have.
pub const MAX_AXIS_LEN: usize = 256;

/// The sample values along one strain: finite, strictly ascending, at least two.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
#[serde(transparent)]
pub struct Axis {
    values: Vec<f64>,
}

/// Where a value lies on an axis: between samples `cell` and `cell + 1`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AxisPosition {
    /// Index of the lower sample, at most `len - 2`.
    pub cell: usize,
    /// Weight of the upper sample, in [0, 1].
    pub weight: f64,
}

impl Axis {
    /// An axis with these values; `name` (such as "sx") is for the message when they cannot be one.
    pub fn new(name: &str, values: Vec<f64>) -> Result<Self> {
        let fail = |problem: String| Err(Error::invalid(format!("axis {name}"), problem));
        if values.len() < 2 || values.len() > MAX_AXIS_LEN {
            return fail(format!(
                "has {}, between 2 and {MAX_AXIS_LEN} are needed",
                count(values.len(), "value", None)
            ));
        }
        if let Some(i) = values.iter().position(|v| !v.is_finite()) {
            return fail(format!("value {} is {}, which is not a finite number", i + 1, values[i]));
        }
        if let Some(i) = values.windows(2).position(|w| w[0] >= w[1]) {
            return fail(format!(
                "value {} ({}) is not above value {} ({}): sort the values in ascending order",
                i + 2,
                values[i + 1],
                i + 1,
                values[i]
            ));
        }
        Ok(Axis { values })
    }

    /// The sample values.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// How many samples there are, at least 2.
    #[allow(clippy::len_without_is_empty, reason = "an axis is never empty")]
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// The index of the sample at exactly 0, where there is one.
    pub fn zero(&self) -> Option<usize> {
        self.values.iter().position(|v| *v == 0.0)
    }

    /// The cell that holds `value`; beyond the ends the weight stays 0 or 1. A NaN counts as below the axis.
    pub fn locate(&self, value: f64) -> AxisPosition {
        let inner = &self.values[1..self.values.len() - 1];
        let cell = inner.partition_point(|v| *v <= value);
        let (low, high) = (self.values[cell], self.values[cell + 1]);
        let weight = (value - low) / (high - low);
        AxisPosition { cell, weight: if weight > 0.0 { weight.min(1.0) } else { 0.0 } }
    }
}

/// The axes of a table; the first axis is the one that runs fastest in memory.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
#[serde(transparent)]
pub struct Grid<const N: usize>(#[serde(serialize_with = "serialize_axes")] pub [Axis; N]);

fn serialize_axes<const N: usize, S: serde::Serializer>(axes: &[Axis; N], s: S) -> Result<S::Ok, S::Error> {
    s.collect_seq(axes)
}

/// Axes sx, sa, sy.
pub type StrainGrid = Grid<3>;

/// Axes sx, sa, sy and the curvature in 1/m.
pub type BendingGrid = Grid<4>;

/// Names of the axes, in order, for messages.
pub const AXIS_NAMES: [&str; 4] = ["sx", "sa", "sy", "curvature"];

impl<const N: usize> Grid<N> {
    /// The number of samples: the product of the axes' lengths. At most 256^4, which fits.
    pub fn sample_count(&self) -> usize {
        self.0.iter().map(Axis::len).product()
    }

    /// Index of the sample at these axis indices.
    pub fn sample(&self, indices: [usize; N]) -> usize {
        indices.iter().zip(&self.0).rev().fold(0, |sum, (i, axis)| sum * axis.len() + i)
    }

    /// The axis indices of a sample.
    pub fn indices(&self, mut sample: usize) -> [usize; N] {
        std::array::from_fn(|k| {
            let i = sample % self.0[k].len();
            sample /= self.0[k].len();
            i
        })
    }

    /// The coordinates (strains, curvature) of a sample.
    pub fn coordinates(&self, sample: usize) -> [f64; N] {
        let indices = self.indices(sample);
        std::array::from_fn(|k| self.0[k].values[indices[k]])
    }

    /// The sample `offset` places on along `axis`, if there is one.
    pub fn beside(&self, sample: usize, axis: usize, offset: isize) -> Option<usize> {
        let mut to = self.indices(sample);
        to[axis] = to[axis].checked_add_signed(offset).filter(|i| *i < self.0[axis].len())?;
        Some(self.sample(to))
    }

    /// The 2^N samples around a point with their weights, which sum to one: multilinear interpolation.
    ///
    /// `each(sample, weight)` is called for every corner, also those with weight zero.
    pub fn corners(&self, point: [f64; N], mut each: impl FnMut(usize, f64)) {
        let positions: [AxisPosition; N] = std::array::from_fn(|k| self.0[k].locate(point[k]));
        for corner in 0..1usize << N {
            let upper = |k: usize| corner >> k & 1;
            let sample = self.sample(std::array::from_fn(|k| positions[k].cell + upper(k)));
            let weight =
                (0..N).map(|k| if upper(k) == 1 { positions[k].weight } else { 1.0 - positions[k].weight }).product();
            each(sample, weight);
        }
    }
}

impl StrainGrid {
    /// The strain of a sample.
    pub fn strain(&self, sample: usize) -> Strain<f64> {
        self.coordinates(sample).into()
    }
}

impl BendingGrid {
    /// The strain and the curvature (1/m) of a sample.
    pub fn bent_strain(&self, sample: usize) -> (Strain<f64>, f64) {
        let [sx, sa, sy, curvature] = self.coordinates(sample);
        (Strain::new(sx, sa, sy), curvature)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Interpolation one axis after the other, by linear search, without cells or corner weights: the oracle.
    fn interpolate_slowly(axes: &[Axis], table: &[f64], point: &[f64]) -> f64 {
        let Some((axis, inner)) = axes.split_last() else { return table[0] };
        let stride = table.len() / axis.len();
        let slice = |i: usize| interpolate_slowly(inner, &table[i * stride..(i + 1) * stride], &point[..inner.len()]);
        let (x, values) = (point[inner.len()], axis.values());
        if x <= values[0] {
            return slice(0);
        }
        for i in 1..values.len() {
            if x <= values[i] {
                let (a, b) = (values[i - 1], values[i]);
                return (slice(i - 1) * (b - x) + slice(i) * (x - a)) / (b - a);
            }
        }
        slice(values.len() - 1)
    }

    fn any_axis() -> impl Strategy<Value = Axis> {
        (proptest::collection::vec(0.01..1.0f64, 2..9), -1.0..0.0f64).prop_map(|(steps, start)| {
            let mut at = start;
            let values = steps
                .iter()
                .map(|s| {
                    at += s;
                    at
                })
                .collect();
            Axis::new("test", values).unwrap()
        })
    }

    proptest! {
        #[test]
        fn corners_agree_with_the_slow_version(
            a in any_axis(), b in any_axis(), c in any_axis(), d in any_axis(),
            point in proptest::array::uniform4(-2.0..9.0f64), seed in 0u64..1000,
        ) {
            let grid = Grid([a, b, c, d]);
            let value = |i: usize| ((i as u64 * 2654435761 + seed) % 1009) as f64;
            let table: Vec<f64> = (0..grid.sample_count()).map(value).collect();
            let (mut sum, mut weights) = (0.0, 0.0);
            grid.corners(point, |sample, weight| { sum += weight * table[sample]; weights += weight; });
            prop_assert!((sum - interpolate_slowly(&grid.0, &table, &point)).abs() < 1e-9);
            prop_assert!((weights - 1.0f64).abs() < 1e-12);
        }

        #[test]
        fn samples_and_indices_are_inverse(a in any_axis(), b in any_axis(), c in any_axis()) {
            let grid = Grid([a, b, c]);
            for sample in 0..grid.sample_count() {
                prop_assert_eq!(grid.sample(grid.indices(sample)), sample);
                grid.corners(grid.coordinates(sample), |s, w| if w != 0.0 { assert_eq!((s, w), (sample, 1.0)) });
            }
        }
    }

    #[test]
    fn the_first_axis_runs_fastest() {
        let axis = |n: usize| Axis::new("test", (0..n).map(|i| i as f64).collect()).unwrap();
        let grid = Grid([axis(2), axis(3), axis(4)]);
        assert_eq!(grid.sample([1, 0, 0]), 1);
        assert_eq!(grid.sample([0, 1, 0]), 2);
        assert_eq!(grid.sample([0, 0, 1]), 6);
    }

    #[test]
    fn bad_axes_are_refused_with_the_reason() {
        let refuse = |values: &[f64]| Axis::new("sx", values.to_vec()).unwrap_err().to_string();
        assert!(refuse(&[0.0]).contains("has 1 value,"));
        assert!(refuse(&[0.0, 0.0]).contains("ascending"));
        assert!(refuse(&[0.0, f64::NAN]).contains("value 2 is NaN"));
        assert_eq!(Axis::new("sx", vec![-0.1, 0.0, 1.0]).unwrap().zero(), Some(1));
        let position = Axis::new("sx", vec![0.0, 1.0]).unwrap().locate(f64::NAN);
        assert_eq!((position.cell, position.weight), (0, 0.0));
    }
}
