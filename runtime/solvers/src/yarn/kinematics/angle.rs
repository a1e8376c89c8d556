//! The angle between two vectors, with its derivatives.
//!
//!   φ = atan2(|t1 × t3|, t1·t3),  b = (t1 × t3) / sin φ,  e1 = b × t1,  e3 = t3 × b
//!   ∂φ/∂d1 = −e1 / l1,  ∂φ/∂d3 = −e3 / l3
//!   ∂²φ/∂d1² = (cot φ b bᵀ + t1 e1ᵀ + e1 t1ᵀ) / l1²,  likewise for d3,  ∂²φ/∂d1∂d3 = −b bᵀ / (sin φ l1 l3)
//!
//! Never acos: it loses half the digits near 0 and π. Where the vectors are parallel, b is any unit vector across them.

use super::Segment;
use nalgebra::{Matrix6, Vector3};

/// Below this sine the plane of the angle is lost in rounding.
const PARALLEL: f64 = 1e-9;

/// The angle between the directions of two segments.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Angle {
    /// φ, radians, 0 to π.
    pub value: f64,
    /// sin φ, not less than 1e-9.
    pub sine: f64,
    /// cos φ.
    pub cosine: f64,
    /// b: unit normal of the plane of the angle.
    pub normal: Vector3<f64>,
    /// e1: unit vector across t1 in the plane, towards t3.
    pub e1: Vector3<f64>,
    /// e3: unit vector across t3 in the plane, towards t1.
    pub e3: Vector3<f64>,
}

impl Angle {
    /// Between the unit vectors t1 and t3.
    #[inline]
    pub fn between(t1: &Vector3<f64>, t3: &Vector3<f64>) -> Self {
        let cross = t1.cross(t3);
        let sine = cross.norm();
        let cosine = t1.dot(t3);
        let normal = if sine > PARALLEL { cross / sine } else { across(t1) };
        Angle {
            value: sine.atan2(cosine),
            sine: sine.max(PARALLEL),
            cosine,
            normal,
            e1: normal.cross(t1),
            e3: t3.cross(&normal),
        }
    }

    /// Second derivatives with respect to (d1, d3), for tests: they are indefinite.
    pub fn hessian(&self, first: &Segment, third: &Segment) -> Matrix6<f64> {
        let bb = self.normal * self.normal.transpose();
        let own = |t: &Vector3<f64>, e: &Vector3<f64>, l: f64| {
            (bb * (self.cosine / self.sine) + t * e.transpose() + e * t.transpose()) / (l * l)
        };
        let mixed = bb * (-1.0 / (self.sine * first.length * third.length));
        let mut h = Matrix6::zeros();
        h.fixed_view_mut::<3, 3>(0, 0).copy_from(&own(&first.direction, &self.e1, first.length));
        h.fixed_view_mut::<3, 3>(3, 3).copy_from(&own(&third.direction, &self.e3, third.length));
        h.fixed_view_mut::<3, 3>(0, 3).copy_from(&mixed);
        h.fixed_view_mut::<3, 3>(3, 0).copy_from(&mixed);
        h
    }
}

/// A unit vector across t.
fn across(t: &Vector3<f64>) -> Vector3<f64> {
    let other = if t.x.abs() < 0.9 { Vector3::x() } else { Vector3::y() };
    t.cross(&other).normalize()
}
