//! Bending energy of a B-spline yarn.
//!
//!   E = 1/2 B sum (w / g0) |y' x y''|^2 / |y'|^4 = sum c Q,   Q = S/P - d^2/P^2          [Kaldor08; MartinGarrido18, Section 3]
//!
//! with p = y', s = y'', P = p.p, d = p.s, S = s.s, c = B w / 2 g0, B = gamma E pi r^4 / 4 (N m^2). The curvature is the turn per
//! rest length, as in `rod::bend`, to which it converges, because yarns are stretched: Kaldor's k_bend is B / 2 and his curvature
//! the turn per present length. A rest curvature would have no sign, and is not offered. Invalid where y' = 0.

use nalgebra::{Matrix3, Vector3};

/// Dot products that all derivatives are made of.
struct Products {
    /// p.p
    pp: f64,
    /// p.s
    d: f64,
    /// s.s
    ss: f64,
}

impl Products {
    fn new(p: &Vector3<f64>, s: &Vector3<f64>) -> Self {
        Products { pp: p.norm_squared(), d: p.dot(s), ss: s.norm_squared() }
    }
}

/// Energy of one integration point, J; `factor` is c.
pub(crate) fn value(factor: f64, p: &Vector3<f64>, s: &Vector3<f64>) -> f64 {
    // |p x s|^2 without the cancellation of S P - d^2.
    let pp = p.norm_squared();
    factor * p.cross(s).norm_squared() / (pp * pp)
}

/// dE/dp, N, and dE/ds, N.
pub(crate) fn gradient(factor: f64, p: &Vector3<f64>, s: &Vector3<f64>) -> [Vector3<f64>; 2] {
    let Products { pp, d, ss } = Products::new(p, s);
    let (pp2, pp3) = (pp * pp, pp * pp * pp);
    let by_p = p * (4.0 * d * d / pp3 - 2.0 * ss / pp2) - s * (2.0 * d / pp2);
    let by_s = s * (2.0 / pp) - p * (2.0 * d / pp2);
    [by_p * factor, by_s * factor]
}

/// Second derivatives by (p, p), (p, s) and (s, s), N/m; (s, p) is the transpose of (p, s).
pub(crate) fn hessian(factor: f64, p: &Vector3<f64>, s: &Vector3<f64>) -> [Matrix3<f64>; 3] {
    let Products { pp, d, ss } = Products::new(p, s);
    let (pp2, pp3, pp4) = (pp * pp, pp * pp * pp, pp * pp * pp * pp);
    let one = Matrix3::<f64>::identity();
    let [p_p, s_s, p_s] = [p * p.transpose(), s * s.transpose(), p * s.transpose()];
    let s_p = p_s.transpose();
    let by_ss = one * (2.0 / pp) - p_p * (2.0 / pp2);
    let by_ps = p_s * (-4.0 / pp2) - (s_p + one * d) * (2.0 / pp2) + p_p * (8.0 * d / pp3);
    let by_pp = (one / pp2 - p_p * (4.0 / pp3)) * (-2.0 * ss) - s_s * (2.0 / pp2)
        + (s_p + p_s) * (8.0 * d / pp3)
        + one * (4.0 * d * d / pp3)
        - p_p * (24.0 * d * d / pp4);
    [by_pp * factor, by_ps * factor, by_ss * factor]
}
