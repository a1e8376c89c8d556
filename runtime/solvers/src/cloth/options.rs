//! How to step.

use super::integrator::Integrator;
use crate::linear::PreconditionerKind;
use serde::{Deserialize, Serialize};

/// Choices of the solver.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ClothOptions {
    /// Time integration.
    pub integrator: Integrator,
    /// Largest step, seconds.
    pub step: f64,
    /// Steps are halved no further than this, seconds.
    pub smallest_step: f64,
    /// A step that lengthens a stretch or shear spring by more than this part of its rest length is taken back and
    /// halved; none keeps every step.
    pub largest_strain_change: Option<f64>,
    /// The linear solve ends at tol² = tolerance × step [Boxerman03, §5.3.1]; per second.
    pub tolerance: f64,
    /// Whether the plain residual must meet the tolerance too; false is the thesis's rule, which is quicker and may
    /// lose the motion of a taut sheet in its own plane.
    pub plain_residual: bool,
    /// The most iterations of a linear solve.
    pub max_iterations: usize,
    /// Preconditioner of the linear solve.
    pub preconditioner: PreconditionerKind,
    /// Whether the linear system is cut into components.
    pub decompose: bool,
}

impl Default for ClothOptions {
    fn default() -> Self {
        ClothOptions {
            integrator: Integrator::default(),
            step: 1.0 / 60.0,
            smallest_step: 1.0 / 15360.0,
            largest_strain_change: Some(0.1),
            tolerance: 0.01,
            plain_residual: true,
            max_iterations: 2000,
            preconditioner: PreconditionerKind::default(),
            decompose: true,
        }
    }
}

impl ClothOptions {
    /// The first field that makes no sense, and why.
    pub fn fault(&self) -> Option<String> {
        let Self { step, smallest_step, tolerance, .. } = *self;
        if !(1e-6..=1.0).contains(&step) {
            return Some(format!("step is {step}, it must be between 1e-6 and 1 second"));
        }
        // Below, cloth that is strained too much would stand still: a frame would take hours.
        if !(1e-7..=step).contains(&smallest_step) {
            return Some(format!("smallest_step is {smallest_step}, it must be between 1e-7 s and 'step' ({step})"));
        }
        if !(tolerance > 0.0 && tolerance <= 1.0) {
            return Some(format!("tolerance is {tolerance}, it must be positive and at most 1"));
        }
        if self.max_iterations == 0 {
            return Some("max_iterations is 0, at least one is needed".into());
        }
        if self.largest_strain_change.is_some_and(|s| !(s > 0.0 && s.is_finite())) {
            return Some("largest_strain_change must be positive; leave it out as null to keep every step".into());
        }
        match self.integrator {
            Integrator::AdaptiveImex { safety } if !(safety > 0.0 && safety <= 0.5) => {
                Some(format!("safety is {safety}, it must be positive and at most 0.5, where stability ends"))
            }
            _ => None,
        }
    }
}
