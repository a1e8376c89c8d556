//! Cold starts: every sample from the affine state, as the published tables.

use super::candidate::Candidate;
use super::problems::Problems;
use super::record;
use super::task::Task;
use crate::equilibrium::settings::SolverSettings;
use crate::equilibrium::{Solved, Start, solve};
use crate::job::{Plan, Tasks};
use yarnwise_shared::table::grid::Grid;

/// All samples of a grid in one wave.
#[derive(Debug)]
pub struct Cold<'a, const N: usize> {
    problems: Problems<'a>,
    grid: &'a Grid<N>,
    solver: SolverSettings,
    samples: Vec<Option<Candidate>>,
}

impl<'a, const N: usize> Cold<'a, N> {
    /// Of the samples that `known` has no state of.
    pub fn new(
        problems: Problems<'a>,
        grid: &'a Grid<N>,
        solver: &SolverSettings,
        known: Vec<Option<Candidate>>,
    ) -> Self {
        Cold { problems, grid, solver: *solver, samples: known }
    }

    /// The state of each sample, once no wave is left.
    pub fn finish(self) -> Vec<Candidate> {
        self.samples.into_iter().flatten().collect()
    }
}

impl<const N: usize> Tasks for Cold<'_, N> {
    type Task = Task;
    type Output = Solved;

    fn run(&self, task: &Task) -> Solved {
        solve(&self.problems.at(self.grid.coordinates(task.sample)), Start::Cold, &self.solver)
    }

    fn encode(&self, output: &Solved) -> Vec<u8> {
        record::to_bytes(output)
    }

    fn decode(&self, bytes: &[u8]) -> Option<Solved> {
        record::parse(bytes, self.problems.cell.vertex_count())
    }
}

impl<const N: usize> Plan for Cold<'_, N> {
    fn next_wave(&mut self) -> Vec<Task> {
        let missing = (0..self.samples.len()).filter(|s| self.samples[*s].is_none());
        missing.map(|sample| Task { sample, parent: None, round: 0 }).collect()
    }

    fn accept(&mut self, tasks: Vec<Task>, outputs: Vec<Solved>) {
        for (task, solved) in tasks.into_iter().zip(outputs) {
            self.samples[task.sample] = Some(Candidate { solved, started_from: None });
        }
    }
}
