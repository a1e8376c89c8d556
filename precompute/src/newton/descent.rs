//! Newton's method with regularization.
//!
//! Each step solves (H + rho I) p = -g on the free directions. When the matrix is not definite or the step too long, rho is
//! raised; when the energy rises, too; a full step is taken otherwise and rho lowered, down to Newton's method proper. Steps are
//! bounded, so that yarns cannot pass through each other.

use super::holds::Holds;
use super::matrix::PointMatrix;
use super::objective::Objective;
use nalgebra::Vector3;

/// When a minimum counts as found, and how it is searched.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NewtonOptions {
    /// Converged when the norm of the unbalanced forces is below this fraction of [`super::Units::force`].
    pub tolerance: f64,
    /// Regularization of the first step, in [`super::Units::stiffness`].
    pub rho: f64,
    /// The search is given up after this many factorizations.
    pub max_factorizations: usize,
}

impl Default for NewtonOptions {
    fn default() -> Self {
        NewtonOptions { tolerance: 1e-10, rho: 1e-3, max_factorizations: 600 }
    }
}

/// Below this, rho is zero: Newton's method. In units of stiffness, as the others.
const SMALLEST_RHO: f64 = 1e-9;

/// rho after a failure of Newton's method proper.
const FIRST_RHO: f64 = 1e-7;

/// A matrix that is not definite with this rho is none of an energy.
const LARGEST_RHO: f64 = 1e8;

/// Factor on rho after a step: from 1e-3 to Newton's method in a dozen steps at most.
const DECAY: f64 = 0.3;

/// A step longer than the bound by up to this factor is shortened; a longer one is sought anew with a larger rho, which turns it away from
/// directions that little resists.
const LONGEST: f64 = 2.0;

/// A direction with less stiffness than this counts as one that is not resisted. In units of stiffness: with knits' bending, waves of
/// a hundred radii have more.
const SMALLEST_RESISTANCE: f64 = 1e-10;

/// An energy that rises by less than this fraction has not risen: rounding.
const ENERGY_ROUNDING: f64 = 1e-13;

/// Counts of the work done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NewtonWork {
    /// Steps that were taken.
    pub steps: usize,
    /// Numeric factorizations.
    pub factorizations: usize,
    /// Symbolic analyses.
    pub analyses: usize,
}

impl std::ops::AddAssign for NewtonWork {
    fn add_assign(&mut self, other: Self) {
        self.steps += other.steps;
        self.factorizations += other.factorizations;
        self.analyses += other.analyses;
    }
}

impl std::ops::Add for NewtonWork {
    type Output = Self;

    fn add(mut self, other: Self) -> Self {
        self += other;
        self
    }
}

/// How a search ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Minimum {
    /// The energy there, J.
    pub value: f64,
    /// Norm of the unbalanced forces, in [`super::Units::force`].
    pub residual: f64,
    /// Whether the residual reached the tolerance.
    pub converged: bool,
    /// Work done.
    pub work: NewtonWork,
}

/// A search, and where it stands.
pub struct Newton<'o, O: Objective> {
    objective: &'o mut O,
    holds: Holds,
    options: NewtonOptions,
    matrix: PointMatrix,
    x: Vec<Vector3<f64>>,
    gradient: Vec<Vector3<f64>>,
    value: f64,
    rho: f64,
    work: NewtonWork,
}

impl<'o, O: Objective> Newton<'o, O> {
    /// Begins at `x` (m), which must satisfy the holds already.
    pub fn new(objective: &'o mut O, x: Vec<Vector3<f64>>, holds: Holds, options: &NewtonOptions) -> Self {
        objective.refresh(&x);
        let matrix = pattern(objective, &x);
        let value = objective.value(&x);
        let gradient = vec![Vector3::zeros(); x.len()];
        let work = NewtonWork { analyses: 1, ..NewtonWork::default() };
        let mut out =
            Newton { objective, holds, options: *options, matrix, x, gradient, value, rho: options.rho, work };
        out.assemble();
        out
    }

    /// Takes steps until the forces balance, no step lowers the energy or the work allowed is used up.
    pub fn run(&mut self) -> Minimum {
        while !self.balanced() && self.step() {}
        self.minimum()
    }

    /// How the search stands.
    pub fn minimum(&self) -> Minimum {
        let residual = self.residual();
        Minimum { value: self.value, residual, converged: residual <= self.options.tolerance, work: self.work }
    }

    /// One step; false when none is possible.
    pub fn step(&mut self) -> bool {
        let units = self.objective.units();
        let down: Vec<Vector3<f64>> = self.gradient.iter().map(|g| -g).collect();
        while self.work.factorizations < self.options.max_factorizations && self.rho < LARGEST_RHO {
            self.work.factorizations += 1;
            if !self.matrix.factorize(self.rho * units.stiffness) {
                self.raise(4.0);
                continue;
            }
            let step = self.matrix.solve(&self.holds, &down);
            let longest = step.iter().map(|s| s.amax()).fold(0.0, f64::max) / units.step;
            if longest.is_nan() || longest > LONGEST {
                // A step that rho dominates is inversely proportional to it.
                self.raise(longest.clamp(1.5, 16.0));
                continue;
            }
            // Shortened, the direction still leads down.
            let part = 1.0 / longest.max(1.0);
            let trial: Vec<Vector3<f64>> = self.x.iter().zip(&step).map(|(x, s)| x + s * part).collect();
            let value = self.objective.value(&trial);
            // NaN is not lower.
            if value <= self.value + ENERGY_ROUNDING * self.value.abs() {
                self.accept(trial);
                return true;
            }
            self.raise(4.0);
        }
        false
    }

    /// Takes the full step of Newton's method proper, whatever the energy does: the linear step of a time integrator. False when
    /// the matrix is not definite.
    pub fn linear_step(&mut self) -> bool {
        self.work.factorizations += 1;
        if !self.matrix.factorize(0.0) {
            return false;
        }
        let down: Vec<Vector3<f64>> = self.gradient.iter().map(|g| -g).collect();
        let step = self.matrix.solve(&self.holds, &down);
        if step.iter().any(|s| !s.amax().is_finite()) {
            return false;
        }
        let trial = self.x.iter().zip(&step).map(|(x, s)| x + s).collect();
        self.accept(trial);
        true
    }

    fn accept(&mut self, trial: Vec<Vector3<f64>>) {
        self.x = trial;
        self.rho = if self.rho * DECAY < SMALLEST_RHO { 0.0 } else { self.rho * DECAY };
        self.work.steps += 1;
        if self.objective.refresh(&self.x) && !self.has_room() {
            self.matrix = pattern(self.objective, &self.x);
            self.work.analyses += 1;
        }
        self.value = self.objective.value(&self.x);
        self.assemble();
    }

    /// Whether the matrix has room for all couplings.
    fn has_room(&self) -> bool {
        let mut complete = true;
        self.objective.couplings(&mut |i, j| complete &= self.matrix.slot(i, j).is_some());
        complete
    }

    fn raise(&mut self, factor: f64) {
        self.rho = (self.rho * factor).max(FIRST_RHO);
    }

    fn assemble(&mut self) {
        self.matrix.clear();
        self.gradient.fill(Vector3::zeros());
        self.objective.derivatives(&self.x, &mut self.gradient, &mut self.matrix);
        self.matrix.hold(&self.holds, self.objective.units().stiffness);
    }

    /// Norm of the unbalanced forces, in units of force.
    pub fn residual(&self) -> f64 {
        let mut free = self.gradient.clone();
        self.holds.project(&mut free);
        free.iter().map(|g| g.norm_squared()).sum::<f64>().sqrt() / self.objective.units().force
    }

    fn balanced(&self) -> bool {
        self.residual() <= self.options.tolerance
    }

    /// Where the points are, m.
    pub fn x(&self) -> &[Vector3<f64>] {
        &self.x
    }

    /// The gradient of the energy there, N: along held directions what the holds push with.
    pub fn gradient(&self) -> &[Vector3<f64>] {
        &self.gradient
    }

    /// The objective.
    pub fn objective(&self) -> &O {
        self.objective
    }

    /// Factorizes the second derivatives as they are, for [`Newton::solve`]; false when some free direction is not resisted, or next
    /// to not: [`Newton::solve`] then has no meaning.
    pub fn factorize(&mut self) -> bool {
        self.work.factorizations += 2;
        let floor = SMALLEST_RESISTANCE * self.objective.units().stiffness;
        self.matrix.factorize(-floor) && self.matrix.factorize(0.0)
    }

    /// The motion that forces `b` (N) cause, m, by the last factor.
    pub fn solve(&self, b: &[Vector3<f64>]) -> Vec<Vector3<f64>> {
        self.matrix.solve(&self.holds, b)
    }

    /// Ends the search: where the points are, m.
    pub fn into_x(self) -> Vec<Vector3<f64>> {
        self.x
    }
}

fn pattern(objective: &impl Objective, x: &[Vector3<f64>]) -> PointMatrix {
    let mut pairs = Vec::new();
    objective.couplings(&mut |i, j| pairs.push((i, j)));
    PointMatrix::new(x, pairs.into_iter())
}

mod saddle;
#[cfg(test)]
mod tests;
