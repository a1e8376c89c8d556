//! Energies of a table's states, and of what lies half way between them.

use rayon::prelude::*;
use yarnwise_precompute::cell::Cell;
use yarnwise_precompute::sampling::{Problems, energy_floor, energy_of, midpoint};
use yarnwise_shared::table::Table;
use yarnwise_shared::table::smoothness::neighbors;

/// The energy of each sample's displacements as they are stored, J per cell.
pub fn energies(table: &Table<3>, cell: &Cell) -> Vec<f64> {
    let (grid, problems) = (table.grid(), Problems::planar(cell));
    let energy = |s: usize| {
        let at = grid.coordinates(s);
        energy_of(&problems.at(at), &table.interpolate_all(at))
    };
    (0..grid.sample_count()).into_par_iter().map(energy).collect()
}

/// Of each sample the largest logarithm by which the energy half way to a neighbor exceeds the mean of both.
pub fn midpoint_excess(table: &Table<3>, cell: &Cell) -> Vec<f64> {
    let (grid, problems, energies) = (table.grid(), Problems::planar(cell), energies(table, cell));
    let floor = energy_floor(energies.clone());
    let excess = |[s, t]: [usize; 2]| {
        let at = midpoint(grid, [s, t]);
        let between = energy_of(&problems.at(at), &table.interpolate_all(at));
        ((between + floor) / (0.5 * (energies[s] + energies[t]) + floor)).ln()
    };
    let pairs: Vec<[usize; 2]> = (0..3).flat_map(|axis| neighbors(grid, axis)).collect();
    let excesses: Vec<f64> = pairs.par_iter().map(|pair| excess(*pair)).collect();
    let mut largest = vec![f64::NEG_INFINITY; grid.sample_count()];
    for (pair, excess) in pairs.iter().zip(excesses) {
        pair.iter().for_each(|s| largest[*s] = largest[*s].max(excess));
    }
    largest
}
