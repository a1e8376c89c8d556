//! The published grids of in-plane strains, by the number of samples along each axis.
//!
//! | samples | sx, sy | sa |
//! |---|---|---|
//! | 5 | -0.2, 0, 1/3, 2/3, 1 | 5 on [-0.5, 0.5] |
//! | 9 | 3 on [-0.2, 0], 6 more to 1 | 9 on [-0.7, 0.7] |
//! | 15 | 5 on [-0.2, 0], 10 more to 1 | 15 on [-0.7, 0.7] |
//! | 31 | 11 on [-0.2, 0], 20 more to 1 | 31 on [-0.7, 0.7] |
//!
//! Each value is the double nearest to its fraction: 1/6, where the published files have the ten digits 0.1666666667,
//! and 1/3, where the 5-sample files have 0.33. So a value that two presets share is the same double in both. To sample
//! the very numbers of a published table, give its own `axes.txt`.

use super::{AXIS_NAMES, Axis, Grid, StrainGrid};
use crate::text;
use crate::{Error, Result};

/// Samples along each axis of the published grids.
pub const PRESETS: [usize; 4] = [5, 9, 15, 31];

impl StrainGrid {
    /// The published grid with this many samples along each axis.
    pub fn preset(samples: usize) -> Result<Self> {
        // Intervals below 0, intervals above 0, largest |sa| as a fraction.
        let (below, above, shear) = match samples {
            5 => (1, 3, (1, 2)),
            9 => (2, 6, (7, 10)),
            15 => (4, 10, (7, 10)),
            31 => (10, 20, (7, 10)),
            _ => {
                let problem = format!(
                    "{samples} is not a published grid, these are {}: give a file with axes",
                    text::join(&PRESETS, ", ")
                );
                return Err(Error::invalid("grid", problem));
            }
        };
        let fraction = |numerator: i32, denominator: i32| f64::from(numerator) / f64::from(denominator);
        let compressed = (-below..0).map(|i| fraction(i, 5 * below));
        let stretch: Vec<f64> = compressed.chain((0..=above).map(|i| fraction(i, above))).collect();
        let half = samples as i32 / 2;
        let sheared = (-half..=half).map(|i| fraction(i * shear.0, half * shear.1)).collect();
        let [sx, sa, sy, _] = AXIS_NAMES;
        Ok(Grid([Axis::new(sx, stretch.clone())?, Axis::new(sa, sheared)?, Axis::new(sy, stretch)?]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(samples: usize, axis: usize) -> Vec<f64> {
        StrainGrid::preset(samples).unwrap().0[axis].values().to_vec()
    }

    #[test]
    fn the_presets_are_the_published_axes() {
        for samples in PRESETS {
            let grid = StrainGrid::preset(samples).unwrap();
            assert!(grid.0.iter().all(|axis| axis.len() == samples && axis.zero().is_some()));
            assert_eq!(grid.0[0], grid.0[2]);
            let (first, last) = (values(samples, 0)[0], values(samples, 0)[samples - 1]);
            assert_eq!((first, last), (-0.2, 1.0));
        }
        assert_eq!(values(5, 0), [-0.2, 0.0, 1.0 / 3.0, 2.0 / 3.0, 1.0]);
        assert_eq!(values(5, 1), [-0.5, -0.25, 0.0, 0.25, 0.5]);
        assert_eq!(values(9, 0), [-0.2, -0.1, 0.0, 1.0 / 6.0, 1.0 / 3.0, 0.5, 2.0 / 3.0, 5.0 / 6.0, 1.0]);
        assert_eq!(values(9, 1), [-0.7, -0.525, -0.35, -0.175, 0.0, 0.175, 0.35, 0.525, 0.7]);
        assert_eq!(values(15, 0)[..6], [-0.2, -0.15, -0.1, -0.05, 0.0, 0.1]);
        assert_eq!(values(15, 1)[..3], [-0.7, -0.6, -0.5]);
        assert_eq!((values(31, 0)[1], values(31, 0)[11]), (-0.18, 0.05));
        assert_eq!((values(31, 1)[0], values(31, 1)[30]), (-0.7, 0.7));
        assert!(StrainGrid::preset(7).unwrap_err().to_string().contains("these are 5, 9, 15, 31:"));
    }
}
