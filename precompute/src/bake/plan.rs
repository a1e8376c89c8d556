//! The bake as waves of a job: the strains first, then their bending.

use super::bending::{BendingCourse, BentTask, bending_grid};
use super::record::{self, Solve};
use super::{Bake, StartMode};
use crate::Result;
use crate::cell::Cell;
use crate::equilibrium::Start;
use crate::job::Plan;
use crate::sampling::{Candidate, Continuation, Task, solve_sample};
use yarnwise_shared::table::grid::BendingGrid;

/// One solve of a bake.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BakeTask {
    /// Of a sample in the plane.
    Flat(Task),
    /// Of a bent sample.
    Bent(BentTask),
}

/// All that a bake found, in the order of its grids.
pub(super) struct Found {
    pub(super) flat: Vec<Candidate>,
    pub(super) bent: Option<(BendingGrid, [Vec<Candidate>; 2])>,
}

/// The plan of a bake.
pub(super) struct BakePlan<'a> {
    bake: &'a Bake,
    cell: &'a Cell,
    stage: Stage<'a>,
}

enum Stage<'a> {
    Continuation(Box<Continuation<'a>>),
    Cold(Vec<Candidate>),
    Bending { flat: Vec<Candidate>, course: Box<BendingCourse<'a>> },
    Done(Vec<Candidate>),
}

impl<'a> BakePlan<'a> {
    /// The plan; fails for a grid that cannot be sampled.
    pub(super) fn new(bake: &'a Bake, cell: &'a Cell) -> Result<Self> {
        let stage = match bake.start {
            StartMode::Continuation => {
                Stage::Continuation(Box::new(Continuation::new(cell, &bake.grid, &bake.settings)?))
            }
            StartMode::Cold => Stage::Cold(Vec::new()),
        };
        Ok(BakePlan { bake, cell, stage })
    }

    /// What was found, once all waves are done.
    pub(super) fn finish(self) -> Found {
        match self.stage {
            Stage::Continuation(continuation) => Found { flat: continuation.finish(), bent: None },
            Stage::Cold(flat) | Stage::Done(flat) => Found { flat, bent: None },
            Stage::Bending { flat, course } => Found { flat, bent: Some(course.finish()) },
        }
    }

    fn flat_wave(&mut self) -> Vec<Task> {
        match &mut self.stage {
            Stage::Continuation(continuation) => continuation.next_wave(),
            Stage::Cold(samples) => {
                let left = samples.len()..self.bake.grid.sample_count();
                left.map(|sample| Task { sample, parent: None, sweep: 0 }).collect()
            }
            Stage::Bending { .. } | Stage::Done(_) => Vec::new(),
        }
    }

    /// From the plane to bending, when the plane is done.
    fn advance(&mut self) {
        self.stage = match std::mem::replace(&mut self.stage, Stage::Cold(Vec::new())) {
            Stage::Continuation(continuation) => self.bend(continuation.finish()),
            Stage::Cold(samples) => self.bend(samples),
            later => later,
        };
    }

    fn bend(&self, flat: Vec<Candidate>) -> Stage<'a> {
        let Some(curvatures) = &self.bake.curvatures else { return Stage::Done(flat) };
        let grid = bending_grid(&self.bake.grid, curvatures);
        let course = BendingCourse::new(self.cell, grid, self.bake.start, &self.bake.settings.solver, &flat);
        Stage::Bending { flat, course: Box::new(course) }
    }
}

impl Plan for BakePlan<'_> {
    type Task = BakeTask;
    type Output = Solve;

    fn next_wave(&mut self) -> Vec<BakeTask> {
        let flat = self.flat_wave();
        if !flat.is_empty() {
            return flat.into_iter().map(BakeTask::Flat).collect();
        }
        self.advance();
        match &mut self.stage {
            Stage::Bending { course, .. } => course.next_wave().into_iter().map(BakeTask::Bent).collect(),
            _ => Vec::new(),
        }
    }

    fn run(&self, task: &BakeTask) -> Solve {
        let solver = &self.bake.settings.solver;
        Solve(match (task, &self.stage) {
            (BakeTask::Flat(task), Stage::Continuation(continuation)) => continuation.run(task),
            (BakeTask::Flat(task), _) => {
                solve_sample(self.cell, self.bake.grid.coordinates(task.sample), Start::Cold, solver)
            }
            (BakeTask::Bent(task), Stage::Bending { course, .. }) => course.run(task),
            (BakeTask::Bent(task), _) => unreachable!("{task:?} belongs to a later stage"),
        })
    }

    fn accept(&mut self, tasks: Vec<BakeTask>, outputs: Vec<Solve>) {
        let mut flat = (Vec::new(), Vec::new());
        for (task, Solve(solved)) in tasks.into_iter().zip(outputs) {
            match (task, &mut self.stage) {
                (BakeTask::Flat(task), _) => {
                    flat.0.push(task);
                    flat.1.push(solved);
                }
                (BakeTask::Bent(task), Stage::Bending { course, .. }) => course.accept(&task, solved),
                (BakeTask::Bent(task), _) => unreachable!("{task:?} belongs to a later stage"),
            }
        }
        match &mut self.stage {
            Stage::Continuation(continuation) => continuation.accept(&flat.0, flat.1),
            Stage::Cold(samples) => {
                samples.extend(flat.1.into_iter().map(|solved| Candidate { solved, started_from: None }));
            }
            Stage::Bending { .. } | Stage::Done(_) => {}
        }
    }

    fn encode(&self, output: &Solve) -> Vec<u8> {
        record::to_bytes(&output.0)
    }

    fn decode(&self, bytes: &[u8]) -> Option<Solve> {
        record::parse(bytes, self.cell.vertex_count()).map(Solve)
    }
}
