//! Yarn scenes through the program: simulated, interrupted and resumed, exported.
#![cfg(feature = "yarn-level")]

use std::path::Path;
use std::process::Command;
use yarnwise_viewer::strands::cache::CacheFile;

/// A small weave whose middle warp is pulled: 5 frames.
const SCENE: &str = r#"{
    "cloth": { "sheet": { "extent": { "yarns": [5, 4] }, "tail": 1 } },
    "pins": [
        { "hold": { "ends": { "of": "weft", "side": "first" } } },
        { "hold": { "ends": { "of": "weft", "side": "last" } } },
        { "hold": { "ends": { "of": "warp", "side": "last", "only": [2] } },
          "motion": { "keys": [{ "time": 0 }, { "time": 0.05, "shift": [0, 0.0005, 0] }] } }
    ],
    "bodies": [{ "shape": { "plane": {} }, "position": [0, -0.01, 0] }],
    "output": { "duration": DURATION, "frames_per_second": 100 }
}"#;

fn run(arguments: &[&str]) -> Result<String, String> {
    let output = Command::new(env!("CARGO_BIN_EXE_yarnwise-view")).args(arguments).output().unwrap();
    let text = format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    if output.status.success() { Ok(text) } else { Err(text) }
}

fn simulate(scene: &Path, out: &Path, more: &[&str]) -> Result<String, String> {
    run(&[&["simulate", scene.to_str().unwrap(), "-o", out.to_str().unwrap()], more].concat())
}

/// Runs a scene in a folder.
fn in_folder(test: impl FnOnce(&Path, &Path)) {
    let folder = tempfile::tempdir().unwrap();
    let scene = folder.path().join("scene.json");
    std::fs::write(&scene, SCENE.replace("DURATION", "0.05")).unwrap();
    test(folder.path(), &scene);
}

#[test]
fn an_interrupted_simulation_resumes_to_the_same_bytes() {
    in_folder(|folder, scene| {
        let (whole, cut) = (folder.join("whole.ycache"), folder.join("cut.ycache"));
        simulate(scene, &whole, &[]).unwrap();
        assert_eq!(CacheFile::open(&whole).unwrap().frame_count(), 6);
        assert_eq!(std::fs::read_dir(folder).unwrap().count(), 2, "something is left over");
        // An interruption after frame 4 with a checkpoint after frame 2, made from parts: a process that is killed stops anywhere.
        let short = folder.join("short.json");
        std::fs::write(&short, SCENE.replace("DURATION", "0.03")).unwrap();
        let keep = folder.join("cut.ycache.checkpoint");
        let copy = folder.join("copy");
        std::thread::scope(|threads| {
            let watcher = threads.spawn(|| watch(&keep, &copy));
            simulate(&short, &cut, &["--checkpoint", "2"]).unwrap();
            watcher.join().unwrap();
        });
        std::fs::rename(&copy, &keep).unwrap();
        std::fs::rename(&cut, folder.join("cut.ycache.partial")).unwrap();
        let text = simulate(scene, &cut, &["--resume", "--json"]).unwrap();
        assert!(text.contains("\"resumed_after\": 2"), "{text}");
        assert!(std::fs::read(&cut).unwrap() == std::fs::read(&whole).unwrap(), "the resumed cache has other bytes");
    });
}

#[cfg(unix)]
#[test]
fn ctrl_c_keeps_a_checkpoint_and_the_energies_so_far() {
    in_folder(|folder, scene| {
        std::fs::write(scene, SCENE.replace("DURATION", "1")).unwrap();
        let (whole, cut) = (folder.join("whole.ycache"), folder.join("cut.ycache"));
        let (all, csv) = (folder.join("all.csv"), folder.join("cut.csv"));
        simulate(scene, &whole, &["--energies", all.to_str().unwrap()]).unwrap();
        let rows = std::fs::read_to_string(&all).unwrap();
        assert_eq!(rows.lines().count(), 102, "a header and 101 frames");
        let last: Vec<f64> = rows.lines().last().unwrap().split(',').map(|n| n.parse().unwrap()).collect();
        assert!(last.len() == 8 && (last[0] - 1.0).abs() < 1e-9 && last[2] > 0.0, "{last:?}");
        assert!((last[1..7].iter().sum::<f64>() - last[7]).abs() < 1e-12 * last[7].abs(), "{last:?}");
        // Interrupted as soon as there is a file; no checkpoint is due before the end.
        let energies = ["--energies", csv.to_str().unwrap(), "--checkpoint", "1000"];
        let mut child = Command::new(env!("CARGO_BIN_EXE_yarnwise-view"))
            .args(["simulate", scene.to_str().unwrap(), "-o", cut.to_str().unwrap()])
            .args(energies)
            .stderr(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        wait_for_file(&folder.join("cut.ycache.partial"));
        let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
        assert!(sent.success());
        let status = yarnwise_tests::program::wait(&mut child, std::time::Duration::from_secs(120)).expect("it stops");
        let mut text = String::new();
        std::io::Read::read_to_string(&mut child.stderr.take().unwrap(), &mut text).unwrap();
        assert_eq!(status.code(), Some(130), "{text}");
        assert!(text.contains("--resume") && folder.join("cut.ycache.checkpoint").exists(), "{text}");
        simulate(scene, &cut, &[&["--resume"], &energies[..]].concat()).unwrap();
        assert!(std::fs::read(&cut).unwrap() == std::fs::read(&whole).unwrap(), "the resumed cache has other bytes");
        assert_eq!(std::fs::read_to_string(&csv).unwrap(), rows, "the energies of some frames are lost");
    });
}

/// Waits for a file.
#[cfg(unix)]
fn wait_for_file(file: &Path) {
    let there = (0..60_000).any(|_| {
        std::thread::sleep(std::time::Duration::from_micros(500));
        file.exists()
    });
    assert!(there, "{} never appears", file.display());
}

/// Copies a file as soon as it is there.
fn watch(file: &Path, copy: &Path) {
    for _ in 0..60_000 {
        if std::fs::copy(file, copy).is_ok() {
            return;
        }
        std::thread::sleep(std::time::Duration::from_micros(500));
    }
    panic!("no checkpoint is written");
}

#[test]
fn what_cannot_be_resumed_or_written_is_refused() {
    in_folder(|folder, scene| {
        let message = |out: &str, more: &[&str]| simulate(scene, &folder.join(out), more).unwrap_err();
        assert!(message("a.ycache", &["--resume"]).contains("a.ycache.checkpoint"));
        assert!(message("a_##.npz", &["--resume"]).contains(".ycache"));
        assert!(message("a.npz", &[]).contains("####"));
        assert!(message("a.bin", &[]).contains("NAME.ycache"));
        assert!(message("a.ycache", &["--energies", "a.txt"]).contains(".csv"));
        let cloth = yarnwise_tests::repository().join("data/cloth-scenes/flag.json");
        assert!(simulate(&cloth, &folder.join("a.ycache"), &[]).unwrap_err().contains(".pc2"));
    });
}

#[test]
fn a_scene_that_cannot_be_read_is_what_the_message_is_about() {
    in_folder(|folder, scene| {
        let whole = std::fs::read_to_string(scene).unwrap();
        for (content, part) in [(None, ""), (Some(""), "is empty"), (Some(&whole[..whole.len() / 2]), "cut off")] {
            let bad = folder.join("bad.json");
            content.into_iter().for_each(|text| std::fs::write(&bad, text).unwrap());
            for out in ["a.ycache", "a.bin", "a.txt"] {
                let message = simulate(&bad, &folder.join(out), &[]).unwrap_err();
                let scene_alone = message.contains("bad.json") && !message.contains(out);
                assert!(scene_alone && message.contains(part), "{out}: {message}");
            }
        }
    });
}

#[test]
fn frames_of_all_formats_hold_the_same_yarns() {
    in_folder(|folder, scene| {
        let path = |name: &str| folder.join(name);
        simulate(scene, &path("a.ycache"), &["--points", "2"]).unwrap();
        simulate(scene, &path("n_#.npz"), &[]).unwrap();
        let cache = CacheFile::open(&path("a.ycache")).unwrap();
        let last = cache.frame(5).unwrap();
        let arrays = yarnwise_tests::npz::Npz::read(&path("n_5.npz"));
        let positions: Vec<f32> = last.vertices.iter().flat_map(|v| v.position).collect();
        assert_eq!(arrays.f32("position"), positions);
        let (from_cache, from_scene) = (path("c_#.obj"), path("s_#.obj"));
        for (source, out) in [(path("a.ycache"), &from_cache), (scene.to_owned(), &from_scene)] {
            let out = out.to_str().unwrap();
            run(&["export", source.to_str().unwrap(), "-o", out, "--frames", "5"]).unwrap();
        }
        let text = std::fs::read_to_string(path("c_5.obj")).unwrap();
        assert_eq!(text, std::fs::read_to_string(path("s_5.obj")).unwrap());
        assert_eq!(text.lines().filter(|l| l.starts_with("v ")).count(), last.vertices.len());
        assert_eq!(text.lines().filter(|l| l.starts_with("l ")).count(), 9);
        // The pulled warp, yarn 2, has moved up.
        let first = cache.frame(0).unwrap();
        let end = last.starts[3] as usize - 1;
        let moved = last.vertices[end].position[1] - first.vertices[end].position[1];
        assert!((moved - 0.0005).abs() < 1e-6, "{moved}");
    });
}
