//! Continuation over a grid, wave after wave.

use super::candidate::Candidate;
use super::labels::{best_labels, simple_labels};
use super::objective::InterpolantEnergy;
use super::problems::Problems;
use super::retries::{Retry, retries};
use super::task::Task;
use super::tree::{neighbors, tree};
use super::{SamplingSettings, check_grid, record};
use crate::cell::Cell;
use crate::equilibrium::settings::SolverSettings;
use crate::equilibrium::{Solved, Start, smooth_contact, solve_unless_known};
use crate::job::{Plan, Tasks, core_seconds};
use rayon::prelude::*;
use std::collections::BTreeSet;
use yarnwise_shared::Result;
use yarnwise_shared::table::grid::{Grid, StrainGrid};

/// States nearer than this, in yarn radii, are the same. It is above what most solves of one state differ by at the residual of the
/// search; a state that counts twice costs some evaluations.
const SAME_STATE: f64 = 0.05;

/// While states are looked for, forces balance to this residual; those that are chosen are then polished to the solver's own. To
/// search at 5e-5 costs a fifth more, at 1e-2 branches are not yet decided (docs/results/sampling.md).
const COARSE: f64 = 1e-3;

/// The axes along which samples in the plane are reached from rest: first along sx, then sy, last along sa.
pub const OUTWARD: [usize; 3] = [0, 2, 1];

/// The course of a continuation: gives out waves of tasks, takes their results, and in the end chooses.
///
/// ```text
/// while the wave is not empty { run its tasks in any order or in parallel; accept }; finish
/// ```
#[derive(Debug)]
pub struct Continuation<'a, const N: usize> {
    problems: Problems<'a>,
    grid: &'a Grid<N>,
    settings: SamplingSettings,
    waves: std::vec::IntoIter<Vec<(usize, Option<usize>)>>,
    /// For each sample the different states found, the one of the tree first.
    candidates: Vec<Vec<Candidate>>,
    /// The samples whose states were known before.
    known: Vec<bool>,
    /// Samples with what they were started from.
    started: BTreeSet<Retry>,
    /// What is minimized, once every sample has a state.
    objective: Option<InterpolantEnergy<N>>,
    /// The states chosen so far.
    labels: Vec<usize>,
    /// The last round.
    round: usize,
    /// Whether rounds have ended.
    searched: bool,
}

impl<'a> Continuation<'a, 3> {
    /// In the plane, from rest outward; fails for grids that cannot be sampled.
    pub fn new(cell: &'a Cell, grid: &'a StrainGrid, settings: &SamplingSettings) -> Result<Self> {
        check_grid(grid)?;
        let none = vec![None; grid.sample_count()];
        Ok(Continuation::from_known(Problems::planar(cell), grid, settings, &OUTWARD, none))
    }
}

impl<'a, const N: usize> Continuation<'a, N> {
    /// Walks outward along `axes`, the first first. Samples whose states are `known` keep them.
    pub fn from_known(
        problems: Problems<'a>,
        grid: &'a Grid<N>,
        settings: &SamplingSettings,
        axes: &[usize],
        known: Vec<Option<Candidate>>,
    ) -> Self {
        Continuation {
            problems,
            grid,
            settings: *settings,
            waves: tree(grid, axes).into_iter(),
            known: known.iter().map(Option::is_some).collect(),
            candidates: known.into_iter().map(|state| state.into_iter().collect()).collect(),
            started: BTreeSet::new(),
            objective: None,
            labels: Vec::new(),
            round: 0,
            searched: false,
        }
    }

    /// Where a sample starts for the first time: at its parent in the tree, or if that is no equilibrium at the first neighbor that is
    /// one by now, or at the affine state.
    fn first_parent(&self, sample: usize, parent: Option<usize>) -> Option<(usize, usize)> {
        let sound = |s: &usize| self.candidates[*s].first().is_some_and(|c| c.solved.is_sound());
        let parent =
            parent.into_iter().chain(parent.into_iter().flat_map(|_| neighbors(self.grid, sample))).find(sound);
        parent.map(|p| (p, 0))
    }

    /// Chooses among the states known by now.
    fn choose(&mut self) {
        let begin = || InterpolantEnergy::new(self.grid, &self.candidates);
        let objective = self.objective.get_or_insert_with(begin);
        objective.update(&self.problems, self.grid, &self.candidates);
        let mut starts = Vec::from(simple_labels(self.grid, objective));
        if !self.labels.is_empty() {
            starts.insert(0, self.labels.clone());
        }
        self.labels = best_labels(self.grid, objective, starts);
    }

    /// The tasks of the next round; none where nothing stands out that was not tried.
    fn retry(&mut self) -> Vec<Task> {
        let Some(objective) = self.objective.as_ref().filter(|_| !self.searched) else { return Vec::new() };
        if self.round == self.settings.rounds {
            return Vec::new();
        }
        let wanted = retries(self.grid, objective, &self.labels, self.settings.gain);
        let new = |retry: &Retry| !self.known[retry.0] && !self.started.contains(retry);
        let task = |(sample, parent)| Task { sample, parent, round: self.round + 1 };
        let tasks: Vec<Task> = wanted.into_iter().filter(new).map(task).collect();
        self.round += usize::from(!tasks.is_empty());
        tasks
    }

    /// Solves that bring the chosen states to the solver's own tolerance, each from itself.
    fn polish(&self) -> Vec<Task> {
        let coarse = |(sample, state): &(usize, usize)| {
            let solved = &self.candidates[*sample][*state].solved;
            !self.known[*sample] && solved.is_sound() && solved.residual > self.settings.solver.tolerance
        };
        let chosen = self.labels.iter().copied().enumerate().filter(coarse);
        chosen.map(|(sample, state)| Task { sample, parent: Some((sample, state)), round: self.round + 1 }).collect()
    }

    /// Where a task starts; what stands at its place already is polished with the yarn's own contact.
    fn start(&self, task: &Task) -> Start<'_> {
        let Some((sample, state)) = task.parent else { return Start::Cold };
        let from = &self.candidates[sample][state].solved.displacements;
        let parent = || self.problems.at(self.grid.coordinates(sample));
        let soft = if task.polishes() { None } else { smooth_contact(&parent(), from) };
        soft.map_or(Start::From(from), |stiffness| Start::Softly(from, stiffness))
    }

    /// The solver's settings for a task.
    fn solver(&self, task: &Task) -> SolverSettings {
        let own = self.settings.solver;
        match task.polishes() {
            // Newton's method from the first step on.
            true => SolverSettings { warm_rho: 0.0, ..own },
            false => SolverSettings { tolerance: own.tolerance.max(COARSE), ..own },
        }
    }

    /// The chosen state of each sample, once no wave is left.
    pub fn finish(self) -> Vec<Candidate> {
        self.candidates.into_iter().zip(self.labels).map(|(mut c, k)| c.swap_remove(k)).collect()
    }

    /// Does it all, on rayon's threads; `done` is called after each wave with the processor time of each solve, s.
    pub fn complete(mut self, mut done: impl FnMut(f64)) -> Vec<Candidate> {
        loop {
            let tasks = self.next_wave();
            if tasks.is_empty() {
                return self.finish();
            }
            let (results, seconds): (Vec<_>, Vec<_>) =
                tasks.par_iter().map(|task| core_seconds(|| self.run(task))).unzip();
            seconds.into_iter().for_each(&mut done);
            self.accept(tasks, results);
        }
    }
}

impl<const N: usize> Tasks for Continuation<'_, N> {
    type Task = Task;
    type Output = Solved;

    fn run(&self, task: &Task) -> Solved {
        let problem = self.problems.at(self.grid.coordinates(task.sample));
        let sound = self.candidates[task.sample].iter().map(|c| &c.solved).filter(|s| s.is_sound());
        let known: Vec<&Solved> = sound.filter(|_| !task.polishes()).collect();
        solve_unless_known(&problem, self.start(task), &known, &self.solver(task))
    }

    fn encode(&self, output: &Solved) -> Vec<u8> {
        record::to_bytes(output)
    }

    fn decode(&self, bytes: &[u8]) -> Option<Solved> {
        record::parse(bytes, self.problems.cell.vertex_count())
    }
}

impl<const N: usize> Plan for Continuation<'_, N> {
    fn next_wave(&mut self) -> Vec<Task> {
        let mut tasks = Vec::new();
        while tasks.is_empty()
            && let Some(wave) = self.waves.next()
        {
            let missing = wave.into_iter().filter(|(sample, _)| !self.known[*sample]);
            let task = |(sample, parent)| Task { sample, parent: self.first_parent(sample, parent), round: 0 };
            tasks = missing.map(task).collect();
        }
        if tasks.is_empty() {
            self.choose();
            tasks = self.retry();
        }
        if tasks.is_empty() {
            self.searched = true;
            tasks = self.polish();
        }
        self.started.extend(tasks.iter().map(|t| (t.sample, t.parent)));
        tasks
    }

    fn accept(&mut self, tasks: Vec<Task>, outputs: Vec<Solved>) {
        let near = SAME_STATE * self.problems.cell.radius();
        for (task, solved) in tasks.iter().zip(outputs) {
            let known = &mut self.candidates[task.sample];
            if let Some((_, state)) = task.parent.filter(|_| task.polishes()) {
                let moved = known[state].solved.displacements.jump(&solved.displacements) >= near;
                known[state].solved = solved;
                // A coarse state that stays where it is has the same midpoints but for rounding.
                if let Some(objective) = self.objective.as_mut().filter(|_| moved) {
                    objective.forget(task.sample);
                }
                continue;
            }
            let same = |c: &Candidate| c.solved.displacements.jump(&solved.displacements) < near;
            if known.is_empty() || solved.is_sound() && !known.iter().any(same) {
                known.push(Candidate { solved, started_from: task.parent.map(|(sample, _)| sample) });
            }
        }
    }
}
