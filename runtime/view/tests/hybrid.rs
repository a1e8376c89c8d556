//! Hybrid scenes through the program: all formats, interruptions, and what is refused.
#![cfg(feature = "yarn-level")]

mod support;

use support::program;
use yarnwise_shared::mesh::clip::Clip;
use yarnwise_shared::mesh::obj;
use yarnwise_tests::npz::Npz;
use yarnwise_tests::program::Program;
use yarnwise_viewer::strands::cache::CacheFile;

/// A sheet of 2 × 2 cm that hangs, yarns in one half: 3 frames.
const SCENE: &str = r#"{
    "cloth": { "sheet": { "cells": [4, 4], "crossings": 5 } },
    "region": "half",
    "pins": [{ "hold": { "uv": { "low": [0.0185, -1], "high": [1, 1] } } }],
    "output": { "duration": 0.02, "frames_per_second": 100 }
}"#;

/// The program, in a folder with the scene as `scene.json`.
fn with_scene(text: &str) -> Program {
    let program = program();
    program.folder.write("scene.json", text);
    program
}

fn numbers(line: &str) -> Vec<f64> {
    line.split(',').map(|n| n.parse().unwrap()).collect()
}

#[test]
fn all_formats_hold_the_same_yarns_and_the_same_mesh() {
    let program = with_scene(SCENE);
    let at = |name: &str| program.folder.path(name);
    program.success("simulate scene.json -o new/a.ycache --clip new/a.bin --energies new/a.csv");
    program.success("simulate scene.json -o n_#.npz --clip b.pc2");
    program.success("simulate scene.json -o o_#.obj");
    program.success("simulate scene.json -o c.bin");
    program.success("export scene.json -o s_#.obj");
    program.success("export new/a.ycache -o t_#.obj");
    let cache = CacheFile::open(&at("new/a.ycache")).unwrap();
    assert_eq!(cache.frame_count(), 3);
    let last = cache.frame(2).unwrap();
    let positions: Vec<f32> = last.vertices.iter().flat_map(|v| v.position).collect();
    let first: Vec<f32> = cache.frame(0).unwrap().vertices.iter().flat_map(|v| v.position).collect();
    assert_ne!(first, positions, "nothing moves");
    assert!(last.alphas.contains(&0.0) && last.alphas.contains(&1.0));
    assert_eq!(Npz::read(&at("n_2.npz")).f32("position"), positions);
    let lines = program.folder.text("o_2.obj");
    let read = lines.lines().filter_map(|l| l.strip_prefix("v ")).flat_map(|l| l.split(' '));
    assert_eq!(read.map(|n| n.parse::<f32>().unwrap()).collect::<Vec<_>>(), positions);
    for other in ["s_2.obj", "t_2.obj"] {
        let vertices = |text: &str| text.lines().filter(|l| l.starts_with("v ")).map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(vertices(&program.folder.text(other)), vertices(&lines), "{other}");
    }
    // The mesh: the same in both formats, held at one side and fallen at the other.
    let clips = ["new/a.bin", "b.pc2", "c.bin"].map(|name| Clip::open(&at(name)).unwrap());
    for clip in &clips {
        assert_eq!(clip.frame_count(), 3);
        assert_eq!(clip.positions(2), clips[0].positions(2));
    }
    assert_eq!(obj::read(&at("b.obj")).unwrap().faces(), clips[0].mesh().faces());
    let fall = |v: usize| clips[0].positions(2)[v][1] - clips[0].positions(0)[v][1];
    assert!(fall(0) < -1e-5 && fall(24).abs() < 1e-9, "{} {}", fall(0), fall(24));
    let energies = program.folder.text("new/a.csv");
    let row = numbers(energies.lines().nth(3).unwrap());
    assert_eq!((energies.lines().count(), row.len()), (4, 10));
    assert!((row[0] - 0.02).abs() < 1e-12 && (row[1..9].iter().sum::<f64>() - row[9]).abs() < 1e-9, "{row:?}");
}

#[test]
fn what_cannot_be_simulated_leaves_nothing_behind() {
    let program = with_scene(SCENE);
    program.folder.write("mask.txt", "1 2 3 4 5 6 7 8\n");
    program.folder.write("masked.json", SCENE.replace("\"half\"", r#"{ "file": "mask.txt" }"#));
    // Pulled by a kilometer in a millisecond: no step is small enough.
    let pulled = r#""low": [0.0185, -1], "high": [1, 1] } }, "motion": { "keys": [{ "time": 0 }, { "time": 0.015 },
        { "time": 0.016, "shift": [1000, 0, 0] }] "#;
    let torn = SCENE.replace(r#""low": [0.0185, -1], "high": [1, 1] } "#, pulled);
    program.folder.write("torn.json", torn.replace("\"pins\"", "\"solver\": { \"smallest_step\": 1e-3 }, \"pins\""));
    let before = program.folder.files();
    for (arguments, part) in [
        ("torn.json -o a.ycache --clip a.bin --energies a.csv", "torn.json: frame 2: yarns: no step"),
        ("scene.json -o a.txt", "NAME.ycache"),
        ("scene.json -o a.npz", "put #### into its name"),
        ("scene.json -o a.bin --clip b.bin", "--clip"),
        ("scene.json -o a.ycache --clip b.ycache", ".bin or .pc2"),
        ("scene.json -o a.ycache --energies a.txt", ".csv"),
        ("scene.json -o a.bin --picture a.png", ".ycache"),
        ("scene.json -o a.ycache --resume", "--resume"),
        ("scene.json -o scene.json/a.ycache", "is not a folder"),
        ("scene.json -o . ", "."),
        ("scene.json -o a_#.obj --clip a_1.pc2", "is written twice"),
        ("nowhere.json -o a.ycache", "nowhere.json"),
    ] {
        let message = program.failure(&format!("simulate {arguments}"));
        assert!(message.contains(part), "{arguments}: {message}");
        assert_eq!(program.folder.files(), before, "{arguments}");
    }
    std::fs::hard_link(program.folder.path("mask.txt"), program.folder.path("linked.csv")).unwrap();
    program.refuses_to_overwrite("mask.txt", "simulate masked.json -o a.ycache --energies linked.csv");
    program.survives_closed_pipe("simulate scene.json -o a.ycache");
}

#[cfg(unix)]
#[test]
fn ctrl_c_keeps_the_frames_so_far_in_every_file() {
    let program = with_scene(&SCENE.replace("0.02,", "20,"));
    let mut child = program
        .command("simulate scene.json -o a.ycache --clip a.bin --energies a.csv")
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::null())
        .spawn()
        .unwrap();
    let begun = (0..60_000).any(|_| {
        std::thread::sleep(std::time::Duration::from_millis(1));
        program.folder.has("a.ycache.partial")
    });
    assert!(begun, "it never begins");
    let sent = std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(sent.success());
    let status = yarnwise_tests::program::wait(&mut child, std::time::Duration::from_secs(120)).expect("it stops");
    assert_eq!(status.code(), Some(130));
    let frames = CacheFile::open(&program.folder.path("a.ycache")).unwrap().frame_count();
    assert!((1..2001).contains(&frames), "{frames}");
    assert_eq!(Clip::open(&program.folder.path("a.bin")).unwrap().frame_count(), frames);
    assert_eq!(program.folder.text("a.csv").lines().count(), frames + 1);
    assert_eq!(program.folder.files().len(), 4, "{:?}", program.folder.files());
}

/// A number of a JSON report.
fn number(report: &str, name: &str) -> usize {
    let (_, rest) = report.split_once(&format!("\"{name}\": ")).unwrap();
    rest.split(',').next().unwrap().parse().unwrap()
}

#[test]
fn the_command_line_replaces_the_region_of_a_scene() {
    let program = with_scene(SCENE);
    program.folder.write("mask.txt", "1 2 3 4");
    let yarns = |more: &str| {
        let report = program.success(&format!("simulate --json scene.json -o out.ycache{more}"));
        assert!(report.contains("\"frames\": 3,"), "{report}");
        ["yarn_triangles", "nodes"].map(|name| number(&report, name))
    };
    let [half, nodes] = yarns("");
    assert_eq!(half, 16);
    assert!(nodes < 400, "{nodes}");
    assert_eq!(yarns(" --region half"), [half, nodes]);
    assert_eq!(yarns(" --region all"), [32, 400]);
    assert_eq!(yarns(" --region none"), [0, 0]);
    assert_eq!(yarns(" --region mask.txt")[0], 4);
}

#[test]
fn a_region_that_is_no_region_is_refused() {
    let program = with_scene(SCENE);
    let message = program.failure("simulate scene.json -o out.ycache --region nothing");
    assert!(message.contains("--region") && message.contains("nothing") && message.contains("half"), "{message}");
    program.folder.write("mask.csv", "1 2");
    let message = program.failure("simulate scene.json -o out.ycache --region mask.csv --energies mask.csv");
    assert!(message.contains("mask.csv"), "{message}");
    assert_eq!(program.folder.text("mask.csv"), "1 2", "an input is overwritten");
    let cloth = yarnwise_tests::repository().join("data/cloth-scenes/flag.json");
    let message = program.failure(&format!("simulate {} -o a.bin --region all", cloth.display()));
    assert!(message.contains("--region") && message.contains("hybrid"), "{message}");
}
