//! The tables of a bake, one after the other on one journal: the strains in the plane, then bent along x, then along y.

use super::collect::BakedSamples;
use super::log::{Log, LoggedSample};
use super::summary::Tally;
use super::{Bake, Progress, StartMode};
use crate::Result;
use crate::cell::Cell;
use crate::equilibrium::Solved;
use crate::job::{Event, Outcome, Plan, Run};
use crate::sampling::{BentAlong, Candidate, Cold, Continuation, OUTWARD, Problems, Task};
use yarnwise_shared::table::grid::{Axis, BendingGrid, Grid, StrainGrid};

/// A bake on its way.
pub(super) struct Tables<'a> {
    pub(super) bake: &'a Bake,
    pub(super) cell: &'a Cell,
    pub(super) run: Run<'a>,
    pub(super) log: Log,
    pub(super) tally: Tally,
    pub(super) report: &'a mut dyn FnMut(Progress),
}

impl<'a> Tables<'a> {
    /// Solves all tables; none when it was asked to stop.
    pub(super) fn solve(&mut self) -> Result<Option<BakedSamples>> {
        let grid = &self.bake.grid;
        let known = vec![None; grid.sample_count()];
        let Some(flat) = self.table(Problems::planar(self.cell), grid, &OUTWARD, known)? else { return Ok(None) };
        let Some(curvatures) = &self.bake.curvatures else { return Ok(Some(BakedSamples { flat, bent: None })) };
        let grid = bending_grid(grid, curvatures);
        let known = within(&grid, &flat);
        let bent = |along| Problems { cell: self.cell, bent: Some(along) };
        let [along_x, along_y] = BentAlong::BOTH.map(bent);
        let Some(x) = self.table(along_x, &grid, &[3], known.clone())? else { return Ok(None) };
        let Some(y) = self.table(along_y, &grid, &[3], known)? else { return Ok(None) };
        Ok(Some(BakedSamples { flat, bent: Some((grid, [x, y])) }))
    }

    /// Samples a grid outward along `axes`; none when it was asked to stop.
    fn table<const N: usize>(
        &mut self,
        problems: Problems<'a>,
        grid: &Grid<N>,
        axes: &[usize],
        known: Vec<Option<Candidate>>,
    ) -> Result<Option<Vec<Candidate>>> {
        let settings = &self.bake.settings;
        match self.bake.start {
            StartMode::Continuation => {
                let mut plan = Continuation::from_known(problems, grid, settings, axes, known);
                Ok(self.carry_out(&mut plan, problems, grid)?.then(|| plan.finish()))
            }
            StartMode::Cold => {
                let mut plan = Cold::new(problems, grid, &settings.solver, known);
                Ok(self.carry_out(&mut plan, problems, grid)?.then(|| plan.finish()))
            }
        }
    }

    /// Runs a plan, counts and logs what it solves; whether it came to its end.
    fn carry_out<P, const N: usize>(&mut self, plan: &mut P, problems: Problems, grid: &Grid<N>) -> Result<bool>
    where
        P: Plan<Task = Task, Output = Solved>,
    {
        let Tables { run, log, tally, report, .. } = self;
        let outcome = run.plan(plan, &mut |event| match event {
            Event::Wave { tasks, .. } => {
                let stage = tally.begin_wave(tasks, problems.bent);
                report(Progress::Wave { solves: tasks.len(), stage });
                Ok(())
            }
            Event::Finished { wave, task, output, seconds, recalled } => {
                tally.add(output, seconds);
                report(Progress::Solved { sound: output.is_sound(), recalled });
                log.line(wave, task, &LoggedSample::new(problems.bent, grid.coordinates(task.sample)), output, seconds)
            }
        })?;
        Ok(outcome == Outcome::Finished)
    }
}

/// The axes of both bending tables: the strains and the curvatures.
fn bending_grid(grid: &StrainGrid, curvatures: &Axis) -> BendingGrid {
    let [sx, sa, sy] = grid.0.clone();
    Grid([sx, sa, sy, curvatures.clone()])
}

/// The samples in the plane as those of a bending table without curvature: the table holds them as they are.
fn within(grid: &BendingGrid, flat: &[Candidate]) -> Vec<Option<Candidate>> {
    // The curvature is the last axis: the samples of one curvature are those of the plane, in their order.
    let first = grid.0[3].zero().unwrap_or(0) * flat.len();
    let mut known = vec![None; grid.sample_count()];
    for (to, candidate) in known[first..].iter_mut().zip(flat) {
        let started_from = candidate.started_from.map(|s| s + first);
        *to = Some(Candidate { solved: candidate.solved.clone(), started_from });
    }
    known
}
