//! Stretching energy of a B-spline yarn.
//!
//!   E = 1/2 ks sum L (|y'| / g0 - 1)^2,   L = w g0          [MartinGarrido18, Eq. 3]
//!
//! y' = dy/dt (m), g0 = its length at rest (m), w = weight of the integration point, ks = E pi r^2 (N). Derivatives are by y'.
//! The paper's sum lacks the length of the interval in its Eq. 2; here it is part of the energy, as in its Eq. 3.

use nalgebra::{Matrix3, Vector3};

/// Energy of one integration point, J; `factor` is ks w.
pub(crate) fn value(factor: f64, rest_speed: f64, slope: &Vector3<f64>) -> f64 {
    let strain = slope.norm() / rest_speed - 1.0;
    0.5 * factor * rest_speed * strain * strain
}

/// dE/dy', N.
pub(crate) fn gradient(factor: f64, rest_speed: f64, slope: &Vector3<f64>) -> Vector3<f64> {
    slope * (factor * (1.0 / rest_speed - 1.0 / slope.norm()))
}

/// d2E/dy'^2, N/m.
pub(crate) fn hessian(factor: f64, rest_speed: f64, slope: &Vector3<f64>) -> Matrix3<f64> {
    let length = slope.norm();
    let tangent = slope / length;
    let across = factor * (1.0 / rest_speed - 1.0 / length);
    Matrix3::from_diagonal_element(across) + tangent * tangent.transpose() * (factor / rest_speed - across)
}
