//! Yarns on bodies.
#![cfg(feature = "yarn-level")]

use nalgebra::Vector3;
use yarnwise_shared::pattern::weave::Draft;
use yarnwise_solvers::contact::{Body, Friction, Shape};
use yarnwise_solvers::motion::{Key, Motion};
use yarnwise_solvers::yarn::model::Sheet;
use yarnwise_solvers::yarn::{YarnMaterial, YarnOptions, YarnSimulation};

const L: f64 = 1e-3;

/// A sheet that lies flat, its middle at a place, meters.
fn lying(n: usize, middle: Vector3<f64>, material: YarnMaterial, step: f64) -> YarnSimulation {
    let half = 0.5 * (n - 1) as f64 * L;
    let sheet = Sheet {
        origin: middle + Vector3::new(-half, 0.0, half),
        across: Vector3::x(),
        up: -Vector3::z(),
        ..Sheet::new(n, n, Draft::parse("10/01").unwrap(), material)
    };
    YarnSimulation::new(sheet.weave().unwrap(), YarnOptions { step, ..Default::default() })
}

fn mean(simulation: &YarnSimulation) -> Vector3<f64> {
    let x = &simulation.state().positions;
    x.iter().sum::<Vector3<f64>>() / x.len() as f64
}

/// How far a sheet slides (m) down a slope of a tangent in 0.2 s, when it has lain there for 0.15 s. The ground stays level and gravity
/// leans.
fn slid(tangent: f64, friction: Friction, step: f64) -> f64 {
    let material = YarnMaterial { mass_damping: 0.0, ..Default::default() };
    let mut simulation = lying(6, Vector3::new(0.0, 2.0 * material.radius, 0.0), material, step);
    simulation.bodies.push(Body::at(Shape::Plane, Vector3::zeros(), friction));
    simulation.gravity = Vector3::new(tangent, -1.0, 0.0).normalize() * 9.81;
    simulation.advance(0.15).unwrap();
    let start = mean(&simulation);
    simulation.advance(0.2).unwrap();
    assert!(simulation.state().is_sound());
    mean(&simulation).x - start.x
}

/// The way of a body that has kinetic friction from the start, m.
fn expected_way(tangent: f64, friction: Friction) -> f64 {
    let acceleration = 9.81 * (tangent - friction.kinetic) * tangent.atan().cos();
    0.5 * acceleration * (0.35_f64.powi(2) - 0.15_f64.powi(2))
}

#[test]
fn yarns_stay_on_a_slope_below_friction_and_leave_it_above_within_1_percent() {
    for (mu, step) in [(0.4, 1e-3), (0.1, 1e-3), (0.4, 4e-3)] {
        let friction = Friction { at_rest: mu, kinetic: mu };
        for part in [0.5, 0.9, 0.99] {
            let way = slid(part * mu, friction, step);
            assert!(way.abs() < 1e-6 * L, "step {step} s: creeps by {way} m on a slope of {part} of {mu}");
        }
        for (part, tolerance) in [(1.01, 0.15), (1.1, 0.1), (1.5, 0.03)] {
            let (way, expected) = (slid(part * mu, friction, step), expected_way(part * mu, friction));
            let error = way / expected - 1.0;
            assert!(error.abs() < tolerance, "step {step} s: {way} m, not {expected}, on a slope of {part} of {mu}");
        }
    }
}

#[test]
fn friction_at_rest_holds_yarns_that_kinetic_friction_would_not() {
    let friction = Friction { at_rest: 0.4, kinetic: 0.3 };
    let way = slid(0.35, friction, 1e-3);
    assert!(way.abs() < 1e-6 * L, "creeps by {way} m");
    // Once it slips, kinetic friction is all that brakes it; and where it is all there is, the first slope does not hold.
    let (way, expected) = (slid(0.43, friction, 1e-3), expected_way(0.43, friction));
    assert!((way / expected - 1.0).abs() < 0.1, "{way} m, not {expected}");
    assert!(slid(0.35, Friction { at_rest: 0.3, kinetic: 0.3 }, 1e-3) > L);
}

#[test]
fn a_body_takes_yarns_along_as_fast_as_friction_can() {
    // The ground is moved by 20 mm in 0.2 s, at 1 m/s² on average and 3 m/s² at most, or at ten times that.
    let moved = |friction: f64, way: f64| {
        let material = YarnMaterial::default();
        let mut simulation = lying(6, Vector3::new(0.0, 2.0 * material.radius, 0.0), material, 1e-3);
        let keys = [(0.1, 0.0), (0.3, way)].map(|(time, x)| Key { time, shift: [x, 0.0, 0.0], ..Key::default() });
        let friction = Friction { at_rest: friction, kinetic: friction };
        let ground = Body::at(Shape::Plane, Vector3::zeros(), friction);
        simulation.bodies.push(Body { motion: Motion { keys: keys.to_vec(), ..Motion::default() }, ..ground });
        simulation.advance(0.5).unwrap();
        mean(&simulation).x
    };
    let way = moved(0.5, 0.02);
    assert!((way - 0.02).abs() < 0.05 * L, "{way}");
    assert!(moved(0.5, 0.2) < 0.19, "friction cannot do that");
    assert!(moved(0.0, 0.02).abs() < 1e-3 * L, "without friction nothing moves it");
}

#[test]
fn a_sheet_falls_onto_a_ball_and_no_node_enters_it() {
    let material = YarnMaterial { bending: 1e-4, ..Default::default() };
    let radius = 5.0 * L;
    let mut simulation = lying(20, Vector3::new(0.0, radius + 3.0 * L, 0.0), material, 1e-3);
    simulation.bodies.push(Body::at(Shape::Sphere { radius }, Vector3::zeros(), Friction::default()));
    let mut touched = 0;
    for _ in 0..15 {
        let reports = simulation.advance(0.01).unwrap();
        touched = touched.max(reports.iter().map(|r| r.contacts).max().unwrap_or(0));
        let deepest = simulation.state().positions.iter().map(|x| x.norm() - radius).fold(f64::INFINITY, f64::min);
        assert!(deepest > 0.9 * simulation.thickness, "{deepest} m above the ball at {} s", simulation.time());
    }
    assert!(simulation.state().is_sound());
    assert!(touched > 10, "{touched}");
    let x = &simulation.state().positions;
    let lowest = x.iter().map(|x| x.y).fold(f64::INFINITY, f64::min);
    assert!(lowest < radius - 2.0 * L, "it hangs down: {lowest}");
    assert!(mean(&simulation).y > 0.0, "the ball carries it");
}
