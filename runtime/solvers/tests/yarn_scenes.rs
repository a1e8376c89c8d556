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
    assert!(count >= 5, "{count}");
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
