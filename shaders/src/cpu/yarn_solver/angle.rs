//! The angle between two unit vectors, with its directions.

use super::super::angle::atan2;
use super::super::vector::{Vec3, cross, dot, scaled};
use crate::gpu::constants::PARALLEL_SINE;

/// φ between t1 and t3; b, e1, e3 as in `yarnwise-solvers`.
pub(in crate::cpu) struct Angle {
    pub(in crate::cpu) sine: f32,
    pub(in crate::cpu) cosine: f32,
    pub(in crate::cpu) normal: Vec3,
    pub(in crate::cpu) e1: Vec3,
    pub(in crate::cpu) e3: Vec3,
}

impl Angle {
    pub(in crate::cpu) fn between(t1: Vec3, t3: Vec3) -> Self {
        let product = cross(t1, t3);
        let sine = dot(product, product).sqrt();
        let normal = if sine > PARALLEL_SINE { scaled(product, 1.0 / sine) } else { across(t1) };
        Angle { sine, cosine: dot(t1, t3), normal, e1: cross(normal, t1), e3: cross(t3, normal) }
    }

    /// φ, radians.
    pub(in crate::cpu) fn value(&self) -> f32 {
        atan2(self.sine, self.cosine)
    }
}

/// A unit vector across t.
fn across(t: Vec3) -> Vec3 {
    let other = if t[0].abs() < 0.9 { [1.0, 0.0, 0.0] } else { [0.0, 1.0, 0.0] };
    let product = cross(t, other);
    scaled(product, 1.0 / dot(product, product).sqrt())
}
