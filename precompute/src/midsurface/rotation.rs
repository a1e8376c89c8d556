//! The rotation along a bent surface [Sperl21, Eq. 10-13].
//!
//!   grad n = -S^-T II at the origin,  (a, b) = grad n X,  r = |(a, b)|
//!
//! R(X) turns e3 to n = (a sin(r)/r, b sin(r)/r, cos(r)) about the axis (-b, a, 0).

use nalgebra::{Matrix2, Matrix3, Matrix3x2, Vector2, Vector3};
use yarnwise_shared::elementary::{cos, sin};
use yarnwise_shared::table::strain::Sym2;

/// How a surface tilts: its stretch S and the gradient of its normal at the origin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tilt {
    stretch: Sym2<f64>,
    /// Rows: gradients of the normal's first and second component at the origin, 1/m.
    gradient: Matrix2<f64>,
}

impl Tilt {
    /// The tilt for the fundamental forms I and II (1/m).
    pub fn new(first: Sym2<f64>, second: Sym2<f64>) -> Self {
        let stretch = first.sqrt();
        let gradient = -matrix(stretch.inverse()) * matrix(second);
        Tilt { stretch, gradient }
    }

    /// S, the square root of I.
    pub fn stretch(&self) -> Sym2<f64> {
        self.stretch
    }

    /// S with a third row of zeros [Sperl21, Eq. 10].
    pub(super) fn stretch3(&self) -> Matrix3x2<f64> {
        let s = &self.stretch;
        Matrix3x2::new(s.xx, s.xy, s.xy, s.yy, 0.0, 0.0)
    }

    /// (a, b) [Sperl21, Eq. 12]: the way the normal leans, its length the angle.
    fn lean(&self, [x, y]: [f64; 2]) -> Vector2<f64> {
        self.gradient * Vector2::new(x, y)
    }

    /// R(X1, X2) [Sperl21, Eq. 13].
    pub fn rotation(&self, x: [f64; 2]) -> Matrix3<f64> {
        let lean = self.lean(x);
        let (a, b, r) = (lean.x, lean.y, lean.norm());
        let half = sinc(0.5 * r);
        let (k, s) = (0.5 * half * half, sinc(r));
        Matrix3::new(1.0 - k * a * a, -k * a * b, a * s, -k * a * b, 1.0 - k * b * b, b * s, -a * s, -b * s, cos(r))
    }

    /// n(X1, X2) = R e3.
    pub fn normal(&self, x: [f64; 2]) -> Vector3<f64> {
        let lean = self.lean(x);
        let r = lean.norm();
        let s = sinc(r);
        Vector3::new(s * lean.x, s * lean.y, cos(r))
    }

    /// The gradient of the normal, 1/m. At the origin it is [Sperl21, Eq. 11]; this is its exact form everywhere.
    pub fn normal_gradient(&self, x: [f64; 2]) -> Matrix3x2<f64> {
        let lean = self.lean(x);
        let r = lean.norm();
        let s = sinc(r);
        // Rows: d(r^2 / 2).
        let d = lean.transpose() * self.gradient;
        let flat = self.gradient * s + lean * d * sinc_slope(r);
        let down = d * -s;
        Matrix3x2::new(flat[(0, 0)], flat[(0, 1)], flat[(1, 0)], flat[(1, 1)], down[0], down[1])
    }
}

fn matrix(s: Sym2<f64>) -> Matrix2<f64> {
    Matrix2::new(s.xx, s.xy, s.xy, s.yy)
}

/// sin(x) / x.
pub(super) fn sinc(x: f64) -> f64 {
    if x.abs() < 1e-4 { 1.0 - x * x / 6.0 } else { sin(x) / x }
}

/// The derivative of sinc by x^2 / 2: (cos x - sinc x) / x^2.
fn sinc_slope(x: f64) -> f64 {
    if x.abs() < 1e-2 { -1.0 / 3.0 + x * x / 30.0 } else { (cos(x) - sinc(x)) / (x * x) }
}
