//! Energies of a table's states, and of what lies half way between them.

use rayon::prelude::*;
use yarnwise_precompute::cell::Cell;
use yarnwise_precompute::sampling::{Problems, energy_floor, energy_of, midpoint};
use yarnwise_shared::table::Table;

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
    let largest = |s: usize| {
        let neighbors = (0..3).flat_map(|axis| [-1, 1].map(|offset| grid.beside(s, axis, offset))).flatten();
        neighbors.map(|t| excess([s, t])).fold(f64::NEG_INFINITY, f64::max)
    };
    (0..grid.sample_count()).into_par_iter().map(largest).collect()
}
