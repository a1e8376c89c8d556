//! Woven yarns against closed forms.
#![cfg(feature = "yarn-level")]

use nalgebra::Vector3;
use yarnwise_shared::pattern::weave::Draft;
use yarnwise_solvers::motion::{Key, Motion};
use yarnwise_solvers::yarn::model::{Family, Sheet};
use yarnwise_solvers::yarn::{YarnMaterial, YarnOptions, YarnPin, YarnSimulation};

fn draft(text: &str) -> Draft {
    Draft::parse(text).unwrap()
}

/// F_n of the crossings inside a sheet, in units of F_0.
fn inner_compression(draft: &Draft) -> Vec<f64> {
    let sheet = Sheet::new(24, 24, draft.clone(), YarnMaterial::default());
    let simulation = YarnSimulation::new(sheet.weave().unwrap(), YarnOptions::default());
    let f0 = simulation.stiffness().rest_compression;
    let inner = (4..20).flat_map(|i| (4..20).map(move |j| (i, j)));
    inner.map(|(i, j)| simulation.state().compression[sheet.crossing(i, j)] / f0).collect()
}

#[test]
fn compression_of_flat_weaves_is_that_of_fourth_differences() {
    let cases: [(&str, &[f64]); 4] = [
        ("10/01", &[1.0]),
        ("0110/0011/1001/1100", &[0.25]),
        ("110/011/101", &[0.375, 0.75]),
        ("11110/11011/01111/11101/10111", &[0.1875, 0.75]),
    ];
    for (text, expected) in cases {
        let found = inner_compression(&draft(text));
        for f in &found {
            assert!(expected.iter().any(|e| (f - e).abs() < 1e-10), "{text}: {f}");
        }
        for e in expected {
            assert!(found.iter().any(|f| (f - e).abs() < 1e-10), "{text}: no crossing has {e}");
        }
    }
}

/// A yarn over a fixed crossing, its ends hanging.
fn pulley(h: f64) -> f64 {
    let material = YarnMaterial {
        young: 1e10,
        bending: 0.0,
        shear: 0.0,
        mass_damping: 0.0,
        stiffness_damping: 0.0,
        friction: 0.0,
        parallel_contact: 0.0,
        sliding_damping: 0.0,
        ..Default::default()
    };
    let (l1, l2) = (6e-3, 5e-3);
    let sheet = Sheet {
        tails: vec![(Family::Warp, 0, false, 6.0), (Family::Warp, 0, true, 5.0)],
        ..Sheet::new(1, 1, draft("1"), material)
    };
    let mut weave = sheet.weave().unwrap();
    let ends = [false, true].map(|far| sheet.end(Family::Warp, 0, far));
    weave.positions[ends[0]] = Vector3::new(-1e-6, -l1, 0.0);
    weave.positions[ends[1]] = Vector3::new(1e-6, -l2, 0.0);
    let options = YarnOptions { step: h, newton_tolerance: 1e-9, tolerance: 1e-10, ..Default::default() };
    let mut simulation = YarnSimulation::new(weave, options);
    let wefts = [false, true].map(|far| sheet.end(Family::Weft, 0, far) as u32);
    simulation.pins.push(YarnPin::still(wefts.to_vec()));
    simulation.pins.push(YarnPin { sliding: true, ..YarnPin::still(vec![0]) });
    simulation.advance(0.04).unwrap();
    let slid = simulation.state().arcs[0][0];
    let d = 0.5 * (l1 - l2);
    let exact = d * ((2.0 * 9.81 / (l1 + l2)).sqrt() * 0.04).cosh() - d;
    slid / exact - 1.0
}

#[test]
fn a_yarn_runs_over_a_pulley_as_the_closed_form_says() {
    let (coarse, fine) = (pulley(1e-3), pulley(1e-4));
    assert!(coarse.abs() < 0.07 && fine.abs() < 0.01, "{coarse} {fine}");
}

#[test]
fn the_swing_ends_at_the_same_place_whatever_the_step() {
    let swing = |h: f64| {
        let sheet = Sheet {
            across: Vector3::x(),
            up: Vector3::z(),
            ..Sheet::new(8, 8, draft("10/01"), YarnMaterial::default())
        };
        let mut simulation = YarnSimulation::new(sheet.weave().unwrap(), YarnOptions { step: h, ..Default::default() });
        simulation.gravity = Vector3::new(0.0, -12.0 * 9.81, 0.0);
        let corners = [0, 7].map(|i| sheet.crossing(i, 7) as u32);
        simulation.pins.push(YarnPin { sliding: true, ..YarnPin::still(corners.to_vec()) });
        let reports = simulation.advance(0.2).unwrap();
        let newton: usize = reports.iter().map(|r| r.newton).sum();
        let rejected: usize = reports.iter().map(|r| r.rejected).sum();
        let y = simulation.state().positions[sheet.crossing(4, 0)].y / 1e-3;
        println!(
            "h {h}: {y:.4} L, newton {:.2}, {} steps, {rejected} rejected",
            newton as f64 / reports.len() as f64,
            reports.len()
        );
        y
    };
    let ends = [1e-3, 4e-3, 1e-2].map(swing);
    for y in ends {
        assert!((y + 7.01).abs() < 0.01, "{ends:?}");
    }
}

#[test]
fn pull_out_takes_the_force_of_the_recursion() {
    for (friction, wefts) in [(0.1, 10), (0.3, 5)] {
        let material = YarnMaterial { friction, stiffness_damping: 0.002, ..Default::default() };
        let middle = 2;
        let sheet = Sheet {
            tail: 1.0,
            tails: vec![(Family::Warp, middle, false, 8.0)],
            ..Sheet::new(5, wefts, draft("10/01"), material)
        };
        let mut simulation = YarnSimulation::new(sheet.weave().unwrap(), YarnOptions::default());
        simulation.gravity = Vector3::zeros();
        let mut held = Vec::new();
        for i in (0..5).filter(|i| *i != middle) {
            held.extend([false, true].map(|far| sheet.end(Family::Warp, i, far) as u32));
        }
        for j in 0..wefts {
            held.extend([false, true].map(|far| sheet.end(Family::Weft, j, far) as u32));
        }
        simulation.pins.push(YarnPin::still(held));
        let tip = sheet.end(Family::Warp, middle, true) as u32;
        let speed = 0.025;
        let motion = Motion {
            keys: vec![Key::default(), Key { time: 1.0, shift: [0.0, speed, 0.0], ..Key::default() }],
            smooth: false,
            ..Motion::default()
        };
        simulation.pins.push(YarnPin { motion, ..YarnPin::still(vec![tip]) });
        let reports = simulation.advance(0.156).unwrap();
        let force = simulation.reactions().iter().find(|r| r.node == tip).unwrap().force;
        let sum: f64 = (0..wefts).map(|j| simulation.state().compression[sheet.crossing(middle, j)]).sum();
        println!(
            "mu {friction} N {wefts}: {} N, sum of limits {}; rejected {}",
            force.y,
            friction * sum,
            reports.iter().map(|r| r.rejected).sum::<usize>()
        );
    }
}
