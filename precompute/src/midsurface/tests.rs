//! Midsurfaces against their fundamental forms, closed forms and each other.

use super::*;
use crate::physics_tests::nan_or_larger;
use nalgebra::{Matrix2, Vector2};
use yarnwise_shared::table::strain::{Strain, Sym2};

const FORMS: [(f64, f64, f64); 4] = [(0.0, 0.0, 0.0), (0.2, 0.3, -0.1), (-0.15, -0.6, 0.4), (0.8, 0.5, 0.1)];

fn first(k: usize) -> Sym2<f64> {
    let (sx, sa, sy) = FORMS[k];
    Strain::new(sx, sa, sy).first_form()
}

fn outer(direction: [f64; 2], lambda: f64) -> Sym2<f64> {
    let v = Vector2::from(direction).normalize();
    Sym2::new(lambda * v.x * v.x, lambda * v.x * v.y, lambda * v.y * v.y)
}

/// I and II at `x` by central differences of the surface and its normal.
fn forms_by_differences(surface: &impl Midsurface, x: [f64; 2]) -> (Matrix2<f64>, Matrix2<f64>) {
    let h = 1e-6;
    let along = |f: &dyn Fn([f64; 2]) -> Vector3<f64>, k: usize| {
        let (mut up, mut down) = (x, x);
        up[k] += h;
        down[k] -= h;
        (f(up) - f(down)) / (2.0 * h)
    };
    let phi = [0, 1].map(|k| along(&|x| surface.point(x), k));
    let normal = [0, 1].map(|k| along(&|x| surface.tilt().normal(x), k));
    let first = Matrix2::from_fn(|a, b| phi[a].dot(&phi[b]));
    let second = Matrix2::from_fn(|a, b| -phi[a].dot(&normal[b]));
    (first, second)
}

fn difference(m: &Matrix2<f64>, s: Sym2<f64>) -> f64 {
    (m - Matrix2::new(s.xx, s.xy, s.xy, s.yy)).amax()
}

#[test]
fn a_single_curvature_has_its_fundamental_forms_everywhere() {
    for k in 0..FORMS.len() {
        for direction in [[1.0, 0.0], [0.0, 1.0], [0.6, -0.8]] {
            for lambda in [-90.0, 0.0, 40.0] {
                let surface = SingleCurvature::new(first(k), direction, lambda);
                for x in [[0.0, 0.0], [4e-3, -7e-3], [-0.02, 0.013]] {
                    let (one, two) = forms_by_differences(&surface, x);
                    assert!(difference(&one, first(k)) < 1e-7, "I at {x:?}: {one}");
                    assert!(difference(&two, outer(direction, lambda)) < 1e-5, "II at {x:?}: {two}");
                    let normal = surface.tilt().normal(x);
                    let gradient = surface.gradient(&Vector3::new(x[0], x[1], 0.0));
                    assert!(normal.dot(&gradient.column(0)).abs() + normal.dot(&gradient.column(1)).abs() < 1e-12);
                }
            }
        }
    }
}

#[test]
fn its_points_lie_on_a_cylinder_of_the_right_radius() {
    let lambda = 50.0;
    let surface = SingleCurvature::new(Sym2::identity(), [1.0, 0.0], lambda);
    for x in [[0.0, 0.0], [0.01, 0.02], [-0.05, 1.0]] {
        for height in [-2e-3, 0.0, 3e-3] {
            let p = surface.map(&Vector3::new(x[0], x[1], height));
            let from_axis = Vector2::new(p.x, p.z - 1.0 / lambda).norm();
            assert!((from_axis - (1.0 / lambda - height)).abs() < 1e-15, "the front is inside");
            assert!((p.y - x[1]).abs() < 1e-15);
        }
    }
    // Bent fabric that is stretched twice lies on twice the radius for the same II: lambda v^T I^-1 v.
    let stretched = SingleCurvature::new(Strain::new(1.0, 0.0, 0.0).first_form(), [1.0, 0.0], lambda);
    assert!((stretched.curvature() - lambda / 4.0).abs() < 1e-12);
}

#[test]
fn a_shift_on_a_cylinder_is_a_rigid_motion() {
    for k in 0..FORMS.len() {
        let surface = SingleCurvature::new(first(k), [0.6, 0.8], -70.0);
        for d in [[0.01, 0.0], [0.0, -0.02], [0.03, 0.01]] {
            let (rotation, translation) = (surface.tilt().rotation(d), surface.point(d));
            assert!((rotation * rotation.transpose() - Matrix3::identity()).amax() < 1e-14);
            for x in [[0.0, 0.0, 1e-3], [2e-3, 5e-3, -2e-3]].map(Vector3::from) {
                let moved = surface.map(&(x + Vector3::new(d[0], d[1], 0.0)));
                assert!((moved - (rotation * surface.map(&x) + translation)).amax() < 1e-16);
            }
        }
    }
}

#[test]
fn gradients_are_those_of_the_map() {
    let cylinder = SingleCurvature::new(first(1), [0.3, 0.9], 60.0);
    let at = Vector3::new(3e-3, -5e-3, 1.2e-3);
    let h = 1e-7;
    let column = |k: usize| {
        let mut step = Vector3::zeros();
        step[k] = h;
        (cylinder.map(&(at + step)) - cylinder.map(&(at - step))) / (2.0 * h)
    };
    let differences = Matrix3::from_columns(&[column(0), column(1), column(2)]);
    assert!((cylinder.gradient(&at) - differences).amax() < 1e-8);
    // The normal's gradient also where the curvature is double.
    let tilt = Tilt::new(first(2), Sym2::new(30.0, 12.0, -45.0));
    for x in [[0.0, 0.0], [1e-5, 2e-5], [0.01, -0.02]] {
        let along = |k: usize| {
            let (mut up, mut down) = (x, x);
            up[k] += h;
            down[k] -= h;
            (tilt.normal(up) - tilt.normal(down)) / (2.0 * h)
        };
        let gradient = tilt.normal_gradient(x);
        assert!((0..2).all(|k| (gradient.column(k) - along(k)).amax() < 1e-6), "{x:?}");
        assert!((tilt.rotation(x) * Vector3::z() - tilt.normal(x)).amax() < 1e-15);
    }
}

#[test]
fn the_pullback_undoes_the_map() {
    let radius = 1e-3;
    let poisson = PoissonSurface::new(first(1), Sym2::new(40.0, 10.0, -30.0), [-0.02; 2], [0.02; 2], 33);
    let single = SingleCurvature::new(first(2), [0.0, 1.0], 80.0);
    for x in [[0.0, 0.0, 0.0], [4e-3, -3e-3, 2e-3], [-8e-3, 9e-3, -2.5e-3]].map(Vector3::from) {
        // Started where a vertex might have been before it moved by two radii.
        let start = x + Vector3::new(1.2, -0.9, 1.1) * radius;
        let back = single.pull_back(&single.map(&x), &start);
        assert!((back.material - x).norm() < 1e-9 * radius && back.residual < 1e-9 * radius, "{back:?}");
        let back = poisson.pull_back(&poisson.map(&x), &start);
        assert!((back.material - x).norm() < 1e-6 * radius && back.residual < 1e-6 * radius, "{back:?}");
    }
    // Beyond the axis of the cylinder there is nothing to find, and it says so.
    let far = single.pull_back(&Vector3::new(0.0, 0.0, 1.0), &Vector3::zeros());
    assert!(far.residual.is_finite());
}

#[test]
fn least_squares_reproduce_the_exact_surface() {
    for k in 0..FORMS.len() {
        for direction in [[1.0, 0.0], [0.0, 1.0], [0.6, -0.8]] {
            let exact = SingleCurvature::new(first(k), direction, 60.0);
            let error = |nodes: usize| {
                let (low, high) = ([-0.01, -0.008], [0.012, 0.009]);
                let surface = PoissonSurface::new(first(k), outer(direction, 60.0), low, high, nodes);
                let places = [[0.0, 0.0], [5e-3, 5e-3], [-9e-3, 8e-3], [11.5e-3, -7.7e-3]];
                places.map(|x| (surface.point(x) - exact.point(x)).norm()).into_iter().fold(0.0, nan_or_larger)
            };
            let (coarse, fine) = (error(9), error(17));
            assert!(fine < 2e-6 && fine < coarse / 8.0 + 1e-12, "fourth order: {coarse:e} {fine:e}");
        }
    }
}

#[test]
fn double_curvature_meets_its_forms_near_the_origin() {
    let (one, two) = (first(1), Sym2::new(40.0, 10.0, -30.0));
    let surface = PoissonSurface::new(one, two, [-0.01; 2], [0.01; 2], 33);
    let (first, second) = forms_by_differences(&surface, [0.0, 0.0]);
    // Gauss' theorem forbids an exact one: what is left grows with the Gaussian curvature times the area of the patch.
    let gauss = two.determinant().abs() / one.determinant() * 0.02f64.powi(2);
    assert!(gauss > 0.1 && difference(&first, one) < 0.1 * gauss, "I: {first}");
    assert!(difference(&second, two) < 0.1 * gauss * 40.0, "II: {second}");
    let smaller = PoissonSurface::new(one, two, [-0.0025; 2], [0.0025; 2], 33);
    let (near, _) = forms_by_differences(&smaller, [0.0, 0.0]);
    assert!(difference(&near, one) < 0.1 * difference(&first, one), "a smaller patch is nearer: {near}");
}
