//! Yarns that leave crossings, are resampled, cut and torn.
#![cfg(feature = "yarn-level")]

use nalgebra::Vector3;
use yarnwise_shared::pattern::weave::Draft;
use yarnwise_shared::random::Random;
use yarnwise_solvers::motion::{Key, Motion};
use yarnwise_solvers::yarn::model::{Family, NodeKind, Sheet, Slot};
use yarnwise_solvers::yarn::{YarnMaterial, YarnOptions, YarnPin, YarnSimulation};

const L: f64 = 1e-3;

fn plain() -> Draft {
    Draft::parse("10/01").unwrap()
}

/// Straight away from the start, at a velocity in m/s.
fn moving(nodes: Vec<u32>, velocity: [f64; 3]) -> YarnPin {
    let end = Key { time: 10.0, shift: velocity.map(|v| 10.0 * v), ..Key::default() };
    let motion = Motion { keys: vec![Key::default(), end], smooth: false, ..Motion::default() };
    YarnPin { motion, ..YarnPin::still(nodes) }
}

/// The sum of carried momenta, and of their sizes: kg m/s.
fn momentum(simulation: &YarnSimulation) -> (Vector3<f64>, f64) {
    let p = simulation.state().momenta.iter().map(|p| Vector3::new(p[0], p[1], p[2]));
    p.fold((Vector3::zeros(), 0.0), |(sum, size), p| (sum + p, size + p.norm()))
}

/// Length of all yarns from the arc coordinates of now, meters.
fn length(simulation: &YarnSimulation) -> f64 {
    let (weave, arcs) = (simulation.weave(), &simulation.state().arcs);
    let ahead = |i: usize, c: usize| {
        weave.links[i][2 * c + 1].get().map_or(0.0, |(n, back)| arcs[n][back.slot().index()] - arcs[i][c])
    };
    (0..weave.node_count()).map(|i| ahead(i, 0) + ahead(i, 1)).sum()
}

fn count(simulation: &YarnSimulation, kind: impl Fn(NodeKind) -> bool) -> usize {
    simulation.weave().kinds.iter().filter(|k| kind(**k)).count()
}

fn assert_sound(simulation: &YarnSimulation) {
    assert!(simulation.state().is_sound());
    assert_eq!(simulation.weave().inconsistency(&simulation.state().arcs), None);
}

/// A step with the changes after it; momentum, length and energy are accounted for.
fn checked_step(simulation: &mut YarnSimulation) -> usize {
    simulation.options.changes = false;
    simulation.step(simulation.options.step).unwrap();
    let (before, size) = momentum(simulation);
    let (long, energy, reported) = (length(simulation), simulation.energies().total(), simulation.changes().energy);
    let changes = simulation.update_topology();
    let (after, _) = momentum(simulation);
    assert!((after - before).norm() <= 1e-13 * size, "momentum {before} became {after}");
    assert!((length(simulation) - long).abs() <= 1e-12 * long, "length");
    let (energy, reported) = (simulation.energies().total() - energy, simulation.changes().energy - reported);
    assert!((energy - reported).abs() <= 1e-9 * simulation.energies().total().abs() + 1e-15, "{energy} {reported}");
    assert_sound(simulation);
    changes
}

/// The middle warp of five is pulled out of `wefts` wefts whose ends are held.
fn pull_out(wefts: usize, options: YarnOptions) -> (Sheet, YarnSimulation) {
    let material = YarnMaterial { stiffness_damping: 0.002, ..Default::default() };
    let sheet = Sheet { tails: vec![(Family::Warp, 2, false, 1.0)], ..Sheet::new(5, wefts, plain(), material) };
    let mut simulation = YarnSimulation::new(sheet.weave().unwrap(), options);
    simulation.gravity = Vector3::zeros();
    let both = [false, true];
    let warps = [0, 1, 3, 4].into_iter().flat_map(|i| both.map(|far| sheet.end(Family::Warp, i, far) as u32));
    let wefts = (0..wefts).flat_map(|j| both.map(|far| sheet.end(Family::Weft, j, far) as u32));
    simulation.pins.push(YarnPin::still(warps.chain(wefts).collect()));
    let tip = sheet.end(Family::Warp, 2, true) as u32;
    simulation.pins.push(moving(vec![tip], [0.0, 0.05, 0.0]));
    (sheet, simulation)
}

#[test]
fn a_yarn_is_pulled_out_to_its_last_crossing_with_momentum_and_length_kept_at_every_change() {
    let (sheet, mut simulation) = pull_out(6, YarnOptions::default());
    let before = length(&simulation);
    let mut steps = 0;
    while simulation.changes().left_crossings < 6 {
        let crossings = count(&simulation, NodeKind::is_crossing);
        let left = simulation.changes().left_crossings;
        checked_step(&mut simulation);
        let left = simulation.changes().left_crossings - left;
        assert_eq!(count(&simulation, NodeKind::is_crossing), crossings - left);
        steps += 1;
        assert!(steps < 1000, "{:?}", simulation.changes());
    }
    assert_eq!(count(&simulation, NodeKind::is_crossing), 24);
    for _ in 0..50 {
        checked_step(&mut simulation);
    }
    assert!((length(&simulation) / before - 1.0).abs() < 1e-12);
    let ends = [false, true].map(|far| sheet.end(Family::Warp, 2, far));
    let warp: Vec<_> = simulation.weave().along(2).map(|(n, _)| n).collect();
    assert_eq!([warp[0], warp[warp.len() - 1]], ends);
    assert!(warp.iter().all(|n| !simulation.weave().kinds[*n].is_crossing()), "the warp is free");
    let way = simulation.state().positions[ends[1]].y - simulation.weave().positions[ends[1]].y;
    assert!((way - 0.05 * simulation.time()).abs() < 1e-9);
    // Nothing holds the warp any more: it has followed its tip.
    let tail = simulation.state().positions[ends[0]].y;
    assert!(tail > 5.5 * L, "the tail is at {tail}");
}

#[test]
fn pull_out_gives_the_same_bits_on_any_number_of_threads() {
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let (_, mut simulation) = pull_out(3, YarnOptions::default());
            simulation.advance(0.12).unwrap();
            (*simulation.changes(), simulation.state().positions.clone())
        })
    };
    let one = run(1);
    assert!(one.0.left_crossings > 1, "{:?}", one.0);
    assert_eq!(one, run(3));
}

#[test]
fn a_loose_end_gets_plain_nodes_and_loses_them_when_crossings_pass() {
    let sheet =
        Sheet { tails: vec![(Family::Warp, 1, false, 7.0)], ..Sheet::new(3, 3, plain(), YarnMaterial::default()) };
    let mut simulation = YarnSimulation::new(sheet.weave().unwrap(), YarnOptions::default());
    let both = [false, true];
    let held = (0..3).flat_map(|j| both.map(|far| sheet.end(Family::Weft, j, far) as u32));
    simulation.pins.push(YarnPin::still(held.collect()));
    let tip = sheet.end(Family::Warp, 1, true) as u32;
    simulation.pins.push(moving(vec![tip], [0.0, 0.05, 0.0]));
    let changes = checked_step(&mut simulation);
    assert_eq!((changes, simulation.changes().inserted_nodes, count(&simulation, |k| k == NodeKind::Plain)), (3, 3, 3));
    // Energy of motion does not change where the velocity of yarn does not; bends of a straight yarn have none.
    assert!(simulation.changes().energy.abs() < 1e-6 * simulation.energies().kinetic, "{:?}", simulation.changes());
    let nodes = simulation.weave().node_count();
    for _ in 0..110 {
        checked_step(&mut simulation);
    }
    assert!(simulation.changes().removed_nodes >= 2, "{:?}", simulation.changes());
    assert_eq!(simulation.changes().left_crossings, 0);
    // Numbers of removed nodes are used again.
    assert!(simulation.weave().node_count() <= nodes + 2, "{} after {nodes}", simulation.weave().node_count());
}

#[test]
fn a_cut_keeps_momentum_and_makes_two_yarns() {
    let sheet = Sheet::new(5, 5, plain(), YarnMaterial::default());
    let mut simulation = YarnSimulation::new(sheet.weave().unwrap(), YarnOptions::default());
    let mut state = simulation.state().clone();
    for (i, v) in state.velocities.iter_mut().enumerate().take(25) {
        *v = [0.1, 0.2, -0.1, 0.01, -0.02].map(|v| v * (1.0 + 0.3 * (i as f64).sin()));
    }
    simulation.set_state(state);
    let (before, size) = momentum(&simulation);
    let long = length(&simulation);
    simulation.cut_segment(sheet.crossing(2, 1), Slot::U).unwrap();
    // T and P are those of the same velocity of yarn.
    assert!(simulation.changes().energy.abs() < 1e-12 * simulation.energies().kinetic, "{:?}", simulation.changes());
    simulation.cut_node(sheet.crossing(3, 3), Slot::V).unwrap();
    let (after, _) = momentum(&simulation);
    assert!((after - before).norm() <= 1e-14 * size);
    assert!((length(&simulation) / long - 1.0).abs() < 1e-14);
    assert_eq!((simulation.weave().yarns.len(), simulation.changes().cuts), (12, 2));
    assert_eq!(count(&simulation, NodeKind::is_crossing), 24);
    assert_sound(&simulation);
    // The end of a yarn, an empty slot and a node that is none cannot be cut.
    let end = sheet.end(Family::Warp, 0, false);
    for (node, slot) in [(end, Slot::U), (end, Slot::V), (9999, Slot::U)] {
        assert!(simulation.cut_node(node, slot).unwrap_err().to_string().contains("cut"));
    }
    assert_eq!(simulation.changes().cuts, 2);
    for _ in 0..20 {
        checked_step(&mut simulation);
    }
}

#[test]
fn a_stretched_strip_breaks_where_the_options_say_so_and_only_there() {
    let strip = |strength: Option<f64>| {
        let material = YarnMaterial { strength, ..Default::default() };
        let sheet = Sheet::new(12, 3, plain(), material);
        let mut simulation = YarnSimulation::new(sheet.weave().unwrap(), YarnOptions::default());
        simulation.gravity = Vector3::zeros();
        let side = |i: usize, far: bool| {
            (0..3).flat_map(|j| [sheet.crossing(i, j) as u32, sheet.end(Family::Weft, j, far) as u32]).collect()
        };
        simulation.pins.push(YarnPin::still(side(0, false)));
        simulation.pins.push(moving(side(11, true), [0.05, 0.0, 0.0]));
        for _ in 0..60 {
            checked_step(&mut simulation);
        }
        simulation
    };
    let whole = strip(None);
    assert_eq!(whole.changes().breaks, 0);
    let tension = |s: &YarnSimulation| s.reactions().iter().map(|r| r.force.x.max(0.0)).sum::<f64>();
    assert!(tension(&whole) > 0.2, "{}", tension(&whole));
    let torn = strip(Some(0.1));
    assert!((3..=12).contains(&torn.changes().breaks), "{:?}", torn.changes());
    assert!(tension(&torn) < 0.1 * tension(&whole), "{}", tension(&torn));
    assert_eq!(torn.weave().yarns.len(), 15 + torn.changes().breaks);
}

#[test]
fn a_snagged_crossing_draws_its_yarns_in_and_leaves_a_cross() {
    let sheet = Sheet::new(15, 15, plain(), YarnMaterial::default());
    let mut simulation = YarnSimulation::new(sheet.weave().unwrap(), YarnOptions::default());
    let diagonal = [(6, 6), (6, 8), (8, 6), (8, 8)].map(|(i, j)| sheet.crossing(i, j) as u32);
    simulation.pins.push(YarnPin::still(diagonal.to_vec()));
    let snag = sheet.crossing(7, 7);
    simulation.pins.push(moving(vec![snag as u32], [0.0, 0.0, 0.1]));
    for _ in 0..40 {
        checked_step(&mut simulation);
    }
    let state = simulation.state();
    assert!((state.positions[snag].z - 4.0 * L).abs() < 1e-9);
    // Both yarns are drawn in from both sides, others are not.
    let drawn = |family: Family, yarn: usize, far: bool| {
        let end = sheet.end(family, yarn, far);
        let inward = state.positions[snag] - simulation.weave().positions[end];
        (state.positions[end] - simulation.weave().positions[end])
            .dot(&Vector3::new(inward.x, inward.y, 0.0).normalize())
    };
    for family in [Family::Warp, Family::Weft] {
        for far in [false, true] {
            let (own, other) = (drawn(family, 7, far), drawn(family, 2, far));
            assert!(own > 0.5 * L && own > 3.0 * other.abs(), "{family:?} {far}: {own} {other}");
        }
    }
}

#[test]
fn a_sheet_pulled_apart_tears_along_a_crack_with_a_frayed_edge() {
    let material = YarnMaterial { strength: Some(0.1), ..Default::default() };
    let sheet = Sheet::new(16, 12, plain(), material);
    let mut simulation = YarnSimulation::new(sheet.weave().unwrap(), YarnOptions::default());
    simulation.gravity = Vector3::zeros();
    let set = |columns: std::ops::Range<usize>| {
        columns.flat_map(|i| (0..3).map(move |j| (i, j))).map(|(i, j)| sheet.crossing(i, j) as u32).collect()
    };
    simulation.pins.push(moving(set(3..6), [-0.05, 0.0, 0.0]));
    simulation.pins.push(moving(set(10..13), [0.05, 0.0, 0.0]));
    for _ in 0..120 {
        checked_step(&mut simulation);
    }
    let changes = *simulation.changes();
    // Wefts tear, warps hardly do.
    let weave = simulation.weave();
    let torn = |family: Family| weave.yarns[28..].iter().filter(|y| y.family == family).count();
    assert!(
        torn(Family::Weft) >= 3 && torn(Family::Weft) > 2 * torn(Family::Warp),
        "{} {}",
        torn(Family::Weft),
        torn(Family::Warp)
    );
    assert!(changes.left_crossings >= 1, "the edge is frayed: {changes:?}");
}

#[test]
fn a_yarn_that_broke_relaxes_before_it_breaks_again() {
    let material = YarnMaterial { strength: Some(2e-3), stiffness_damping: 0.002, ..Default::default() };
    let sheet = Sheet::new(16, 1, plain(), material);
    let mut simulation = YarnSimulation::new(sheet.weave().unwrap(), YarnOptions::default());
    simulation.gravity = Vector3::zeros();
    let warps = |i: usize| [sheet.crossing(i, 0) as u32].to_vec();
    for (i, speed) in [(0, -0.1), (5, -0.05), (10, 0.05), (15, 0.1)] {
        simulation.pins.push(moving(warps(i), [speed, 0.0, 0.0]));
    }
    let mut broke = Vec::new();
    for step in 0..60_usize {
        let before = simulation.changes().breaks;
        checked_step(&mut simulation);
        let breaks = simulation.changes().breaks - before;
        assert!(breaks <= broke.len() + 1, "a yarn broke twice in a step");
        broke.extend(std::iter::repeat_n(step, breaks));
    }
    assert!(broke.len() >= 3, "{broke:?}");
    assert!(broke.windows(2).all(|pair| pair[0] == pair[1] || pair[1] >= pair[0] + 10), "{broke:?}");
}

#[test]
fn a_free_sheet_with_removed_nodes_keeps_its_momentum() {
    let material = YarnMaterial { mass_damping: 0.0, ..Default::default() };
    let sheet = Sheet::new(6, 6, plain(), material);
    let mut simulation = YarnSimulation::new(sheet.weave().unwrap(), YarnOptions::default());
    simulation.gravity = Vector3::zeros();
    let mut state = simulation.state().clone();
    for (i, v) in state.velocities.iter_mut().enumerate() {
        *v = [0.01, 0.02, 0.03 * (i as f64).sin(), 0.0, 0.0];
    }
    simulation.set_state(state);
    simulation.cut_segment(sheet.crossing(2, 2), Slot::U).unwrap();
    assert_eq!(count(&simulation, |k| k == NodeKind::Gone), 1);
    let gone = simulation.weave().kinds.iter().position(|k| *k == NodeKind::Gone).unwrap();
    let (before, size) = momentum(&simulation);
    let place = simulation.state().positions[gone];
    simulation.advance(0.02).unwrap();
    let (after, _) = momentum(&simulation);
    assert!((after - before).norm() <= 1e-13 * size, "{before} became {after}");
    assert_eq!(simulation.state().positions[gone], place);
}

#[test]
fn a_sheet_cut_at_random_stays_sound() {
    for seed in 1..=3 {
        let mut random = Random::new(seed);
        let material = YarnMaterial { strength: Some(0.2), ..Default::default() };
        let sheet = Sheet::new(10, 10, plain(), material);
        let mut simulation = YarnSimulation::new(sheet.weave().unwrap(), YarnOptions::default());
        let corners = [(0, 9), (9, 9)].map(|(i, j)| sheet.crossing(i, j) as u32);
        simulation.pins.push(YarnPin::still(corners.to_vec()));
        simulation.pins.push(moving(vec![sheet.crossing(5, 5) as u32], [0.0, 0.0, 0.1]));
        for _ in 0..60 {
            let slot = random.choose(&Slot::BOTH);
            let node = random.below(simulation.weave().node_count());
            let before = momentum(&simulation);
            let cut =
                if random.below(2) == 0 { simulation.cut_node(node, slot) } else { simulation.cut_segment(node, slot) };
            let after = momentum(&simulation);
            assert!((after.0 - before.0).norm() <= 1e-13 * before.1, "seed {seed}: node {node}, {slot:?}, {cut:?}");
            assert_sound(&simulation);
            checked_step(&mut simulation);
        }
        assert!(simulation.changes().cuts > 15, "seed {seed}: {:?}", simulation.changes());
    }
}
