//! Continuation over a grid, wave after wave.

use super::candidate::Candidate;
use super::labels::{best_labels, simple_labels};
use super::objective::InterpolantEnergy;
use super::problems::Problems;
use super::retries::{Retry, retries};
use super::task::{self, Task};
use super::tree::{branches, neighbors, tree};
use super::{SamplingPlan, SamplingSettings, check_grid, record};
use crate::cell::Cell;
use crate::equilibrium::settings::SolverSettings;
use crate::equilibrium::{Solved, Start, smooth_contact, solve_unless_known};
use crate::job::{Plan, TaskPlace, Tasks, Tree, core_seconds};
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
    /// The first solves, wave after wave.
    tree: Vec<FirstSolve>,
    places: Vec<TaskPlace>,
    /// How many of them have been given out.
    given: usize,
    /// How many steps of the tree each sample is from its first samples.
    depth: Vec<usize>,
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

/// A sample and its parent in the tree.
#[derive(Clone, Copy, Debug)]
struct FirstSolve {
    sample: usize,
    parent: Option<usize>,
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
        let mut depth = vec![0; grid.sample_count()];
        let (mut first, mut places, mut wave) = (Vec::new(), Vec::new(), 0);
        let branches = branches(grid, axes);
        for (steps, samples) in tree(grid, axes).into_iter().enumerate() {
            samples.iter().for_each(|(sample, _)| depth[*sample] = steps);
            let missing: Vec<_> = samples.into_iter().filter(|(sample, _)| known[*sample].is_none()).collect();
            let place = |(task, (sample, _)): (usize, &(usize, _))| TaskPlace {
                wave,
                task: task as u32,
                branch: branches[*sample],
            };
            places.extend(missing.iter().enumerate().map(place));
            wave += u32::from(!missing.is_empty());
            first.extend(missing.into_iter().map(|(sample, parent)| FirstSolve { sample, parent }));
        }
        Continuation {
            problems,
            grid,
            settings: *settings,
            tree: first,
            places,
            given: 0,
            depth,
            known: known.iter().map(Option::is_some).collect(),
            candidates: known.into_iter().map(|state| state.into_iter().collect()).collect(),
            started: BTreeSet::new(),
            objective: None,
            labels: Vec::new(),
            round: 0,
            searched: false,
        }
    }

    /// Where a sample starts for the first time: at its parent in the tree, or if that is no equilibrium at the first neighbor nearer to
    /// rest that is one, or at the affine state.
    fn first_parent(&self, FirstSolve { sample, parent }: FirstSolve) -> Option<(usize, usize)> {
        let others = parent.into_iter().flat_map(|_| self.nearer(sample));
        parent.into_iter().chain(others).find(|s| self.is_sound(*s)).map(|p| (p, 0))
    }

    /// The neighbors of a sample that the tree reaches before it.
    fn nearer(&self, sample: usize) -> impl Iterator<Item = usize> + '_ {
        neighbors(self.grid, sample).filter(move |s| self.depth[*s] < self.depth[sample])
    }

    /// Whether the first state of a sample is known and an equilibrium.
    fn is_sound(&self, sample: usize) -> bool {
        self.candidates[sample].first().is_some_and(|c| c.solved.is_sound())
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
        if let Some(first) = self.places.get(self.given) {
            let count = self.places[self.given..].iter().take_while(|place| place.wave == first.wave).count();
            let wave = &self.tree[self.given..][..count];
            let tasks =
                wave.iter().map(|f| Task { sample: f.sample, parent: self.first_parent(*f), round: 0 }).collect();
            self.given += count;
            return tasks;
        }
        self.choose();
        let mut tasks = self.retry();
        if tasks.is_empty() {
            self.searched = true;
            tasks = self.polish();
        }
        tasks
    }

    fn accept(&mut self, tasks: Vec<Task>, outputs: Vec<Solved>) {
        self.started.extend(tasks.iter().map(|t| (t.sample, t.parent)));
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

    fn list(&self, tasks: &[Task]) -> Option<Vec<u8>> {
        tasks.iter().any(|task| task.round > 0).then(|| task::list(tasks))
    }

    fn parse_list(&self, bytes: &[u8]) -> Option<Vec<Task>> {
        let exists = |(sample, state): (usize, usize)| self.candidates.get(sample).is_some_and(|c| state < c.len());
        let tasks = task::parse_list(bytes)?;
        tasks.iter().all(|t| t.sample < self.candidates.len() && t.parent.is_none_or(exists)).then_some(tasks)
    }
}

impl<const N: usize> Tree for Continuation<'_, N> {
    fn places(&self) -> &[TaskPlace] {
        &self.places
    }

    fn ready(&self, place: usize) -> Option<(Task, bool)> {
        let first = self.tree[place];
        let on_course = first.parent.is_none_or(|parent| self.is_sound(parent));
        let known = on_course || self.nearer(first.sample).all(|s| !self.candidates[s].is_empty());
        let task = || Task { sample: first.sample, parent: self.first_parent(first), round: 0 };
        known.then(|| (task(), !on_course))
    }

    fn learn(&mut self, place: usize, solved: Solved) {
        let FirstSolve { sample, parent } = self.tree[place];
        if self.candidates[sample].is_empty() {
            // A detour started elsewhere; the process that completes the wave will know.
            self.candidates[sample].push(Candidate { solved, started_from: parent });
        }
    }

    fn forget_tree(&mut self) {
        self.tree.iter().for_each(|first| self.candidates[first.sample].clear());
        self.given = 0;
    }

    fn leave_tree(&mut self) {
        self.given = self.tree.len();
    }
}

impl<const N: usize> SamplingPlan for Continuation<'_, N> {
    fn decision(&self) -> Vec<u8> {
        self.labels.iter().flat_map(|label| (*label as u32).to_le_bytes()).collect()
    }

    fn decide(&mut self, decision: &[u8]) -> bool {
        let (words, left) = decision.as_chunks::<4>();
        let labels: Vec<usize> = words.iter().map(|w| u32::from_le_bytes(*w) as usize).collect();
        let fits = left.is_empty()
            && labels.len() == self.candidates.len()
            && labels.iter().zip(&self.candidates).all(|(label, known)| *label < known.len());
        if fits {
            self.labels = labels;
        }
        fits
    }

    fn finish(self) -> Vec<Candidate> {
        self.candidates.into_iter().zip(self.labels).map(|(mut c, k)| c.swap_remove(k)).collect()
    }
}
