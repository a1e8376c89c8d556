//! The sampling of a grid as waves of a job.

use super::StartMode;
use super::record::{self, Solve};
use crate::Result;
use crate::cell::Cell;
use crate::equilibrium::Start;
use crate::equilibrium::settings::SolverSettings;
use crate::job::Plan;
use crate::sampling::{Candidate, Continuation, SamplingSettings, Task, solve_sample};
use yarnwise_shared::grid::StrainGrid;

/// By continuation, or every sample by itself.
pub struct SamplingPlan<'a> {
    cell: &'a Cell,
    course: Course<'a>,
}

enum Course<'a> {
    Continuation(Box<Continuation<'a>>),
    Cold { grid: &'a StrainGrid, settings: &'a SolverSettings, samples: Vec<Candidate> },
}

impl<'a> SamplingPlan<'a> {
    /// The plan; fails for a grid that cannot be sampled.
    pub fn new(cell: &'a Cell, grid: &'a StrainGrid, start: StartMode, settings: &'a SamplingSettings) -> Result<Self> {
        let course = match start {
            StartMode::Continuation => Course::Continuation(Box::new(Continuation::new(cell, grid, settings)?)),
            StartMode::Cold => Course::Cold { grid, settings: &settings.solver, samples: Vec::new() },
        };
        Ok(SamplingPlan { cell, course })
    }

    /// The samples in the order of the grid, once all waves are done.
    pub fn finish(self) -> Vec<Candidate> {
        match self.course {
            Course::Continuation(continuation) => continuation.finish(),
            Course::Cold { samples, .. } => samples,
        }
    }
}

impl Plan for SamplingPlan<'_> {
    type Task = Task;
    type Output = Solve;

    fn next_wave(&mut self) -> Vec<Task> {
        match &mut self.course {
            Course::Continuation(continuation) => continuation.next_wave(),
            Course::Cold { grid, samples, .. } => {
                (samples.len()..grid.sample_count()).map(|sample| Task { sample, parent: None }).collect()
            }
        }
    }

    fn run(&self, task: &Task) -> Solve {
        Solve(match &self.course {
            Course::Continuation(continuation) => continuation.run(task),
            Course::Cold { grid, settings, .. } => {
                solve_sample(self.cell, grid.coordinates(task.sample), Start::Cold, settings)
            }
        })
    }

    fn accept(&mut self, tasks: Vec<Task>, outputs: Vec<Solve>) {
        let solved = outputs.into_iter().map(|Solve(solved)| solved);
        match &mut self.course {
            Course::Continuation(continuation) => continuation.accept(&tasks, solved.collect()),
            Course::Cold { samples, .. } => {
                samples.extend(solved.map(|solved| Candidate { solved, started_from: None }));
            }
        }
    }

    fn encode(&self, output: &Solve) -> Vec<u8> {
        record::to_bytes(&output.0)
    }

    fn decode(&self, bytes: &[u8]) -> Option<Solve> {
        record::parse(bytes, self.cell.vertex_count()).map(Solve)
    }
}
