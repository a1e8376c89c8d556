//! Stretching energy of a discrete elastic rod.
//!
//!   E = sum_edges 1/2 ks (l / L - 1)^2 L          \[Bergou10\]
//!
//! l = |e| length of the edge (m), L = its rest length (m), ks = E pi r^2 stretch stiffness (N). Derivatives are by the
//! edge vector e.

use nalgebra::{Matrix3, Vector3};

/// Energy of one edge, J.
pub(crate) fn value(stiffness: f64, length: f64, rest: f64) -> f64 {
    let strain = length / rest - 1.0;
    0.5 * stiffness * strain * strain * rest
}

/// dE/de, N.
pub(crate) fn gradient(stiffness: f64, length: f64, rest: f64, tangent: &Vector3<f64>) -> Vector3<f64> {
    tangent * (stiffness * (length / rest - 1.0))
}

/// d2E/de2, N/m.
pub(crate) fn hessian(stiffness: f64, length: f64, rest: f64, tangent: &Vector3<f64>) -> Matrix3<f64> {
    let across = stiffness * (1.0 / rest - 1.0 / length);
    let along = stiffness / rest - across;
    Matrix3::from_diagonal_element(across) + tangent * tangent.transpose() * along
}
