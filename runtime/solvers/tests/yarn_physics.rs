//! Woven yarns against closed forms.
#![cfg(feature = "yarn-level")]

use nalgebra::{UnitQuaternion, Vector3};
use yarnwise_shared::pattern::weave::Draft;
use yarnwise_shared::random::Random;
use yarnwise_solvers::motion::{Key, Motion};
use yarnwise_solvers::yarn::model::{Family, NodeKind, Sheet, Slot, WeaveBuilder};
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
        simulation.advance(0.2).unwrap();
        simulation.state().positions[sheet.crossing(4, 0)].y / 1e-3
    };
    let ends = [1e-3, 4e-3, 1e-2].map(swing);
    for y in ends {
        assert!((y + 7.01).abs() < 0.01, "{ends:?}");
    }
}

/// The force to pull a yarn across N crossings with F_n at rest: σ_{k+1} − σ_k = μ (½ (T_k + T_{k+1}) sin a + F_n), σ = T + T²/(2 k_s).
fn recursion(material: &YarnMaterial, compression: &[f64]) -> f64 {
    let (ks, sine) = (material.stiffness().stretch, material.crimp_angle().sin());
    compression.iter().fold(0.0, |before: f64, rest| {
        let mut after = before;
        for _ in 0..50 {
            let sigma =
                before + before * before / (2.0 * ks) + material.friction * (0.5 * (before + after) * sine + rest);
            after = ks * ((1.0 + 2.0 * sigma / ks).sqrt() - 1.0);
        }
        after
    })
}

/// A sheet whose middle warp has a long tail and is pulled by its other end at a speed, m/s; all other ends are held.
fn pulled(material: YarnMaterial, wefts: usize, speed: f64) -> (Sheet, YarnSimulation, u32) {
    let middle = 2;
    let sheet = Sheet {
        tail: 1.0,
        tails: vec![(Family::Warp, middle, false, 8.0)],
        ..Sheet::new(5, wefts, draft("10/01"), material)
    };
    let mut simulation = YarnSimulation::new(sheet.weave().unwrap(), YarnOptions::default());
    simulation.gravity = Vector3::zeros();
    let warps = (0..5).filter(|i| *i != middle).map(|i| (Family::Warp, i));
    let held = warps.chain((0..wefts).map(|j| (Family::Weft, j)));
    let ends = held.flat_map(|(family, yarn)| [false, true].map(|far| sheet.end(family, yarn, far) as u32));
    simulation.pins.push(YarnPin::still(ends.collect()));
    let tip = sheet.end(Family::Warp, middle, true) as u32;
    let motion = Motion {
        keys: vec![Key::default(), Key { time: 1.0, shift: [0.0, speed, 0.0], ..Key::default() }],
        smooth: false,
        ..Motion::default()
    };
    simulation.pins.push(YarnPin { motion, ..YarnPin::still(vec![tip]) });
    (sheet, simulation, tip)
}

#[test]
fn pull_out_takes_the_force_of_the_recursion() {
    for (friction, wefts) in [(0.1, 10), (0.3, 5)] {
        let material = YarnMaterial { friction, stiffness_damping: 0.002, ..Default::default() };
        let (sheet, mut simulation, tip) = pulled(material, wefts, 0.025);
        let rest: Vec<f64> = (0..wefts).map(|j| simulation.state().compression[sheet.crossing(2, j)]).collect();
        let expected = recursion(&material, &rest);
        simulation.advance(0.156).unwrap();
        let force = simulation.reactions().iter().find(|r| r.node == tip).unwrap().force.y;
        assert!((force / expected - 1.0).abs() < 0.02, "μ {friction}, N {wefts}: {force} N, recursion {expected} N");
    }
}

/// A free sheet whose nodes and yarns move at random.
fn flying(seed: u64) -> YarnSimulation {
    let material = YarnMaterial { mass_damping: 0.0, stiffness_damping: 0.0, ..Default::default() };
    let sheet = Sheet::new(4, 4, draft("10/01"), material);
    let mut simulation = YarnSimulation::new(sheet.weave().unwrap(), YarnOptions { step: 2e-5, ..Default::default() });
    simulation.gravity = Vector3::zeros();
    let mut random = Random::new(seed);
    let mut state = simulation.state().clone();
    for (v, kind) in state.velocities.iter_mut().zip(&simulation.weave().kinds) {
        let free = if kind.is_crossing() { 5 } else { 3 };
        v[..free].iter_mut().for_each(|v| *v = 0.1 * (2.0 * random.unit() - 1.0));
    }
    simulation.set_state(state);
    simulation
}

fn momentum(simulation: &YarnSimulation) -> Vector3<f64> {
    simulation.state().momenta.iter().fold(Vector3::zeros(), |sum, p| sum + Vector3::new(p[0], p[1], p[2]))
}

#[test]
fn carried_momentum_is_exact_and_energy_never_rises() {
    let seed = 3;
    let mut simulation = flying(seed);
    let (before, mut energy) = (momentum(&simulation), simulation.energies().total());
    let start = energy;
    for step in 0..50 {
        simulation.advance(2e-5).unwrap();
        let change = (momentum(&simulation) - before).norm() / before.norm();
        assert!(change < 1e-14, "seed {seed}, step {step}: {change}");
        let now = simulation.energies().total();
        assert!(now < energy * (1.0 + 1e-3), "seed {seed}, step {step}: {now} after {energy}");
        energy = now;
    }
    assert!(energy < start, "seed {seed}");
}

#[test]
fn rigid_motion_feels_no_force_even_far_from_the_origin() {
    for shift in [0.0, 1000.0] {
        let sheet = Sheet::new(6, 6, draft("110/011/101"), YarnMaterial::default());
        let mut weave = sheet.weave().unwrap();
        let turn = UnitQuaternion::from_euler_angles(0.4, -1.1, 2.0);
        weave.positions.iter_mut().for_each(|p| *p = turn * *p + Vector3::repeat(shift));
        let (start, arcs) = (weave.positions.clone(), weave.arcs.clone());
        let mut simulation = YarnSimulation::new(weave, YarnOptions::default());
        simulation.gravity = Vector3::zeros();
        simulation.advance(0.02).unwrap();
        let moved = simulation.state().positions.iter().zip(&start).map(|(a, b)| (a - b).norm()).fold(0.0, f64::max);
        // What rounding of a position does to a strain: 1e-13 m of 1 mm at 1,000 m.
        assert!(moved < 1e-10 * (1.0 + shift), "at {shift} m: {moved}");
        let slid = simulation.state().arcs.iter().zip(&arcs).flat_map(|(a, b)| [a[0] - b[0], a[1] - b[1]]);
        assert!(slid.fold(0.0_f64, |m, s| m.max(s.abs())) < 1e-10 * (1.0 + shift), "slides at {shift} m");
    }
}

#[test]
fn a_hanging_yarn_is_stretched_by_what_hangs_below() {
    let material = YarnMaterial { mass_damping: 100.0, ..Default::default() };
    let (k, n, l) = (material.stiffness(), 40_usize, material.spacing);
    let mut builder = WeaveBuilder::new(material);
    let nodes: Vec<_> = (0..=n)
        .map(|i| {
            let kind = if i == 0 || i == n { NodeKind::End } else { NodeKind::Plain };
            (builder.node(Vector3::new(0.0, i as f64 * l, 0.0), kind), Slot::U, i as f64 * l)
        })
        .collect();
    builder.yarn(Family::Warp, &nodes);
    let mut simulation =
        YarnSimulation::new(builder.finish("yarn").unwrap(), YarnOptions { step: 1e-2, ..Default::default() });
    simulation.pins.push(YarnPin::still(vec![n as u32]));
    simulation.advance(2.0).unwrap();
    let weight = k.density * n as f64 * l * 9.81;
    // Half a segment's weight hangs on the pin without tension.
    let force = simulation.reactions()[0].force.y;
    assert!((force / weight - 1.0).abs() < 1e-4, "{force} instead of {weight}");
    let x = &simulation.state().positions;
    for i in [0, 7, 20, 39] {
        let tension = k.stretch * ((x[i + 1] - x[i]).norm() / l - 1.0);
        let expected = k.density * (i as f64 + 0.5) * l * 9.81;
        assert!((tension / expected - 1.0).abs() < 1e-3, "segment {i}: {tension} instead of {expected}");
    }
    let elongation = (x[n].y - x[0].y) - n as f64 * l;
    let expected = k.density * 9.81 * (n as f64 * l).powi(2) / (2.0 * k.stretch);
    assert!((elongation / expected - 1.0).abs() < 1e-3, "{elongation} instead of {expected}");
}

#[test]
fn a_yarn_pulled_below_its_limit_stays_and_returns() {
    let material = YarnMaterial::default();
    let (sheet, mut simulation, tip) = pulled(material, 8, 0.0);
    simulation.pins.pop();
    let limit = material.friction * (0..8).map(|j| simulation.state().compression[sheet.crossing(2, j)]).sum::<f64>();
    simulation.forces.push((tip, Vector3::new(0.0, 0.5 * limit, 0.0)));
    simulation.advance(0.5).unwrap();
    let place = |s: &YarnSimulation| s.state().arcs[sheet.crossing(2, 7)][0];
    let held = place(&simulation);
    simulation.advance(1.0).unwrap();
    let crept = (place(&simulation) - held).abs();
    assert!(crept < 1e-6 * material.spacing, "crept by {crept}");
    assert!((held - 7.0 * material.spacing).abs() > 1e-5 * material.spacing, "nothing pulled");
    simulation.forces.clear();
    simulation.advance(1.0).unwrap();
    let back = (place(&simulation) - 7.0 * material.spacing).abs();
    assert!(back < 0.1 * (held - 7.0 * material.spacing).abs(), "{back} of {held}");
}

#[test]
fn the_number_of_threads_changes_no_bit() {
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let sheet =
                Sheet { up: Vector3::z(), ..Sheet::new(40, 40, draft("0110/0011/1001/1100"), YarnMaterial::default()) };
            let mut simulation = YarnSimulation::new(sheet.weave().unwrap(), YarnOptions::default());
            simulation.pins.push(YarnPin::still(vec![sheet.crossing(0, 39) as u32, sheet.crossing(39, 39) as u32]));
            simulation.advance(0.003).unwrap();
            simulation.state().clone()
        })
    };
    let one = run(1);
    for threads in [2, 4] {
        let other = run(threads);
        assert!(one.positions == other.positions && one.arcs == other.arcs && one.velocities == other.velocities);
    }
}

#[test]
fn a_pin_that_is_torn_away_is_one_report_and_positions_stay_finite() {
    let (_, mut simulation, _) = pulled(YarnMaterial::default(), 5, 1e5);
    let error = simulation.advance(0.01).unwrap_err().to_string();
    assert!(error.contains("pin may move too fast"), "{error}");
    assert!(simulation.state().is_sound());
}

/// A sheet folded over: a flat layer that is held, a bend, and a layer that falls onto it. Returns the lowest height of that layer in the
/// end, in spacings.
fn fold(self_contact: bool) -> f64 {
    let (flat, around, radius) = (14, 5, 1.5e-3);
    let material = YarnMaterial { mass_damping: 50.0, ..Default::default() };
    let l = material.spacing;
    let sheet = Sheet::new(2 * flat + around, 8, draft("10/01"), material);
    let mut weave = sheet.weave().unwrap();
    for p in &mut weave.positions {
        let (s, z) = (p.x, p.y);
        let (first, bend) = ((flat - 1) as f64 * l, (around + 1) as f64 * l);
        let turn = (s - first) / bend * std::f64::consts::PI;
        *p = if s <= first {
            Vector3::new(s, 0.0, z)
        } else if turn < std::f64::consts::PI {
            Vector3::new(first + radius * turn.sin(), radius * (1.0 - turn.cos()), z)
        } else {
            Vector3::new(first - (s - first - bend), 2.0 * radius, z)
        };
    }
    let held = (0..flat).flat_map(|i| (0..8).map(move |j| (i, j))).map(|(i, j)| sheet.crossing(i, j) as u32).collect();
    let mut simulation = YarnSimulation::new(weave, YarnOptions { self_contact, ..Default::default() });
    simulation.pins.push(YarnPin::still(held));
    simulation.gravity *= 10.0;
    simulation.advance(0.15).unwrap();
    assert!(simulation.state().is_sound());
    let fallen = (flat + around + 3..2 * flat + around).flat_map(|i| (0..8).map(move |j| (i, j)));
    fallen.map(|(i, j)| simulation.state().positions[sheet.crossing(i, j)].y / l).fold(f64::INFINITY, f64::min)
}

#[test]
fn a_layer_rests_on_the_other_and_falls_through_without_self_contact() {
    // The thickness is 4 R, one spacing here.
    let (with, without) = (fold(true), fold(false));
    assert!((0.8..1.3).contains(&with), "{with}");
    assert!(without < 0.0, "without self-contact {without}");
}

#[test]
fn crossings_that_slid_together_are_no_contact() {
    // Every second gap closed to 0.35 of the spacing: ten neighbors within the thickness of the cloth.
    let material = YarnMaterial { parallel_contact: 0.0, ..Default::default() };
    let sheet = Sheet::new(24, 24, draft("10/01"), material);
    let mut weave = sheet.weave().unwrap();
    for (p, arcs) in weave.positions.iter_mut().zip(&mut weave.arcs) {
        *p *= 0.35;
        arcs.iter_mut().for_each(|s| *s *= 0.35);
    }
    let options = YarnOptions { self_contact: true, ..Default::default() };
    let mut simulation = YarnSimulation::new(weave, options);
    simulation.gravity = Vector3::zeros();
    let report = simulation.step(1e-3).unwrap();
    assert_eq!(report.self_contacts, 0);
}
