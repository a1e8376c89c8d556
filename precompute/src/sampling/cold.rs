//! Cold starts: every sample from the affine state, as the published tables.

use super::SamplingPlan;
use super::candidate::Candidate;
use super::problems::Problems;
use super::record;
use super::task::Task;
use crate::equilibrium::settings::SolverSettings;
use crate::equilibrium::{Solved, Start, solve};
use crate::job::{Plan, TaskPlace, Tasks, Tree};
use yarnwise_shared::table::grid::Grid;

/// All samples of a grid in one wave.
#[derive(Debug)]
pub struct Cold<'a, const N: usize> {
    problems: Problems<'a>,
    grid: &'a Grid<N>,
    solver: SolverSettings,
    samples: Vec<Option<Candidate>>,
    /// Those that are solved here.
    missing: Vec<usize>,
    places: Vec<TaskPlace>,
    /// Whether the wave was given out.
    given: bool,
}

impl<'a, const N: usize> Cold<'a, N> {
    /// Of the samples that `known` has no state of.
    pub fn new(
        problems: Problems<'a>,
        grid: &'a Grid<N>,
        solver: &SolverSettings,
        known: Vec<Option<Candidate>>,
    ) -> Self {
        let missing: Vec<usize> = (0..known.len()).filter(|s| known[*s].is_none()).collect();
        let place = |task| TaskPlace { wave: 0, task, branch: Some(task) };
        let places = (0..missing.len() as u32).map(place).collect();
        Cold { problems, grid, solver: *solver, samples: known, missing, places, given: false }
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
        if std::mem::replace(&mut self.given, true) {
            return Vec::new();
        }
        self.missing.iter().map(|sample| affine(*sample)).collect()
    }

    fn accept(&mut self, tasks: Vec<Task>, outputs: Vec<Solved>) {
        for (task, solved) in tasks.into_iter().zip(outputs) {
            self.samples[task.sample] = Some(Candidate { solved, started_from: None });
        }
    }
}

/// The solve of a sample from the affine state.
fn affine(sample: usize) -> Task {
    Task { sample, parent: None, round: 0 }
}

impl<const N: usize> Tree for Cold<'_, N> {
    fn places(&self) -> &[TaskPlace] {
        &self.places
    }

    fn ready(&self, place: usize) -> Option<(Task, bool)> {
        Some((affine(self.missing[place]), false))
    }

    fn learn(&mut self, place: usize, solved: Solved) {
        self.samples[self.missing[place]] = Some(Candidate { solved, started_from: None });
    }

    fn forget_tree(&mut self) {
        self.missing.iter().for_each(|sample| self.samples[*sample] = None);
        self.given = false;
    }

    fn leave_tree(&mut self) {
        self.given = true;
    }
}

impl<const N: usize> SamplingPlan for Cold<'_, N> {
    fn decision(&self) -> Vec<u8> {
        Vec::new()
    }

    fn decide(&mut self, decision: &[u8]) -> bool {
        decision.is_empty()
    }

    fn finish(self) -> Vec<Candidate> {
        self.samples.into_iter().flatten().collect()
    }
}
