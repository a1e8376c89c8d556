//! How cloth of yarns and triangles is stepped.

use crate::scene::check::short;
use serde::{Deserialize, Serialize};

/// Choices of the solver.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct HybridOptions {
    /// Largest step, seconds.
    pub step: f64,
    /// Steps are halved no further than this, seconds.
    pub smallest_step: f64,
    /// The most iterations of Newton's method; a step that needs more is halved. With 1 every step is taken as it is.
    pub newton_iterations: usize,
    /// Newton's method ends where the residual has fallen to this part of the first.
    pub newton_tolerance: f64,
    /// Each linear solve ends where its residual, measured by the preconditioner, has fallen to this part of the first.
    pub tolerance: f64,
    /// The most iterations of a linear solve.
    pub max_iterations: usize,
    /// Preconditioner of the linear solve.
    pub preconditioner: HybridPreconditioner,
    /// Whether the forces that blending makes out of uniform strain are taken off.
    pub dead_load: bool,
}

/// What approximates the matrix of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum HybridPreconditioner {
    /// Nothing.
    None,
    /// The mass of nodes and vertices alone.
    Mass,
    /// The blended mass [Casafranca20, Eq. 12].
    BlendedMass,
    /// Yarns as lines, with the correction for the vertices' mass.
    Lines,
    /// Lines, and the motions of all triangles.
    #[default]
    LinesCoarse,
}

impl Default for HybridOptions {
    fn default() -> Self {
        HybridOptions {
            step: 1e-3,
            smallest_step: 1e-6,
            newton_iterations: 5,
            newton_tolerance: 1e-3,
            tolerance: 1e-4,
            max_iterations: 2000,
            preconditioner: HybridPreconditioner::default(),
            dead_load: false,
        }
    }
}

impl HybridOptions {
    /// The first field that makes no sense, and why.
    pub fn fault(&self) -> Option<String> {
        let Self { step, smallest_step, tolerance, newton_tolerance, .. } = *self;
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
        if self.newton_iterations == 0 || self.max_iterations == 0 {
            return Some("newton_iterations and max_iterations must be at least 1".into());
        }
        None
    }
}
