//! Which springs are taken implicitly.

use super::model::SpringKind;
use serde::{Deserialize, Serialize};

/// A time integration scheme of first order: which springs go into the matrix.
///
/// All are one scheme [Boxerman03, Eq. 4.13]: springs in the matrix are stepped by semi-implicit backward Euler, the
/// others by forward-backward Euler.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Integrator {
    /// No spring: stable as long as κ ≤ 1/2 [Boxerman03, Eq. 4.5, 4.8].
    ForwardBackwardEuler,
    /// Every spring [Boxerman03, Eq. 4.11].
    BackwardEuler,
    /// Springs of fixed kinds [Boxerman03, §4.3.2].
    Imex {
        /// Whether stretch springs are implicit.
        stretch: bool,
        /// Whether shear springs are implicit.
        shear: bool,
        /// Whether bend springs are implicit.
        bend: bool,
    },
    /// Each spring whose κ is larger than `safety` [Boxerman03, §4.4].
    AdaptiveImex {
        /// 0.2 in the thesis; stability ends at 0.5.
        safety: f64,
    },
}

impl Default for Integrator {
    fn default() -> Self {
        Integrator::AdaptiveImex { safety: 0.2 }
    }
}

impl Integrator {
    /// Whether all springs of a kind with κ between two numbers go into the matrix, or none does; `None` where each has to
    /// be asked.
    pub(super) fn are_implicit(&self, kind: SpringKind, [low, high]: [f64; 2]) -> Option<bool> {
        match self {
            Integrator::AdaptiveImex { safety } if low > *safety => Some(true),
            Integrator::AdaptiveImex { safety } if high <= *safety => Some(false),
            Integrator::AdaptiveImex { .. } => None,
            _ => Some(self.is_implicit(kind, low, 1.0)),
        }
    }

    /// Whether a spring of this kind with κ m = `kappa_mass` goes into the matrix; `mass` is that of its lighter end.
    #[inline]
    pub fn is_implicit(&self, kind: SpringKind, kappa_mass: f64, mass: f64) -> bool {
        match self {
            Integrator::ForwardBackwardEuler => false,
            Integrator::BackwardEuler => true,
            Integrator::Imex { stretch, shear, bend } => match kind {
                SpringKind::Stretch => *stretch,
                SpringKind::Shear => *shear,
                SpringKind::Bend => *bend,
            },
            Integrator::AdaptiveImex { safety } => kappa_mass > *safety * mass,
        }
    }
}
