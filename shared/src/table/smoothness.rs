//! How smooth a table is: what flickers when cloth moves from one sample to the next.
//!
//! Sizes are the largest over the vertices of a sample, in yarn radii; twist is left out. The dense tables of [Sperl21,
//! Section 5] pop because every sample was solved alone; a table baked by continuation should not, and its jumps should
//! shrink as the grid is refined.

use crate::table::Table;
use crate::table::difference::{Position, jump, second_difference};
use crate::table::grid::StrainGrid;
use crate::table::region::Region;

/// A second difference along sa above this many radii is rough.
pub const ROUGH: f64 = 0.5;

/// Smoothness of an in-plane table.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Smoothness {
    /// The share of samples whose second difference along sa exceeds [`ROUGH`] radii, in the order of [`Region::ALL`].
    /// `None` where a region has no sample that is inside the sa axis.
    pub roughness: [Option<f64>; 4],
    /// Jumps between neighboring samples along sx, sa and sy.
    pub jumps: [Jumps; 3],
}

/// How far apart neighboring samples are, in yarn radii.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
pub struct Jumps {
    /// Half of them are smaller.
    pub median: f64,
    /// 95 % of them are smaller.
    pub percentile_95: f64,
    /// The largest.
    pub largest: f64,
}

impl Smoothness {
    /// Measures a table of a yarn with this radius (meters).
    pub fn new(table: &Table<3>, radius: f64) -> Self {
        let grid = table.grid();
        let samples: Vec<&[[f32; 4]]> = (0..grid.sample_count()).map(|s| table.sample(s)).collect();
        let jumps = std::array::from_fn(|axis| Jumps::along(grid, &samples, radius, axis));
        Smoothness { roughness: roughness(grid, &samples, radius), jumps }
    }
}

impl Jumps {
    /// The jumps between neighboring samples along one axis.
    fn along<P: Position>(grid: &StrainGrid, samples: &[&[P]], radius: f64, axis: usize) -> Self {
        let size = |[a, b]: [usize; 2]| jump(samples[a], samples[b]) / radius;
        let mut sizes: Vec<f64> = neighbors(grid, axis).map(size).collect();
        sizes.sort_by(f64::total_cmp);
        // An axis has two samples at least, so there is a jump.
        let at = |share: f64| sizes[((sizes.len() - 1) as f64 * share).round() as usize];
        Jumps { median: at(0.5), percentile_95: at(0.95), largest: at(1.0) }
    }
}

/// All pairs of neighboring samples along an axis, the one with the smaller strain first.
pub fn neighbors(grid: &StrainGrid, axis: usize) -> impl Iterator<Item = [usize; 2]> + '_ {
    (0..grid.sample_count()).filter_map(move |sample| Some([sample, grid.beside(sample, axis, 1)?]))
}

/// The share of samples whose second difference along sa exceeds [`ROUGH`] radii, in the order of [`Region::ALL`]; `None` where
/// a region has no sample that is inside the sa axis. `samples` holds the vertices of each sample of the grid.
pub fn roughness<P: Position>(grid: &StrainGrid, samples: &[&[P]], radius: f64) -> [Option<f64>; 4] {
    let (mut rough, mut all) = ([0usize; 4], [0usize; 4]);
    for sample in 0..grid.sample_count() {
        let (Some(before), Some(after)) = (grid.beside(sample, 1, -1), grid.beside(sample, 1, 1)) else { continue };
        let second = second_difference([samples[before], samples[sample], samples[after]]) / radius;
        let region = Region::of(grid.strain(sample)) as usize;
        all[region] += 1;
        // What has no size is not smooth.
        rough[region] += usize::from(second > ROUGH || second.is_nan());
    }
    std::array::from_fn(|i| (all[i] > 0).then(|| rough[i] as f64 / all[i] as f64))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::grid::{Axis, Grid};

    /// One vertex that moves by 1 mm for each step along sx, 2 for sy, and by sa squared (in steps) of 3 mm along z.
    fn table() -> Table<3> {
        let axis = |values: &[f64]| Axis::new("test", values.to_vec()).unwrap();
        let grid = Grid([axis(&[-0.1, 0.0, 1.0]), axis(&[-0.6, -0.5, 0.0, 0.1]), axis(&[0.0, 1.0])]);
        let value = |sample: usize| {
            let [x, a, y] = grid.indices(sample).map(|i| i as f32);
            [1e-3 * x + 2e-3 * y, 0.0, 3e-3 * a * a, 9.0 * a]
        };
        let values = (0..grid.sample_count()).map(value).collect();
        Table::new(grid, 1, values).unwrap()
    }

    #[test]
    fn jumps_are_measured_along_each_axis_in_radii() {
        let smoothness = Smoothness::new(&table(), 2e-3);
        let close = |a: f64, b: f64| assert!((a - b).abs() < 1e-4, "{a} is not {b}");
        close(smoothness.jumps[0].largest, 0.5);
        close(smoothness.jumps[2].median, 1.0);
        // Steps of 1, 3 and 5 times 3 mm.
        close(smoothness.jumps[1].median, 4.5);
        close(smoothness.jumps[1].largest, 7.5);
    }

    #[test]
    fn roughness_is_counted_by_region() {
        // The second difference is 6 mm everywhere; sa = -0.5 is sheared, 0 is not; sx = -0.1 is compressed.
        assert_eq!(Smoothness::new(&table(), 2e-3).roughness, [Some(1.0); 4]);
        assert_eq!(Smoothness::new(&table(), 1.0).roughness, [Some(0.0); 4]);
        let axis = |values: &[f64]| Axis::new("test", values.to_vec()).unwrap();
        let flat = Grid([axis(&[0.0, 1.0]), axis(&[0.0, 0.01]), axis(&[0.0, 1.0])]);
        let flat = Table::new(flat, 1, vec![[0.0; 4]; 8]).unwrap();
        assert_eq!(Smoothness::new(&flat, 1.0).roughness, [None; 4]);
    }
}
