//! The descent to an equilibrium: a backward-Euler gradient flow that ends as Newton's method.
//!
//! Each step solves (H + rho ks/L M) p = -g on the free directions. When the matrix is not definite or the step too long,
//! rho is doubled; when the energy rises, rho is quadrupled; a full step is taken otherwise and rho lowered. Steps are
//! bounded by raising rho, never by scaling them, so the path stays close to the flow and finds the equilibrium at its end.
//! From an equilibrium nearby steps are damped: one that is somewhat too long or raises the energy is shortened, which costs
//! no factorization; otherwise rho is raised by as much as seems needed, and lowered less after a step that took several tries.

use super::assembly::{Assembly, Gradient};
use super::linear::{Border, Factorization, add_springs};
use super::settings::SolverSettings;
use crate::cell::constraints::{Constraints, unknowns};
use crate::cell::energy::{Energy, Problem};
use crate::cell::pairs::{Pair, Pairs};
use crate::cell::state::State;
use crate::contact::passage::pass_through;
use nalgebra::Vector3;
use std::time::Instant;

/// Below this, rho is zero: Newton's method.
const SMALLEST_RHO: f64 = 1e-9;

/// rho after a failure of Newton's method proper.
const FIRST_RHO: f64 = 1e-6;

/// Pairs of segments are kept that may come into reach by one step and by moving this far besides, in radii.
const PAIR_DRIFT: f64 = 0.4;

/// Blocks are made for pairs that are this much further apart than they reach, in radii.
const BLOCK_MARGIN: f64 = 0.2;

/// An energy that rises by less than this fraction has not risen: rounding.
const ENERGY_ROUNDING: f64 = 1e-12;

/// Forces below this fraction of the stretch stiffness are rounding: nothing pushes or pulls, as in straight yarns.
const NO_FORCE: f64 = 1e-8;

/// Factor on rho after a damped step that took more than one try.
const DAMPED_DECAY: f64 = 0.6;

/// rho of the one step more that a balanced state must pass: if the matrix is not definite even so, it is a saddle, and if
/// forces do not balance afterwards, it was only a slow place.
const STABLE_RHO: f64 = 1e-4;

/// A descent that has come to balanced but unstable states this often takes the last one.
const MAX_CHECKS: usize = 8;

/// Damped steps are shortened to this fraction at most to keep them within the bound; then the number of lengths that are tried.
const DAMPED_SCALES: (f64, usize) = (0.3, 3);

/// Factor from one length to the next.
const SHORTER: f64 = 0.4;

/// Counts of the work done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Work {
    /// Accepted steps.
    pub steps: usize,
    /// Numeric factorizations.
    pub factorizations: usize,
    /// Symbolic analyses.
    pub analyses: usize,
    /// Searches for touching pairs.
    pub searches: usize,
}

impl std::ops::AddAssign for Work {
    fn add_assign(&mut self, other: Self) {
        self.steps += other.steps;
        self.factorizations += other.factorizations;
        self.analyses += other.analyses;
        self.searches += other.searches;
    }
}

/// Where the time of a descent went, s.
#[derive(Clone, Copy, Debug, Default)]
pub struct Profile {
    /// Forces and stiffness of the rods.
    pub rods: f64,
    /// Forces and stiffness of contact.
    pub contact: f64,
    /// Factorization of the matrix, and the solve.
    pub factorization: f64,
    /// Energies of trial steps, with their frames.
    pub energy: f64,
    /// Search for pairs that may touch.
    pub search: f64,
    /// Analysis of the matrix' pattern.
    pub analysis: f64,
}

impl Profile {
    /// The parts by name.
    pub fn parts(&self) -> [(&'static str, f64); 6] {
        [
            ("rods", self.rods),
            ("contact", self.contact),
            ("factorization", self.factorization),
            ("energy", self.energy),
            ("broad phase", self.search),
            ("analysis", self.analysis),
        ]
    }
}

/// How a descent begins and how fast it goes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Schedule {
    /// Regularization of the first step.
    pub rho: f64,
    /// Factor on it after each step.
    pub decay: f64,
    /// Damped steps: shorten them where that is enough, raise rho by what is needed instead of by fixed factors, and lower it by
    /// `DAMPED_DECAY` after a step that needed that.
    pub damped: bool,
    /// Largest component of a vertex' step, yarn radii.
    pub step_bound: f64,
    /// End at stable equilibria only: where forces balance, take one step more, and continue unless it confirms that. Descents are
    /// slow near saddles and in flat valleys, and loose tolerances would end them there.
    pub stable: bool,
}

impl Schedule {
    /// For a start at the affine state.
    pub fn cold(s: &SolverSettings) -> Self {
        Schedule { rho: s.cold_rho, decay: s.cold_decay, damped: false, step_bound: s.step_bound, stable: false }
    }

    /// For a start at an equilibrium of another strain.
    pub fn warm(s: &SolverSettings) -> Self {
        Schedule { rho: s.warm_rho, decay: s.warm_decay, damped: true, step_bound: s.warm_step_bound, stable: true }
    }
}

/// The descent of one cell.
pub struct Descent<'p, 'c> {
    problem: &'p Problem<'c>,
    settings: SolverSettings,
    constraints: Constraints,
    border: Border,
    /// Unit of rho, N/m.
    rho_unit: f64,
    /// Current regularization.
    pub rho: f64,
    decay: f64,
    damped: bool,
    /// How often more the state is to be checked for stability where forces balance; none once it is stable.
    checks: usize,
    /// Largest component of a vertex' step, m.
    bound: f64,
    /// Pairs are kept that are this much further apart than they reach, m.
    margin: f64,
    /// Current state.
    pub state: State,
    /// Its energy, J.
    pub energy: Energy,
    /// Pairs that may touch in the current state or after the next step.
    pub(super) pairs: Pairs,
    /// Positions at which `pairs` was searched.
    searched_at: Vec<Vector3<f64>>,
    assembly: Assembly,
    factorization: Factorization,
    gradient: Gradient,
    /// Unbalanced force of the current state as a fraction of the forces in it.
    pub residual: f64,
    /// Yarns have passed through each other on the way.
    pub passed_through: bool,
    /// Work so far.
    pub work: Work,
    /// Time so far.
    pub profile: Profile,
}

/// How a step ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// A step was taken.
    Taken,
    /// No step lowers the energy, or the work allowed is used up.
    Stuck,
}

/// Why a step is not taken.
enum Rejected {
    /// It is this much longer than allowed.
    TooLong(f64),
    /// The energy rises.
    Rises,
}

impl<'p, 'c> Descent<'p, 'c> {
    /// Begins at `state`, which is moved to satisfy the constraints.
    pub fn new(problem: &'p Problem<'c>, settings: &SolverSettings, state: State, schedule: Schedule) -> Self {
        let cell = problem.cell;
        let constraints = Constraints::new(problem, settings.hold_sliding);
        let state = satisfied(problem, &constraints, state);
        let rho_unit = cell.stiffness.stretch / cell.mean_rest_length();
        let starts = cell.pattern.yarns().iter().map(|y| y.vertices[0] as usize);
        let border = Border::new(&constraints, starts, rho_unit);
        let bound = schedule.step_bound * cell.radius();
        let margin = 2.0 * (3f64.sqrt() * bound + PAIR_DRIFT * cell.radius());
        let pairs = problem.pairs(&state.position, margin);
        let assembly = Assembly::new(problem, &pairs, &near(problem, &state, &pairs));
        let factorization = Factorization::new(&assembly.matrix);
        let energy = problem.energy(&state, &pairs);
        let mut out = Descent {
            problem,
            settings: *settings,
            constraints,
            border,
            rho_unit,
            rho: schedule.rho,
            decay: schedule.decay,
            damped: schedule.damped,
            checks: if schedule.stable { MAX_CHECKS } else { 0 },
            bound,
            margin,
            searched_at: state.position.clone(),
            state,
            energy,
            pairs,
            assembly,
            factorization,
            gradient: Gradient::default(),
            residual: f64::INFINITY,
            passed_through: false,
            work: Work { analyses: 1, searches: 1, ..Work::default() },
            profile: Profile::default(),
        };
        out.assemble();
        out
    }

    /// True when the forces balance to the tolerance, and stably if that was asked for.
    pub fn converged(&self) -> bool {
        self.balanced() && self.checks == 0
    }

    fn balanced(&self) -> bool {
        self.residual <= self.settings.tolerance
    }

    /// Takes one step downhill.
    pub fn step(&mut self) -> Step {
        let total = self.gradient.total();
        let mut decay = self.decay;
        let mut check = self.balanced();
        if check {
            self.rho = STABLE_RHO;
        }
        loop {
            if self.work.factorizations >= self.settings.max_factorizations || !self.rho.is_finite() {
                return Step::Stuck;
            }
            self.work.factorizations += 1;
            let rho = self.rho * self.rho_unit;
            let begin = Instant::now();
            let step = self.factorization.step(&self.assembly.matrix, rho, &total, &self.border);
            self.profile.factorization += begin.elapsed().as_secs_f64();
            let begin = Instant::now();
            let tried = step.map(|step| self.try_step(&step));
            self.profile.energy += begin.elapsed().as_secs_f64();
            if check {
                self.checks = if tried.is_some() { 0 } else { self.checks.saturating_sub(1) };
            }
            match tried {
                None => self.raise(if self.damped { 4.0 } else { 2.0 }),
                // It is stable, and as low as rounding lets it be.
                Some(Err(Rejected::Rises)) if check => return Step::Taken,
                Some(Err(Rejected::Rises)) => self.raise(4.0),
                // A step that rho dominates is inversely proportional to it.
                Some(Err(Rejected::TooLong(excess))) => {
                    self.raise(if self.damped { (1.1 * excess).min(16.0) } else { 2.0 })
                }
                Some(Ok((trial, energy))) => {
                    self.accept(trial, energy, decay);
                    return Step::Taken;
                }
            }
            check = false;
            if self.damped {
                decay = DAMPED_DECAY;
            }
        }
    }

    /// Where the step, shortened if need be, leads, and the energy there.
    fn try_step(&self, step: &[f64]) -> Result<(State, Energy), Rejected> {
        let excess = longest(step) / self.bound;
        let (shortest, tries) = if self.damped { DAMPED_SCALES } else { (1.0, 1) };
        if excess * shortest > 1.0 {
            return Err(Rejected::TooLong(excess));
        }
        let mut scale = 1.0 / excess.max(1.0);
        for _ in 0..tries {
            let trial = moved(self.problem, &self.state, step, scale);
            let energy = self.problem.energy(&trial, &self.pairs);
            // NaN is not lower.
            if energy.total() <= self.energy.total() * (1.0 + ENERGY_ROUNDING) {
                return Ok((trial, energy));
            }
            scale *= SHORTER;
        }
        Err(Rejected::Rises)
    }

    fn accept(&mut self, trial: State, energy: Energy, decay: f64) {
        self.passed_through |= self.passes_through(&trial);
        self.state = trial;
        self.energy = energy;
        self.rho = if self.rho * decay < SMALLEST_RHO { 0.0 } else { self.rho * decay };
        self.work.steps += 1;
        self.search_again_if_due();
        self.assemble();
    }

    fn passes_through(&self, trial: &State) -> bool {
        self.assembly.close.iter().any(|k| {
            let pair = &self.pairs.pairs[*k];
            let at = |state: &State| self.problem.segments(&state.position, pair, &self.pairs);
            pass_through(&at(&self.state), &at(trial), self.radius())
        })
    }

    fn raise(&mut self, factor: f64) {
        self.rho = (self.rho * factor).max(FIRST_RHO);
    }

    /// The next step must not bring pairs into reach that the list does not hold.
    fn search_again_if_due(&mut self) {
        let moved = self.state.position.iter().zip(&self.searched_at).map(|(a, b)| (a - b).norm()).fold(0.0, f64::max);
        if moved + 3f64.sqrt() * self.bound <= 0.5 * self.margin {
            return;
        }
        let begin = Instant::now();
        self.pairs = self.problem.pairs(&self.state.position, self.margin);
        self.searched_at.clone_from(&self.state.position);
        self.assembly.rename_pairs(self.problem, &self.pairs);
        self.work.searches += 1;
        self.profile.search += begin.elapsed().as_secs_f64();
    }

    fn assemble(&mut self) {
        if !self.assembly.assemble(self.problem, &self.state, &self.pairs, &mut self.gradient) {
            let begin = Instant::now();
            let spent = self.assembly.seconds;
            let wanted = near(self.problem, &self.state, &self.pairs);
            self.assembly = Assembly::new(self.problem, &self.pairs, &wanted);
            self.assembly.seconds = spent;
            self.factorization = Factorization::new(&self.assembly.matrix);
            self.work.analyses += 1;
            self.profile.analysis += begin.elapsed().as_secs_f64();
            self.assembly.assemble(self.problem, &self.state, &self.pairs, &mut self.gradient);
        }
        [self.profile.rods, self.profile.contact] = self.assembly.seconds;
        add_springs(&mut self.assembly.matrix, &self.border, &self.constraints);
        let projected_norm = |mut v: Vec<f64>| {
            self.constraints.project(&mut v);
            v.iter().map(|c| c * c).sum::<f64>().sqrt()
        };
        let forces = projected_norm(self.gradient.elastic.clone()) + projected_norm(self.gradient.contact.clone());
        let forces = forces.max(NO_FORCE * self.problem.cell.stiffness.stretch);
        self.residual = projected_norm(self.gradient.total()) / forces;
    }

    /// Yarn radius, m.
    pub fn radius(&self) -> f64 {
        self.problem.cell.radius()
    }

    /// Number of entries of the matrix' factor, and of pairs in the list.
    pub fn sizes(&self) -> (usize, usize) {
        (self.factorization.factor_len(), self.pairs.pairs.len())
    }
}

/// Pairs near enough to be given blocks.
fn near(problem: &Problem, state: &State, pairs: &Pairs) -> Vec<bool> {
    let reach = (2.0 + BLOCK_MARGIN) * problem.cell.radius();
    let near = |p: &Pair| {
        let rule = problem.contact.rule(problem.cell, p.first as usize, p.second as usize);
        problem.segments(&state.position, p, pairs).nearest(&rule) < reach * reach
    };
    pairs.pairs.iter().map(near).collect()
}

fn longest(step: &[f64]) -> f64 {
    step.iter().enumerate().filter(|(i, _)| i % 4 != 3).map(|(_, s)| s.abs()).fold(0.0, f64::max)
}

fn moved(problem: &Problem, state: &State, step: &[f64], scale: f64) -> State {
    let r = problem.cell.radius();
    let steps = || step.chunks_exact(4);
    let position = state.position.iter().zip(steps()).map(|(x, s)| x + Vector3::new(s[0], s[1], s[2]) * scale);
    let twist = state.twist.iter().zip(steps()).map(|(t, s)| t + s[3] * scale / r);
    state.moved(problem.cell, &problem.links, position.collect(), twist.collect())
}

fn satisfied(problem: &Problem, constraints: &Constraints, state: State) -> State {
    let r = problem.cell.radius();
    let before = unknowns(&state, r);
    let mut q = before.clone();
    constraints.satisfy(&mut q);
    let step: Vec<f64> = q.iter().zip(&before).map(|(a, b)| a - b).collect();
    moved(problem, &state, &step, 1.0)
}
