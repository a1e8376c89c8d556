//! The scenes that come with Yarnwise, and what is said about bad ones.

use nalgebra::Vector3;
use std::path::{Path, PathBuf};
use yarnwise_solvers::cloth::Simulation;
use yarnwise_solvers::cloth::scene::Scene;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data/cloth-scenes")
}

fn open(name: &str) -> (Scene, Simulation) {
    let path = folder().join(name);
    let scene = Scene::read(&path).unwrap();
    let simulation = scene.build(name, &folder()).unwrap().simulation;
    (scene, simulation)
}

/// Smallest distance to a body of the particles, and of points on the triangles between them.
fn clearance(cloth: &Simulation) -> (f64, f64) {
    let gap =
        |p: &Vector3<f64>| cloth.bodies.iter().map(|b| b.distance(p, cloth.time()).0).fold(f64::INFINITY, f64::min);
    let particles = cloth.positions().iter().map(gap).fold(f64::INFINITY, f64::min);
    let mut between = f64::INFINITY;
    for face in &cloth.model().faces {
        let [a, b, c] = face.map(|i| cloth.positions()[i as usize]);
        for p in [(a + b) / 2.0, (b + c) / 2.0, (c + a) / 2.0, (a + b + c) / 3.0] {
            between = between.min(gap(&p));
        }
    }
    (particles, between)
}

/// Runs a scene and holds that neither particles nor the triangles between them ever enter a body.
fn stays_outside(name: &str, seconds: f64) {
    let (scene, mut cloth) = open(name);
    let frame = 1.0 / scene.output.frames_per_second;
    let mut touched = 0;
    for _ in 0..(seconds / frame).round() as usize {
        let reports = cloth.advance(frame).unwrap();
        touched = touched.max(reports.iter().map(|r| r.contacts).max().unwrap());
        let (particles, between) = clearance(&cloth);
        let at = cloth.time();
        assert!(particles > 0.5 * cloth.thickness, "{name}, {at:.2} s: a particle is {particles} m from a body");
        assert!(between > 0.0, "{name}, {at:.2} s: the cloth between particles is {between} m inside a body");
    }
    assert!(touched > 100, "{name}: only {touched} particles ever touched a body");
}

#[test]
fn a_tablecloth_stays_outside_the_table() {
    stays_outside("table.json", 1.5);
}

#[test]
fn a_draped_sheet_stays_outside_the_sphere() {
    stays_outside("sphere.json", 1.5);
}

#[test]
fn a_fallen_sheet_stays_above_the_floor() {
    stays_outside("falling.json", 1.5);
}

#[test]
fn without_contact_the_same_measure_sees_cloth_in_the_sphere() {
    let (_, mut cloth) = open("sphere.json");
    let bodies = std::mem::take(&mut cloth.bodies);
    cloth.advance(0.25).unwrap();
    cloth.bodies = bodies;
    assert!(clearance(&cloth).0 < 0.0);
}

#[test]
fn every_scene_starts_and_stays_in_the_range_of_cloth() {
    let mut count = 0;
    for entry in std::fs::read_dir(folder()).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        if !name.ends_with(".json") {
            continue;
        }
        let (_, mut cloth) = open(&name);
        cloth.advance(0.2).unwrap();
        for s in
            cloth.model().springs.iter().take_while(|s| s.kind == yarnwise_solvers::cloth::model::SpringKind::Stretch)
        {
            let length = (cloth.positions()[s.j as usize] - cloth.positions()[s.i as usize]).norm();
            assert!(length < 1.35 * s.rest_length, "{name}: a spring is {} times its length", length / s.rest_length);
        }
        count += 1;
    }
    assert!(count >= 6);
}

#[test]
fn a_scene_survives_its_own_file() {
    let (scene, _) = open("sleeve.json");
    let text = serde_json::to_vec(&scene).unwrap();
    assert_eq!(Scene::parse(&text, "again").unwrap(), scene);
}

#[test]
fn a_bad_scene_is_one_clear_error() {
    let grid = r#""cloth": {"grid": {"columns": 5, "rows": 5, "spacing": 0.1}}"#;
    let cases = [
        ("{".to_owned(), "line 1"),
        ("{}".to_owned(), "missing field `cloth`"),
        ("[1, 2]".to_owned(), "s.json"),
        (format!("{{{grid}, \"materiel\": {{}}}}"), "unknown field `materiel`"),
        (format!("{{{grid}, \"material\": {{\"density\": 0}}}}"), "material: density is 0"),
        (format!("{{{grid}, \"material\": {{\"shear_stiffness\": -1}}}}"), "shear_stiffness is -1"),
        (format!("{{{grid}, \"solver\": {{\"step\": 0}}}}"), "solver: step is 0"),
        (format!("{{{grid}, \"solver\": {{\"integrator\": {{\"adaptive-imex\": {{\"safety\": 2}}}}}}}}"), "safety is 2"),
        (format!("{{{grid}, \"output\": {{\"duration\": 1e9}}}}"), "output: duration"),
        (format!("{{{grid}, \"thickness\": -0.1}}"), "thickness is -0.1"),
        (format!("{{{grid}, \"solver\": {{\"stepp\": 0.1}}}}"), "line 1: column"),
        (format!("{{{grid}, \"solver\": {{\"step\": \"long\"}}}}"), "solver.step: invalid type"),
        (format!("{{{grid}, \"solver\": {{\"step\": 1e999}}}}"), "number out of range"),
        (format!("{{{grid}, \"environment\": {{\"gravity\": [0, 1e9, 0]}}}}"), "environment: gravity[1] is 1000000000"),
        (format!("{{{grid}}} x"), "trailing characters"),
        (format!("{{{grid}, \"bodies\": [{{\"shape\": {{\"sphere\": {{\"radius\": 0}}}}}}]}}"), "body 0: radius"),
        (format!("{{{grid}, \"bodies\": [{{\"shape\": {{\"cone\": {{}}}}}}]}}"), "unknown variant `cone`"),
        (format!("{{{grid}, \"pins\": [{{\"hold\": {{\"particles\": [25]}}}}]}}"), "pin 0 names particle 25"),
        (
            format!("{{{grid}, \"pins\": [{{\"hold\": {{\"box\": {{\"low\": [9,9,9], \"high\": [10,10,10]}}}}}}]}}"),
            "pin 0 holds no particle",
        ),
        (
            r#"{"cloth": {"grid": {"columns": 100000, "rows": 100000, "spacing": 0.1}}}"#.to_owned(),
            "cloth: 100000 by 100000 particles",
        ),
        (
            r#"{"cloth": {"grid": {"columns": 5, "rows": 5, "spacing": 0.1, "v": [1, 0, 0]}}}"#.to_owned(),
            "perpendicular",
        ),
        (
            r#"{"cloth": {"tube": {"around": 8, "along": 4, "radius": 0.1, "length": 1}}, "pins": [{"hold": {"column": "first"}}]}"#.to_owned(),
            "pin 0 asks for corners, rows or columns",
        ),
        (r#"{"cloth": {"mesh": {"file": "no-such.obj"}}}"#.to_owned(), "no-such.obj"),
    ];
    for (text, expected) in cases {
        let result = Scene::parse(text.as_bytes(), "s.json").and_then(|s| s.build("s.json", &folder()).map(|_| ()));
        let message = result.expect_err(&text).to_string();
        assert!(message.contains(expected), "{text}\nsays '{message}', not '{expected}'");
        assert!(!message.contains('\n'));
    }
}

#[test]
fn damaged_scenes_are_refused_or_built_but_never_panic() {
    let whole = std::fs::read(folder().join("table.json")).unwrap();
    let mut generator = yarnwise_tests::seed::random("damaged cloth scenes");
    let mut random = |below: usize| generator.below(below);
    let (mut accepted, mut refused) = (0, 0);
    for _ in 0..3000 {
        let mut bytes = whole.clone();
        for _ in 0..1 + random(3) {
            let at = random(bytes.len());
            match random(3) {
                0 => bytes[at] = b"0123456789-.eE{}[]\",: \xff"[random(23)],
                1 if bytes.len() > 1 => drop(bytes.remove(at)),
                _ => bytes.truncate(at.max(1)),
            }
        }
        match Scene::parse(&bytes, "damaged") {
            Ok(_) => accepted += 1,
            Err(_) => refused += 1,
        }
    }
    assert!(accepted > 50 && refused > 50, "{accepted} accepted, {refused} refused");
}

#[test]
fn a_mesh_from_a_file_drapes_over_a_body_from_a_file() {
    let temporary = tempfile::tempdir().unwrap();
    // A sheet of 20 x 20 vertices, irregular in the UV plane and in the world alike, over a cube.
    let (mut sheet, n, h) = (String::new(), 20, 0.03);
    let jitter = |i: usize, j: usize| 0.3 * h * ((7 * i + 13 * j) as f64).sin();
    for j in 0..n {
        for i in 0..n {
            let (u, v) = (i as f64 * h + jitter(i, j), j as f64 * h + jitter(j, i + 5));
            sheet += &format!("v {} 0.16 {}\nvt {u} {v}\n", u - 0.28, 0.3 - v);
        }
    }
    for j in 0..n - 1 {
        for i in 0..n - 1 {
            let [a, b, c, d] = [j * n + i + 1, j * n + i + 2, (j + 1) * n + i + 2, (j + 1) * n + i + 1];
            sheet += &format!("f {a}/{a} {b}/{b} {c}/{c}\nf {a}/{a} {c}/{c} {d}/{d}\n");
        }
    }
    let cube = "v -0.15 -0.15 -0.15\nv 0.15 -0.15 -0.15\nv 0.15 0.15 -0.15\nv -0.15 0.15 -0.15\nv -0.15 -0.15 0.15\n\
                v 0.15 -0.15 0.15\nv 0.15 0.15 0.15\nv -0.15 0.15 0.15\nf 1 4 3 2\nf 5 6 7 8\nf 1 2 6 5\nf 4 8 7 3\nf 1 5 8 4\n\
                f 2 3 7 6\n";
    std::fs::write(temporary.path().join("sheet.obj"), sheet).unwrap();
    std::fs::write(temporary.path().join("cube.obj"), cube).unwrap();
    let text = r#"{"cloth": {"mesh": {"file": "sheet.obj"}},
        "bodies": [{"shape": {"mesh": {"file": "cube.obj", "resolution": 32}}}], "thickness": 0.01}"#;
    let scene = Scene::parse(text.as_bytes(), "mesh").unwrap();
    let mut cloth = scene.build("mesh", temporary.path()).unwrap().simulation;
    cloth.advance(0.8).unwrap();
    assert!(clearance(&cloth).0 > 0.003, "{:?}", clearance(&cloth));
    let heights: Vec<f64> = cloth.positions().iter().map(|p| p.y).collect();
    let (low, high) = (heights.iter().copied().fold(1.0, f64::min), heights.iter().copied().fold(-1.0, f64::max));
    assert!(low < 0.05 && high > 0.15, "does not drape: from {low} to {high}");
}

#[test]
fn springs_are_made_of_estimated_parameters_as_far_as_they_can() {
    let folder = tempfile::tempdir().unwrap();
    let scene = br#"{"cloth": {"grid": {"columns": 3, "rows": 3, "spacing": 0.1}}, "material": {"density": 0.4}, "parameters": "p.json"}"#;
    let scene = Scene::parse(scene, "scene").unwrap();
    assert_eq!(scene.files().collect::<Vec<_>>(), [Path::new("p.json")]);
    let file = |c66: &str| {
        format!(
            r#"{{"format": "yarnwise-parameters", "version": 1,
                "model": {{"membrane": {{"in_plane": {{"constants": {{"c11": 340, "c22": 160, "c12": 77, "c66": {c66}}}}}}}}}}}"#
        )
    };
    let stiffnesses = |scene: &Scene| {
        let cloth = scene.build("scene", folder.path()).unwrap().simulation;
        let mut all: Vec<f64> = cloth.model().springs.iter().map(|s| s.stiffness).collect();
        all.sort_by(f64::total_cmp);
        all.dedup();
        all
    };
    std::fs::write(folder.path().join("p.json"), file("20")).unwrap();
    let mut given = scene.clone();
    given.parameters = None;
    (given.material.stretch_stiffness, given.material.weft_stiffness) = (300.0, Some(120.0));
    given.material.shear_stiffness = 40.0;
    assert_eq!(stiffnesses(&scene), stiffnesses(&given));
    let refused = |text: String| {
        std::fs::write(folder.path().join("p.json"), text).unwrap();
        scene.build("scene", folder.path()).map(|_| ()).unwrap_err().to_string()
    };
    let message = refused(file("null"));
    assert!(message.contains("p.json: model.membrane.in_plane.constants.c66 is null"), "{message}");
    assert!(refused(file("2e11")).contains("p.json: shear_stiffness"), "{}", refused(file("2e11")));
}
