//! What a finished bake reports.

use super::Stage;
use crate::equilibrium::Solved;
use crate::sampling::{BentAlong, Task};
use yarnwise_shared::table::database::{Database, FileInfo, SampleRecord, SampleStatus};
use yarnwise_shared::table::smoothness::Smoothness;

/// The figures of a finished bake.
#[derive(Clone, Debug, serde::Serialize)]
pub struct Summary {
    /// Samples in the plane.
    pub samples: usize,
    /// Of which equilibria of the fabric.
    pub converged: usize,
    /// Of which yarns passed through each other.
    pub passed_through: usize,
    /// Solves in all, retries included.
    pub solves: usize,
    /// Of which samples retried from other neighbors.
    pub retries: usize,
    /// Wall time of this run, s.
    pub seconds: f64,
    /// Processor time of all solves, earlier runs included: core-seconds.
    pub solve_seconds: f64,
    /// The samples with a curvature, if there are any.
    pub bending: Option<BendingSummary>,
    /// What the pullback missed at most, yarn radii.
    pub largest_pullback: f64,
    /// The largest residual of a converged sample.
    pub largest_residual: f64,
    /// Size and precision of the file.
    pub file: FileInfo,
    /// How smooth the table is.
    pub smoothness: Smoothness,
}

/// The figures of both bending tables together, the samples without curvature included.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
pub struct BendingSummary {
    /// Samples of both tables.
    pub samples: usize,
    /// Of which equilibria of the fabric.
    pub converged: usize,
    /// Of which yarns passed through each other.
    pub passed_through: usize,
}

/// Counts while a bake runs.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Tally {
    pub(super) solves: usize,
    retries: usize,
    seconds: f64,
    /// m.
    largest_pullback: f64,
}

impl Tally {
    /// Counts a wave of `tasks` of a table.
    pub(super) fn begin_wave(&mut self, tasks: &[Task], bent: Option<BentAlong>) -> Stage {
        match (tasks, bent) {
            ([task, ..], _) if task.polishes() => Stage::Polish,
            ([task, ..], _) if task.round > 0 => {
                self.retries += tasks.len();
                Stage::Retries
            }
            (_, Some(_)) => Stage::Bending,
            (_, None) => Stage::Strains,
        }
    }

    pub(super) fn add(&mut self, solved: &Solved, seconds: f64) {
        self.solves += 1;
        if solved.is_sound() {
            self.largest_pullback = self.largest_pullback.max(solved.pullback_residual);
        }
        self.seconds += seconds;
    }
}

impl Summary {
    /// The wall time is for the caller to fill in.
    pub(super) fn new(database: &Database, file: FileInfo, tally: Tally) -> Self {
        let count = |samples: &[SampleRecord], status| samples.iter().filter(|s| s.status == status).count();
        let (converged, passed) = (SampleStatus::Converged, SampleStatus::PassedThrough);
        let bending = database.bending().map(|b| [&b.x_samples, &b.y_samples]);
        let both = |tables: [&Vec<SampleRecord>; 2], f: &dyn Fn(&[SampleRecord]) -> usize| f(tables[0]) + f(tables[1]);
        let sound = |r: &&SampleRecord| r.status == converged;
        let everywhere = database.samples().iter().chain(bending.into_iter().flatten().flatten());
        Summary {
            samples: database.samples().len(),
            converged: count(database.samples(), converged),
            passed_through: count(database.samples(), passed),
            bending: bending.map(|tables| BendingSummary {
                samples: both(tables, &<[SampleRecord]>::len),
                converged: both(tables, &|t| count(t, converged)),
                passed_through: both(tables, &|t| count(t, passed)),
            }),
            largest_pullback: tally.largest_pullback / database.pattern().radius(),
            solves: tally.solves,
            retries: tally.retries,
            seconds: 0.0,
            solve_seconds: tally.seconds,
            largest_residual: everywhere.filter(sound).filter_map(|s| s.residual).fold(0.0, f64::max),
            file,
            smoothness: Smoothness::new(database.table(), database.pattern().radius()),
        }
    }
}
