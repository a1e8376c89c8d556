//! The hybrid scenes that come with Yarnwise, the solver that a region gets, and what is said about bad scenes.
#![cfg(feature = "yarn-level")]

use nalgebra::Vector3;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use yarnwise_shared::mesh::obj;
use yarnwise_solvers::cloth::model::{ClothMaterial, ClothModel};
use yarnwise_solvers::cloth::{ClothOptions, Pin, Simulation};
use yarnwise_solvers::hybrid::region::Class;
use yarnwise_solvers::hybrid::scene::{RegionSpec, Scene};
use yarnwise_solvers::hybrid::{HybridCloth, HybridSheet};
use yarnwise_solvers::motion::Motion;
use yarnwise_solvers::yarn::{YarnMaterial, YarnOptions, YarnPin, YarnSimulation};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data/hybrid-scenes")
}

fn build(value: &Value, folder: &Path) -> Result<HybridCloth, String> {
    let scene = Scene::parse(value.to_string().as_bytes(), "x.json").map_err(|e| e.to_string())?;
    scene.build("x.json", folder).map_err(|e| e.to_string())
}

/// A sheet of 4 by 4 squares of 5 crossings a side, 2 cm by 2 cm, with its last column held.
fn sheet(more: Value) -> Value {
    let mut scene = json!({
        "cloth": {"sheet": {"cells": [4, 4], "crossings": 5}},
        "region": "half",
        "pins": [{"hold": {"uv": {"low": [0.0185, -1], "high": [1, 1]}}}],
    });
    for (name, value) in more.as_object().unwrap() {
        scene[name] = value.clone();
    }
    scene
}

/// Full yarns and triangles alone are what results are compared with; the yarns of the sleeve end at its seam.
#[test]
fn every_scene_of_the_project_takes_a_step_with_full_yarns_and_with_triangles_alone() {
    for name in ["swing", "shear", "pucker", "elbow", "release", "yield", "ball"] {
        for region in [RegionSpec::All, RegionSpec::None] {
            let mut scene = Scene::read(&folder().join(format!("{name}.json"))).unwrap();
            scene.region = region;
            if name == "elbow" && scene.region == RegionSpec::All {
                let message = scene.build("scene", &folder()).unwrap_err().to_string();
                assert!(message.contains("seam of the UVs"), "{message}");
                scene.region = RegionSpec::File("sleeve-yarns.txt".into());
            }
            let mut cloth = scene.build("scene", &folder()).unwrap_or_else(|e| panic!("{name}: {e}"));
            cloth.advance(scene.solver.step).unwrap_or_else(|e| panic!("{name}: {e}"));
            assert!(cloth.mesh_positions().iter().flatten().all(|c| c.is_finite()), "{name}");
        }
    }
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
        let mut cloth = scene.build("scene", &folder()).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        assert!(matches!(cloth, HybridCloth::Both(_)), "{}", path.display());
        cloth.advance(scene.solver.step).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        assert!(cloth.mesh_positions().iter().flatten().all(|c| c.is_finite()), "{}", path.display());
        count += 1;
    }
    assert!(count >= 7, "{count}");
}

fn places(positions: &[Vector3<f64>]) -> Vec<[u64; 3]> {
    positions.iter().map(|p| [p.x, p.y, p.z].map(f64::to_bits)).collect()
}

#[test]
fn a_region_of_everything_is_the_solver_of_yarns_to_the_last_bit() {
    let mut cloth = build(&sheet(json!({"region": "all"})), Path::new(".")).unwrap();
    assert!(matches!(cloth, HybridCloth::Yarns(_)));
    let model = HybridSheet::new([4, 4], 5, YarnMaterial::default()).unwrap().model(|_, _| true).unwrap();
    let held = model.node_uvs().iter().enumerate().filter(|(_, uv)| uv[0] >= 0.0185).map(|(n, _)| n as u32);
    let pin = YarnPin::still(held.collect());
    let mut yarns =
        YarnSimulation::new(model.weave().clone(), YarnOptions { changes: false, ..YarnOptions::default() });
    yarns.pins.push(pin);
    cloth.advance(0.02).unwrap();
    yarns.advance(0.02).unwrap();
    assert_eq!(places(cloth.node_positions()), places(&yarns.state().positions));
    let start = cloth.model().mesh().positions()[0];
    let fallen = cloth.mesh_positions()[0];
    assert!(fallen.y < f64::from(start[1]) - 5e-6, "the mesh does not follow its yarns: {fallen}");
}

#[test]
fn a_region_of_nothing_with_springs_is_the_cloth_solver_to_the_last_bit() {
    let mut cloth = build(&sheet(json!({"region": "none", "triangles": {"springs": {}}})), Path::new(".")).unwrap();
    assert!(matches!(cloth, HybridCloth::Cloth(_)));
    let mesh = cloth.model().mesh().clone();
    let model = ClothModel::from_mesh(&mesh, &ClothMaterial::default(), "mesh").unwrap();
    let options = ClothOptions { step: 1e-3, smallest_step: 1e-6, max_iterations: 2000, ..ClothOptions::default() };
    let mut springs = Simulation::new(model, options);
    let held = (0..mesh.positions().len() as u32).filter(|v| mesh.positions()[*v as usize][0] >= 0.0185);
    springs.pins.push(Pin { particles: held.collect(), motion: Motion::default(), until: None });
    cloth.advance(0.02).unwrap();
    springs.advance(0.02).unwrap();
    assert_eq!(places(&cloth.mesh_positions()), places(springs.positions()));
    assert!(cloth.node_positions().is_empty());
}

#[test]
fn regions_are_chosen_by_polygons_numbers_and_files() {
    let yarns = |region: Value, folder: &Path| {
        let cloth = build(&sheet(json!({"region": region})), folder).unwrap();
        let classes = cloth.model().region().triangles.clone();
        let chosen = classes.iter().enumerate().filter(|(_, c)| **c == Class::Yarns);
        chosen.map(|(f, _)| f + 1).collect::<Vec<_>>()
    };
    let half = yarns(json!("half"), Path::new("."));
    assert_eq!(half, (1..=16).collect::<Vec<_>>());
    let polygon = json!({"polygons": [[[0, 0], [0.01, 0], [0.01, 0.02], [0, 0.02]]]});
    assert_eq!(yarns(polygon, Path::new(".")), half);
    assert_eq!(yarns(json!({"faces": [1, 2]}), Path::new(".")), [1, 2]);
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("mask.txt"), "1 # the first\n2").unwrap();
    assert_eq!(yarns(json!({"file": "mask.txt"}), folder.path()), [1, 2]);
}

#[test]
fn a_start_is_stretched_and_rippled_and_pins_hold_it_there() {
    let start = json!({"start": {"stretch": [1.05, 1, 1], "ripple": 0.0005}, "gravity": [0, 0, 0]});
    let mut cloth = build(&sheet(start), Path::new(".")).unwrap();
    let before = cloth.mesh_positions();
    let span = |p: &[Vector3<f64>], k: usize| {
        let (low, high) = p.iter().fold((f64::MAX, f64::MIN), |(a, b), p| (a.min(p[k]), b.max(p[k])));
        high - low
    };
    assert!((span(&before, 0) - 0.021).abs() < 2e-4, "{}", span(&before, 0));
    assert!(span(&before, 2) > 2e-4);
    cloth.advance(0.01).unwrap();
    let after = cloth.mesh_positions();
    assert!((after[24] - before[24]).norm() < 1e-9, "a held corner has moved");
    assert!((after[0] - before[0]).norm() > 1e-5, "stretched cloth does not shrink");
}

#[test]
fn a_pin_draws_what_it_holds_together_whatever_it_is_made_of() {
    for (region, inset) in [("all", 0.0005), ("none", 0.0)] {
        let keys = json!({"keys": [{"time": 0}, {"time": 0.01, "shift": [0, 0.001, 0]}]});
        let hold = json!({"uv": {"low": [-1, -1], "high": [1, 0.0006]}});
        let pins = json!([{"hold": hold, "motion": keys, "stretch": [0.9, 1, 1]}]);
        let mut cloth = build(&sheet(json!({"region": region, "pins": pins})), Path::new(".")).unwrap();
        cloth.advance(0.01).unwrap();
        let points = if region == "all" { cloth.node_positions().to_vec() } else { cloth.mesh_positions() };
        let start = if region == "all" { cloth.model().weave().positions.clone() } else { mesh_start(&cloth) };
        let held: Vec<_> = start.iter().zip(&points).filter(|(s, _)| s.y < 0.0006).collect();
        assert!(held.len() >= 5, "{}", held.len());
        for (start, end) in held {
            let expected = Vector3::new(0.01 + 0.9 * (start.x - 0.01), start.y + 0.001, 0.0);
            assert!(
                (end.xy() - expected.xy()).norm() < 1e-9 && (start.y - inset).abs() < 1e-8,
                "{region}: {start} to {end}"
            );
        }
    }
}

fn mesh_start(cloth: &HybridCloth) -> Vec<Vector3<f64>> {
    cloth.model().mesh().positions().iter().map(|p| Vector3::from(p.map(f64::from))).collect()
}

#[test]
fn faults_name_the_field_and_the_cure() {
    let refused = |scene: Value| build(&scene, Path::new(".")).map(|_| ()).unwrap_err();
    for (scene, words) in [
        (sheet(json!({"region": {"faces": [33]}})), vec!["x.json: region", "no face 33", "1 to 32"]),
        (sheet(json!({"region": {"polygons": [[[5, 5], [6, 5], [6, 6]]]}})), vec!["no triangle", "meters"]),
        (sheet(json!({"region": {"file": "nowhere.txt"}})), vec!["nowhere.txt"]),
        (sheet(json!({"triangles": {"table": "nowhere.ydb"}})), vec!["nowhere.ydb"]),
        (sheet(json!({"pins": [{"hold": {"uv": {"low": [1, 1], "high": [2, 2]}}}]})), vec!["pin 1", "holds nothing"]),
        (sheet(json!({"pins": [{"hold": {"vertices": [13]}}]})), vec!["x.json: pin 1", "vertex 13", "hybrid ring"]),
        (sheet(json!({"pins": [{"hold": {"vertices": [1]}}]})), vec!["vertex 1 of face 1", "lies under yarns"]),
        (sheet(json!({"pins": [{"hold": {"vertices": [99]}}]})), vec!["no vertex 99", "25"]),
        (
            sheet(json!({"pins": [{"hold": {"vertices": [25]}, "stretch": [2, 1, 1]}]})),
            vec!["pin 1", "two or more keys"],
        ),
        (sheet(json!({"pins": [{"hold": {"vertices": [25]}, "stretch": [0, 1, 1]}]})), vec!["pin 1", "stretch[0]"]),
        (sheet(json!({"cloth": {"sheet": {"cells": [4, 4], "crossings": 2}}})), vec!["of the hybrid ring", "coarsen"]),
        (sheet(json!({"pins": [{"hold": {"vertices": [0]}}]})), vec!["pin 1", "vertex 0"]),
        (sheet(json!({"bodies": [{"shape": {"sphere": {"radius": -1}}}]})), vec!["body 1: radius"]),
        (sheet(json!({"region": {"polygons": [[[0, 0], [1, 1]]]}})), vec!["polygon 1 has 2 corners"]),
        (sheet(json!({"region": {"polygons": [[[0, 0], [1, 0], [1e9, 1]]]}})), vec!["polygon 1: corner 3[0] is 1"]),
        (sheet(json!({"region": 3})), vec!["region: a name or an object with one field"]),
        (sheet(json!({"region": {"faces": [1], "file": "m.txt"}})), vec!["region: a name or an object with one field"]),
        (sheet(json!({"solver": {"step": 1e308}})), vec!["step is 1e308"]),
        (sheet(json!({"start": {"ripple": 1e9}})), vec!["start: ripple"]),
        (sheet(json!({"solver": {"step": 9}})), vec!["solver: step"]),
    ] {
        let message = refused(scene);
        assert!(words.iter().all(|w| message.contains(w)), "{message}");
        assert!(!message.contains('\n'), "{message}");
    }
}

#[test]
fn three_triangles_at_an_edge_are_refused_wherever_they_are() {
    let mesh = HybridSheet::new([4, 4], 5, YarnMaterial::default()).unwrap().mesh().unwrap();
    let folder = tempfile::tempdir().unwrap();
    obj::write(&mesh, &folder.path().join("fine.obj")).unwrap();
    let text = std::fs::read_to_string(folder.path().join("fine.obj")).unwrap();
    let faces: Vec<&str> = text.lines().filter(|line| line.starts_with("f ")).collect();
    let scene = |file: &str| sheet(json!({"cloth": {"mesh": {"file": file}}}));
    assert!(build(&scene("fine.obj"), folder.path()).is_ok());
    // A face of the yarns, and one without.
    for face in [1, 32] {
        std::fs::write(folder.path().join("twice.obj"), format!("{text}\n{}\n", faces[face - 1])).unwrap();
        let message = build(&scene("twice.obj"), folder.path()).map(|_| ()).unwrap_err();
        assert!(message.contains("twice.obj: faces ") && message.contains("33 share one edge"), "{message}");
    }
}

#[test]
fn a_scene_names_all_its_files() {
    let scene = json!({
        "cloth": {"mesh": {"file": "a.obj", "draft": {"file": "b.txt"}}}, "region": {"file": "c.txt"},
        "triangles": {"table": "d.ydb"}, "look": "e.ydb", "bodies": [{"shape": {"mesh": {"file": "f.obj"}}}],
    });
    let scene = Scene::parse(scene.to_string().as_bytes(), "x").unwrap();
    let mut names: Vec<&str> = scene.files().filter_map(Path::to_str).collect();
    names.sort_unstable();
    assert_eq!(names, ["a.obj", "b.txt", "c.txt", "d.ydb", "e.ydb", "f.obj"]);
    assert_eq!(scene.look(), Some(Path::new("e.ydb")));
    let scene = sheet(json!({"triangles": {"parameters": "d.json"}}));
    let scene = Scene::parse(scene.to_string().as_bytes(), "x").unwrap();
    assert_eq!(scene.files().collect::<Vec<_>>(), [Path::new("d.json")]);
    assert_eq!(scene.look(), None);
}

/// A parameters file with this model.
fn parameters(model: &Value) -> String {
    json!({"format": "yarnwise-parameters", "version": 1, "model": model}).to_string()
}

#[test]
fn triangles_are_made_of_estimated_parameters() {
    let folder = tempfile::tempdir().unwrap();
    let scene = sheet(json!({"triangles": {"parameters": "p.json"}}));
    let constants = |c11: Value, c12: Value| json!({"membrane": {"in_plane": {"constants": {"c11": c11, "c22": 1963.5, "c12": c12, "c66": 5.0}}}});
    // Of 900 sx² + 900 sy² + sa², with breaks at ∓0.2 and 1: x² has the mean of the products of two of three knots.
    let knots = [-0.2, -0.2, -0.2, 1.0, 1.0, 1.0_f64];
    let square = |k: usize| (knots[k] * knots[k + 1] + knots[k + 1] * knots[k + 2] + knots[k + 2] * knots[k]) / 3.0;
    let flat: Vec<f64> = (0..16).map(|n| 900.0 * (square(n % 4) + square(n / 4))).collect();
    let spline = json!({"membrane": {
        "in_plane": {"spline": {
            "sx": [-0.2, 1.0], "sy": [-0.2, 1.0], "sa": [-0.5, 0.5], "powers": [0, 2], "coefficients": [flat, vec![1.0; 16]],
        }},
        "bending": {"d11": 1e-6, "d22": 1e-6, "d_mixed": 0.0},
    }});
    for model in [constants(json!(1963.5), json!(0.0)), spline] {
        std::fs::write(folder.path().join("p.json"), parameters(&model)).unwrap();
        let mut cloth = build(&scene, folder.path()).unwrap();
        cloth.advance(0.005).unwrap();
        assert!(cloth.mesh_positions().iter().flatten().all(|c| c.is_finite()));
    }
    let refused = |text: &str, words: &[&str]| {
        std::fs::write(folder.path().join("p.json"), text).unwrap();
        let message = build(&scene, folder.path()).map(|_| ()).unwrap_err();
        assert!(message.contains("p.json") && words.iter().all(|w| message.contains(w)), "{message}");
        assert!(!message.contains('\n'), "{message}");
    };
    let unknown = parameters(&constants(json!(1963.5), Value::Null));
    refused(&unknown, &["model.membrane.in_plane.constants.c12 is null, not determined", "more states"]);
    refused(&parameters(&constants(json!(-1.0), json!(0.0))), &["c11 is -1 N/m, it must be from"]);
    let yarn = json!({"yarn": {"young": 1e5, "shear": 4e4, "gamma": 0.1, "contact": 12.0}});
    refused(&parameters(&yarn), &["kind 'yarn'", "'membrane' is needed", "--for membrane"]);
    refused("{}", &["missing field"]);
    std::fs::remove_file(folder.path().join("p.json")).unwrap();
    assert!(build(&scene, folder.path()).map(|_| ()).unwrap_err().contains("p.json"));
}
