//! States of sheets whose energy is known.

use crate::fabric::Response;

/// psi and its derivatives by (sx, sa, sy), by differences.
pub(super) fn response(strain: [f64; 3], psi: impl Fn([f64; 3]) -> f64, stress: bool) -> Response {
    let h = 1e-5;
    let slope = |axis: usize| {
        let at = |offset: f64| {
            let mut s = strain;
            s[axis] += offset;
            psi(s)
        };
        (at(h) - at(-h)) / (2.0 * h)
    };
    Response {
        strain,
        energy_density: psi(strain),
        kinds: None,
        stress: stress.then(|| std::array::from_fn(slope)),
        heights: None,
        normal_force: None,
        converged: true,
        stable: true,
    }
}

/// All combinations of strains.
pub(super) fn grid(x: &[f64], a: &[f64], y: &[f64]) -> Vec<[f64; 3]> {
    x.iter().flat_map(|x| a.iter().flat_map(move |a| y.iter().map(move |y| [*x, *a, *y]))).collect()
}

/// A sheet of constants c11, c22, c12, c66 with 0.7 J/m^2 at rest.
pub(super) fn quadratic([c11, c22, c12, c66]: [f64; 4]) -> impl Fn([f64; 3]) -> f64 {
    move |[x, a, y]| {
        let (e, f, g) = (x + 0.5 * x * x, y + 0.5 * y * y, 0.5 * (1.0 + x) * (1.0 + y) * a);
        0.7 + 0.5 * c11 * e * e + 0.5 * c22 * f * f + c12 * e * f + 2.0 * c66 * g * g
    }
}

/// A sheet that stiffens, softens in compression and couples its axes; convex along each.
pub(super) fn stiffening([x, a, y]: [f64; 3]) -> f64 {
    let one = |s: f64| (3.0 * s).exp() - 3.0 * s - 1.0;
    2.0 * one(x) + 1.5 * one(y) + 4.0 * x * y + a * a * (0.3 + 0.2 * x * x + 0.1 * y) + 0.1 * a.powi(4)
}
