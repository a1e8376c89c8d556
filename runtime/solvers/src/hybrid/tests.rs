//! Membranes: stress and tangent against central differences, no negative stiffness, no force from rotation.

use super::membrane::{EnergySpline, EnergyTable, Gradient, Matched, Membrane, StVenantKirchhoff, Tangent};
use super::triangle::Triangle;
use crate::yarn::YarnMaterial;
use nalgebra::{Rotation3, Vector3, Vector6};
use std::path::Path;
use yarnwise_shared::parameters::TensorSpline;
use yarnwise_shared::pattern::weave::Draft;
use yarnwise_shared::random::Random;
use yarnwise_shared::spline::knots_of_breaks;
use yarnwise_shared::table::database::{self, Database};

const SEED: u64 = 20;

/// One of the databases of this repository.
pub(super) fn database(name: &str) -> Database {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data/databases").join(name);
    database::read(&path).unwrap()
}

/// F with stretches along u and v, an angle by which the yarns turn toward each other, and a rotation in space.
pub(super) fn state(u: f64, v: f64, shear: f64) -> Gradient {
    let rotation = Rotation3::from_scaled_axis(Vector3::new(0.4, -0.7, 0.3));
    let (sin, cos) = (0.5 * shear).sin_cos();
    let f = [Vector3::new(u * cos, u * sin, 0.0), Vector3::new(v * sin, v * cos, 0.0)];
    Gradient::from_columns(&f.map(|column| rotation * column))
}

fn membranes() -> Vec<(&'static str, Membrane)> {
    let material = YarnMaterial { compression_ratio: 0.4, ..YarnMaterial::default() };
    let matched = |draft: &str| Matched::new(&material, &Draft::preset(draft).unwrap());
    vec![
        ("svk", StVenantKirchhoff { c11: 900.0, c22: 500.0, c12: 150.0, c66: 40.0 }.into()),
        ("plain", matched("plain").into()),
        ("twill", matched("twill").in_state(&state(1.1, 1.0, 0.2)).into()),
        ("stockinette", EnergyTable::new(&database("stockinette.ydb")).unwrap().into()),
        ("satin table", EnergyTable::new(&database("satin.ydb")).unwrap().into()),
        ("spline", EnergySpline::new(&spline()).into()),
    ]
}

/// ½ 900 sx² + 150 sx sy + ½ 500 sy² + ½ 40 sa² between the breaks, exactly: the coefficient of x² is the mean of the products of
/// two of three knots, that of x the mean of the three.
pub(super) fn spline() -> TensorSpline {
    let axis = |breaks: &[f64]| -> Vec<[f64; 2]> {
        let knots = knots_of_breaks(breaks);
        let inner = knots[1..knots.len() - 1].windows(3);
        inner.map(|k| [(k[0] + k[1] + k[2]) / 3.0, (k[0] * k[1] + k[1] * k[2] + k[2] * k[0]) / 3.0]).collect()
    };
    let (sx, sy) = (vec![-0.3, 0.1, 0.4, 1.0], vec![-0.3, 0.2, 1.1]);
    let (x, y) = (axis(&sx), axis(&sy));
    let flat = y.iter().flat_map(|y| x.iter().map(|x| 450.0 * x[1] + 150.0 * x[0] * y[0] + 250.0 * y[1])).collect();
    let shear = vec![20.0; x.len() * y.len()];
    TensorSpline { sx, sy, sa: [-0.6, 0.6], powers: vec![0, 2], coefficients: vec![flat, shear] }
}

#[test]
fn a_spline_is_the_energy_that_its_coefficients_are_of() {
    let membrane = Membrane::from(EnergySpline::new(&spline()));
    for (u, v, shear) in [(1.2, 1.3, 0.1), (0.8, 1.05, -0.4), (1.7, 0.9, 0.5)] {
        let f = state(u, v, shear);
        let (x, y, a) = (u - 1.0, v - 1.0, (std::f64::consts::FRAC_PI_2 - shear).cos());
        let expected = 450.0 * x * x + 150.0 * x * y + 250.0 * y * y + 20.0 * a * a;
        assert!((membrane.energy(&f) / expected - 1.0).abs() < 1e-12, "{u} {v} {shear}");
    }
}

#[test]
fn beyond_a_spline_the_force_outward_grows() {
    let membrane = EnergySpline::new(&spline());
    let force = |u: f64| membrane.stress(&Gradient::from_columns(&[Vector3::x() * u, Vector3::y()])).norm();
    let outside: Vec<f64> = (0..10).map(|k| force(2.0 + 0.1 * f64::from(k))).collect();
    assert!(outside.windows(2).all(|w| w[1] > w[0] + 50.0), "{outside:?}");
    assert!((force(2.0 - 1e-9) - force(2.0 + 1e-9)).abs() < 1e-5);
}

fn entry(k: usize) -> Gradient {
    let mut e = Gradient::zeros();
    e[k] = 1.0;
    e
}

fn numeric_stress(m: &Membrane, f: &Gradient) -> Gradient {
    let h = 1e-5;
    Gradient::from_fn(|i, j| {
        let e = entry(i + 3 * j) * h;
        (m.energy(&(f + e)) - m.energy(&(f - e))) / (2.0 * h)
    })
}

pub(super) fn numeric_tangent(m: &Membrane, f: &Gradient) -> Tangent {
    let h = 1e-6;
    let column = |k: usize| (m.stress(&(f + entry(k) * h)) - m.stress(&(f - entry(k) * h))) / (2.0 * h);
    Tangent::from_fn(|i, j| column(j)[i])
}

#[test]
fn stress_is_the_slope_of_energy() {
    // In and beyond the tables; 1.2 rad jams plain weave.
    let states =
        [(1.07, 1.13, 0.0), (1.05, 0.93, 0.3), (0.93, 0.94, -0.4), (1.4, 1.02, 0.9), (1.1, 1.08, 1.2), (2.6, 2.7, 0.8)];
    for (name, m) in membranes() {
        for (u, v, shear) in states {
            let f = state(u, v, shear);
            let (stress, numeric) = (m.stress(&f), numeric_stress(&m, &f));
            let error = |p: &Gradient| (p - numeric).amax() / numeric.amax();
            assert!(numeric.amax() > 1e-3 && error(&stress) < 1e-6, "{name} at {u} {v} {shear}: {}", error(&stress));
            // Negative control: the stress of a state beside it.
            assert!(error(&m.stress(&state(u * 1.001, v, shear + 0.001))) > 1e-5, "{name} at {u} {v} {shear}");
        }
    }
}

#[test]
fn the_tangent_is_exact_under_tension() {
    // Tables of real patterns have moments at right angles too: one without is tested beside the code.
    for (name, m) in membranes().into_iter().filter(|(_, m)| !matches!(m, Membrane::Table(_))) {
        // Where all stresses pull, second derivatives are positive and corners have no moment.
        let (u, v) = (1.123, 1.157);
        let f = state(u, v, 0.0);
        let (tangent, numeric) = (m.tangent(&f), numeric_tangent(&m, &f));
        let error = (tangent - numeric).amax() / numeric.amax();
        assert!(error < 1e-5, "{name}: {error}");
        // Negative control: without the geometric part, the one across the sheet, it is not.
        let normal = f.column(0).cross(&f.column(1)).normalize();
        let across = Vector6::new(normal.x, normal.y, normal.z, 0.0, 0.0, 0.0);
        assert!(across.dot(&(tangent * across)) > 0.01 * tangent.amax(), "{name}");
    }
    // Sheared and stretched, the quadratic membrane is exact as well.
    let svk = &membranes()[0].1;
    let f = state(1.2, 1.3, 0.1);
    let numeric = numeric_tangent(svk, &f);
    assert!((svk.tangent(&f) - numeric).amax() < 1e-5 * numeric.amax());
}

#[test]
fn no_direction_has_negative_stiffness() {
    let mut random = Random::new(SEED);
    for (name, m) in membranes() {
        for round in 0..1000 {
            let mut r = |range| random.between(range);
            let f = if round % 2 == 0 {
                state(r([0.2, 1.6]), r([0.2, 1.6]), r([-1.5, 1.5]))
            } else {
                Gradient::from_fn(|_, _| r([-1.0, 1.0]))
            };
            let d = Vector6::from_fn(|_, _| r([-1.0, 1.0]));
            let tangent = m.tangent(&f);
            let scale = tangent.amax() * d.norm_squared();
            assert!(scale.is_finite() && scale > 0.0, "{name}, seed {SEED}, round {round}: {tangent}");
            assert!(d.dot(&(tangent * d)) >= -1e-12 * scale, "{name}, seed {SEED}, round {round}");
            assert!((tangent - tangent.transpose()).amax() <= 1e-12 * tangent.amax(), "{name}: symmetric");
        }
        // Negative control: the exact one has, where the sheet is compressed.
        let f = state(0.85, 0.85, 0.3);
        let eigenvalues = numeric_tangent(&m, &f).symmetric_eigenvalues();
        assert!(eigenvalues.min() < -1e-4 * eigenvalues.max(), "{name}: {eigenvalues}");
    }
}

#[test]
fn damping_resists_a_change_of_strain_and_nothing_else() {
    let turn = nalgebra::Rotation3::from_euler_angles(0.4, -0.7, 1.1).into_inner();
    for (name, m) in membranes() {
        let start = state(1.1, 1.08, 0.2);
        let (none, tangent) = m.damping(&start, &start);
        assert!(none.amax() == 0.0 && (tangent - m.material_tangent(&start)).amax() < 1e-12 * tangent.amax(), "{name}");
        let turned = m.damping(&start, &(turn * start)).0;
        assert!(turned.amax() < 1e-12 * tangent.amax(), "{name}: {turned}");
        // Where all of it pulls back, the tangent is exact; tables also turn corners.
        if matches!(m, Membrane::Table(_)) {
            continue;
        }
        let end = turn * state(1.2, 1.19, 0.2);
        let (stress, tangent) = m.damping(&start, &end);
        assert!(stress.amax() > 0.01 * tangent.amax(), "{name}: {stress}");
        for k in 0..6 {
            let beside = |step: f64| {
                let mut f = end;
                f[k] += step;
                m.damping(&start, &f).0
            };
            let slope = (beside(1e-6) - beside(-1e-6)) / 2e-6;
            let column = Gradient::from_column_slice(tangent.column(k).as_slice());
            assert!((column - slope).amax() < 1e-6 * tangent.amax(), "{name}, column {k}: {column} {slope}");
        }
    }
}

#[test]
fn a_collapsed_triangle_stays_finite() {
    for (name, m) in membranes() {
        for f in [Gradient::zeros(), state(0.0, 1.0, 0.0), Gradient::from_element(0.7), Gradient::from_element(-1e-9)] {
            assert!(m.energy(&f).is_finite(), "{name}");
            assert!(m.stress(&f).iter().chain(m.tangent(&f).iter()).all(|x| x.is_finite()), "{name} {f}");
        }
    }
}

#[test]
fn turning_makes_no_force_and_does_not_change_energy() {
    for (name, m) in membranes() {
        let flat = Gradient::identity();
        let turned = state(1.0, 1.0, 0.0);
        // A table need not be at its smallest energy at rest.
        let table = matches!(m, Membrane::Table(_));
        let at_rest = m.stress(&flat).norm();
        assert!(m.energy(&turned).abs() < 1e-10, "{name}: {}", m.energy(&turned));
        assert!((m.stress(&turned).norm() - at_rest).abs() < 1e-9 && (table || at_rest < 1e-12), "{name}: {at_rest}");
        // Negative control.
        assert!((m.stress(&state(1.02, 1.0, 0.0)).norm() - at_rest).abs() > 0.01, "{name}");
    }
}

#[test]
fn triangles_turn_stress_into_forces() {
    let uvs = [[0.1, 0.2], [0.14, 0.21], [0.11, 0.25]];
    let triangle = Triangle::new([4, 7, 9], uvs, 1, "test").unwrap();
    assert!((triangle.area - 0.5 * (0.04 * 0.05 - 0.01 * 0.01)).abs() < 1e-15);
    let f = state(1.1, 1.2, 0.3);
    let place = |[u, v]: [f64; 2]| f * nalgebra::Vector2::new(u, v) + Vector3::new(1.0, 2.0, 3.0);
    let corners = uvs.map(place);
    assert!((triangle.deformation(corners) - f).amax() < 1e-12);
    for (name, m) in membranes() {
        let energy = |x: [Vector3<f64>; 3]| triangle.area * m.energy(&triangle.deformation(x));
        let forces = triangle.forces(&m.stress(&f));
        let (h, mut largest) = (1e-7, 0.0_f64);
        for (k, i) in (0..9).map(|n| (n / 3, n % 3)) {
            let at = |sign: f64| {
                let mut x = corners;
                x[k][i] += sign * h;
                energy(x)
            };
            let numeric = (at(-1.0) - at(1.0)) / (2.0 * h);
            largest = largest.max(numeric.abs());
            assert!((forces[k][i] - numeric).abs() < 1e-6 * forces[k].norm(), "{name}: {} {numeric}", forces[k][i]);
        }
        assert!(largest > 1e-4, "{name}");
        let d = [Vector3::new(1.0, 0.3, -0.2), Vector3::new(-0.5, 0.1, 0.9), Vector3::new(0.2, -0.8, 0.4)];
        let product = triangle.product(&m.tangent(&f), d);
        assert!((0..3).map(|k| product[k].dot(&d[k])).sum::<f64>() > 0.0);
        // The same shift of all corners changes nothing.
        assert!(triangle.product(&m.tangent(&f), [d[0]; 3]).iter().all(|p| p.norm() < 1e-10 * product[0].norm()));
    }
}

#[test]
fn edges_of_a_triangle_are_found_in_its_gradients() {
    let uvs = [[0.1, 0.2], [0.14, 0.21], [0.11, 0.25]];
    let triangle = Triangle::new([0, 1, 2], uvs, 1, "test").unwrap();
    for (k, (i, j)) in [(1, 2), (2, 0), (0, 1)].into_iter().enumerate() {
        let expected = [uvs[j][0] - uvs[i][0], uvs[j][1] - uvs[i][1]];
        let [u, v] = triangle.edge(i, j);
        assert!((u - expected[0]).abs() < 1e-15 && (v - expected[1]).abs() < 1e-15);
        assert!((triangle.edge_length(k) - expected[0].hypot(expected[1])).abs() < 1e-15);
        let n = triangle.edge_normal(k);
        assert!((n[0] * expected[0] + n[1] * expected[1]).abs() < 1e-15 && (n[0].hypot(n[1]) - 1.0).abs() < 1e-12);
    }
    // Mirrored UVs are cloth too.
    let mirrored = Triangle::new([0, 2, 1], [uvs[0], uvs[2], uvs[1]], 1, "test").unwrap();
    assert_eq!(mirrored.area, triangle.area);
    for bad in [[[0.0, 0.0], [1.0, 1.0], [2.0, 2.0]], [[0.0, 0.0], [f64::NAN, 1.0], [0.0, 2.0]]] {
        let error = Triangle::new([0, 1, 2], bad, 5, "shirt.obj").unwrap_err().to_string();
        assert!(error.contains("shirt.obj") && error.contains("triangle 5") && error.contains("unwrap"), "{error}");
    }
}
