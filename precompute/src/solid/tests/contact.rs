//! Contact of skins: derivatives, balance, continuity, threads.

use super::super::surface::{Contact, Copies};
use super::super::yarn::{Bar, CenterLine, SolidMesh};
use super::super::{Brick, SolidFriction, SolidStatics};
use super::*;
use crate::newton::{Hold, Objective};

/// A straight line from `from`, `length` long along `along`.
fn line(from: Vector3<f64>, along: Vector3<f64>, length: f64) -> CenterLine {
    let points = (0..=12).map(|k| from + along * (length * f64::from(k) / 12.0)).collect();
    CenterLine { points, closing: None, rest_length: length }
}

/// Two short bars of radius 1 whose axes cross at the distance `height` over the place `at` of the lower one.
fn crossed(brick: Brick, height: f64, at: f64) -> (SolidBody, Vec<Vector3<f64>>) {
    let options = SolidMesh { brick, rings: 1, element_length: 1.0, skin_spacing: 0.2 };
    let bar = Bar::new(&options, 1.0, 3.0).with_caps();
    let lattice = [Vector3::zeros(); 2];
    let mut mesh = bar.mesh.clone();
    mesh.append(&bar.mesh, 1);
    let mut x = bar.placed(&line(Vector3::new(-at, 0.0, 0.0), Vector3::x(), 3.0), &lattice);
    // Not quite at a right angle, and not with a vertex over a vertex.
    let along = Vector3::new(0.25, 1.0, 0.1).normalize();
    x.extend(bar.placed(&line(Vector3::new(0.13, -1.4, height), along, 3.0), &lattice));
    let mut assembly = SolidBody::new(mesh, &material(), 1.0);
    assembly.contact = Some(Contact::new(10.0, Copies::periodic(&[[0, 0]], &[None; 2]), 0.45));
    (assembly, x)
}

/// A small bend and twist of everything.
fn bent(x: &[Vector3<f64>]) -> Vec<Vector3<f64>> {
    x.iter()
        .map(|p| p + 0.03 * Vector3::new((2.0 * p.y).sin(), (1.3 * p.x + p.z).cos(), (p.x * 1.7 - p.y).sin()))
        .collect()
}

#[test]
fn contact_of_skins_agrees_with_differences() {
    for brick in [Brick::Hex8, Brick::Hex20] {
        let (mut assembly, x) = crossed(brick, 1.75, 1.5);
        let x = bent(&x);
        assembly.refresh(&x);
        assert!(assembly.energy(&x).contact > 1e-3, "{:?}", assembly.energy(&x));
        let some: Vec<usize> = (0..x.len()).step_by(if brick == Brick::Hex8 { 3 } else { 11 }).collect();
        check_differences(&mut assembly, &x, some.into_iter());
        // The gradient alone is that with the second derivatives.
        let (gradient, _) = derivatives(&mut assembly, &x);
        let alone = assembly.gradient(&x);
        let error = gradient.iter().zip(alone.iter().flatten()).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(error < 1e-14, "{error:e}");
    }
}

#[test]
fn contact_pushes_both_ways_with_one_force_and_no_moment() {
    let (mut assembly, x) = crossed(Brick::Hex8, 1.8, 1.5);
    assembly.refresh(&x);
    let gradient = assembly.gradient(&x);
    let half = x.len() / 2;
    let pull: Vector3<f64> = gradient[..half].iter().sum();
    let other: Vector3<f64> = gradient[half..].iter().sum();
    let moment: Vector3<f64> = x.iter().zip(&gradient).map(|(x, g)| x.cross(g)).sum();
    assert!(pull.z > 1e-2 && pull.z > 5.0 * pull.xy().norm(), "the lower one is pushed down: {pull}");
    assert!((pull + other).norm() < 1e-13 && moment.norm() < 1e-13, "{moment}");
    let contact = assembly.contact.as_ref().unwrap();
    let (skin, places) = (&assembly.mesh.skin, assembly.skin(&x));
    let touches = contact.touches(skin, &places);
    let of = |strand| touches.iter().filter(|t| skin.vertices[t.vertex].strand == strand).count();
    assert!(of(0) > 3 && of(1) > 3, "both ways");
    let forces: f64 = touches.iter().map(|t| contact.force(skin, t).norm()).sum();
    assert!(forces >= pull.norm() && forces < 1.3 * pull.norm());
}

#[test]
fn the_energy_stays_continuous_while_an_end_leaves_the_other_yarn() {
    let energy = |at: f64| {
        let (mut assembly, x) = crossed(Brick::Hex8, 1.8, at);
        assembly.refresh(&x);
        assembly.energy(&x).contact
    };
    let step = 0.01;
    let values: Vec<f64> = (0..=200).map(|k| energy(1.5 + step * f64::from(k))).collect();
    assert!(values[0] > 5e-4 && values[200] == 0.0, "from full contact to none: {} {}", values[0], values[200]);
    let largest = values.iter().fold(0.0_f64, |m, v| m.max(*v));
    let jump = values.windows(2).map(|v| (v[1] - v[0]).abs()).fold(0.0, f64::max);
    assert!(jump < 0.1 * largest, "{jump:e} of {largest:e}");
}

#[test]
fn the_number_of_threads_changes_no_bit() {
    let (assembly, x) = crossed(Brick::Hex20, 1.8, 1.5);
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let mut assembly = assembly.clone();
        pool.install(|| {
            let (gradient, hessian) = derivatives(&mut assembly, &x);
            (gradient, hessian, assembly.energy(&x))
        })
    };
    assert_eq!(run(1), run(2));
    assert!(run(1).0 != run(1).0.iter().map(|g| g * (1.0 + 1e-15)).collect::<Vec<_>>(), "bits are compared");
}

/// The upper bar, rigid as the lower one, is dragged along it; the pull along x at the end, and the sum of normal forces.
fn dragged(coefficient: f64, slip: f64, distance: f64) -> (SolidStatics, f64, f64) {
    let (assembly, x) = crossed(Brick::Hex8, 1.8, 1.5);
    let mut holds = Holds::default();
    (0..x.len()).for_each(|p| holds.set(p, Hold::fixed()));
    let half = x.len() / 2;
    let mut statics = SolidStatics::new(assembly, x, holds);
    statics.friction = Some(SolidFriction { coefficient, slip });
    let (mut pull, mut normal) = (0.0, 0.0);
    for _ in 0..4 {
        let before = statics.x.clone();
        statics.x[half..].iter_mut().for_each(|x| x.x += distance / 4.0);
        let balance = statics.balance(&before);
        pull = balance.reaction[half..].iter().map(|r| r.x).sum();
        normal = balance.normal_force_sum;
    }
    (statics, pull, normal)
}

#[test]
fn sliding_yarns_pull_by_mu_times_their_normal_force_and_held_ones_by_less() {
    for mu in [0.1, 0.3] {
        let [(_, rough, normal), (_, smooth, _)] = [dragged(mu, 1e-3, 0.08), dragged(0.0, 1e-3, 0.08)];
        let ratio = (rough - smooth) / (mu * normal);
        assert!((ratio - 1.0).abs() < 0.03, "sliding: {ratio}");
        let [(_, rough, normal), (_, smooth, _)] = [dragged(mu, 1e-3, 4e-4), dragged(0.0, 1e-3, 4e-4)];
        let ratio = (rough - smooth) / (mu * normal);
        // f0' = 2 x / eps - x^2 / eps^2 at x = 0.4 eps: slips of increments add up while it sticks.
        assert!((ratio - 0.64).abs() < 0.03, "sticking: {ratio}");
    }
}

#[test]
fn friction_of_skins_agrees_with_differences() {
    // A long slip: third derivatives are 1 / slip^2.
    let (statics, pull, _) = dragged(0.3, 0.3, 0.05);
    assert!(pull > 0.0);
    let mut assembly = statics.assembly;
    let some: Vec<usize> = (0..statics.x.len()).step_by(7).collect();
    check_differences(&mut assembly, &bent(&statics.x), some.into_iter());
}
