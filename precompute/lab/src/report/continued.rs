//! A continued table against the published one: energies and smoothness.

use super::jumps::jumps;
use super::published::Published;
use rayon::prelude::*;
use yarnwise_precompute::cell::Cell;
use yarnwise_precompute::cell::energy::Problem;
use yarnwise_precompute::equilibrium::twists::relax_twists;
use yarnwise_precompute::sampling::Candidate;
use yarnwise_shared::pattern::Pattern;
use yarnwise_shared::pattern::passages::passages;
use yarnwise_shared::table::Displacements;
use yarnwise_shared::table::region::Region;
use yarnwise_shared::table::smoothness::roughness;

/// Energies closer than this fraction are the same.
const SAME_ENERGY: f64 = 1e-3;

/// A sample whose energy is higher than that of the published state.
#[derive(Clone, Copy, Debug)]
pub struct Higher {
    /// The sample.
    pub sample: usize,
    /// By which fraction.
    pub excess: f64,
    /// Yarns pass through each other on the straight way from our state, in which none did on its way from rest, to the
    /// published one.
    pub published_passed_through: bool,
}

/// Figures of one region of the grid.
#[derive(Clone, Debug)]
pub struct RegionFigures {
    /// The region.
    pub region: Region,
    /// Shares of samples whose energy is lower than, the same as and higher than that of the published state.
    pub energy: [f64; 3],
    /// Samples with a higher energy.
    pub higher: Vec<Higher>,
    /// Share of points with a second difference along sa above half a radius, published and ours.
    pub roughness: [f64; 2],
    /// Median and largest jump between neighboring samples in radii, published.
    pub published_jump: [f64; 2],
    /// The same, ours.
    pub jump: [f64; 2],
}

/// Energy of each published state, J per cell, with the twists in equilibrium.
fn published_energies(cell: &Cell, published: &Published) -> Vec<f64> {
    let energy = |sample: usize| {
        let strain = published.grid.strain(sample);
        let problem = Problem::planar(cell, strain);
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
    let rough = [&theirs, &mine].map(|states| {
        let slices: Vec<&[[f64; 4]]> = states.iter().map(|d| &d[..]).collect();
        roughness(&published.grid, &slices, radius).map(|share| share.unwrap_or(0.0))
    });
    let jumps = [jumps(&published.grid, &theirs, radius), jumps(&published.grid, &mine, radius)];
    let higher = |sample: usize, excess: f64| Higher {
        sample,
        excess,
        published_passed_through: pass_through(cell, &mine[sample], &theirs[sample]),
    };
    let of = |region: Region| {
        let excess: Vec<(usize, f64)> = (0..ours.len())
            .filter(|s| Region::of(published.grid.strain(*s)) == region)
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
            higher: excess.iter().filter(|(_, e)| *e > SAME_ENERGY).map(|(s, e)| higher(*s, *e)).collect(),
            roughness: [rough[0][k], rough[1][k]],
            published_jump: ends(&jumps[0][k]),
            jump: ends(&jumps[1][k]),
        }
    };
    Region::ALL.map(of).to_vec()
}

/// Whether yarns pass through each other on the straight way from one state to the other. Large-scale deformation is the same
/// linear map for both and passes nothing through anything.
fn pass_through(cell: &Cell, from: &Displacements, to: &Displacements) -> bool {
    let displaced = |state: &Displacements| {
        let mut data = cell.pattern.data().clone();
        for (vertex, d) in data.vertices.iter_mut().zip(state) {
            (0..3).for_each(|k| vertex.position[k] += d[k]);
        }
        Pattern::new(data)
    };
    let (Ok(from), Ok(to)) = (displaced(from), displaced(to)) else { return false };
    passages(&from, &to).is_ok_and(|found| !found.is_empty())
}
