//! Back to material space [Sperl21, App. B].

use super::Midsurface;
use nalgebra::Vector3;

/// A point in material space.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PulledBack {
    /// X, m.
    pub material: Vector3<f64>,
    /// |x - xbar(X)|, m.
    pub residual: f64,
}

/// Newton's method squares its error in each step; more steps are only needed where it starts far away.
const MAX_STEPS: usize = 40;

/// Done when a step no longer lowers the residual, or when it is below this fraction of the coordinates: rounding.
const ROUNDING: f64 = 1e-15;

/// Newton's method on x - xbar(X) = 0 [Sperl21, Eq. 17]. Steps that do not help are halved.
pub(super) fn pull_back(surface: &impl Midsurface, x: &Vector3<f64>, start: &Vector3<f64>) -> PulledBack {
    let miss = |material: &Vector3<f64>| x - surface.map(material);
    let mut at = *start;
    let mut error = miss(&at);
    for _ in 0..MAX_STEPS {
        if error.norm() <= ROUNDING * (x.norm() + at.norm()) {
            break;
        }
        let Some(step) = surface.gradient(&at).lu().solve(&error) else { break };
        let trial = |scale: f64| {
            let to = at + step * scale;
            (to, miss(&to))
        };
        let better = [1.0, 0.5, 0.25, 0.125].map(trial).into_iter().find(|(_, e)| e.norm() < error.norm());
        let Some(better) = better else { break };
        (at, error) = better;
    }
    PulledBack { material: at, residual: error.norm() }
}
