//! From displacements to whole numbers and back, within a stated tolerance.
//!
//! A value v is stored as q = round(v / step) and read as q * step (computed in f64, rounded to f32). With
//! step = 2 (1 - m) tolerance the rounding to a whole number costs at most (1 - m) tolerance, and the margin m pays for
//! the rounding to f32, so the tolerance holds for what a reader gets. The margin is one of three, not made to measure:
//! so a table that is read and written again keeps its step, and its values.

use super::predictor::LARGEST_VALUE;

/// How exactly displacements are stored.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Encoding {
    /// Every value within the tolerance.
    Quantized(Tolerance),
    /// Every bit of every value.
    Lossless,
}

/// The largest error of stored displacements, per component.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tolerance {
    /// Of a position, in yarn radii.
    pub position: f64,
    /// Of a twist, in radians. Turning a yarn by t radians moves its surface by t radii, so equal numbers here and in
    /// `position` have an equal effect on what is seen.
    pub twist: f64,
}

impl Default for Tolerance {
    fn default() -> Self {
        Tolerance { position: 2e-3, twist: 2e-3 }
    }
}

impl Default for Encoding {
    fn default() -> Self {
        Encoding::Quantized(Tolerance::default())
    }
}

impl Tolerance {
    /// The tolerances of the four channels, in meters and radians, for a yarn of this radius in meters.
    pub(crate) fn channels(&self, radius: f64) -> [f64; 4] {
        let position = self.position * radius;
        [position, position, position, self.twist]
    }
}

const MARGINS: [f64; 3] = [1.0 / 512.0, 1.0 / 32.0, 1.0 / 4.0];

/// The relative rounding error of f32.
const F32_ROUNDING: f64 = 1.0 / (1u32 << 24) as f64;

/// Below this the absolute rounding error of tiny f32 values would matter.
const SMALLEST_STEP: f64 = 1e-35;

/// The step that keeps values of up to `largest` in size within `tolerance`; `None` where f32 itself is too coarse.
pub(super) fn step(tolerance: f64, largest: f64) -> Option<f64> {
    let fits = |margin: &&f64| (largest + tolerance) * F32_ROUNDING <= **margin * tolerance;
    let step = MARGINS.iter().find(fits).map(|margin| 2.0 * (1.0 - margin) * tolerance);
    step.filter(|s| *s >= SMALLEST_STEP)
}

/// The step of a lossless table: any will do that keeps the whole numbers in range.
pub(super) fn lossless_step(tolerance: f64, largest: f64) -> f64 {
    let usual = 2.0 * (1.0 - MARGINS[0]) * tolerance;
    usual.max(2.0 * largest / f64::from(LARGEST_VALUE)).max(SMALLEST_STEP)
}

#[inline]
pub(super) fn quantize(value: f32, step: f64) -> i32 {
    (f64::from(value) / step).round() as i32
}

#[inline]
pub(super) fn dequantize(q: i32, step: f64) -> f32 {
    (f64::from(q) * step) as f32
}

/// The place of a value among all f32: neighbors differ by one.
#[inline]
fn rank(value: f32) -> u32 {
    let bits = value.to_bits();
    if bits >> 31 == 1 { !bits } else { bits | 1 << 31 }
}

/// By how many f32 values `exact` lies above `rough`.
#[inline]
pub(super) fn correction(exact: f32, rough: f32) -> i32 {
    rank(exact).wrapping_sub(rank(rough)) as i32
}

/// The value that lies `correction` f32 values above `rough`.
#[inline]
pub(super) fn correct(rough: f32, correction: i32) -> f32 {
    let rank = rank(rough).wrapping_add(correction as u32);
    f32::from_bits(if rank >> 31 == 1 { rank & !(1 << 31) } else { !rank })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_tolerance_holds_for_what_is_read(value: f32, exponent in -12..3i32) {
            let tolerance = 10f64.powi(exponent);
            prop_assume!(value.is_finite());
            if let Some(step) = step(tolerance, f64::from(value.abs())) {
                let q = quantize(value, step);
                prop_assert!(q.abs() < LARGEST_VALUE);
                let read = dequantize(q, step);
                prop_assert!((f64::from(read) - f64::from(value)).abs() <= tolerance);
                prop_assert_eq!(quantize(read, step), q, "written again it stays the same");
            }
        }

        #[test]
        fn corrections_restore_every_bit(exact: f32, rough: f32) {
            prop_assert_eq!(correct(rough, correction(exact, rough)).to_bits(), exact.to_bits());
        }

        #[test]
        fn lossless_steps_keep_whole_numbers_in_range(largest in 0.0..f64::from(f32::MAX), exponent in -40..3i32) {
            let step = lossless_step(10f64.powi(exponent), largest);
            prop_assert!((largest / step).round() < f64::from(LARGEST_VALUE));
        }
    }

    #[test]
    fn neighbors_differ_by_one() {
        assert_eq!(correction(1.0f32.next_up(), 1.0), 1);
        assert_eq!(correction(0.0, -0.0), 1);
        assert_eq!(correction(-1.0f32.next_up(), -1.0), -1);
    }

    #[test]
    fn where_f32_is_too_coarse_there_is_no_step() {
        assert!(step(2e-6, 1.0).is_some());
        assert!(step(2e-6, 100.0).is_none());
        assert!(step(0.0, 0.0).is_none());
    }
}
