//! What laws of triangles are given and what they return.

use super::super::vector::Vec3;
use super::matrix::Mat3;
use crate::gpu::{HybridParams, WeaveCrossing, YarnSolverParams, YarnSolverScalars};

/// What the law of triangles depends on.
#[derive(Clone, Copy)]
pub struct MembraneInput<'a> {
    /// Constants of yarns.
    pub params: &'a YarnSolverParams,
    /// The others.
    pub hybrid: &'a HybridParams,
    /// The step.
    pub scalars: &'a YarnSolverScalars,
    /// Crossings of the draft.
    pub crossings: &'a [WeaveCrossing],
}

impl MembraneInput<'_> {
    /// h² + hβ: what strain is multiplied with; tension has h² alone, damping must not brake rotation.
    pub(super) fn material_factor(&self) -> f32 {
        self.scalars.h * (self.scalars.h + self.params.stiffness_damping)
    }
}

/// P, and h² times its tangent with damping, between the columns of F.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Membrane {
    pub(super) stress: [Vec3; 2],
    pub(super) uu: Mat3,
    pub(super) vv: Mat3,
    pub(super) uv: Mat3,
}
