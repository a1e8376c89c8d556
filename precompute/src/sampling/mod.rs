//! Sampling a grid of strains by continuation.
//!
//! Compressed and sheared fabric has many stable states, and which one is found depends on where the search starts. A
//! cold start at every sample makes neighbours fall into different states at random, and the interpolated fabric pops
//! ([Sperl21, Section 5]). Here samples start at a neighbour's equilibrium:
//!
//! 1. **Tree** ([`tree`]): from rest outward along sx, then sy, then sa. Waves of samples that do not depend on each
//!    other, each with the one sample it starts from.
//! 2. **Sweeps** ([`retries`]): samples are tried again from other neighbours, all from the results of the sweep before;
//!    the lower energy stays ([`improves`]). Until nothing changes or [`SamplingSettings::sweeps`] are done.
//!
//! What is done when depends on the grid and on earlier results only, never on the number of threads or on time: the same
//! input gives the same bytes, and a job that keeps the finished samples can stop and go on anywhere.

mod plan;

pub use plan::{Task, improves, retries, tree};

use crate::cell::Cell;
use crate::cell::energy::Problem;
use crate::cell::kinematics::LargeScale;
use crate::equilibrium::settings::SolverSettings;
use crate::equilibrium::{Solved, Start, solve};
use rayon::prelude::*;
use yarnwise_shared::grid::StrainGrid;
use yarnwise_shared::strain::Strain;
use yarnwise_shared::{Error, Result};

/// How a grid is sampled.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct SamplingSettings {
    /// The solver's settings.
    pub solver: SolverSettings,
    /// The most sweeps that try samples again from other neighbours.
    pub sweeps: usize,
}

impl Default for SamplingSettings {
    fn default() -> Self {
        SamplingSettings { solver: SolverSettings::default(), sweeps: 4 }
    }
}

/// A sample and how it came about.
#[derive(Clone, Debug, PartialEq)]
pub struct Sample {
    /// The equilibrium.
    pub solved: Solved,
    /// The sample it was started from; none for a cold start.
    pub started_from: Option<usize>,
}

/// Solves one sample of the grid; `parent` holds the displacements it starts from.
pub fn solve_sample(cell: &Cell, strain: [f64; 3], start: Start, settings: &SolverSettings) -> Solved {
    let [sx, sa, sy] = strain;
    let deformation = LargeScale::planar(Strain::new(sx, sa, sy), cell.pattern.period());
    solve(&Problem::new(cell, deformation), start, settings)
}

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
    }
    Ok(())
}

/// Samples the whole grid by continuation, on rayon's threads. `done(sample)` is called as samples finish.
pub fn continuation(
    cell: &Cell,
    grid: &StrainGrid,
    settings: &SamplingSettings,
    done: impl Fn(usize) + Sync,
) -> Result<Vec<Sample>> {
    check_grid(grid)?;
    let mut samples: Vec<Option<Sample>> = vec![None; grid.sample_count()];
    let run = |task: &Task, samples: &[Option<Sample>]| {
        let parent = task.parent.and_then(|p| samples[p].as_ref());
        let start = parent.map_or(Start::Cold, |p| Start::From(&p.solved.displacements));
        let solved = solve_sample(cell, grid.coordinates(task.sample), start, &settings.solver);
        done(task.sample);
        Sample { solved, started_from: task.parent }
    };
    for wave in tree(grid) {
        let solved: Vec<Sample> = wave.par_iter().map(|t| run(t, &samples)).collect();
        wave.iter().zip(solved).for_each(|(t, s)| samples[t.sample] = Some(s));
    }
    let mut tried = Vec::new();
    for _ in 0..settings.sweeps {
        let tasks = retries(grid, &samples, cell.radius(), &mut tried);
        let solved: Vec<Sample> = tasks.par_iter().map(|t| run(t, &samples)).collect();
        let mut changed = false;
        for (task, sample) in tasks.iter().zip(solved) {
            if improves(grid, &samples, task.sample, &sample.solved) {
                samples[task.sample] = Some(sample);
                changed = true;
            }
        }
        if !changed {
            break;
        }
    }
    Ok(samples.into_iter().flatten().collect())
}
