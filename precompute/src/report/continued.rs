//! A continued table against the published one: energies and smoothness.

use super::published::Published;
use super::table::{Displacements, Region, jumps, roughness};
use crate::cell::Cell;
use crate::cell::energy::Problem;
use crate::cell::kinematics::LargeScale;
use crate::equilibrium::twists::relax_twists;
use crate::sampling::Candidate;
use rayon::prelude::*;
use yarnwise_shared::strain::Strain;

/// Energies closer than this fraction are the same.
pub const SAME_ENERGY: f64 = 1e-3;

/// Figures of one region of the grid.
#[derive(Clone, Debug)]
pub struct RegionFigures {
    /// The region.
    pub region: Region,
    /// Shares of samples whose energy is lower than, the same as and higher than that of the published state.
    pub energy: [f64; 3],
    /// Samples with a higher energy, and by which fraction.
    pub higher: Vec<(usize, f64)>,
    /// Share of points with a second difference along sa above half a radius, published and ours.
    pub roughness: [f64; 2],
    /// Median and largest jump between neighbouring samples in radii, published.
    pub published_jump: [f64; 2],
    /// The same, ours.
    pub jump: [f64; 2],
}

/// Energy of each published state, J per cell, with the twists in equilibrium.
pub fn published_energies(cell: &Cell, published: &Published) -> Vec<f64> {
    let energy = |sample: usize| {
        let [sx, sa, sy] = published.grid.coordinates(sample);
        let problem = Problem::new(cell, LargeScale::planar(Strain::new(sx, sa, sy), cell.pattern.period()));
        let mut state = problem.displaced_state(&published.sample(sample));
        relax_twists(&problem, &mut state);
        problem.energy(&state, &problem.pairs(&state.position, 0.0)).total()
    };
    (0..published.grid.sample_count()).into_par_iter().map(energy).collect()
}

/// Compares `ours`, sampled on the published grid, with the published table.
pub fn figures(cell: &Cell, published: &Published, ours: &[Candidate]) -> Vec<RegionFigures> {
    let energies = published_energies(cell, published);
    let theirs: Vec<Displacements> = (0..ours.len()).map(|s| published.sample(s)).collect();
    let mine: Vec<Displacements> = ours.iter().map(|c| c.solved.displacements.clone()).collect();
    let radius = cell.radius();
    let rough = [roughness(&published.grid, &theirs, radius), roughness(&published.grid, &mine, radius)];
    let jumps = [jumps(&published.grid, &theirs, radius), jumps(&published.grid, &mine, radius)];
    let of = |region: Region| {
        let excess: Vec<(usize, f64)> = (0..ours.len())
            .filter(|s| Region::of(published.grid.coordinates(*s)) == region)
            .map(|s| (s, ours[s].solved.energy.total() / energies[s] - 1.0))
            .collect();
        let share = |keep: &dyn Fn(f64) -> bool| {
            excess.iter().filter(|(_, e)| keep(*e)).count() as f64 / excess.len().max(1) as f64
        };
        let k = region as usize;
        let ends = |v: &Vec<f64>| v.last().map_or([0.0; 2], |last| [v[v.len() / 2], *last]);
        RegionFigures {
            region,
            energy: [share(&|e| e < -SAME_ENERGY), share(&|e| e.abs() <= SAME_ENERGY), share(&|e| e > SAME_ENERGY)],
            higher: excess.iter().copied().filter(|(_, e)| *e > SAME_ENERGY).collect(),
            roughness: [rough[0][k], rough[1][k]],
            published_jump: ends(&jumps[0][k]),
            jump: ends(&jumps[1][k]),
        }
    };
    Region::ALL.map(of).to_vec()
}
