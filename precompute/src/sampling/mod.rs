//! Sampling a grid of strains by continuation.
//!
//! Compressed and sheared fabric has many stable states, and which one is found depends on where the search starts. A
//! cold start at every sample makes neighbors fall into different states at random, and the interpolated fabric pops
//! ([Sperl21, Section 5]). Here samples start at a neighbor's equilibrium ([`Continuation`]):
//!
//! 1. **Tree** (`tree`): from rest outward along sx, then sy, then sa. Waves of samples that do not depend on each
//!    other, each with the one sample whose state it starts from.
//! 2. **Choice** (`labels`): of the states found for each sample, those that make the energy of the interpolant least, which is what
//!    the run time shows (`objective`).
//! 3. **Rounds** of retries (`retries`): where the midpoint between two samples has an energy that stands out, the one that fits its
//!    neighbors less is retried from the other's state. Every different state of a sample is kept as a candidate; then it is chosen
//!    anew. Rounds end where nothing stands out that was not tried.
//!
//! 4. **Polish**: until here forces balance coarsely. The chosen states are brought to the solver's tolerance.
//!
//! Bent tables are sampled in the same way, from the samples in the plane outward along the curvature. [`Cold`] starts every sample
//! at the affine state.
//!
//! What is done when depends on the grid and on earlier results only, never on the number of threads or on time: the same
//! input gives the same bytes, and a job that keeps the finished tasks can stop and resume anywhere.

mod candidate;
mod cold;
mod continuation;
mod labels;
mod objective;
mod problems;
mod record;
mod retries;
mod task;
mod tree;

pub use candidate::Candidate;
pub use cold::Cold;
pub use continuation::{Continuation, OUTWARD};
pub use objective::{energy_floor, midpoint};
pub use problems::{BentAlong, Problems, energy_of};
pub use task::Task;

use crate::cell::Cell;
use crate::cell::energy::Problem;
use crate::equilibrium::settings::SolverSettings;
use crate::equilibrium::{Solved, Start, solve};
use crate::job::Tree;
use yarnwise_shared::table::grid::StrainGrid;
use yarnwise_shared::table::strain::Strain;
use yarnwise_shared::{Error, Result};

/// A way to sample a grid.
pub trait SamplingPlan: Tree<Task = Task, Output = Solved> + Sized {
    /// Which states were chosen, as bytes for the journal, once no wave is left.
    fn decision(&self) -> Vec<u8>;

    /// Takes over what was chosen elsewhere, once no wave is left; whether it can be that.
    fn decide(&mut self, decision: &[u8]) -> bool;

    /// The chosen state of each sample, once no wave is left.
    fn finish(self) -> Vec<Candidate>;
}

/// How a grid is sampled.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct SamplingSettings {
    /// The solver's settings.
    pub solver: SolverSettings,
    /// No more rounds retry samples than this; they end by themselves where nothing stands out.
    pub rounds: usize,
    /// A sample is retried where the energy of a midpoint stands out by at least this factor's logarithm. From 0.05 to 0.3 it gives nearly
    /// the same tables (docs/results/sampling.md).
    pub gain: f64,
}

impl Default for SamplingSettings {
    fn default() -> Self {
        SamplingSettings { solver: SolverSettings::default(), rounds: MOST_ROUNDS, gain: 0.2 }
    }
}

/// Rounds end long before: this bound is for grids unlike any that was tried.
pub const MOST_ROUNDS: usize = 100;

/// Solves one sample: the equilibrium of `cell` under `strain`.
pub fn solve_sample(cell: &Cell, strain: Strain<f64>, start: Start, settings: &SolverSettings) -> Solved {
    solve(&Problem::planar(cell, strain), start, settings)
}

/// Grids end here. Elastane, the most elastic yarn there is, breaks at a strain of 5 to 7, and a knit adds at most as much by
/// its loops: what is far beyond is a slip of the pen, and ends in numbers that nothing can be computed with.
const LARGEST_STRETCH: f64 = 20.0;

/// Refuses grids that cannot be sampled: every axis must hold 0, stretches stay above -1, |sa| below 1.
pub fn check_grid(grid: &StrainGrid) -> Result<()> {
    for (axis, name) in grid.0.iter().zip(["sx", "sa", "sy"]) {
        let fail = |problem: String| Err(Error::invalid(format!("axis {name}"), problem));
        if axis.zero().is_none() {
            return fail("has no value 0, from which sampling starts: add it".into());
        }
        let (low, high) = (axis.values()[0], axis.values()[axis.len() - 1]);
        if low <= -1.0 {
            return fail(format!("begins at {low}: fabric cannot be compressed to nothing, stay above -1"));
        }
        if name == "sa" && high >= 1.0 {
            return fail(format!("ends at {high}: the cosine of an angle, stay below 1"));
        }
        if high > LARGEST_STRETCH {
            return fail(format!("ends at {high}: yarns break long before, stay below {LARGEST_STRETCH}"));
        }
    }
    Ok(())
}
