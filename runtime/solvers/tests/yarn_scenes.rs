//! The yarn scenes that come with Yarnwise, and what is said about bad ones.
#![cfg(feature = "yarn-level")]

use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use yarnwise_solvers::yarn::YarnSimulation;
use yarnwise_solvers::yarn::model::NodeKind;
use yarnwise_solvers::yarn::scene::Scene;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data/yarn-scenes")
}

fn build(value: &Value, folder: &Path) -> Result<YarnSimulation, String> {
    let scene = Scene::parse(value.to_string().as_bytes(), "x.json").map_err(|e| e.to_string())?;
    scene.build("x.json", folder).map_err(|e| e.to_string())
}

fn small(more: Value) -> Value {
    let mut scene = json!({"cloth": {"sheet": {"extent": {"yarns": [4, 3]}}}});
    for (name, value) in more.as_object().unwrap() {
        scene[name] = value.clone();
    }
    scene
}

#[test]
fn every_scene_of_the_project_builds_and_takes_a_step() {
    let mut count = 0;
    for entry in std::fs::read_dir(folder()).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|e| e != "json") {
            continue;
        }
        let scene = Scene::read(&path).unwrap();
        let mut simulation = scene.build("scene", &folder()).unwrap();
        simulation.step(scene.solver.step).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        assert!(simulation.state().is_sound(), "{}", path.display());
        count += 1;
    }
    assert!(count >= 6, "{count}");
}

#[test]
fn a_sheet_stands_where_it_is_put_with_its_draft() {
    let mut scene = small(json!({"material": {"spacing": 0.002, "radius": 0.0003}}));
    scene["cloth"]["sheet"] = json!({
        "extent": {"meters": [0.0081, 0.0059]}, "draft": {"text": "110/011"}, "center": [1, 2, 3], "u": [0, 0, 5], "v": [2, 0, 0],
    });
    let simulation = build(&scene, Path::new(".")).unwrap();
    let weave = simulation.weave();
    assert_eq!(weave.yarns.len(), 4 + 3);
    let positions = &weave.positions[..12];
    let middle = positions.iter().sum::<nalgebra::Vector3<f64>>() / 12.0;
    assert!((middle - nalgebra::Vector3::new(1.0, 2.0, 3.0)).norm() < 1e-12);
    // The next weft is along v, the next warp along u.
    assert!((positions[1] - positions[0] - nalgebra::Vector3::x() * 0.002).norm() < 1e-12);
    assert!((positions[3] - positions[0] - nalgebra::Vector3::z() * 0.002).norm() < 1e-12);
    // The bottom row of the draft, 011, from the first warp on.
    let over: Vec<bool> = [0, 3, 6].map(|n| weave.kinds[n] == NodeKind::Crossing { warp_over: true }).to_vec();
    assert_eq!(over, [false, true, true]);
}

#[test]
fn pins_hold_what_they_name() {
    let held = |hold: Value| {
        let simulation = build(&small(json!({"pins": [{"hold": hold}]})), Path::new("."))?;
        Ok::<_, String>(simulation.pins[0].nodes.clone())
    };
    // 4 warps and 3 wefts: crossings 0 to 11 warp by warp, ends of warps 12 to 19, of wefts 20 to 25.
    for (hold, nodes) in [
        (json!({"nodes": [25, 0]}), vec![25, 0]),
        (json!({"crossings": [[1, 2], [3, 0]]}), vec![5, 9]),
        (json!({"corners": [["first", "first"], ["last", "first"], ["last", "last"]]}), vec![0, 9, 11]),
        (json!({"warp": "last"}), vec![9, 10, 11]),
        (json!({"weft": "first"}), vec![0, 3, 6, 9]),
        (json!({"ends": {"of": "warp", "side": "last", "except": [2]}}), vec![13, 15, 19]),
        (json!({"ends": {"of": "weft", "side": "first", "only": [1]}}), vec![22]),
        (json!({"box": {"low": [-1, -1, -1], "high": [-0.0012, 1, 1]}}), vec![0, 1, 2, 12, 13, 20, 22, 24]),
    ] {
        assert_eq!(held(hold.clone()), Ok(nodes), "{hold}");
    }
    for (hold, part) in [
        (json!({"nodes": [26]}), "pin 0 names node 26, but there are only 26"),
        (json!({"crossings": [[4, 0]]}), "pin 0 names warp 4, but there are only 4"),
        (json!({"ends": {"of": "weft", "side": "last", "only": [3]}}), "pin 0 names weft 3"),
        (json!({"box": {"low": [5, 5, 5], "high": [6, 6, 6]}}), "pin 0 holds no node"),
    ] {
        let message = held(hold).unwrap_err();
        assert!(message.contains(part) && message.contains("x.json"), "{message}");
    }
}

#[test]
fn faults_name_the_file_the_field_and_the_cure() {
    let with_sheet = |field: Value| {
        let mut scene = small(json!({}));
        scene["cloth"]["sheet"].as_object_mut().unwrap().extend(field.as_object().unwrap().clone());
        scene
    };
    for (scene, parts) in [
        (small(json!({"materiel": {}})), ["materiel", "docs/reference/yarn-scenes.md"]),
        (small(json!({"material": {"radius": 0.001}})), ["material", "thicker"]),
        (small(json!({"solver": {"step": 2}})), ["solver: step", "between"]),
        (small(json!({"gravity": [0, 1e9, 0]})), ["gravity[1]", "between"]),
        (small(json!({"pins": [{"hold": {"warp": "middle"}}]})), ["pins[0].hold.warp", "first"]),
        (small(json!({"output": {"duration": -1}})), ["output: duration", "positive"]),
        (with_sheet(json!({"extent": {"yarns": [100000, 100000]}})), ["cloth", "at most 4000000"]),
        (with_sheet(json!({"draft": {"preset": "tweed"}})), ["tweed", "satin"]),
        (with_sheet(json!({"draft": {"text": "12"}})), ["weave draft", "1 (warp over weft)"]),
        (with_sheet(json!({"draft": {"file": "nowhere.txt"}})), ["nowhere.txt", ""]),
        (with_sheet(json!({"u": [0, 1, 0]})), ["cloth", "perpendicular"]),
        (with_sheet(json!({"tail": 0.1})), ["tail is 0.1", "between 0.3"]),
        (
            with_sheet(json!({"tails": [{"of": "warp", "yarn": 9, "side": "last", "length": 2}]})),
            ["tail 0 names warp 9", "only 4"],
        ),
    ] {
        let message = build(&scene, Path::new(".")).err().unwrap_or_else(|| panic!("accepted: {scene}"));
        for part in parts {
            assert!(message.contains(part), "no '{part}' in: {message}");
        }
    }
}

/// Two squares of 6 × 6 crossings that stand at a right angle, sewn along the edge between them.
fn corner(more: Value) -> Value {
    let square = json!([[0, 0], [0.006, 0], [0.006, 0.006], [0, 0.006]]);
    let side = json!({"origin": [0.006, 0, 0], "u": [0, 0, -1]});
    let mut scene = json!({"cloth": {"garment": {
        "panels": [{"name": "front", "outline": square}, {"name": "side", "outline": square, "draft": {"preset": "twill"}, "placement": side}],
        "seams": [{"a": {"panel": "front", "edge": 1}, "b": {"panel": 1, "edge": 3}}],
    }}});
    for (place, value) in more.as_object().unwrap() {
        *scene.pointer_mut(place).unwrap() = value.clone();
    }
    scene
}

fn held_corner(hold: Value) -> Result<YarnSimulation, String> {
    let mut scene = corner(json!({}));
    scene["pins"] = json!([{"hold": hold}]);
    build(&scene, Path::new("."))
}

#[test]
fn a_garment_is_sewn_from_panels_by_name_and_survives_writing() {
    let scene = corner(json!({}));
    let simulation = build(&scene, Path::new(".")).unwrap();
    let weave = simulation.weave();
    let count = |kind: fn(NodeKind) -> bool| weave.kinds.iter().filter(|k| kind(**k)).count();
    assert_eq!((count(NodeKind::is_crossing), count(|k| k == NodeKind::Seam)), (72, 6));
    // 12 warps, 6 wefts that run through the seam, and the seam yarn.
    assert_eq!(weave.yarns.len(), 12 + 6 + 1);
    let written = serde_json::to_value(Scene::parse(scene.to_string().as_bytes(), "x.json").unwrap()).unwrap();
    let again = build(&written, Path::new(".")).unwrap();
    assert_eq!((&again.weave().links, &again.weave().kinds), (&weave.links, &weave.kinds));
    // The draft of one panel is not that of the other: float lengths differ.
    let plain = build(&corner(json!({"/cloth/garment/panels/1/draft": {"preset": "plain"}})), Path::new(".")).unwrap();
    assert_ne!(plain.weave().kinds, weave.kinds);
}

#[test]
fn a_garment_that_is_held_hangs_together() {
    let mut simulation = held_corner(json!({"edge": {"panel": "front", "edge": 2}})).unwrap();
    let edge = simulation.pins[0].nodes.clone();
    assert_eq!(edge.len(), 6);
    assert!(edge.iter().all(|n| (simulation.weave().positions[*n as usize].y - 0.0055).abs() < 1e-12));
    let seam = held_corner(json!({"seam": 0})).unwrap();
    assert!(seam.pins[0].nodes.iter().all(|n| seam.weave().kinds[*n as usize] == NodeKind::Seam));
    assert_eq!(seam.pins[0].nodes.len(), 6);
    simulation.advance(0.05).unwrap();
    assert!(simulation.state().is_sound());
    let (weave, state) = (simulation.weave(), simulation.state());
    let moved = weave.positions.iter().zip(&state.positions).map(|(a, b)| (a - b).norm()).fold(0.0, f64::max);
    assert!(moved > 1e-4, "{moved}");
    // The side moves, and nothing comes off: every piece of yarn is as long as it was, seam and pieces to it included.
    for yarn in 0..weave.yarns.len() {
        let nodes: Vec<_> = weave.along(yarn).collect();
        for pair in nodes.windows(2) {
            let [(a, slot_a), (b, slot_b)] = [pair[0], pair[1]];
            let rest = state.arcs[b][slot_b.index()] - state.arcs[a][slot_a.index()];
            let stretch = (state.positions[b] - state.positions[a]).norm() / rest;
            assert!((stretch - 1.0).abs() < 0.02, "yarn {yarn}, nodes {a} and {b}: {stretch}");
        }
    }
}

#[test]
fn faults_of_garments_name_the_panel_or_the_seam_and_the_cure() {
    let garment = "/cloth/garment";
    for (place, value, parts) in [
        ("panels", json!([]), ["no panel", "at least one"]),
        ("panels/1/name", json!("front"), ["panel 1", "its own name"]),
        ("panels/1/outline", json!([[0, 0], [0.006, 0]]), ["panel 1 (side)", "at least 3"]),
        ("panels/0/outline/1", json!([0.006, 2e3]), ["4000000 crossings", "larger"]),
        ("panels/0/outline/0", json!([0.005, 0.007]), ["panel 0 (front)", "in order around"]),
        ("panels/0/warp_angle", json!(9), ["panel 0 (front): warp_angle", "radians"]),
        ("panels/1/placement", json!({"u": [0, 1, 0]}), ["panel 1 (side): placement", "across each other"]),
        ("panels/1/draft", json!({"preset": "tweed"}), ["panel 1", "satin"]),
        ("panels/1/draft", json!({"file": "nowhere.txt"}), ["panel 1", "nowhere.txt"]),
        ("panels/1/place", json!({}), ["place", "docs/reference/yarn-scenes.md"]),
        ("seams/0/a/panel", json!("bak"), ["seam 0 names panel 'bak'", "called front, side"]),
        ("seams/0/a/panel", json!(2), ["seam 0 names panel 2", "has 2 panels"]),
        ("seams/0/a/panel", json!(-1), ["seams[0].a.panel", "the number of a panel, from 0, or its name"]),
        ("seams/0/b/edge", json!(4), ["seam 0 names edge 4 of panel 1", "only 4, counted from 0"]),
        ("seams/0/b/edge", json!(0), ["seam 0: the edges are", "place the panels"]),
        ("seams/0/reversed", json!(false), ["seam 0", "say 'reversed'"]),
    ] {
        let mut scene = corner(json!({}));
        let (parent, field) = place.rsplit_once('/').unwrap_or(("", place));
        let parent = if parent.is_empty() { garment.to_owned() } else { format!("{garment}/{parent}") };
        match scene.pointer_mut(&parent).unwrap() {
            Value::Array(list) => list[field.parse::<usize>().unwrap()] = value,
            object => object[field] = value,
        }
        let message = build(&scene, Path::new(".")).err().unwrap_or_else(|| panic!("accepted: {place}"));
        for part in ["x.json"].into_iter().chain(parts) {
            assert!(message.contains(part), "{place}: no '{part}' in: {message}");
        }
    }
    for (hold, part) in [
        (json!({"corners": [["first", "last"]]}), "pin 0 holds a part of a sheet, but the cloth is a garment"),
        (json!({"seam": 1}), "pin 0 names seam 1, but there are only 1"),
        (json!({"edge": {"panel": "top", "edge": 0}}), "pin 0 names panel 'top'"),
    ] {
        let message = held_corner(hold).unwrap_err();
        assert!(message.contains(part) && message.contains("x.json"), "{message}");
    }
    let sheet = build(&small(json!({"pins": [{"hold": {"seam": 0}}]})), Path::new(".")).unwrap_err();
    assert!(sheet.contains("pin 0 holds a part of a garment, but the cloth is a sheet"), "{sheet}");
}

#[test]
fn the_bag_of_the_project_comes_to_lie_on_its_ball() {
    let scene = Scene::read(&folder().join("bag.json")).unwrap();
    let mut simulation = scene.build("bag", &folder()).unwrap();
    simulation.advance(0.02).unwrap();
    assert!(simulation.state().is_sound());
    let top = |p: &nalgebra::Vector3<f64>| p.y;
    let highest = simulation.state().positions.iter().map(top).fold(f64::NEG_INFINITY, f64::max);
    // It has fallen, and not into the ball of 8.5 mm.
    assert!(highest < 0.0105 && highest > 0.0085, "{highest}");
}

#[test]
fn drafts_come_from_files_too() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("draft.txt"), "110\n011\n101\n").unwrap();
    let mut scene = small(json!({}));
    scene["cloth"]["sheet"]["draft"] = json!({"file": "draft.txt"});
    let from_file = build(&scene, folder.path()).unwrap();
    scene["cloth"]["sheet"]["draft"] = json!({"text": "110/011/101"});
    assert_eq!(from_file.weave().kinds, build(&scene, folder.path()).unwrap().weave().kinds);
}
