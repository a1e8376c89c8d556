//! Sampling a grid of strains by continuation.
//!
//! Compressed and sheared fabric has many stable states, and which one is found depends on where the search starts. A
//! cold start at every sample makes neighbors fall into different states at random, and the interpolated fabric pops
//! ([Sperl21, Section 5]). Here samples start at a neighbor's equilibrium ([`Continuation`]):
//!
//! 1. **Tree** (`tree`): from rest outward along sx, then sy, then sa. Waves of samples that do not depend on each
//!    other, each with the one sample it starts from.
//! 2. **Sweeps**: samples that do not lie on a smooth line with their neighbors are retried from these, all from what
//!    was found before; compressed ones only where they have more energy than stresses lead to expect (`excess`). From a state
//!    with less energy the sample beyond is retried too, and so on. From the second sweep on, samples are also retried from the
//!    affine state. Every different state of a sample is kept as a candidate.
//! 3. **Choice** (`choice`): among the candidates, the table that is low in energy and smooth. The next sweep starts
//!    from the chosen states, so that a better branch spreads.
//!
//! What is done when depends on the grid and on earlier results only, never on the number of threads or on time: the same
//! input gives the same bytes, and a job that keeps the finished tasks can stop and resume anywhere.

mod candidate;
mod choice;
mod continuation;
mod excess;
mod tree;

pub use candidate::Candidate;
pub use choice::ChoiceSettings;
pub use continuation::{Continuation, Task};

use crate::cell::Cell;
use crate::cell::energy::Problem;
use crate::equilibrium::settings::SolverSettings;
use crate::equilibrium::{Solved, Start, solve};
use yarnwise_shared::table::grid::StrainGrid;
use yarnwise_shared::table::region::Region;
use yarnwise_shared::table::strain::Strain;
use yarnwise_shared::{Error, Result};

/// How a grid is sampled.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct SamplingSettings {
    /// The solver's settings.
    pub solver: SolverSettings,
    /// The most sweeps that retry samples from other neighbors and, from the second on, from the affine state.
    pub sweeps: usize,
    /// How one of the states found is chosen.
    pub choice: ChoiceSettings,
}

impl Default for SamplingSettings {
    fn default() -> Self {
        SamplingSettings { solver: SolverSettings::default(), sweeps: 1, choice: ChoiceSettings::default() }
    }
}

/// Solves one sample: the equilibrium of `cell` under `strain`.
pub fn solve_sample(cell: &Cell, strain: Strain<f64>, start: Start, settings: &SolverSettings) -> Solved {
    solve(&Problem::planar(cell, strain), start, settings)
}

/// Whether fabric with this strain is compressed along x or y.
fn compressed(strain: Strain<f64>) -> bool {
    Region::of(strain).is_compressed()
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
