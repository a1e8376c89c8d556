//! Bodies against closed forms.

use super::*;
use crate::cell::Stiffness;
use crate::newton::Hold;
use crate::spline::{Curve, Place, SplineSettings, Yarns, interpolate_open};
use nalgebra::Vector3;

fn stiffness(stretch: f64, bend: f64, contact: f64) -> Stiffness {
    Stiffness { stretch, bend, twist: 0.0, contact }
}

/// Number of spans, rest length, and where the yarn is, from 0 to 1.
type Path<'p> = (usize, f64, &'p dyn Fn(f64) -> Vector3<f64>);

/// Open yarns.
fn open(paths: &[Path], radius: f64, k: Stiffness) -> (Body, Vec<Vector3<f64>>) {
    let (mut curves, mut q) = (Vec::new(), Vec::new());
    for (spans, length, at) in paths {
        let count = spans + 3;
        curves.push(Curve { first: q.len(), count, closed: false, shift: [0, 0], rest_speed: length / *spans as f64 });
        q.extend(interpolate_open(count, |t| at(t / *spans as f64)));
    }
    (Body::new(Yarns::new(curves, radius, k, &SplineSettings::default()), Place::ALONE), q)
}

#[test]
fn a_clamped_beam_bends_as_the_elastica() {
    for (load, expected, tolerance) in [(0.01, 0.003_333_3, 1e-5), (1.0, 0.301_72, 1e-4), (10.0, 0.810_61, 1e-3)] {
        let (mut body, q) = open(&[(16, 1.0, &|t| Vector3::new(t, 0.0, 0.0))], 1.0, stiffness(1e6, 1.0, 0.0));
        body.holds.set(0, Hold::fixed());
        body.holds.set(1, Hold::guided(&Vector3::x()));
        body.loads.push((q.len() - 1, Vector3::new(0.0, 0.0, load)));
        let mut statics = QuasiStatics::new(body, q.clone());
        statics.options.tolerance = 1e-13;
        let balanced = statics.balance(&q);
        assert!(balanced.residual < 1e-11, "{balanced:?}");
        let w = statics.q[q.len() - 1].z;
        assert!((w / expected - 1.0).abs() < tolerance, "{load}: {w}");
    }
}

/// The pull T1 at one end of a yarn around half a cylinder, over T0 at the other.
fn capstan(coefficient: f64) -> f64 {
    use std::f64::consts::PI;
    let (cylinder, tail) = (4.0, 6.0);
    let reach = cylinder + 1.0;
    let length = PI * reach + 2.0 * tail;
    let around = |t: f64| {
        let s = t * length - tail;
        if s < 0.0 {
            Vector3::new(-reach, 0.0, s)
        } else if s > PI * reach {
            Vector3::new(reach, 0.0, PI * reach - s)
        } else {
            let a = s / reach;
            Vector3::new(-reach * a.cos(), 0.0, reach * a.sin())
        }
    };
    let pull = 0.01;
    let (mut body, q) = open(&[(64, length, &around)], 1.0, stiffness(1.0, 1e-4, 1.0));
    body.obstacles.push(Cylinder { point: Vector3::zeros(), axis: Vector3::y(), radius: cylinder, stiffness: 1.0 });
    body.friction = Friction::coulomb(coefficient, 1.0);
    for i in 0..q.len() {
        body.holds.set(i, Hold::along_axes([false, true, false]));
    }
    body.holds.set(0, Hold::along_axes([true, true, false]));
    let last = q.len() - 1;
    body.holds.set(last, Hold::fixed());
    body.loads.push((0, Vector3::new(0.0, 0.0, -pull)));
    let mut statics = QuasiStatics::new(body, q);
    let mut force = 0.0;
    for _ in 0..8 {
        let before = statics.q.clone();
        statics.q[last].z -= 0.2;
        let balanced = statics.balance(&before);
        force = -balanced.reaction[last].z;
    }
    force / pull
}

#[test]
fn a_yarn_around_a_cylinder_holds_as_a_capstan() {
    assert!((capstan(0.0) - 1.0).abs() < 1e-3, "without friction {}", capstan(0.0));
    for (coefficient, expected) in [(0.1, 1.369), (0.2, 1.874), (0.3, 2.566)] {
        let ratio = capstan(coefficient);
        assert!((ratio / expected - 1.0).abs() < 0.02, "{coefficient}: {ratio}");
    }
}

/// Two crossing yarns with fixed distance; the upper one is pulled along itself with a constant force. How far it moves in each of some
/// increments, in radii.
fn pulled(part_of_limit: f64, coefficient: f64) -> Vec<f64> {
    let line = |direction: Vector3<f64>, z: f64| move |t: f64| direction * (8.0 * (t - 0.5)) + Vector3::z() * z;
    let (x, y) = (line(Vector3::x(), 1.8), line(Vector3::y(), 0.0));
    let (mut body, q) = open(&[(16, 8.0, &x), (16, 8.0, &y)], 1.0, stiffness(100.0, 100.0, 1.0));
    let half = q.len() / 2;
    for i in 0..q.len() {
        body.holds.set(i, if i < half { Hold::along_axes([false, true, true]) } else { Hold::fixed() });
    }
    body.friction = Friction::coulomb(coefficient, 1.0);
    let mut statics = QuasiStatics::new(body, q.clone());
    // How hard they press does not depend on where along the yarn.
    let normal = {
        let mut still = statics.clone();
        still.body.holds.set(0, Hold::fixed());
        still.balance(&q);
        let now = still.q.clone();
        still.balance(&now).normal_force_sum
    };
    // A pull of the resultant of inclined pairs is a little less than the sum of their sizes.
    let resultant = 0.5041;
    assert!(normal > resultant);
    statics.body.loads.push((half - 1, Vector3::new(part_of_limit * coefficient.max(0.1) * normal, 0.0, 0.0)));
    let mut out = Vec::new();
    for _ in 0..6 {
        let before = statics.q.clone();
        statics.options.max_factorizations = 60;
        statics.balance(&before);
        out.push(statics.q[half / 2].x - before[half / 2].x);
    }
    out
}

#[test]
fn pressed_yarns_stick_below_their_friction_and_slide_above_it() {
    let held = pulled(0.9, 0.3);
    assert!(held[0].abs() < 2e-3 && held[1..].iter().all(|m| m.abs() < 1e-6), "{held:?}");
    let slides = pulled(1.02, 0.3);
    assert!(slides.iter().sum::<f64>() > 0.5, "{slides:?}");
    let free = pulled(0.1, 0.0);
    assert!(free.iter().sum::<f64>() > 0.5, "{free:?}");
}

/// Two yarns that cross and press on each other, free to fly apart.
fn pair(friction: Friction) -> Dynamics {
    let line = |direction: Vector3<f64>, z: f64| move |t: f64| direction * (8.0 * (t - 0.5)) + Vector3::z() * z;
    let (x, y) = (line(Vector3::x(), 1.7), line(Vector3::y(), 0.0));
    let (mut body, q) = open(&[(16, 8.0, &x), (16, 8.0, &y)], 1.0, stiffness(100.0, 2.0, 1.0));
    body.density = 1.0;
    body.friction = friction;
    let half = q.len() / 2;
    let mut dynamics = Dynamics::new(body, q);
    dynamics.v[..half].fill(Vector3::new(0.3, 0.1, -0.5));
    dynamics
}

#[test]
fn a_free_pair_keeps_its_momentum_and_gains_no_energy() {
    for friction in [Friction::None, Friction::coulomb(0.3, 1.0), Friction::Viscous { tangential: 0.5, normal: 0.1 }] {
        let mut pair = pair(friction);
        let (momentum, mut energy) = (pair.momentum(), pair.potential_energy() + pair.kinetic_energy());
        let first = energy;
        for step in 0..100 {
            let report = pair.step(&StepOptions { step: 0.02, ..StepOptions::default() });
            assert!(report.converged, "{friction:?}, step {step}");
            assert!((pair.momentum() - momentum).norm() < 1e-9 * momentum.norm(), "{friction:?}, step {step}");
            let now = pair.potential_energy() + pair.kinetic_energy();
            assert!(now <= energy + 1e-9 * first, "{friction:?}, step {step}: {energy} {now}");
            energy = now;
        }
        assert!(energy < 0.999 * first, "backward Euler damps");
    }
}

#[test]
fn without_friction_momentum_is_kept_to_rounding() {
    let mut pair = pair(Friction::None);
    let momentum = pair.momentum();
    let newton = crate::newton::NewtonOptions { tolerance: 1e-14, rho: 0.0, max_factorizations: 40 };
    for _ in 0..100 {
        // Rounding stops the search before the tolerance: the step is as good as it gets, and not taken back.
        pair.step(&StepOptions { step: 0.02, linear: true, newton });
    }
    assert!((pair.momentum() - momentum).norm() < 1e-12 * momentum.norm());
}

/// Where the middle of a clamped yarn is after a quarter of a second, from a bent start.
fn swung(h: f64) -> f64 {
    let bow = |t: f64| Vector3::new(8.0 * t, 0.0, 0.2 * (std::f64::consts::PI * t).sin());
    let (mut body, q) = open(&[(8, 8.0, &bow)], 1.0, stiffness(100.0, 20.0, 0.0));
    body.density = 1.0;
    let last = q.len() - 1;
    for i in [0, last] {
        body.holds.set(i, Hold::fixed());
    }
    let mut dynamics = Dynamics::new(body, q);
    let steps = (0.5 / h).round() as usize;
    for _ in 0..steps {
        assert!(dynamics.step(&StepOptions { step: h, ..StepOptions::default() }).converged);
    }
    dynamics.q[last / 2].z
}

#[test]
fn backward_euler_is_of_first_order() {
    let [a, b, c] = [0.01, 0.005, 0.0025].map(swung);
    let order = ((a - b) / (b - c)).log2();
    assert!((0.9..1.1).contains(&order), "{order}: {a} {b} {c}");
}

#[test]
fn a_yarn_falls_as_everything_does() {
    let (mut body, q) = open(&[(6, 3.0, &|t| Vector3::new(3.0 * t, 0.0, 0.0))], 0.2, stiffness(10.0, 0.1, 0.0));
    body.gravity = Vector3::new(0.0, 0.0, -9.81);
    for mass in [MassKind::Lumped, MassKind::Consistent] {
        body.mass = mass;
        let mut dynamics = Dynamics::new(body.clone(), q.clone());
        for _ in 0..10 {
            assert!(dynamics.step(&StepOptions { step: 1e-2, ..StepOptions::default() }).converged);
        }
        // Backward Euler: h^2 g n (n + 1) / 2.
        let fallen = 1e-4 * 9.81 * 55.0;
        assert!(dynamics.q.iter().all(|p| (p.z + fallen).abs() < 1e-9), "{mass:?}: {}", dynamics.q[3].z);
    }
}
