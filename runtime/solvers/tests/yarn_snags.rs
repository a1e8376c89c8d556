//! Snags and cracks, small: what [Cirio14, Figs. 9, 10] show.
#![cfg(feature = "yarn-level")]

use serde_json::{Value, json};
use std::path::Path;
use yarnwise_solvers::yarn::YarnSimulation;
use yarnwise_solvers::yarn::model::NodeKind;
use yarnwise_solvers::yarn::scene::Scene;

const L: f64 = 1e-3;

/// A plain sheet of `n` × `n` yarns without weight, after `time` seconds.
fn run(n: usize, material: Value, pins: Value, time: f64) -> YarnSimulation {
    let scene = json!({
        "cloth": {"sheet": {"extent": {"yarns": [n, n]}, "ripple": 1e-4}},
        "gravity": [0, 0, 0], "material": material, "pins": pins,
        "solver": {"step": 0.002, "tolerance": 0.001},
    });
    let scene = Scene::parse(scene.to_string().as_bytes(), "x.json").unwrap();
    let mut simulation = scene.build("x.json", Path::new(".")).unwrap();
    simulation.advance(time).unwrap();
    assert!(simulation.state().is_sound());
    simulation
}

fn shift(time: f64, shift: [f64; 3]) -> Value {
    json!({"keys": [{"time": 0}, {"time": time, "shift": shift}]})
}

/// Rest length from each end of a yarn to the next node on it, where that is a crossing, in spacings.
fn loose_ends(simulation: &YarnSimulation) -> Vec<f64> {
    let (weave, arcs) = (simulation.weave(), &simulation.state().arcs);
    let piece = |i: usize, k: usize| {
        let (n, back) = weave.links[i][k].get()?;
        Some((arcs[n][back.slot().index()] - arcs[i][k / 2]).abs() / L)
    };
    let ends = (0..weave.node_count()).filter(|i| weave.kinds[*i] == NodeKind::End);
    ends.flat_map(|i| (0..4).filter_map(move |k| piece(i, k))).collect()
}

#[test]
fn a_snag_draws_its_two_yarns_in_and_buckles_the_cloth() {
    let (n, c) = (21, 10);
    let held = json!({"hold": {"crossings": [[c - 1, c - 1], [c - 1, c + 1], [c + 1, c - 1], [c + 1, c + 1]]}});
    let pulled = json!({"hold": {"crossings": [[c, c]]}, "motion": shift(0.1, [0.0, 0.0, 3.0 * L])});
    let simulation = run(n, json!({}), json!([held, pulled]), 0.12);
    let (arcs, start) = (&simulation.state().arcs, &simulation.weave().arcs);
    let slid = |warp: usize, weft: usize, c: usize| (arcs[warp * n + weft][c] - start[warp * n + weft][c]).abs() / L;
    // The pulled warp and weft run toward the snag, on both sides; yarns beside them hardly do.
    let own = [slid(c, c - 3, 0), slid(c, c + 3, 0), slid(c - 3, c, 1), slid(c + 3, c, 1)];
    let others = [slid(c - 4, c - 3, 0), slid(c + 4, c + 3, 0), slid(c - 3, c - 4, 1), slid(c + 3, c + 4, 1)];
    let (least, most) = (own.into_iter().fold(f64::MAX, f64::min), others.into_iter().fold(0.0, f64::max));
    assert!(least > 0.3 && most < 0.1 * least, "{own:?} {others:?}");
    // The cloth around leaves its plane.
    let far = |i: usize| (i / n).abs_diff(c) > 2 && (i % n).abs_diff(c) > 2;
    let heights = (0..n * n).filter(|i| far(*i)).map(|i| simulation.state().positions[i].z / L);
    let (low, high) = heights.fold((f64::MAX, f64::MIN), |(low, high), z| (low.min(z), high.max(z)));
    assert!(high - low > 0.5, "{low} {high}");
}

#[test]
fn a_torn_sheet_breaks_yarns_and_its_edge_frays() {
    let n = 17;
    let side = |sign: f64| {
        let (a, b) = (1.4 * L * sign, 2.6 * L * sign);
        let bounds = json!({"low": [a.min(b), -1.2 * L, -1], "high": [a.max(b), 1.2 * L, 1]});
        json!({"hold": {"box": bounds}, "motion": shift(0.2, [4.0 * L * sign, 0.0, 0.0])})
    };
    let ends = |side: &str| json!({"hold": {"ends": {"of": "weft", "side": side}}});
    let pins = json!([side(-1.0), side(1.0), ends("first"), ends("last")]);
    let whole = run(n, json!({}), pins.clone(), 0.05);
    assert_eq!(whole.changes().breaks, 0);
    let torn = run(n, json!({"strength": 0.1}), pins, 0.2);
    let breaks = torn.changes().breaks;
    assert!(breaks >= 3, "{breaks}");
    assert_eq!(torn.weave().yarns.len(), 2 * n + breaks);
    // A break leaves half a spacing on each side: what is longer has come out of the cloth.
    let frayed = loose_ends(&torn).into_iter().filter(|l| *l > 0.75).count();
    assert!(frayed >= 2, "{frayed}");
}
