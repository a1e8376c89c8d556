//! Stages `vertex_residual` and `vertex_gather`.

use super::super::vector::{Vec3, combine, dot};
use crate::gpu::{NodeVector, YarnSolverParams, YarnSolverScalars};

/// What the stages read of vertices, which are numbered from the first one.
#[derive(Clone, Copy)]
pub struct VertexInput<'a> {
    /// Constants.
    pub params: &'a YarnSolverParams,
    /// The step.
    pub scalars: &'a YarnSolverScalars,
    /// Where the slots of each vertex begin, then all of them.
    pub list: &'a [u32],
    /// What elements give to their corners.
    pub slots: &'a [[f32; 4]],
    /// M_v, kg.
    pub mass: &'a [f32],
    /// By vertex.
    pub d: &'a [NodeVector],
}

impl VertexInput<'_> {
    fn gathered(&self, c: usize) -> Vec3 {
        let entries = &self.list[self.mass.len() + 1..][self.list[c] as usize..self.list[c + 1] as usize];
        entries.iter().fold([0.0; 3], |sum, slot| {
            let [x, y, z, _] = self.slots[*slot as usize];
            combine(sum, 1.0, [x, y, z], 1.0)
        })
    }

    fn d(&self, c: usize) -> Vec3 {
        [self.d[c].x, self.d[c].y, self.d[c].z]
    }
}

/// −r_v = M_v (v_n + h g − (1 + hα) v) and what elements give.
pub fn vertex_residual(input: &VertexInput<'_>, velocity: &NodeVector, c: usize) -> Vec3 {
    let (h, g) = (input.scalars.h, input.params.gravity);
    let start = combine([velocity.x, velocity.y, velocity.z], 1.0, [g[0], g[1], g[2]], h);
    let rate = combine(start, 1.0, input.d(c), -(1.0 + h * input.params.mass_damping));
    combine(input.gathered(c), 1.0, rate, input.mass[c])
}

/// A_v d, and its share of dᵀA_v d.
pub fn vertex_gather(input: &VertexInput<'_>, c: usize) -> (Vec3, f32) {
    let damped = input.mass[c] * (1.0 + input.scalars.h * input.params.mass_damping);
    let sum = combine(input.gathered(c), 1.0, input.d(c), damped);
    (sum, dot(sum, input.d(c)))
}
