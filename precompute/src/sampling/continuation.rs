//! Continuation over a grid, wave after wave.

use super::candidate::{Candidate, lowest};
use super::choice::choose;
use super::excess::excess;
use super::tree::{neighbors, tree};
use super::{SamplingSettings, check_grid, compressed};
use crate::cell::Cell;
use crate::cell::energy::Problem;
use crate::equilibrium::{Solved, Start, solve_unless_known};
use crate::job::core_seconds;
use rayon::prelude::*;
use std::collections::BTreeSet;
use yarnwise_shared::Result;
use yarnwise_shared::table::Displacements;
use yarnwise_shared::table::grid::StrainGrid;

/// One solve: a sample, and the candidate of another sample whose state it starts from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Task {
    /// Index of the sample in the grid.
    pub sample: usize,
    /// Where it starts, as sample and number of its candidate; none for the affine state.
    pub parent: Option<(usize, usize)>,
    /// 0 the first time, then the number of the sweep that retries the sample.
    pub sweep: usize,
}

/// States nearer than this, in yarn radii, are the same.
const SAME_STATE: f64 = 0.05;

/// A sample may be on another branch than its neighbors when a second difference is above this, in yarn radii, ...
const KINK: f64 = 0.4;

/// ... and above this fraction of the larger first difference: states of one branch differ, but evenly.
const UNEVEN: f64 = 0.85;

/// The border between the branches then lies between the two samples whose states differ more; up to this fraction of that
/// difference the other two may be retried as well.
const NEAREST: f64 = 0.8;

/// In the first sweep compressed samples are retried where their energy is above what stresses lead to expect by this fraction.
const EXCESS: f64 = 2e-3;

/// A state found when a sample was retried is better when it has less energy by this fraction. Then the sample beyond is
/// retried from it, where that has more energy than stresses lead to expect by this fraction.
const BETTER: f64 = 1e-4;

/// A better state of a sample, found by a retry.
#[derive(Clone, Copy, Debug)]
struct Improvement {
    sample: usize,
    candidate: usize,
    started_from: Option<usize>,
}

/// The course of a continuation: gives out waves of tasks, takes their results, and in the end chooses.
///
/// ```text
/// while the wave is not empty { run its tasks in any order or in parallel; accept }; finish
/// ```
pub struct Continuation<'a> {
    cell: &'a Cell,
    grid: &'a StrainGrid,
    settings: SamplingSettings,
    waves: std::vec::IntoIter<Vec<(usize, Option<usize>)>>,
    /// For each sample the different states found, the one of the tree first.
    candidates: Vec<Vec<Candidate>>,
    /// Samples with what they were started from.
    started: BTreeSet<(usize, Option<(usize, usize)>)>,
    /// What the last wave of a sweep improved.
    improvements: Vec<Improvement>,
    /// The current sweep.
    sweep: usize,
}

impl<'a> Continuation<'a> {
    /// Begins; fails for grids that cannot be sampled.
    pub fn new(cell: &'a Cell, grid: &'a StrainGrid, settings: &SamplingSettings) -> Result<Self> {
        check_grid(grid)?;
        Ok(Continuation {
            cell,
            grid,
            settings: *settings,
            waves: tree(grid).into_iter(),
            candidates: vec![Vec::new(); grid.sample_count()],
            started: BTreeSet::new(),
            improvements: Vec::new(),
            sweep: 0,
        })
    }

    /// The next tasks, which do not depend on each other; none when everything is done.
    pub fn next_wave(&mut self) -> Vec<Task> {
        if let Some(wave) = self.waves.next() {
            let tasks = wave.into_iter().map(|(sample, p)| self.task(sample, p.map(|p| (p, 0)))).collect();
            return self.new_tasks(tasks);
        }
        let tasks = self.new_tasks(self.followed());
        if !tasks.is_empty() || self.sweep == self.settings.sweeps {
            return tasks;
        }
        self.sweep += 1;
        self.new_tasks(self.retries())
    }

    fn task(&self, sample: usize, parent: Option<(usize, usize)>) -> Task {
        Task { sample, parent, sweep: self.sweep }
    }

    /// Those of the tasks that are new, once each.
    fn new_tasks(&mut self, mut tasks: Vec<Task>) -> Vec<Task> {
        tasks.retain(|t| self.started.insert((t.sample, t.parent)));
        tasks
    }

    /// Solves a task. Depends on finished waves only.
    pub fn run(&self, task: &Task) -> Solved {
        let known: Vec<&Solved> =
            self.candidates[task.sample].iter().map(|c| &c.solved).filter(|s| s.is_sound()).collect();
        let affine;
        let start = match task.parent {
            Some((sample, candidate)) => Start::From(&self.candidates[sample][candidate].solved.displacements),
            None if known.is_empty() => Start::Cold,
            None => {
                affine = Displacements::zero(self.cell.vertex_count());
                Start::From(&affine)
            }
        };
        let problem = Problem::planar(self.cell, self.grid.strain(task.sample));
        solve_unless_known(&problem, start, &known, &self.settings.solver)
    }

    /// Takes the results of a wave, in the order of its tasks.
    pub fn accept(&mut self, tasks: &[Task], results: Vec<Solved>) {
        self.improvements.clear();
        for (task, solved) in tasks.iter().zip(results) {
            let known = &mut self.candidates[task.sample];
            let same =
                |c: &Candidate| c.solved.displacements.jump(&solved.displacements) < SAME_STATE * self.cell.radius();
            if known.is_empty() || solved.is_sound() && !known.iter().any(same) {
                let started_from = task.parent.map(|(sample, _)| sample);
                let lower = |c: &Candidate| solved.energy.total() < (1.0 - BETTER) * c.solved.energy.total();
                if task.sweep > 0 && known.iter().filter(|c| c.solved.is_sound()).all(lower) {
                    self.improvements.push(Improvement { sample: task.sample, candidate: known.len(), started_from });
                }
                known.push(Candidate { solved, started_from });
            }
        }
    }

    /// The chosen state of each sample.
    pub fn finish(self) -> Vec<Candidate> {
        let chosen = choose(self.grid, &self.candidates, self.cell.radius(), &self.settings.choice);
        self.candidates.into_iter().zip(chosen).map(|(mut c, k)| c.swap_remove(k)).collect()
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
            self.accept(&tasks, results);
        }
    }

    /// Samples to be retried: those that are doubtful beside neighbors, from these; from the second sweep on, from the affine
    /// state too.
    fn retries(&self) -> Vec<Task> {
        let chosen = choose(self.grid, &self.candidates, self.cell.radius(), &self.settings.choice);
        let of_sample = |sample: usize| {
            let doubtful = |other: &usize| self.doubtful(&chosen, sample, *other);
            let others: Vec<usize> = neighbors(self.grid, sample).filter(doubtful).collect();
            let mut wanted = Vec::new();
            for other in &others {
                let sound = |k: &usize| self.candidates[*other][*k].solved.is_sound();
                let parents = [chosen[*other], lowest(&self.candidates[*other])];
                wanted.extend(parents.into_iter().filter(sound).map(|k| self.task(sample, Some((*other, k)))));
            }
            // Neighbors may all be on a branch that has become a bad one on the way from rest; the affine state is on none. It
            // is far from equilibrium, and costs several times as much.
            if self.sweep > 1 && !others.is_empty() {
                wanted.push(self.task(sample, None));
            }
            wanted
        };
        (0..self.candidates.len()).into_par_iter().flat_map_iter(of_sample).collect()
    }

    /// Samples beyond those for which something better was found, to be retried from there: in compression a branch is followed as
    /// long as it is the lowest.
    fn followed(&self) -> Vec<Task> {
        let of_improvement = |improved: &Improvement| {
            let own = &self.candidates[improved.sample][improved.candidate].solved;
            let beyond: Vec<usize> = match improved.started_from {
                Some(from) => self.beyond(from, improved.sample).into_iter().collect(),
                None => neighbors(self.grid, improved.sample).collect(),
            };
            let worse = |next: &usize| {
                let known = &self.candidates[*next][lowest(&self.candidates[*next])].solved;
                let at = [*next, improved.sample].map(|s| self.grid.strain(s));
                !known.is_sound()
                    || compressed(at[0]) && excess(self.cell, at, [known, own]) > BETTER * known.energy.total()
            };
            let parent = Some((improved.sample, improved.candidate));
            beyond.into_iter().filter(worse).map(|next| self.task(next, parent)).collect::<Vec<_>>()
        };
        self.improvements.par_iter().flat_map_iter(of_improvement).collect()
    }

    /// Whether `sample` may have a better state on the branch of its neighbor `other`: the states of both do not lie on a smooth
    /// line, and in compression the energy is higher than that branch's is likely to be. In tension states of the same energy are
    /// wanted too: they make the table smoother. Later sweeps take all that are not smooth.
    fn doubtful(&self, chosen: &[usize], sample: usize, other: usize) -> bool {
        let [own, next] = [sample, other].map(|s| &self.candidates[s][chosen[s]].solved);
        if !own.is_sound() {
            return true;
        }
        let at = [sample, other].map(|s| self.grid.strain(s));
        self.kinked(chosen, sample, other)
            && (self.sweep > 1
                || !compressed(at[0])
                || excess(self.cell, at, [own, next]) > EXCESS * own.energy.total())
    }

    /// Whether a line of chosen states through `sample` and its neighbor `other` has a kink at one of them.
    fn kinked(&self, chosen: &[usize], sample: usize, other: usize) -> bool {
        let state = |s: usize| &self.candidates[s][chosen[s]].solved.displacements;
        let first = state(sample).jump(state(other));
        let kink = |line: [usize; 3], also: f64| {
            let second = Displacements::second_difference(line.map(state));
            let large = second > KINK * self.cell.radius() && second > UNEVEN * first.max(also);
            large && first >= NEAREST * also
        };
        let before = self.beyond(other, sample).is_some_and(|s| kink([s, sample, other], state(s).jump(state(sample))));
        before || self.beyond(sample, other).is_some_and(|s| kink([sample, other, s], state(other).jump(state(s))))
    }

    /// The sample as far beyond `to` as `from` lies before it, if there is one.
    fn beyond(&self, from: usize, to: usize) -> Option<usize> {
        let (a, b) = (self.grid.indices(from), self.grid.indices(to));
        let next: [Option<usize>; 3] = std::array::from_fn(|k| (2 * b[k]).checked_sub(a[k]));
        let next = [next[0]?, next[1]?, next[2]?];
        let inside = next.iter().zip(&self.grid.0).all(|(i, axis)| *i < axis.len());
        inside.then(|| self.grid.sample(next))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cell::energy::Energy;
    use yarnwise_shared::pattern::material::YarnMaterial;
    use yarnwise_shared::pattern::{self, Pattern};
    use yarnwise_shared::table::grid::{Axis, Grid};

    fn plain_weave() -> Pattern {
        let file = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../data/patterns/plain.yarn");
        pattern::read(&file).unwrap()
    }

    /// A state in which all vertices have moved by `shift` meters.
    fn shifted(vertices: usize, shift: f64) -> Solved {
        Solved {
            displacements: vec![[shift, 0.0, 0.0, 0.0]; vertices].into(),
            energy: Energy { bend: 1.0, ..Energy::default() },
            energy_density: 1.0,
            stress: None,
            residual: 0.0,
            converged: true,
            passed_through: false,
            pullback_residual: 0.0,
            work: crate::equilibrium::descent::Work::default(),
        }
    }

    /// On a line of samples the last two are on another branch: what is retried in each sweep, as (sample, parent).
    #[test]
    fn samples_on_both_sides_of_a_border_are_retried_and_at_last_from_the_affine_state() {
        let cell = Cell::new(&plain_weave(), &YarnMaterial::preset("woven").unwrap()).unwrap();
        let axis = |v: &[f64]| Axis::new("test", v.to_vec()).unwrap();
        let grid = Grid([axis(&[0.0, 0.1, 0.2, 0.3, 0.4, 0.5]), axis(&[0.0, 0.1]), axis(&[0.0, 0.1])]);
        let settings = SamplingSettings { sweeps: 3, ..SamplingSettings::default() };
        let mut course = Continuation::new(&cell, &grid, &settings).unwrap();
        let state = |sample: usize| {
            let x = grid.indices(sample)[0];
            let branch = if x >= 4 { 5.0 } else { 0.0 };
            shifted(cell.vertex_count(), cell.radius() * (branch + 0.1 * x as f64))
        };
        let solve = |tasks: &[Task]| tasks.iter().map(|t| state(t.sample)).collect::<Vec<_>>();
        for _ in tree(&grid) {
            let tasks = course.next_wave();
            let results = solve(&tasks);
            course.accept(&tasks, results);
        }
        let column = |sample: usize| grid.indices(sample)[0];
        let at_the_border = |tasks: &[Task]| {
            let columns: BTreeSet<usize> = tasks.iter().map(|t| column(t.sample)).collect();
            assert_eq!(columns, BTreeSet::from([3, 4]));
        };
        let first = course.next_wave();
        at_the_border(&first);
        for task in &first {
            let (parent, _) = task.parent.expect("the first sweep starts at neighbors");
            assert_eq!(column(task.sample) + column(parent), 7, "the border lies between 3 and 4");
        }
        let results = solve(&first);
        course.accept(&first, results);
        let second = course.next_wave();
        at_the_border(&second);
        assert!(second.iter().all(|t| t.parent.is_none()), "all neighbors have been tried");
        let results = solve(&second);
        course.accept(&second, results);
        assert!(course.next_wave().is_empty(), "nothing new was found");
    }

    /// The affine state of a sample, moved as a whole by `shift` radii, with `factor` times its energy.
    fn moved_affine(cell: &Cell, grid: &StrainGrid, sample: usize, shift: f64, factor: f64) -> Solved {
        let problem = Problem::planar(cell, grid.strain(sample));
        let mut out = shifted(cell.vertex_count(), shift * cell.radius());
        let state = problem.displaced_state(&out.displacements);
        out.energy = problem.energy(&state, &problem.pairs(&state.position, 0.0));
        out.energy.bend += (factor - 1.0) * out.energy.total();
        out
    }

    /// A continuation over compressed fabric whose `outer` outermost planes of samples are on another branch, with `factor` times
    /// the energy, after the tree.
    fn compressed_course<'a>(cell: &'a Cell, grid: &'a StrainGrid, outer: usize, factor: f64) -> Continuation<'a> {
        let mut course = Continuation::new(cell, grid, &SamplingSettings::default()).unwrap();
        for _ in tree(grid) {
            let tasks = course.next_wave();
            let state = |t: &Task| match grid.indices(t.sample)[0] < outer {
                true => moved_affine(cell, grid, t.sample, 5.0, factor),
                false => moved_affine(cell, grid, t.sample, 0.0, 1.0),
            };
            let results = tasks.iter().map(state).collect();
            course.accept(&tasks, results);
        }
        course
    }

    fn compressed_grid() -> StrainGrid {
        let axis = |v: &[f64]| Axis::new("test", v.to_vec()).unwrap();
        Grid([axis(&[-0.09, -0.06, -0.03, 0.0, 0.03]), axis(&[0.0, 0.1]), axis(&[-0.02, 0.0])])
    }

    /// The planes (by sx) of the samples and parents of the next wave.
    fn planes(course: &Continuation, tasks: &[Task]) -> Vec<(usize, usize)> {
        let plane = |sample: usize| course.grid.indices(sample)[0];
        tasks.iter().map(|t| (plane(t.sample), plane(t.parent.unwrap().0))).collect()
    }

    #[test]
    fn compressed_samples_are_retried_where_their_energy_is_too_high() {
        let cell = Cell::new(&plain_weave(), &YarnMaterial::preset("woven").unwrap()).unwrap();
        let grid = compressed_grid();
        let retried = |factor: f64| {
            let mut course = compressed_course(&cell, &grid, 1, factor);
            let tasks = course.next_wave();
            planes(&course, &tasks)
        };
        let (higher, lower) = (retried(1.05), retried(0.95));
        assert!(!higher.is_empty() && higher.iter().all(|p| *p == (0, 1)), "{higher:?}");
        assert!(!lower.is_empty() && lower.iter().all(|p| *p == (1, 0)), "{lower:?}");
        assert_eq!(retried(1.0), [], "the work of the mean stress explains the energy of affine states");
    }

    #[test]
    fn a_better_branch_is_followed_to_the_samples_beyond() {
        let cell = Cell::new(&plain_weave(), &YarnMaterial::preset("woven").unwrap()).unwrap();
        let grid = compressed_grid();
        let next = |factor: f64| {
            let mut course = compressed_course(&cell, &grid, 2, 1.05);
            let tasks = course.next_wave();
            assert!(planes(&course, &tasks).iter().all(|p| *p == (1, 2)), "{tasks:?}");
            let results = tasks.iter().map(|t| moved_affine(&cell, &grid, t.sample, 0.0, factor)).collect();
            course.accept(&tasks, results);
            let tasks = course.next_wave();
            assert!(tasks.iter().all(|t| t.sweep == 1 && t.parent.unwrap().1 == 1), "from what was found: {tasks:?}");
            planes(&course, &tasks)
        };
        let followed = next(1.0);
        assert!(!followed.is_empty() && followed.iter().all(|p| *p == (0, 1)), "{followed:?}");
        assert_eq!(next(1.06), [], "what is found is no better");
    }
}
