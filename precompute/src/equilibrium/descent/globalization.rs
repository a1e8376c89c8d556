//! How far a descent dares to go: the regularization of its steps, and when a balanced state counts as stable.
//!
//! Each step solves (H + rho ks/L M) p = -g. When the matrix is not definite, the step too long or the energy rises, rho is raised;
//! after a step that was taken it is lowered, down to Newton's method proper.

use super::schedule::Schedule;

/// Below this, rho is zero: Newton's method.
const SMALLEST_RHO: f64 = 1e-9;

/// rho after a failure of Newton's method proper.
const FIRST_RHO: f64 = 1e-6;

/// rho of the one step more that a balanced state must pass: if the matrix is not definite even so, it is a saddle, and if
/// forces do not balance afterwards, it was only a slow place.
const STABLE_RHO: f64 = 1e-4;

/// Factor on rho where the energy rises, or yarns pass through each other.
const RISES: f64 = 4.0;

/// Factor from one length of a step to the next that is tried.
const SHORTER: f64 = 0.4;

/// Why a step is not taken.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Rejected {
    /// The matrix is not definite on the free directions.
    Indefinite,
    /// It is this many times as long as allowed.
    TooLong(f64),
    /// The energy rises.
    Rises,
    /// It takes yarns through each other.
    PassesThrough,
}

/// The regularization of a descent, and what is left of its checks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Globalization {
    schedule: Schedule,
    /// The weight of the gradient flow against Newton's method.
    pub rho: f64,
    /// How often more a balanced state is to be checked for stability; none once it is stable.
    pub checks: usize,
    /// Factor on rho after the step at hand.
    decay: f64,
}

impl Globalization {
    pub(super) fn new(schedule: Schedule) -> Self {
        Globalization { schedule, rho: schedule.rho, checks: schedule.checks, decay: schedule.decay }
    }

    /// A new step begins; `check` when it is to show whether a balanced state is stable.
    pub(super) fn begin(&mut self, check: bool) {
        self.decay = self.schedule.decay;
        if check {
            self.rho = STABLE_RHO;
        }
    }

    /// The lengths to try of a step that is `excess` times as long as the bound, as fractions of it.
    pub(super) fn lengths(&self, excess: f64) -> Result<impl Iterator<Item = f64> + use<>, Rejected> {
        if excess * self.schedule.shortest > 1.0 {
            return Err(Rejected::TooLong(excess));
        }
        let first = 1.0 / excess.max(1.0);
        Ok(std::iter::successors(Some(first), |scale| Some(scale * SHORTER)).take(self.schedule.lengths))
    }

    /// The step is not taken: rho is raised.
    pub(super) fn reject(&mut self, why: Rejected) {
        let factor = match why {
            Rejected::Indefinite => self.schedule.indefinite,
            Rejected::TooLong(excess) => self.schedule.too_long.factor(excess),
            Rejected::Rises | Rejected::PassesThrough => RISES,
        };
        self.rho = (self.rho * factor).max(FIRST_RHO);
        self.decay = self.schedule.decay_after_failure;
    }

    /// The step is taken: rho is lowered.
    pub(super) fn accept(&mut self) {
        self.rho = if self.rho * self.decay < SMALLEST_RHO { 0.0 } else { self.rho * self.decay };
    }

    /// What the matrix said about a balanced state.
    pub(super) fn checked(&mut self, definite: bool) {
        self.checks = if definite { 0 } else { self.checks.saturating_sub(1) };
    }
}
