//! The exact surface of single curvature: a cylinder.
//!
//! For II = lambda v v^T with a unit vector v, and w = S^-1 v, the field R S of [Sperl21, App. A] is the gradient of
//!
//!   phi(X) = ((w'/|w|).S X) w'/|w|  +  t/|w| (sinc(psi) w/|w|  -  (psi/2) sinc(psi/2)^2 e3),
//!
//! where w' is w turned by a right angle, t = v.X and psi = -lambda |w| t. Lines across v stay straight; along v the
//! surface has the curvature lambda |w|^2 = lambda v^T I^-1 v. R turns about one axis everywhere, so
//!
//!   phi(X + d) = R(d) phi(X) + phi(d):
//!
//! the copies of a cell are the cell moved by rigid motions of the cylinder.

use super::rotation::sinc;
use super::{Midsurface, Tilt};
use nalgebra::{Vector2, Vector3};
use yarnwise_shared::table::strain::Sym2;

/// A cylinder.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SingleCurvature {
    tilt: Tilt,
    /// v, in material space.
    direction: Vector2<f64>,
    /// lambda, 1/m.
    lambda: f64,
    /// S^-1 v.
    across: Vector2<f64>,
}

impl SingleCurvature {
    /// The surface with first fundamental form `first`, bent along `direction` (X1, X2): II = `lambda` v v^T (1/m).
    ///
    /// A positive lambda bends the fabric toward its front (+X3), which is then inside.
    pub fn new(first: Sym2<f64>, direction: [f64; 2], lambda: f64) -> Self {
        let v = Vector2::from(direction).normalize();
        let second = Sym2::new(lambda * v.x * v.x, lambda * v.x * v.y, lambda * v.y * v.y);
        let tilt = Tilt::new(first, second);
        let across = Vector2::from(tilt.stretch().inverse().apply(v.into()));
        SingleCurvature { tilt, direction: v, lambda, across }
    }

    /// Curvature of the surface, 1/m: lambda v^T I^-1 v.
    pub fn curvature(&self) -> f64 {
        self.lambda * self.across.norm_squared()
    }

    /// The angle by which the normal turns on the way to `x`, radians.
    pub fn angle(&self, [x, y]: [f64; 2]) -> f64 {
        -self.lambda * self.across.norm() * self.direction.dot(&Vector2::new(x, y))
    }
}

impl Midsurface for SingleCurvature {
    fn tilt(&self) -> &Tilt {
        &self.tilt
    }

    fn point(&self, x: [f64; 2]) -> Vector3<f64> {
        let norm = self.across.norm();
        let w = self.across / norm;
        let axis = Vector2::new(-w.y, w.x);
        let along_axis = axis.dot(&Vector2::from(self.tilt.stretch().apply(x)));
        let arc = self.direction.dot(&Vector2::from(x)) / norm;
        let psi = self.angle(x);
        let (round, half) = (arc * sinc(psi), sinc(0.5 * psi));
        let flat = axis * along_axis + w * round;
        Vector3::new(flat.x, flat.y, -arc * 0.5 * psi * half * half)
    }
}
