//! The bake as waves of a job: the strains first, then their bending.

use super::bending::{BendingCourse, BentTask, bending_grid};
use super::record;
use super::{Bake, StartMode};
use crate::Result;
use crate::cell::Cell;
use crate::equilibrium::{Solved, Start};
use crate::job::{Plan, Tasks};
use crate::sampling::{Candidate, Continuation, Task, solve_sample};
use yarnwise_shared::table::grid::BendingGrid;

/// One solve of a bake.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BakeTask {
    /// Of a sample in the plane.
    Flat(Task),
    /// Of a bent sample.
    Bent(BentTask),
}

/// The chosen state of every sample, in the order of the grids.
pub(super) struct BakedSamples {
    pub(super) flat: Vec<Candidate>,
    pub(super) bent: Option<(BendingGrid, [Vec<Candidate>; 2])>,
}

/// The plan of a bake.
pub(super) struct BakePlan<'a> {
    bake: &'a Bake,
    cell: &'a Cell,
    phase: Phase<'a>,
}

/// What is being solved.
enum Phase<'a> {
    Continuation(Box<Continuation<'a>>),
    Cold(Vec<Candidate>),
    Bending { flat: Vec<Candidate>, course: Box<BendingCourse<'a>> },
    Done(Vec<Candidate>),
}

impl<'a> BakePlan<'a> {
    /// The plan; fails for a grid that cannot be sampled.
    pub(super) fn new(bake: &'a Bake, cell: &'a Cell) -> Result<Self> {
        let phase = match bake.start {
            StartMode::Continuation => {
                Phase::Continuation(Box::new(Continuation::new(cell, &bake.grid, &bake.settings)?))
            }
            StartMode::Cold => Phase::Cold(Vec::new()),
        };
        Ok(BakePlan { bake, cell, phase })
    }

    /// What was found, once all waves are done.
    pub(super) fn finish(self) -> BakedSamples {
        match self.phase {
            Phase::Continuation(continuation) => BakedSamples { flat: continuation.finish(), bent: None },
            Phase::Cold(flat) | Phase::Done(flat) => BakedSamples { flat, bent: None },
            Phase::Bending { flat, course } => BakedSamples { flat, bent: Some(course.finish()) },
        }
    }

    fn flat_wave(&mut self) -> Vec<Task> {
        match &mut self.phase {
            Phase::Continuation(continuation) => continuation.next_wave(),
            Phase::Cold(samples) => {
                let left = samples.len()..self.bake.grid.sample_count();
                left.map(|sample| Task { sample, parent: None, sweep: 0 }).collect()
            }
            Phase::Bending { .. } | Phase::Done(_) => Vec::new(),
        }
    }

    /// From the plane to bending, when the plane is done.
    fn advance(&mut self) {
        self.phase = match std::mem::replace(&mut self.phase, Phase::Cold(Vec::new())) {
            Phase::Continuation(continuation) => self.bend(continuation.finish()),
            Phase::Cold(samples) => self.bend(samples),
            later => later,
        };
    }

    fn bend(&self, flat: Vec<Candidate>) -> Phase<'a> {
        let Some(curvatures) = &self.bake.curvatures else { return Phase::Done(flat) };
        let grid = bending_grid(&self.bake.grid, curvatures);
        let course = BendingCourse::new(self.cell, grid, self.bake.start, &self.bake.settings.solver, &flat);
        Phase::Bending { flat, course: Box::new(course) }
    }
}

impl Tasks for BakePlan<'_> {
    type Task = BakeTask;
    type Output = Solved;

    fn run(&self, task: &BakeTask) -> Solved {
        let solver = &self.bake.settings.solver;
        match (task, &self.phase) {
            (BakeTask::Flat(task), Phase::Continuation(continuation)) => continuation.run(task),
            (BakeTask::Flat(task), _) => {
                solve_sample(self.cell, self.bake.grid.strain(task.sample), Start::Cold, solver)
            }
            (BakeTask::Bent(task), Phase::Bending { course, .. }) => course.run(task),
            (BakeTask::Bent(task), _) => unreachable!("{task:?} belongs to a later phase"),
        }
    }

    fn encode(&self, output: &Solved) -> Vec<u8> {
        record::to_bytes(output)
    }

    fn decode(&self, bytes: &[u8]) -> Option<Solved> {
        record::parse(bytes, self.cell.vertex_count())
    }
}

impl Plan for BakePlan<'_> {
    fn next_wave(&mut self) -> Vec<BakeTask> {
        let flat = self.flat_wave();
        if !flat.is_empty() {
            return flat.into_iter().map(BakeTask::Flat).collect();
        }
        self.advance();
        match &mut self.phase {
            Phase::Bending { course, .. } => course.next_wave().into_iter().map(BakeTask::Bent).collect(),
            _ => Vec::new(),
        }
    }

    fn accept(&mut self, tasks: Vec<BakeTask>, outputs: Vec<Solved>) {
        let mut flat = (Vec::new(), Vec::new());
        for (task, solved) in tasks.into_iter().zip(outputs) {
            match (task, &mut self.phase) {
                (BakeTask::Flat(task), _) => {
                    flat.0.push(task);
                    flat.1.push(solved);
                }
                (BakeTask::Bent(task), Phase::Bending { course, .. }) => course.accept(&task, solved),
                (BakeTask::Bent(task), _) => unreachable!("{task:?} belongs to a later phase"),
            }
        }
        match &mut self.phase {
            Phase::Continuation(continuation) => continuation.accept(&flat.0, flat.1),
            Phase::Cold(samples) => {
                samples.extend(flat.1.into_iter().map(|solved| Candidate { solved, started_from: None }));
            }
            Phase::Bending { .. } | Phase::Done(_) => {}
        }
    }
}
