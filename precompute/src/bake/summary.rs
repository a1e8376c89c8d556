//! What a finished bake reports.

use std::time::Duration;
use yarnwise_shared::database::{Database, FileInfo, SampleStatus};
use yarnwise_shared::smoothness::Smoothness;

/// The figures of a finished bake.
#[derive(Clone, Debug)]
pub struct Summary {
    /// Samples of the grid.
    pub samples: usize,
    /// Of which equilibria of the fabric.
    pub converged: usize,
    /// Of which yarns passed through each other.
    pub passed_through: usize,
    /// Solves in all, retries included.
    pub solves: usize,
    /// Of which samples tried again from other neighbours.
    pub retries: usize,
    /// Time of this run, s.
    pub seconds: f64,
    /// Time of all solves one after the other, earlier runs included, s.
    pub solve_seconds: f64,
    /// The largest residual of a converged sample.
    pub largest_residual: f64,
    /// Size and precision of the file.
    pub file: FileInfo,
    /// How smooth the table is.
    pub smoothness: Smoothness,
}

/// Counts while a bake runs.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Tally {
    pub(super) solves: usize,
    begun: usize,
    retries: usize,
    sweep: usize,
    seconds: f64,
}

impl Tally {
    /// Counts a wave of `tasks`; true when its samples were solved before.
    pub(super) fn begin_wave(&mut self, tasks: usize, samples: usize) -> bool {
        let again = self.begun >= samples;
        self.begun += tasks;
        if again {
            self.retries += tasks;
            self.sweep += 1;
        }
        again
    }

    pub(super) fn add(&mut self, seconds: f64) {
        self.solves += 1;
        self.seconds += seconds;
    }

    /// 0 while samples are solved for the first time, then the number of the sweep.
    pub(super) fn sweep(&self) -> usize {
        self.sweep
    }
}

impl Summary {
    pub(super) fn new(database: &Database, file: FileInfo, tally: Tally, elapsed: Duration) -> Self {
        let with = |status| database.samples().iter().filter(move |s| s.status == status);
        let sound = || with(SampleStatus::Converged);
        Summary {
            samples: database.samples().len(),
            converged: sound().count(),
            passed_through: with(SampleStatus::PassedThrough).count(),
            solves: tally.solves,
            retries: tally.retries,
            seconds: elapsed.as_secs_f64(),
            solve_seconds: tally.seconds,
            largest_residual: sound().filter_map(|s| s.residual).fold(0.0, f64::max),
            file,
            smoothness: Smoothness::new(database.table(), database.pattern().radius()),
        }
    }
}
