//! The descent to an equilibrium: a backward-Euler gradient flow that ends as Newton's method.
//!
//! Each step solves (H + rho ks/L M) p = -g on the free directions. How large rho is, and which steps are taken, is decided by
//! `globalization` after the numbers of a [`Schedule`]; which segments may touch is known by `contacts`.

mod contacts;
mod globalization;
mod period;
mod schedule;

pub use super::statistics::{Observer, Part, Profile, Work};
pub use schedule::{Schedule, TooLong};

use super::assembly::{Assembly, Gradient};
use super::linear::{Border, Factorization, add_springs};
use super::settings::SolverSettings;
use crate::cell::constraints::{Constraints, unknowns};
use crate::cell::energy::{Energy, Problem};
use crate::cell::pairs::Pairs;
use crate::cell::state::State;
use contacts::TouchingPairs;
use globalization::{Globalization, Rejected};
use nalgebra::Vector3;
use period::{Direction, Period, stretched};
use std::borrow::Cow;

/// An energy that rises by less than this fraction has not risen: rounding.
const ENERGY_ROUNDING: f64 = 1e-12;

/// Forces below this fraction of the stretch stiffness are rounding: nothing pushes or pulls, as in straight yarns.
const NO_FORCE: f64 = 1e-8;

/// The descent of one cell, and who looks at it.
pub struct Descent<'p, 'c, O = Profile> {
    problem: Cow<'p, Problem<'c>>,
    settings: SolverSettings,
    constraints: Constraints,
    border: Border,
    /// Unit of rho, N/m.
    rho_unit: f64,
    globalization: Globalization,
    /// Steps that take yarns through each other are refused.
    keeps_topology: bool,
    /// Largest component of a vertex' step, m.
    bound: f64,
    /// Where the period is free.
    period: Option<Period>,
    /// Current state.
    pub state: State,
    /// Its energy, J.
    pub energy: Energy,
    contacts: TouchingPairs,
    assembly: Assembly,
    factorization: Factorization,
    gradient: Gradient,
    /// Unbalanced force of the current state as a fraction of the forces in it.
    pub residual: f64,
    /// Yarns have passed through each other on the way.
    pub passed_through: bool,
    /// Work so far.
    pub work: Work,
    /// Who looks at it.
    pub profile: O,
}

/// A state that a step leads to.
struct Trial<'c> {
    state: State,
    energy: Energy,
    /// With a free period.
    stretched: Option<Stretched<'c>>,
}

/// What a stretch of the period changes beside the state.
struct Stretched<'c> {
    by: [f64; 2],
    problem: Problem<'c>,
    pairs: Pairs,
}

/// How a step ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// A step was taken.
    Taken,
    /// No step lowers the energy, or the work allowed is used up.
    Stuck,
}

impl<'p, 'c> Descent<'p, 'c> {
    /// Begins at `state`, which is moved to satisfy the constraints; with a profile.
    pub fn new(problem: &'p Problem<'c>, settings: &SolverSettings, state: State, schedule: Schedule) -> Self {
        Descent::observed(problem, settings, state, schedule, Profile::default())
    }
}

impl<'p, 'c, O: Observer> Descent<'p, 'c, O> {
    /// Begins at `state`, which is moved to satisfy the constraints, while `observer` looks at it. With a free period, `problem` is in
    /// the plane and without shear.
    pub fn observed(
        problem: &'p Problem<'c>,
        settings: &SolverSettings,
        state: State,
        schedule: Schedule,
        observer: O,
    ) -> Self {
        let cell = problem.cell;
        let constraints = Constraints::new(problem, settings.hold_sliding);
        let state = satisfied(problem, &constraints, state);
        let rho_unit = cell.stiffness.stretch / cell.mean_rest_length();
        let starts = cell.pattern.yarns().iter().map(|y| y.vertices[0] as usize);
        let border = Border::new(&constraints, starts, rho_unit);
        let bound = schedule.step_bound * cell.radius();
        let period = schedule.free_period.then(|| Period::new(cell.vertex_count(), cell.radius(), bound));
        let by_stretch = period.as_ref().map_or(0.0, |p| TouchingPairs::travel_of_stretch(p.bound(), cell.radius()));
        let contacts = TouchingPairs::new(problem, &state.position, 3f64.sqrt() * bound + by_stretch);
        let assembly = Assembly::new(problem, &contacts.pairs, &contacts.near(problem, &state.position));
        let factorization = Factorization::new(&assembly.matrix);
        let energy = problem.energy(&state, &contacts.pairs);
        let mut out = Descent {
            problem: Cow::Borrowed(problem),
            settings: *settings,
            constraints,
            border,
            rho_unit,
            globalization: Globalization::new(schedule),
            keeps_topology: schedule.keeps_topology,
            bound,
            period,
            state,
            energy,
            contacts,
            assembly,
            factorization,
            gradient: Gradient::default(),
            residual: f64::INFINITY,
            passed_through: false,
            work: Work { analyses: 1, searches: 1, ..Work::default() },
            profile: observer,
        };
        out.assemble();
        out
    }

    /// True when the forces balance to the tolerance, and stably if that was asked for.
    pub fn converged(&self) -> bool {
        self.balanced() && self.globalization.checks == 0
    }

    fn balanced(&self) -> bool {
        self.residual <= self.settings.tolerance
    }

    /// Takes one step downhill.
    pub fn step(&mut self) -> Step {
        let total = self.gradient.total();
        let mut check = self.balanced();
        self.globalization.begin(check);
        loop {
            if self.work.factorizations >= self.settings.max_factorizations || !self.rho().is_finite() {
                return Step::Stuck;
            }
            self.work.factorizations += 1;
            let direction = self.direction(&total);
            if check {
                self.globalization.checked(direction.is_some());
            }
            match direction.ok_or(Rejected::Indefinite).and_then(|step| self.try_step(&step)) {
                Ok(trial) => {
                    self.accept(trial);
                    return Step::Taken;
                }
                // It is stable, and as low as rounding lets it be.
                Err(Rejected::Rises) if check => return Step::Taken,
                Err(why) => self.globalization.reject(why),
            }
            check = false;
        }
    }

    /// The step for the gradient and the current rho; none where the matrix is not definite.
    fn direction(&mut self, gradient: &[f64]) -> Option<Direction> {
        self.profile.begin(Part::Factorization);
        let rho = self.globalization.rho * self.rho_unit;
        let (matrix, border, factorization) = (&self.assembly.matrix, &self.border, &mut self.factorization);
        let definite = factorization.factorize(matrix, rho);
        let mut solve = |gradient: &[f64]| factorization.step(matrix, gradient, border);
        let vertices = if definite { solve(gradient) } else { None };
        let direction = match &self.period {
            None => vertices.map(|vertices| Direction { vertices, period: [0.0; 2] }),
            Some(period) => vertices.and_then(|alone| period.direction(alone, rho, solve)),
        };
        self.profile.end();
        direction
    }

    /// Where the step, shortened if need be, leads.
    fn try_step(&mut self, step: &Direction) -> Result<Trial<'c>, Rejected> {
        self.profile.begin(Part::Energy);
        let by_period = self.period.as_ref().map_or(0.0, |p| p.excess(step));
        let excess = (longest(&step.vertices) / self.bound).max(by_period);
        let tried = self.globalization.lengths(excess).and_then(|lengths| {
            // NaN is not lower.
            let is_lower = |e: &Energy| e.total() <= self.energy.total() * (1.0 + ENERGY_ROUNDING);
            let mut tried = lengths.map(|scale| self.trial(step, scale));
            let lower = tried.find(|trial| is_lower(&trial.energy)).ok_or(Rejected::Rises)?;
            let refused = self.keeps_topology && self.passes_through(&lower);
            if refused { Err(Rejected::PassesThrough) } else { Ok(lower) }
        });
        self.profile.end();
        tried
    }

    fn trial(&self, step: &Direction, scale: f64) -> Trial<'c> {
        if self.period.is_none() {
            let state = moved(&self.problem, &self.state.position, &self.state, &step.vertices, scale);
            return Trial { energy: self.problem.energy(&state, &self.contacts.pairs), state, stretched: None };
        }
        let by = step.period.map(|t| t * scale);
        let (problem, pairs) = (self.problem.stretched(by), self.contacts.pairs.stretched(by));
        let carried: Vec<_> = self.state.position.iter().map(|x| stretched(x, by)).collect();
        let state = moved(&problem, &carried, &self.state, &step.vertices, scale);
        Trial { energy: problem.energy(&state, &pairs), state, stretched: Some(Stretched { by, problem, pairs }) }
    }

    fn accept(&mut self, trial: Trial<'c>) {
        self.passed_through |= self.passes_through(&trial);
        if let Some(Stretched { by, problem, pairs }) = trial.stretched {
            self.problem = Cow::Owned(problem);
            self.contacts.stretch(pairs, by);
        }
        self.state = trial.state;
        self.energy = trial.energy;
        self.globalization.accept();
        self.work.steps += 1;
        self.search_again_if_due();
        self.assemble();
    }

    /// Whether yarns pass through each other on the way; stretching the period takes none through another.
    fn passes_through(&self, trial: &Trial) -> bool {
        let (touching, after) = (&self.assembly.touching, &trial.state.position);
        match &trial.stretched {
            None => {
                let before = &self.state.position;
                self.contacts.pass_through(&self.problem, &self.contacts.pairs, touching, [before, after])
            }
            Some(to) => {
                let before: Vec<_> = self.state.position.iter().map(|x| stretched(x, to.by)).collect();
                self.contacts.pass_through(&to.problem, &to.pairs, touching, [&before, after])
            }
        }
    }

    fn search_again_if_due(&mut self) {
        if !self.contacts.are_stale(&self.state.position) {
            return;
        }
        self.profile.begin(Part::Search);
        self.contacts.search(&self.problem, &self.state.position);
        self.assembly.rename_pairs(&self.problem, &self.contacts.pairs);
        self.work.searches += 1;
        self.profile.end();
    }

    fn assemble(&mut self) {
        if !self.fill() {
            self.profile.begin(Part::Analysis);
            let wanted = self.contacts.near(&self.problem, &self.state.position);
            self.assembly = Assembly::new(&self.problem, &self.contacts.pairs, &wanted);
            self.factorization = Factorization::new(&self.assembly.matrix);
            self.work.analyses += 1;
            self.profile.end();
            self.fill();
        }
        add_springs(&mut self.assembly.matrix, &self.border, &self.constraints);
        let projected_norm = |mut v: Vec<f64>| {
            self.constraints.project(&mut v);
            v.iter().map(|c| c * c).sum::<f64>().sqrt()
        };
        let forces = projected_norm(self.gradient.elastic.clone()) + projected_norm(self.gradient.contact.clone());
        let forces = forces.max(NO_FORCE * self.problem.cell.stiffness.stretch);
        self.residual = projected_norm(self.gradient.total()) / forces;
        if let Some(period) = &mut self.period {
            period.differentiate(&self.problem, &self.state, &self.contacts.pairs);
            let least = NO_FORCE * self.problem.cell.stiffness.stretch * self.problem.cell.radius();
            self.residual = self.residual.max(period.residual(least));
        }
    }

    /// Matrix and gradient of the current state. False when a pair touches that the matrix has no place for.
    fn fill(&mut self) -> bool {
        let (pairs, gradient) = (&self.contacts.pairs, &mut self.gradient);
        self.assembly.assemble(&self.problem, &self.state, pairs, gradient, &mut self.profile)
    }

    /// Current regularization.
    pub fn rho(&self) -> f64 {
        self.globalization.rho
    }

    /// Pairs that may touch in the current state or after the next step.
    pub(super) fn pairs(&self) -> &Pairs {
        &self.contacts.pairs
    }

    /// Number of pairs in touch.
    pub fn touching(&self) -> usize {
        self.assembly.touching.len()
    }

    /// The problem, with the period that the descent has come to.
    pub fn problem(&self) -> &Problem<'c> {
        &self.problem
    }

    /// Yarn radius, m.
    pub fn radius(&self) -> f64 {
        self.problem.cell.radius()
    }

    /// Number of entries of the matrix' factor, and of pairs in the list.
    pub fn sizes(&self) -> (usize, usize) {
        (self.factorization.factor_len(), self.contacts.pairs.pairs.len())
    }
}

fn longest(step: &[f64]) -> f64 {
    step.iter().enumerate().filter(|(i, _)| i % 4 != 3).map(|(_, s)| s.abs()).fold(0.0, f64::max)
}

/// The state with vertices `scale` times the step away from `from`, which are those of `state` or carried along by a stretch.
fn moved(problem: &Problem, from: &[Vector3<f64>], state: &State, step: &[f64], scale: f64) -> State {
    let r = problem.cell.radius();
    let steps = || step.chunks_exact(4);
    let position = from.iter().zip(steps()).map(|(x, s)| x + Vector3::new(s[0], s[1], s[2]) * scale);
    let twist = state.twist.iter().zip(steps()).map(|(t, s)| t + s[3] * scale / r);
    state.moved(problem.cell, &problem.links, position.collect(), twist.collect())
}

fn satisfied(problem: &Problem, constraints: &Constraints, state: State) -> State {
    let r = problem.cell.radius();
    let before = unknowns(&state, r);
    let mut q = before.clone();
    constraints.satisfy(&mut q);
    let step: Vec<f64> = q.iter().zip(&before).map(|(a, b)| a - b).collect();
    moved(problem, &state.position, &state, &step, 1.0)
}
