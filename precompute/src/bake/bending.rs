//! The tables with a curvature: bent along x and along y [Sperl21, App. C].
//!
//! Each strain's equilibrium in the plane is bent step by step, outward from no curvature: a sample starts where its
//! neighbor of smaller curvature ended, or at the affine state if that leads nowhere. Where the curvature is zero the
//! table holds the in-plane sample itself.

use super::StartMode;
use crate::cell::Cell;
use crate::cell::energy::Problem;
use crate::equilibrium::settings::SolverSettings;
use crate::equilibrium::{Solved, Start, solve};
use crate::sampling::Candidate;
use yarnwise_shared::table::grid::{Axis, BendingGrid, Grid, StrainGrid};
use yarnwise_shared::table::strain::Strain;

/// The direction along which fabric is bent: II = lambda v v^T.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BentAlong {
    /// v = e1.
    X,
    /// v = e2.
    Y,
}

impl BentAlong {
    /// Both, in the order of their tables.
    pub const BOTH: [BentAlong; 2] = [BentAlong::X, BentAlong::Y];

    /// v.
    pub fn vector(self) -> [f64; 2] {
        match self {
            BentAlong::X => [1.0, 0.0],
            BentAlong::Y => [0.0, 1.0],
        }
    }

    /// In one letter.
    pub fn name(self) -> &'static str {
        match self {
            BentAlong::X => "x",
            BentAlong::Y => "y",
        }
    }
}

/// One solve of a bent sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct BentTask {
    /// Which of the two tables.
    pub(super) along: BentAlong,
    /// Index of the sample in that table's grid.
    pub(super) sample: usize,
    /// The sample of the same table that it starts from; none for a cold start.
    pub(super) parent: Option<usize>,
}

/// The axes of both tables: the strains and the curvatures.
pub(super) fn bending_grid(grid: &StrainGrid, curvatures: &Axis) -> BendingGrid {
    let [sx, sa, sy] = grid.0.clone();
    Grid([sx, sa, sy, curvatures.clone()])
}

/// Solves one bent sample: the equilibrium of `cell` under `strain` and a `curvature` in 1/m.
fn solve_bent(
    cell: &Cell,
    along: BentAlong,
    (strain, curvature): (Strain<f64>, f64),
    start: Start,
    settings: &SolverSettings,
) -> Solved {
    solve(&Problem::bent(cell, strain, along.vector(), curvature), start, settings)
}

/// The course of both tables, wave after wave.
pub(super) struct BendingCourse<'a> {
    cell: &'a Cell,
    grid: BendingGrid,
    start: StartMode,
    settings: &'a SolverSettings,
    /// Index of the curvature 0.
    zero: usize,
    /// Steps from it that are done.
    steps: usize,
    /// For both tables, what is found so far.
    samples: [Vec<Option<Candidate>>; 2],
}

impl<'a> BendingCourse<'a> {
    /// Begins with the samples in the plane.
    pub(super) fn new(
        cell: &'a Cell,
        grid: BendingGrid,
        start: StartMode,
        settings: &'a SolverSettings,
        flat: &[Candidate],
    ) -> Self {
        let zero = grid.0[3].zero().unwrap_or(0);
        let strains = flat.len();
        let mut samples = vec![None; grid.sample_count()];
        for (i, candidate) in flat.iter().enumerate() {
            // The curvature is the last axis: the samples of one curvature are those of the plane, in their order.
            let started_from = candidate.started_from.map(|s| s + zero * strains);
            samples[i + zero * strains] = Some(Candidate { solved: candidate.solved.clone(), started_from });
        }
        BendingCourse { cell, grid, start, settings, zero, steps: 0, samples: [samples.clone(), samples] }
    }

    /// All samples one curvature further out, of both signs and both tables; none when all are done.
    pub(super) fn next_wave(&mut self) -> Vec<BentTask> {
        self.steps += 1;
        let curvatures = self.grid.0[3].len();
        let strains = self.grid.sample_count() / curvatures;
        let further = [self.zero.checked_sub(self.steps), Some(self.zero + self.steps).filter(|i| *i < curvatures)];
        let mut tasks = Vec::new();
        for along in BentAlong::BOTH {
            for curvature in further.into_iter().flatten() {
                let nearer = if curvature < self.zero { curvature + 1 } else { curvature - 1 };
                tasks.extend((0..strains).map(|s| BentTask {
                    along,
                    sample: s + curvature * strains,
                    parent: (self.start == StartMode::Continuation).then_some(s + nearer * strains),
                }));
            }
        }
        tasks
    }

    pub(super) fn run(&self, task: &BentTask) -> Solved {
        let at = self.grid.bent_strain(task.sample);
        let from = |start: Start| solve_bent(self.cell, task.along, at, start, self.settings);
        let parent = task.parent.and_then(|p| self.samples[task.along as usize][p].as_ref());
        let Some(parent) = parent else { return from(Start::Cold) };
        let warm = from(Start::From(&parent.solved.displacements));
        if warm.is_sound() {
            return warm;
        }
        let cold = from(Start::Cold);
        if cold.is_sound() { cold } else { warm }
    }

    pub(super) fn accept(&mut self, task: &BentTask, solved: Solved) {
        self.samples[task.along as usize][task.sample] = Some(Candidate { solved, started_from: task.parent });
    }

    /// The grid and the samples of both tables in its order, once all waves are done.
    pub(super) fn finish(self) -> (BendingGrid, [Vec<Candidate>; 2]) {
        (self.grid, self.samples.map(|table| table.into_iter().flatten().collect()))
    }
}
