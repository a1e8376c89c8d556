//! The tables of a bake, one after the other on one journal: the strains in the plane, then bent along x, then along y.

use super::collect::BakedSamples;
use super::log::{Log, LoggedSample};
use super::next::{Next, NextStage};
use super::summary::Tally;
use super::{Bake, Progress, StartMode};
use crate::Result;
use crate::cell::Cell;
use crate::job::{Event, JobShare, Outcome, Run};
use crate::sampling::{BentAlong, Candidate, Cold, Continuation, OUTWARD, Problems, SamplingPlan, Task};
use std::collections::HashSet;
use std::path::PathBuf;
use yarnwise_shared::table::grid::{Axis, BendingGrid, Grid, StrainGrid};

/// A bake on its way.
pub(super) struct Tables<'a> {
    pub(super) bake: &'a Bake,
    pub(super) cell: &'a Cell,
    pub(super) run: Run<'a>,
    pub(super) role: Role,
    /// The path of the log, and of the journal that is named where the log cannot be written.
    pub(super) paths: [PathBuf; 2],
    pub(super) log: Option<Log>,
    pub(super) tally: Tally,
    pub(super) report: &'a mut dyn FnMut(Progress),
}

/// What a process does of a bake.
#[derive(Clone, Copy, Debug)]
pub(super) enum Role {
    /// All of it.
    Whole,
    /// A share of what can be done now.
    Share(JobShare),
    /// What holds up the shares, and what is not worth the trouble of sharing: what takes fewer core-seconds than this.
    Merge { little: f64 },
}

/// How far a bake came.
pub(super) enum Reached<T> {
    /// To its end.
    End(T),
    /// It was asked to stop.
    Stopped,
    /// The rest is for others.
    Left(Remainder),
}

/// What is left for others.
#[derive(Default)]
pub(super) struct Remainder {
    /// What it is, where this process can tell.
    pub(super) next: Option<Next>,
    /// Where it was left to shards before: the branches, or the tasks of the wave, that they have not delivered.
    pub(super) owed: Vec<u32>,
}

impl<T> Reached<T> {
    fn map<U>(self, end: impl FnOnce(T) -> U) -> Reached<U> {
        match self {
            Reached::End(value) => Reached::End(end(value)),
            Reached::Stopped => Reached::Stopped,
            Reached::Left(rest) => Reached::Left(rest),
        }
    }
}

/// One of the tables.
struct SampledTable<'a, 'g, const N: usize> {
    problems: Problems<'a>,
    grid: &'g Grid<N>,
    /// Its number.
    part: u32,
}

impl<'a> Tables<'a> {
    /// Solves all tables.
    pub(super) fn solve(&mut self) -> Result<Reached<BakedSamples>> {
        let grid = &self.bake.grid;
        let known = vec![None; grid.sample_count()];
        let table = SampledTable { problems: Problems::planar(self.cell), grid, part: 0 };
        let flat = match self.table(&table, &OUTWARD, known)? {
            Reached::End(flat) => flat,
            other => return Ok(other.map(|flat| BakedSamples { flat, bent: None })),
        };
        let Some(curvatures) = &self.bake.curvatures else {
            return Ok(Reached::End(BakedSamples { flat, bent: None }));
        };
        let grid = bending_grid(grid, curvatures);
        let mut bent = Vec::new();
        for (along, part) in BentAlong::BOTH.into_iter().zip(1..) {
            let table = SampledTable { problems: Problems { cell: self.cell, bent: Some(along) }, grid: &grid, part };
            match self.table(&table, &[3], within(&grid, &flat))? {
                Reached::End(samples) => bent.push(samples),
                other => return Ok(other.map(|flat| BakedSamples { flat, bent: None })),
            }
        }
        let bent = <[_; 2]>::try_from(bent).ok().map(|tables| (grid, tables));
        Ok(Reached::End(BakedSamples { flat, bent }))
    }

    /// Samples a grid outward along `axes`.
    fn table<const N: usize>(
        &mut self,
        table: &SampledTable<'a, '_, N>,
        axes: &[usize],
        known: Vec<Option<Candidate>>,
    ) -> Result<Reached<Vec<Candidate>>> {
        let (settings, grid) = (&self.bake.settings, table.grid);
        match self.bake.start {
            StartMode::Continuation => {
                self.sample(table, Continuation::from_known(table.problems, grid, settings, axes, known))
            }
            StartMode::Cold => self.sample(table, Cold::new(table.problems, grid, &settings.solver, known)),
        }
    }

    /// Runs the course of a table, or this process's part of it.
    fn sample<C: SamplingPlan, const N: usize>(
        &mut self,
        table: &SampledTable<'a, '_, N>,
        mut course: C,
    ) -> Result<Reached<Vec<Candidate>>> {
        let reached = match self.role {
            Role::Whole => self.carry_out(&mut course, table, &HashSet::new())?,
            Role::Merge { little } => match self.merge_tree(&mut course, table, little)? {
                Reached::End(solved) => self.carry_out(&mut course, table, &solved)?,
                other => other.map(|_| ()),
            },
            Role::Share(share) => self.share(&mut course, share, table.part)?,
        };
        // Others need not choose again what those who share the next table start from.
        if self.bake.curvatures.is_some() && matches!(reached, Reached::End(())) {
            self.run.decide(table.part, &course.decision())?;
        }
        Ok(reached.map(|()| course.finish()))
    }

    /// Runs a course, counts and logs what it solves. Samples that are `solved` were reported before.
    fn carry_out<C: SamplingPlan, const N: usize>(
        &mut self,
        course: &mut C,
        table: &SampledTable<N>,
        solved: &HashSet<usize>,
    ) -> Result<Reached<()>> {
        let seconds = self.seconds_a_solve();
        let bent = table.problems.bent;
        let mut left = None;
        let mut leave = |tasks: &[Task], missing: &[u32]| match self.role {
            Role::Merge { little } if tasks[0].round > 0 && missing.len() as f64 * seconds >= little => {
                let stage = if tasks[0].polishes() { NextStage::Polish } else { NextStage::Round(tasks[0].round) };
                let next = Next { stage, bent, solves: missing.len(), seconds: missing.len() as f64 * seconds };
                left = Some((next, missing.to_vec()));
                true
            }
            _ => false,
        };
        if self.log.is_none() {
            let [path, journal] = &self.paths;
            self.log = Some(Log::create(path, journal)?);
        }
        let Tables { run, log, tally, report, .. } = self;
        let outcome = run.plan_until(course, &mut leave, &mut |event| match event {
            Event::Wave { tasks, .. } => {
                let stage = tally.begin_wave(tasks, bent);
                report(Progress::Wave { solves: tasks.len(), stage });
                Ok(())
            }
            Event::Share { .. } => Ok(()),
            Event::Finished { wave, task, output, seconds, recalled } => {
                tally.add(output, seconds);
                if task.round > 0 || !solved.contains(&task.sample) {
                    report(Progress::Solved { sound: output.is_sound(), recalled });
                }
                let place = LoggedSample::new(bent, table.grid.coordinates(task.sample));
                log.as_mut().map_or(Ok(()), |log| log.line(wave, task, &place, output, seconds))
            }
        })?;
        match (outcome, left) {
            (Outcome::Finished, _) => Ok(Reached::End(())),
            (Outcome::Left, Some((next, missing))) => self.leave(next, missing),
            _ => Ok(Reached::Stopped),
        }
    }

    /// About how much processor time a solve takes, s.
    fn seconds_a_solve(&self) -> f64 {
        self.run.mean_seconds().unwrap_or_else(|| self.bake.seconds_a_sample())
    }

    /// Leaves what comes next to the shards; `open` is what they would have delivered if they had had it before.
    fn leave<T>(&mut self, next: Next, open: Vec<u32>) -> Result<Reached<T>> {
        let owed = if self.run.leave()? { open } else { Vec::new() };
        Ok(Reached::Left(Remainder { next: Some(next), owed }))
    }

    /// Runs what holds up the shares of a tree; the samples that were solved, where little is left for others.
    fn merge_tree<C: SamplingPlan, const N: usize>(
        &mut self,
        course: &mut C,
        table: &SampledTable<N>,
        little: f64,
    ) -> Result<Reached<HashSet<usize>>> {
        // Asked for before detours open branches that could not be known.
        let open = if self.run.was_left() { self.run.open_branches(course) } else { Vec::new() };
        course.forget_tree();
        let mut solved = HashSet::new();
        let report = &mut self.report;
        let (missing, stopped) =
            self.run.tree(course, &|place, detour| place.branch.is_none() || detour, &mut |event| {
                if let Event::Finished { task, output, .. } = event {
                    solved.insert(task.sample);
                    report(Progress::Solved { sound: output.is_sound(), recalled: false });
                }
                Ok(())
            })?;
        course.forget_tree();
        if stopped {
            return Ok(Reached::Stopped);
        }
        let seconds = missing.len() as f64 * self.seconds_a_solve();
        if missing.is_empty() || seconds < little {
            return Ok(Reached::End(solved));
        }
        let next = Next { stage: NextStage::Lines, bent: table.problems.bent, solves: missing.len(), seconds };
        self.leave(next, open)
    }

    /// Runs a share of what can be done now.
    fn share<C: SamplingPlan>(&mut self, course: &mut C, share: JobShare, part: u32) -> Result<Reached<()>> {
        let Tables { run, tally, report, .. } = self;
        let outcome = run.share(course, share, &mut |event| {
            match event {
                Event::Share { tasks } => report(Progress::Share { solves: tasks }),
                Event::Finished { output, seconds, .. } => {
                    tally.add(output, seconds);
                    report(Progress::Solved { sound: output.is_sound(), recalled: false });
                }
                Event::Wave { .. } => {}
            }
            Ok(())
        })?;
        Ok(match outcome {
            Outcome::Stopped => Reached::Stopped,
            Outcome::Finished if run.decision(part).is_some_and(|decision| course.decide(&decision)) => {
                Reached::End(())
            }
            // What follows is for the merge to say.
            Outcome::Left | Outcome::Finished => Reached::Left(Remainder::default()),
        })
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
