//! How yarns are stepped.

use super::material::YarnMaterial;
use crate::scene::check::short;
use serde::{Deserialize, Serialize};

/// Choices of the solver.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct YarnOptions {
    /// Largest step, seconds.
    pub step: f64,
    /// Steps are halved no further than this, seconds.
    pub smallest_step: f64,
    /// The most iterations of Newton's method; a step that needs more is halved. With 1 every step is taken as it is.
    pub newton_iterations: usize,
    /// Newton's method ends where the residual has fallen to this part of the first.
    pub newton_tolerance: f64,
    /// Each linear solve ends where its residual has fallen to this part of the first.
    pub tolerance: f64,
    /// The most iterations of a linear solve.
    pub max_iterations: usize,
    /// Method of the linear solve.
    pub method: Method,
    /// Preconditioner of the linear solve.
    pub preconditioner: YarnPreconditioner,
    /// Digits of the linear solve; positions, forces and residuals always have 64 bits.
    pub precision: Precision,
    /// What is damped by the stiffness damping β.
    pub damping: Damping,
    /// Inertia of the changing mass.
    pub inertia: Inertia,
    /// Whether the cloth touches itself.
    pub self_contact: bool,
    /// Whether yarns leave crossings at their ends, loose pieces are resampled and yarns break.
    pub changes: bool,
}

/// Method of the linear solve.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    /// Conjugate gradients.
    #[default]
    ConjugateGradients,
    /// Conjugate residuals, as the paper has it.
    ConjugateResiduals,
}

/// What approximates the matrix of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum YarnPreconditioner {
    /// A block of 5 × 5 for each node.
    Blocks,
    /// Yarns as lines: half the warps' inverse and half the wefts'.
    Lines,
    /// Yarns as lines one after the other: warps, wefts, warps.
    WarpWeftWarp,
    /// Blocks with a coarse correction.
    #[default]
    CoarseBlocks,
    /// Lines with a coarse correction.
    CoarseLines,
}

/// Digits of the linear solve.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Precision {
    /// 32 bits.
    Single,
    /// 64 bits.
    #[default]
    Double,
}

/// What is damped by β.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Damping {
    /// The change of strain over the step: rotation is free.
    #[default]
    Strain,
    /// −βK q̇ with K of the start of the step, as the paper has it: it brakes rotation.
    Lagged,
}

/// Inertia of the changing mass.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Inertia {
    /// Momentum is carried from step to step, exactly.
    #[default]
    Momentum,
    /// Velocity is carried, the change of mass neglected.
    Dropped,
}

impl Default for YarnOptions {
    fn default() -> Self {
        YarnOptions {
            step: 1e-3,
            smallest_step: 1e-6,
            newton_iterations: 5,
            newton_tolerance: 1e-3,
            tolerance: 1e-4,
            max_iterations: 2000,
            method: Method::default(),
            preconditioner: YarnPreconditioner::default(),
            precision: Precision::default(),
            damping: Damping::default(),
            inertia: Inertia::default(),
            self_contact: false,
            changes: true,
        }
    }
}

impl YarnOptions {
    /// The first field that makes no sense, and why.
    pub fn fault(&self) -> Option<String> {
        let Self { step, smallest_step, tolerance, newton_tolerance, newton_iterations, max_iterations, .. } = *self;
        fault_of([step, smallest_step], [tolerance, newton_tolerance], [newton_iterations, max_iterations])
    }

    /// What these yarns cannot be stepped with, and why.
    pub(crate) fn fault_with(&self, material: &YarnMaterial) -> Option<String> {
        // Its proof that the preconditioner is positive does not know what couples the segments of a crossing.
        let unfit = material.crimp.is_some() && self.preconditioner == YarnPreconditioner::WarpWeftWarp;
        unfit.then(|| "preconditioner is warp-weft-warp, which yarns with crimp do not have: take coarse-blocks".into())
    }
}

/// The first number that makes no sense, and why: steps, tolerances of linear solves and of Newton's method, most iterations of Newton's
/// method and of linear solves.
pub(crate) fn fault_of(
    [step, smallest_step]: [f64; 2],
    [tolerance, newton_tolerance]: [f64; 2],
    iterations: [usize; 2],
) -> Option<String> {
    if !(1e-7..=1.0).contains(&step) {
        return Some(format!("step is {}, it must be between 1e-7 and 1 second", short(step)));
    }
    if !(1e-9..=step).contains(&smallest_step) {
        let smallest = short(smallest_step);
        return Some(format!("smallest_step is {smallest}, it must be between 1e-9 s and 'step' ({step})"));
    }
    for (name, value) in [("tolerance", tolerance), ("newton_tolerance", newton_tolerance)] {
        if !(value > 0.0 && value < 1.0) {
            return Some(format!("{name} is {}, it must be positive and less than 1", short(value)));
        }
    }
    let none = iterations.contains(&0);
    none.then(|| "newton_iterations and max_iterations must be at least 1".into())
}
