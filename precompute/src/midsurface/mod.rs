//! The midsurface of a bent cell, and positions relative to it [Sperl21, App. A and B].
//!
//! Two fundamental forms I and II (1/m) prescribe a surface phi(X1, X2) with normal n such that, at the origin,
//!
//!   grad phi^T grad phi = I,   -grad phi^T grad n = II.
//!
//! A point of the shell is xbar(X) = phi(X1, X2) + X3 n(X1, X2). [`SingleCurvature`] is the exact surface for II of rank
//! one, a cylinder: I and II are met everywhere, and a shift by whole periods is a rigid motion. A surface of double
//! curvature with constant forms does not exist; [`PoissonSurface`] is nearest to one, by least squares.

mod poisson;
mod pullback;
mod rotation;
mod single;

#[cfg(test)]
mod tests;

pub use poisson::PoissonSurface;
pub use pullback::PulledBack;
pub use rotation::Tilt;
pub use single::SingleCurvature;

use nalgebra::{Matrix3, Vector3};

/// A midsurface with its normals.
pub trait Midsurface {
    /// How the normal tilts over the surface.
    fn tilt(&self) -> &Tilt;

    /// phi(X1, X2), m.
    fn point(&self, x: [f64; 2]) -> Vector3<f64>;

    /// xbar(X) = phi + X3 n [Sperl21, Eq. 2], m.
    fn map(&self, material: &Vector3<f64>) -> Vector3<f64> {
        let x = [material.x, material.y];
        self.point(x) + self.tilt().normal(x) * material.z
    }

    /// The gradient of [`Midsurface::map`] [Sperl21, Eq. 15], with grad phi = R S.
    fn gradient(&self, material: &Vector3<f64>) -> Matrix3<f64> {
        let x = [material.x, material.y];
        let tilt = self.tilt();
        let along = tilt.rotation(x) * tilt.stretch3() + tilt.normal_gradient(x) * material.z;
        let normal = tilt.normal(x);
        Matrix3::from_columns(&[along.column(0).into_owned(), along.column(1).into_owned(), normal])
    }

    /// The X near `start` with `x` = xbar(X): Newton's method [Sperl21, App. B].
    fn pull_back(&self, x: &Vector3<f64>, start: &Vector3<f64>) -> PulledBack
    where
        Self: Sized,
    {
        pullback::pull_back(self, x, start)
    }
}
