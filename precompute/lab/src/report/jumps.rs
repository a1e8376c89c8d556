//! Jumps between neighboring samples of a table by region of strain.

use yarnwise_shared::table::Displacements;
use yarnwise_shared::table::grid::StrainGrid;
use yarnwise_shared::table::region::Region;
use yarnwise_shared::table::smoothness::neighbors;

/// For each region the jumps between neighboring samples along every axis, in yarn radii, ascending. A pair on a border belongs to
/// the later region of the two.
pub fn jumps(grid: &StrainGrid, samples: &[Displacements], radius: f64) -> [Vec<f64>; 4] {
    let mut out: [Vec<f64>; 4] = Default::default();
    for [a, b] in (0..3).flat_map(|axis| neighbors(grid, axis)) {
        let region = Region::of(grid.strain(a)).max(Region::of(grid.strain(b)));
        out[region as usize].push(samples[a].jump(&samples[b]) / radius);
    }
    out.iter_mut().for_each(|v| v.sort_unstable_by(f64::total_cmp));
    out
}
