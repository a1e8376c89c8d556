//! How a descent begins and how fast it goes.

use crate::equilibrium::settings::SolverSettings;

/// How a descent begins and how fast it goes: cold and warm starts are two values of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Schedule {
    /// Regularization of the first step.
    pub rho: f64,
    /// Factor on it after a step.
    pub decay: f64,
    /// The same after a step that took more than one factorization.
    pub decay_after_failure: f64,
    /// Factor on rho where the matrix is not definite.
    pub indefinite: f64,
    /// Factors on rho where a step is longer than the bound.
    pub too_long: TooLong,
    /// Steps are shortened to this fraction at most to keep them within the bound.
    pub shortest: f64,
    /// Number of lengths that are tried of a step that raises the energy.
    pub lengths: usize,
    /// Largest component of a vertex' step, yarn radii.
    pub step_bound: f64,
    /// Where forces balance, one step more is taken, and the descent continues unless that confirms a stable equilibrium; this
    /// many times at most, then the last one is taken. Descents are slow near saddles and in flat valleys, and loose tolerances
    /// would end them there. With 0, a descent ends where forces balance.
    pub checks: usize,
    /// Steps that take yarns through each other are refused; otherwise they are taken, and reported.
    pub keeps_topology: bool,
    /// The fabric takes the size at which it pulls in neither direction.
    pub free_period: bool,
}

/// Factors on rho where a step is longer than the bound: as many times the excess, between two limits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TooLong {
    /// Times the step's length over the bound: a step that rho dominates is inversely proportional to it.
    pub of_excess: f64,
    /// The least and the most.
    pub limits: [f64; 2],
}

impl TooLong {
    /// The factor for a step that is `excess` times as long as the bound.
    pub fn factor(&self, excess: f64) -> f64 {
        let [least, most] = self.limits;
        (self.of_excess * excess).max(least).min(most)
    }
}

impl Schedule {
    /// For a start at the affine state: steps are bounded by raising rho, never by scaling them, so the path stays close to the
    /// flow and finds the equilibrium at its end.
    pub fn cold(s: &SolverSettings) -> Self {
        Schedule {
            rho: s.cold_rho,
            decay: s.cold_decay,
            decay_after_failure: s.cold_decay,
            indefinite: 2.0,
            too_long: TooLong { of_excess: 0.0, limits: [2.0, 2.0] },
            shortest: 1.0,
            lengths: 1,
            step_bound: s.step_bound,
            checks: 0,
            keeps_topology: false,
            free_period: false,
        }
    }

    /// For a start at an equilibrium of another strain. Steps are damped: one that is somewhat too long or raises the energy is
    /// shortened, which costs no factorization; otherwise rho is raised by as much as seems needed, and lowered less after a
    /// step that took several tries.
    pub fn warm(s: &SolverSettings) -> Self {
        Schedule {
            rho: s.warm_rho,
            decay: s.warm_decay,
            decay_after_failure: 0.6,
            indefinite: 4.0,
            too_long: TooLong { of_excess: 1.1, limits: [1.0, 16.0] },
            shortest: 0.3,
            lengths: 3,
            step_bound: s.warm_step_bound,
            checks: 8,
            keeps_topology: false,
            free_period: false,
        }
    }

    /// For a start at an equilibrium of another strain from which the warm schedule fails: the short steps of a cold start keep
    /// closer to the flow, and take no yarns through each other.
    pub fn careful(s: &SolverSettings) -> Self {
        let warm = Schedule::warm(s);
        Schedule { rho: warm.rho, checks: warm.checks, keeps_topology: true, ..Schedule::cold(s) }
    }

    /// For the rest state of a pattern, from the pattern as it is: as cold, but a step that is too long or raises the energy is
    /// shortened first. Yarns that slide along each other follow curved valleys, in which Newton's steps are too long.
    pub fn rest(s: &SolverSettings) -> Self {
        Schedule { shortest: 0.05, lengths: 3, keeps_topology: true, ..Schedule::cold(s) }
    }
}
