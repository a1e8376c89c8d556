//! Yarns on bodies.
#![cfg(feature = "yarn-level")]

use nalgebra::Vector3;
use yarnwise_shared::pattern::weave::Draft;
use yarnwise_solvers::contact::{Body, Friction, Shape};
use yarnwise_solvers::yarn::model::Sheet;
use yarnwise_solvers::yarn::{YarnMaterial, YarnOptions, YarnSimulation};

const L: f64 = 1e-3;

/// A sheet that lies flat, its middle at a place, meters.
fn lying(n: usize, middle: Vector3<f64>, material: YarnMaterial) -> YarnSimulation {
    let half = 0.5 * (n - 1) as f64 * L;
    let sheet = Sheet {
        origin: middle + Vector3::new(-half, 0.0, half),
        across: Vector3::x(),
        up: -Vector3::z(),
        ..Sheet::new(n, n, Draft::parse("10/01").unwrap(), material)
    };
    YarnSimulation::new(sheet.weave().unwrap(), YarnOptions::default())
}

fn mean(simulation: &YarnSimulation) -> Vector3<f64> {
    let x = &simulation.state().positions;
    x.iter().sum::<Vector3<f64>>() / x.len() as f64
}

#[test]
fn friction_holds_yarns_on_a_slope_up_to_its_coefficient() {
    // The ground stays level and gravity leans: a slope of that tangent.
    let friction = Friction { at_rest: 0.4, kinetic: 0.4 };
    let material = YarnMaterial { mass_damping: 0.0, ..Default::default() };
    let slid = |tangent: f64| {
        let mut simulation = lying(6, Vector3::new(0.0, 2.0 * material.radius, 0.0), material);
        simulation.bodies.push(Body::at(Shape::Plane, Vector3::zeros(), friction));
        simulation.gravity = Vector3::new(tangent, -1.0, 0.0).normalize() * 9.81;
        simulation.advance(0.05).unwrap();
        let start = mean(&simulation);
        simulation.advance(0.2).unwrap();
        assert!(simulation.state().is_sound());
        (start.x, mean(&simulation).x - start.x)
    };
    for tangent in [0.2, 0.3, 0.35] {
        let (_, then) = slid(tangent);
        assert!(then.abs() < 1e-3 * L, "creeps by {then} m on a slope of {tangent}");
    }
    // The sheet takes a moment to get under way where the slope is hardly too steep.
    for (tangent, tolerance) in [(0.45_f64, 0.3), (0.6, 0.05), (1.0, 0.05)] {
        let (_, then) = slid(tangent);
        let acceleration = 9.81 * (tangent - friction.kinetic) * tangent.atan().cos();
        let expected = 0.5 * acceleration * (0.25_f64.powi(2) - 0.05_f64.powi(2));
        assert!((then / expected - 1.0).abs() < tolerance, "{then} m on a slope of {tangent}, not {expected}");
    }
}

#[test]
fn a_sheet_falls_onto_a_ball_and_no_node_enters_it() {
    let material = YarnMaterial { bending: 1e-4, ..Default::default() };
    let radius = 5.0 * L;
    let mut simulation = lying(20, Vector3::new(0.0, radius + 3.0 * L, 0.0), material);
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
