//! A rigid cylinder that yarns are pulled over.
//!
//!   E = k sum L f(rho / (R + r))
//!
//! rho = distance of a point of a yarn to the axis (m), R = radius of the cylinder, r = that of the yarn, L = rest length of the point,
//! k = stiffness (N), f the potential of contact between yarns.

use crate::contact::potential;
use nalgebra::{Matrix3, Vector3};

/// An endless cylinder.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cylinder {
    /// A point of its axis, m.
    pub point: Vector3<f64>,
    /// The direction of its axis, of length 1.
    pub axis: Vector3<f64>,
    /// Its radius, m.
    pub radius: f64,
    /// How stiff its contact is, N.
    pub stiffness: f64,
}

impl Cylinder {
    /// From the axis to a point, across the axis, m.
    pub(super) fn offset(&self, y: &Vector3<f64>) -> Vector3<f64> {
        let from = y - self.point;
        from - self.axis * self.axis.dot(&from)
    }

    fn scale(&self, yarn_radius: f64) -> f64 {
        1.0 / (self.radius + yarn_radius).powi(2)
    }

    /// Energy of a point that stands for `length` of a yarn, J.
    pub(super) fn value(&self, length: f64, yarn_radius: f64, y: &Vector3<f64>) -> f64 {
        self.stiffness * length * potential::value(self.offset(y).norm_squared() * self.scale(yarn_radius))
    }

    /// dE/dy, N.
    pub(super) fn gradient(&self, length: f64, yarn_radius: f64, y: &Vector3<f64>) -> Vector3<f64> {
        let (o, scale) = (self.offset(y), self.scale(yarn_radius));
        o * (2.0 * self.stiffness * length * scale * potential::first(o.norm_squared() * scale))
    }

    /// d2E/dy2, N/m.
    pub(super) fn hessian(&self, length: f64, yarn_radius: f64, y: &Vector3<f64>) -> Matrix3<f64> {
        let (o, scale) = (self.offset(y), self.scale(yarn_radius));
        let s = o.norm_squared() * scale;
        let factor = 2.0 * self.stiffness * length * scale;
        let across = Matrix3::identity() - self.axis * self.axis.transpose();
        across * (factor * potential::first(s)) + o * o.transpose() * (2.0 * factor * scale * potential::second(s))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn derivatives_agree_with_differences() {
        let axis = Vector3::new(1.0, 0.2, -0.4).normalize();
        let c = Cylinder { point: Vector3::new(0.3, 0.1, 0.0), axis, radius: 2.0, stiffness: 1.7 };
        let y = Vector3::new(0.7, 1.9, 1.1);
        let (gradient, hessian) = (c.gradient(0.2, 1.0, &y), c.hessian(0.2, 1.0, &y));
        assert!(gradient.norm() > 1e-3);
        for k in 0..3 {
            let d = Vector3::ith(k, 1e-5);
            let slope = (c.value(0.2, 1.0, &(y + d)) - c.value(0.2, 1.0, &(y - d))) / 2e-5;
            assert!((slope - gradient[k]).abs() < 1e-8 * gradient.norm());
            let change = (c.gradient(0.2, 1.0, &(y + d)) - c.gradient(0.2, 1.0, &(y - d))) / 2e-5;
            assert!((change - hessian.column(k)).norm() < 1e-8 * hessian.norm());
        }
        assert_eq!(c.value(0.2, 1.0, &Vector3::new(0.3, 4.0, 0.0)), 0.0);
    }
}
