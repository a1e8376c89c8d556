//! Curves that are written can be read by others: a strict reader of USD text and one of OBJ polylines, neither of which
//! knows our writer, find the yarns that the runtime computes.

mod support;

use std::path::Path;
use support::usda::{self, Value};
use support::{program, scene};
use yarnwise_runtime::{CpuYarns, FrameParams};
use yarnwise_tests::program::Program;
use yarnwise_tests::repository;
use yarnwise_viewer::loaded::LoadedScene;

/// The program in a folder in which it has exported these frames.
fn export(scene: &Path, frames: &str, out: &str, more: &[&str]) -> Program {
    let program = program().with("export");
    let mut arguments = vec![scene.to_str().unwrap(), "--frames", frames, "-o", out];
    arguments.extend(more);
    program.success(&arguments);
    program
}

/// Positions of a scene's yarns in a frame, from the runtime itself.
fn expected(path: &Path, frame: usize) -> (Vec<[f32; 3]>, Vec<u32>) {
    let mut loaded = LoadedScene::open(path).unwrap();
    loaded.go_to(frame).unwrap();
    let fabric = loaded.fabric.as_ref().unwrap();
    let mut yarns = CpuYarns::new(fabric.layout.clone(), &fabric.database).unwrap();
    yarns.update(&FrameParams { positions: &loaded.positions, options: loaded.scene.frame }).unwrap();
    let starts = yarns.layout().yarn_starts().to_vec();
    (yarns.vertices().iter().map(|v| v.position).collect(), starts)
}

#[test]
fn usd_curves_have_one_topology_and_the_points_of_every_frame() {
    let path = scene("plain-shear");
    let program = export(&path, "28..30", "yarns.usda", &[]);
    let layer = usda::parse(&program.folder.text("yarns.usda")).unwrap();
    let number = |name: &str| match &layer.metadata[name] {
        Value::Number(n) => *n,
        other => panic!("{name}: {other:?}"),
    };
    assert_eq!((number("startTimeCode"), number("endTimeCode"), number("metersPerUnit")), (28.0, 30.0, 1.0));
    assert!((number("timeCodesPerSecond") - 30.0).abs() < 1e-9);
    assert_eq!(layer.metadata["upAxis"], Value::Text("Y".into()));
    assert_eq!(layer.metadata["defaultPrim"], Value::Text("yarns".into()));

    let root = &layer.prims["yarns"];
    let curves = &root.children["curves"];
    assert_eq!((root.kind.as_str(), curves.kind.as_str()), ("Xform", "BasisCurves"));
    let property = |name: &str| curves.properties.get(name).unwrap_or_else(|| panic!("no {name}"));
    let constant = |name: &str, kind: &str| {
        let p = property(name);
        assert!(p.kind == kind && p.samples.is_empty(), "{name} is {p:?}");
        p.value.clone().unwrap()
    };
    assert_eq!(constant("type", "token"), Value::Text("linear".into()));
    let counts = constant("curveVertexCounts", "int[]").numbers();
    let widths = constant("widths", "float[]").numbers();
    assert!(widths.len() == 1 && (widths[0] - 0.002).abs() < 1e-9);
    assert_eq!(property("widths").metadata["interpolation"], Value::Text("constant".into()));
    let colors = constant("primvars:displayColor", "color3f[]").points();
    assert_eq!(colors.len(), counts.len());
    assert!(colors.iter().any(|c| *c != colors[0]), "warps and wefts have different colors");

    let points = property("points");
    assert_eq!(points.kind, "point3f[]");
    assert_eq!(points.samples.keys().copied().collect::<Vec<_>>(), [28, 29, 30]);
    let extents = &property("extent").samples;
    for frame in 28..=30 {
        let (wanted, starts) = expected(&path, frame);
        let lengths: Vec<f64> = starts.windows(2).map(|w| f64::from(w[1] - w[0])).collect();
        assert_eq!(counts, lengths);
        let found = points.samples[&(frame as i64)].points();
        // Written with all digits: nothing is lost.
        let found: Vec<[f32; 3]> = found.iter().map(|p| p.map(|c| c as f32)).collect();
        assert_eq!(found, wanted, "frame {frame}");
        let extent = extents[&(frame as i64)].points();
        let inside = |p: &[f32; 3]| (0..3).all(|k| extent[0][k] < p[k].into() && f64::from(p[k]) < extent[1][k]);
        assert!(extent.len() == 2 && wanted.iter().all(inside));
    }
    assert_ne!(points.samples[&28], points.samples[&30], "nothing moves");
}

#[test]
fn smooth_curves_go_through_their_ends() {
    let program = export(&scene("plain-shear"), "0", "yarns.usda", &["--basis", "catmull-rom"]);
    let layer = usda::parse(&program.folder.text("yarns.usda")).unwrap();
    let curves = &layer.prims["yarns"].children["curves"].properties;
    let text = |name: &str| curves[name].value.clone().unwrap();
    assert_eq!(text("type"), Value::Text("cubic".into()));
    assert_eq!(text("basis"), Value::Text("catmullRom".into()));
    assert_eq!(text("wrap"), Value::Text("pinned".into()));
}

#[test]
fn the_strict_reader_refuses_what_is_wrong() {
    let good = "#usda 1.0\n( upAxis = \"Y\" )\ndef Xform \"a\"\n{\n int[] n = [1, 2]\n point3f[] p.timeSamples = { 0: [(1, 2, 3)], 1: [(1, 2, 4)], }\n}\n";
    assert!(usda::parse(good).is_ok());
    for (from, to) in [
        ("#usda 1.0", "#usda"),
        ("[1, 2]", "[1 2]"),
        ("[1, 2]", "[1, NaN]"),
        ("1: [(1, 2, 4)]", "0: [(1, 2, 4)]"),
        ("}\n}", "}"),
        ("\"a\"", "a"),
    ] {
        let bad = good.replacen(from, to, 1);
        assert!(bad != good && usda::parse(&bad).is_err(), "accepted: {bad}");
    }
}

#[test]
fn obj_polylines_are_those_of_the_frame() {
    let path = scene("plain-shear");
    let program = export(&path, "29..30", "yarns_####.obj", &[]);
    for frame in [29, 30] {
        let text = program.folder.text(&format!("yarns_{frame:04}.obj"));
        let (mut points, mut lines) = (Vec::new(), Vec::new());
        for line in text.lines().filter(|l| !l.starts_with('#')) {
            let mut words = line.split(' ');
            let kind = words.next().unwrap();
            match kind {
                "v" => {
                    points.push(<[f32; 3]>::try_from(words.map(|w| w.parse().unwrap()).collect::<Vec<f32>>()).unwrap())
                }
                "l" => lines.push(words.map(|w| w.parse::<u32>().unwrap() - 1).collect::<Vec<u32>>()),
                other => panic!("'{other}' is no statement of a file of polylines"),
            }
        }
        let (wanted, starts) = expected(&path, frame);
        assert_eq!(points, wanted);
        let yarns: Vec<Vec<u32>> = starts.windows(2).map(|w| (w[0]..w[1]).collect()).collect();
        assert_eq!(lines, yarns);
    }
}

#[test]
fn senseless_requests_are_refused_with_a_cure() {
    let program = program().with("export");
    let path = scene("plain-shear");
    let path = path.to_str().unwrap();
    let refused = |arguments: &[&str], cure: &str| {
        let text = program.failure(arguments);
        assert!(text.contains(cure), "{arguments:?}: {text}");
    };
    refused(&[path, "-o", "yarns.obj"], "####");
    refused(&[path, "-o", "yarns.fbx"], ".usda");
    refused(&[path, "--frames", "60..99", "-o", "yarns.usda"], "0 to 60");
    refused(&[path, "--frames", "9..3", "-o", "yarns.usda"], "9..3");
    refused(&["/nowhere.json", "-o", "yarns.usda"], "/nowhere.json");
    let text = r#"{ "yarns": { "database": "missing.ydb" }, "cloth": { "sheet": {} } }"#;
    program.folder.write("scene.json", text);
    refused(&["scene.json", "-o", "yarns.usda"], "missing.ydb");
    let text = text.replace("missing.ydb", repository().join("data/databases/plain.ydb").to_str().unwrap());
    program.folder.write("scene.json", text.replace(r#""sheet": {}"#, r#""sheet": { "size": [0.001, 0.001] }"#));
    refused(&["scene.json", "-o", "yarns.usda"], "scale the mesh up");
    assert_eq!(program.folder.files(), ["scene.json"], "something was left behind");
}
