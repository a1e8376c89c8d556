//! Contact of two points of B-spline yarns.
//!
//!   E = kc La Lb f(|o| / 2r),   o = y_a - y_b          [Kaldor08]
//!
//! kc = contact stiffness (N/m), La and Lb = rest lengths that the points stand for (m), r = yarn radius (m), f the potential of
//! [`potential`]; derivatives by o, in N and N/m.

use crate::contact::potential;
use nalgebra::{Matrix3, Vector3};

/// Energy of a pair, J; `factor` is kc La Lb.
#[inline]
pub(crate) fn value(factor: f64, inverse_diameter2: f64, offset: &Vector3<f64>) -> f64 {
    factor * potential::value(offset.norm_squared() * inverse_diameter2)
}

/// dE/do, N.
#[inline]
pub(crate) fn gradient(factor: f64, inverse_diameter2: f64, offset: &Vector3<f64>) -> Vector3<f64> {
    offset * (2.0 * factor * inverse_diameter2 * potential::first(offset.norm_squared() * inverse_diameter2))
}

/// d2E/do2, N/m.
#[inline]
pub(crate) fn hessian(factor: f64, inverse_diameter2: f64, offset: &Vector3<f64>) -> Matrix3<f64> {
    let s = offset.norm_squared() * inverse_diameter2;
    let scale = 2.0 * factor * inverse_diameter2;
    Matrix3::from_diagonal_element(scale * potential::first(s))
        + offset * offset.transpose() * (2.0 * scale * inverse_diameter2 * potential::second(s))
}
