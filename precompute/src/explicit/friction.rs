//! Friction of one pair of points.
//!
//! Lagged Coulomb friction: normal force N, normal n and the offset at the start are frozen, u is what the points have moved along the
//! surface since then, and
//!
//!   D = mu N f0(|u|),   f0(x) = x^2 / eps - x^3 / 3 eps^2 for x < eps, else x - eps / 3          [MartinGarrido18, Section 3 names it]
//!
//! eps is the slip after which friction is used up (m). D is convex, pulls along the surface only, by at most mu N, and is minimized
//! with the elastic energy. The paper refers to \[Kaldor08\], whose damping of contacts is a dissipative potential,
//!
//!   D = La Lb (k_t |v|^2 - (k_t - k_n) (n . v)^2),   v = relative velocity,
//!
//! under which a slow pull feels nothing, so that no coefficient of friction can be measured.

use nalgebra::{Matrix3, Vector3};

/// f0 and phi = f0' / x, and phi' / x.
fn slip(x: f64, eps: f64) -> [f64; 3] {
    if x < eps {
        // phi' / x is not finite at rest, where it multiplies u u^T = 0: no finite value is wrong there.
        let third = if x > 0.0 { -1.0 / (eps * eps * x) } else { 0.0 };
        [x * x / eps - x * x * x / (3.0 * eps * eps), 2.0 / eps - x / (eps * eps), third]
    } else {
        [x - eps / 3.0, 1.0 / x, -1.0 / (x * x * x)]
    }
}

/// What a pair has moved along the surface with normal `n`, m.
pub fn tangential(n: &Vector3<f64>, moved: &Vector3<f64>) -> Vector3<f64> {
    moved - n * n.dot(moved)
}

/// D, J, for mu N = `limit` (N) and `u` (m) along the surface.
pub fn value(limit: f64, eps: f64, u: &Vector3<f64>) -> f64 {
    limit * slip(u.norm(), eps)[0]
}

/// dD/du, N.
pub fn gradient(limit: f64, eps: f64, u: &Vector3<f64>) -> Vector3<f64> {
    u * (limit * slip(u.norm(), eps)[1])
}

/// d2D/du2, N/m: symmetric, positive semi-definite, zero along `n`.
pub fn hessian(limit: f64, eps: f64, n: &Vector3<f64>, u: &Vector3<f64>) -> Matrix3<f64> {
    let [_, phi, rate] = slip(u.norm(), eps);
    ((Matrix3::identity() - n * n.transpose()) * phi + u * u.transpose() * rate) * limit
}

/// The viscous potential as energy of one step of `h` seconds in which the pair moves by `moved` (m): value (J), gradient (N) and
/// second derivatives (N/m). `tangential` and `normal` are La Lb k_t and La Lb k_n, N s/m.
pub fn viscous(
    [tangential, normal]: [f64; 2],
    h: f64,
    n: &Vector3<f64>,
    moved: &Vector3<f64>,
) -> (f64, Vector3<f64>, Matrix3<f64>) {
    let matrix = (Matrix3::identity() * tangential - n * n.transpose() * (tangential - normal)) * (2.0 / h);
    let gradient = matrix * moved;
    (0.5 * moved.dot(&gradient), gradient, matrix)
}

#[cfg(test)]
mod tests {
    use super::*;

    const EPS: f64 = 1e-3;

    fn check(u: Vector3<f64>, n: Vector3<f64>, tolerance: [f64; 2]) {
        let u = tangential(&n, &u);
        let h = 1e-3 * u.norm();
        for k in 0..3 {
            // Along the surface only: u is a tangent by construction.
            let d = tangential(&n, &Vector3::ith(k, h));
            let slope = (value(2.0, EPS, &(u + d)) - value(2.0, EPS, &(u - d))) / 2.0;
            let expected = gradient(2.0, EPS, &u).dot(&d);
            assert!((slope - expected).abs() < tolerance[0] * 2.0 * h, "{slope} {expected}");
            let change = (gradient(2.0, EPS, &(u + d)) - gradient(2.0, EPS, &(u - d))) / 2.0;
            let expected = hessian(2.0, EPS, &n, &u) * d;
            assert!((change - expected).norm() < tolerance[1] * expected.norm() + 1e-13, "{change} {expected}");
        }
    }

    #[test]
    fn derivatives_agree_with_differences_while_it_sticks_and_while_it_slips() {
        let n = Vector3::new(0.2, -0.3, 1.0).normalize();
        for size in [0.1, 0.7, 1.6, 40.0] {
            check(Vector3::new(0.8, 0.5, -0.3) * (size * EPS), n, [1e-6, 1e-5]);
        }
    }

    #[test]
    fn friction_pulls_along_the_surface_by_at_most_its_limit_and_has_no_negative_stiffness() {
        let n = Vector3::z();
        for size in [0.0, 1e-6, 0.5, 0.999, 1.0, 1.001, 30.0] {
            let u = Vector3::new(0.6, 0.8, 0.0) * (size * EPS);
            let force = gradient(2.0, EPS, &u);
            assert!(force.norm() <= 2.0 + 1e-12 && force.z == 0.0);
            let h = hessian(2.0, EPS, &n, &u);
            assert!((h * n).norm() == 0.0 && h.symmetric_eigenvalues().min() > -1e-9);
            assert!(h.iter().all(|v| v.is_finite()));
        }
        assert!((gradient(2.0, EPS, &Vector3::new(2.0 * EPS, 0.0, 0.0)).norm() - 2.0).abs() < 1e-12);
    }

    #[test]
    fn the_viscous_potential_agrees_with_its_formula_and_with_differences() {
        let n = Vector3::new(1.0, 2.0, -1.0).normalize();
        let (h, k) = (0.01, [3.0, 0.5]);
        let moved = Vector3::new(0.3, -0.2, 0.1);
        let (energy, gradient, hessian) = viscous(k, h, &n, &moved);
        let v = moved / h;
        let formula = h * (k[0] * v.norm_squared() - (k[0] - k[1]) * n.dot(&v).powi(2));
        assert!((energy - formula).abs() < 1e-12 * formula);
        for axis in 0..3 {
            let d = Vector3::ith(axis, 1e-4);
            let at = |m: Vector3<f64>| viscous(k, h, &n, &m);
            let slope = (at(moved + d).0 - at(moved - d).0) / 2e-4;
            assert!((slope - gradient[axis]).abs() < 1e-8 * gradient.norm());
            let change = (at(moved + d).1 - at(moved - d).1) / 2e-4;
            assert!((change - hessian.column(axis)).norm() < 1e-8 * hessian.norm());
        }
    }
}
