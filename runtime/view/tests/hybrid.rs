//! Hybrid scenes through the program: the region of the scene, and the one of the command line.
#![cfg(feature = "yarn-level")]

use std::path::Path;
use std::process::Command;

/// A sheet of 4 by 4 squares of 5 crossings a side, held along one edge: 32 triangles, 400 crossings.
const SCENE: &str = r#"{
    "cloth": { "sheet": { "cells": [4, 4], "crossings": 5 } },
    "region": "half",
    "pins": [{ "hold": { "uv": { "low": [-1, 0.0194], "high": [1, 1] } } }],
    "output": { "duration": 0.002, "frames_per_second": 1000 }
}"#;

fn simulate(scene: &Path, out: &Path, more: &[&str]) -> Result<String, String> {
    let named = ["simulate", "--json", scene.to_str().unwrap(), "-o", out.to_str().unwrap()];
    let output = Command::new(env!("CARGO_BIN_EXE_yarnwise-view")).args(named).args(more).output().unwrap();
    match output.status.success() {
        true => Ok(String::from_utf8(output.stdout).unwrap()),
        false => Err(String::from_utf8(output.stderr).unwrap()),
    }
}

/// A number of the report.
fn number(report: &str, name: &str) -> usize {
    let (_, rest) = report.split_once(&format!("\"{name}\": ")).unwrap();
    rest.split(',').next().unwrap().parse().unwrap()
}

#[test]
fn the_command_line_replaces_the_region_of_a_scene() {
    let folder = tempfile::tempdir().unwrap();
    let (scene, out) = (folder.path().join("scene.json"), folder.path().join("out.ycache"));
    let mask = folder.path().join("mask.txt");
    std::fs::write(&scene, SCENE).unwrap();
    std::fs::write(&mask, "1 2 3 4").unwrap();
    let yarns = |more: &[&str]| {
        let report = simulate(&scene, &out, more).unwrap();
        assert!(report.contains("\"frames\": 3,"), "{report}");
        ["yarn_triangles", "nodes"].map(|name| number(&report, name))
    };
    let [half, nodes] = yarns(&[]);
    assert_eq!(half, 16);
    assert!(nodes < 400, "{nodes}");
    assert_eq!(yarns(&["--region", "half"]), [half, nodes]);
    assert_eq!(yarns(&["--region", "all"]), [32, 400]);
    assert_eq!(yarns(&["--region", "none"]), [0, 0]);
    assert_eq!(yarns(&["--region", mask.to_str().unwrap()])[0], 4);
}

#[test]
fn a_region_that_is_no_region_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let (scene, out) = (folder.path().join("scene.json"), folder.path().join("out.ycache"));
    std::fs::write(&scene, SCENE).unwrap();
    let message = simulate(&scene, &out, &["--region", "nothing"]).unwrap_err();
    assert!(message.contains("--region") && message.contains("nothing") && message.contains("half"), "{message}");
    let mask = folder.path().join("mask.csv");
    std::fs::write(&mask, "1 2").unwrap();
    let mask = mask.to_str().unwrap();
    let message = simulate(&scene, &out, &["--region", mask, "--energies", mask]).unwrap_err();
    assert!(message.contains("mask.csv"), "{message}");
    assert_eq!(std::fs::read_to_string(mask).unwrap(), "1 2", "an input is overwritten");
    let cloth = yarnwise_tests::repository().join("data/cloth-scenes/flag.json");
    let message = simulate(&cloth, &folder.path().join("a.bin"), &["--region", "all"]).unwrap_err();
    assert!(message.contains("--region") && message.contains("hybrid"), "{message}");
}
