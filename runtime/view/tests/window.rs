//! The window, as a user meets it: a real X server, real key and mouse events, and what is on screen before and after.

mod support;

use support::desktop::Desktop;
use support::{program, scene};
use yarnwise_picture::{Picture, difference};
use yarnwise_tests::folder::Folder;
use yarnwise_tests::repository;

const SIZE: [u32; 2] = [900, 600];
/// The middle of the cloth on screen.
const MIDDLE: [i32; 2] = [295, 280];

/// How much the cloth's part of the screen has changed.
fn change(desktop: &Desktop, before: &Picture, after: &Picture) -> f64 {
    difference(&desktop.canvas(before), &desktop.canvas(after), 4).unwrap()
}

/// More than this is a change that everybody sees, less than a hundredth of it none.
const SEEN: f64 = 2.0;

#[test]
fn a_user_looks_at_a_knit_from_all_sides_and_changes_settings() {
    let path = scene("stockinette-stretch");
    let mut desktop = Desktop::open(SIZE, &[path.to_str().unwrap()]);
    let start = desktop.settle();
    // Control: without an event nothing changes.
    std::thread::sleep(std::time::Duration::from_secs(1));
    let again = desktop.settle();
    assert_eq!(change(&desktop, &start, &again), 0.0);

    let mut last = start;
    fn changed(desktop: &mut Desktop, last: &mut Picture, what: &str) {
        desktop.wait_for(what, |desktop, now| change(desktop, last, now) > SEEN);
        *last = desktop.settle();
    }
    desktop.drag(1, MIDDLE, [MIDDLE[0] + 120, MIDDLE[1] + 60]);
    changed(&mut desktop, &mut last, "orbiting");
    desktop.drag(3, MIDDLE, [MIDDLE[0] + 60, MIDDLE[1] - 80]);
    changed(&mut desktop, &mut last, "panning");
    desktop.xdotool(&["mousemove", "295", "280", "click", "--repeat", "3", "4"]);
    changed(&mut desktop, &mut last, "the wheel");
    for (key, what) in
        [("1", "the key for the front"), ("f", "framing"), ("2", "the key for the side"), ("3", "the key for the top")]
    {
        desktop.key(key);
        changed(&mut desktop, &mut last, what);
    }
    desktop.key("1");
    changed(&mut desktop, &mut last, "back to the front");
    let front = last.clone();
    desktop.key("s");
    changed(&mut desktop, &mut last, "splitting the screen");
    desktop.key("s");
    desktop.wait_for("the same picture as before", |desktop, now| change(desktop, &front, now) < 0.01 * SEEN);
    last = front;
    // The slider of the displacement, at the top of the settings, pressed at its left end: from full to none. Held until it
    // is seen: panels take one state of the mouse a picture.
    let slider = (SIZE[0] - 256).to_string();
    desktop.xdotool(&["mousemove", &slider, "99", "mousedown", "1"]);
    changed(&mut desktop, &mut last, "the slider of the displacement");
    desktop.xdotool(&["mouseup", "1"]);
    desktop.key("Home");
    changed(&mut desktop, &mut last, "going to the first frame");
    desktop.key("p");
    let saved = desktop.folder().path("yarnwise-001.png");
    // The file appears at once and whole.
    desktop.wait_for("saving a picture", |_, _| saved.exists());
    assert!(Picture::read(&saved).unwrap().width > 500);
    desktop.key("q");
    assert!(desktop.wait_for_end(), "{}", desktop.complaints());
}

#[test]
fn space_plays_and_pauses() {
    let path = scene("stockinette-stretch");
    let mut desktop = Desktop::open(SIZE, &[path.to_str().unwrap()]);
    let still = desktop.settle();
    desktop.key("space");
    desktop.wait_for("playing", |desktop, now| change(desktop, &still, now) > SEEN);
    desktop.key("space");
    // Comes to rest again.
    desktop.settle();
}

#[test]
fn a_lost_device_is_started_anew_and_a_bad_file_is_told() {
    let path = scene("stockinette-stretch");
    let mut reference = Desktop::open(SIZE, &[path.to_str().unwrap()]);
    let good = reference.settle();
    drop(reference);
    let mut desktop = Desktop::open(SIZE, &["--lose-device-after", "6", path.to_str().unwrap()]);
    // Pictures are drawn when there is a reason: the mouse moves.
    let mut x = 100;
    desktop.wait_for("a message about the loss", |desktop, now| {
        x = 300 - x;
        desktop.xdotool(&["mousemove", &x.to_string(), "590"]);
        change(desktop, &good, now) > 0.5
    });
    // Closed, the picture is as it was: drawn by the new device.
    desktop.xdotool(&["mousemove", "450", "590"]);
    desktop.wait_for("the same picture as before", |desktop, now| {
        desktop.key("Return");
        change(desktop, &good, now) < 0.01 * SEEN
    });
    assert!(!desktop.complaints().contains("panicked"), "{}", desktop.complaints());

    drop(desktop);

    let readme = repository().join("README.md");
    let mut bad = Desktop::open(SIZE, &[readme.to_str().unwrap()]);
    bad.settle();
    assert!(!bad.complaints().contains("panicked"), "{}", bad.complaints());
    bad.key("q");
    assert!(bad.wait_for_end());
}

#[test]
fn simulated_cloth_is_pulled_with_the_mouse() {
    let folder = Folder::new();
    let cloth = folder.path("cloth.json");
    let text = r#"{ "cloth": { "grid": { "columns": 8, "rows": 8, "spacing": 0.015, "v": [0, 1, 0] } },
        "environment": { "gravity": [0, 0, 0] }, "pins": [{ "hold": { "row": "last" } }] }"#;
    folder.write("cloth.json", text);
    let database = repository().join("data/databases/plain.ydb");
    let mut desktop = Desktop::open(SIZE, &[database.to_str().unwrap(), cloth.to_str().unwrap()]);
    let before = desktop.settle();
    // Held, the cloth follows; it is not the camera that turns: the pinned border stays.
    desktop.press(1, MIDDLE, [MIDDLE[0] + 120, MIDDLE[1] + 40]);
    desktop.wait_for("pulling", |desktop, now| change(desktop, &before, now) > SEEN);
    desktop.xdotool(&["mouseup", "1"]);
}

/// A patch of four warps and four wefts that hangs by the warps' ends, on long tails.
#[cfg(feature = "yarn-level")]
const HANGING_YARNS: &str = r#"{
    "cloth": { "sheet": { "extent": { "yarns": [4, 4] }, "tail": 1, "tails": [
        { "of": "warp", "yarn": 0, "side": "last", "length": 4 },
        { "of": "warp", "yarn": 1, "side": "last", "length": 4 },
        { "of": "warp", "yarn": 2, "side": "last", "length": 4 },
        { "of": "warp", "yarn": 3, "side": "last", "length": 4 }] } },
    "pins": [{ "hold": { "ends": { "of": "warp", "side": "last" } } }]
}"#;

#[cfg(feature = "yarn-level")]
#[test]
fn yarns_are_cut_and_pulled_out_with_the_mouse() {
    let folder = Folder::new();
    folder.write("yarns.json", HANGING_YARNS);
    let mut desktop = Desktop::open(SIZE, &[folder.path("yarns.json").to_str().unwrap()]);
    // The screen shows the pointer too: it waits beside the picture.
    let aside = ["mousemove", "850", "500"];
    desktop.xdotool(&aside);
    let before = desktop.settle();
    let play = |desktop: &mut Desktop| {
        desktop.xdotool(&aside);
        desktop.key("space");
        std::thread::sleep(std::time::Duration::from_secs(2));
        desktop.key("space");
        let after = desktop.settle();
        desktop.key("Home");
        after
    };
    let hanging = play(&mut desktop);
    // Cut through all four tails, it falls.
    desktop.key("c");
    for x in ["196", "263", "330", "397"] {
        desktop.xdotool(&["mousemove", x, "130", "sleep", "0.2", "click", "1", "sleep", "0.2"]);
    }
    let fallen = play(&mut desktop);
    assert!(change(&desktop, &hanging, &fallen) > SEEN, "it does not fall");
    // From the beginning yarns are whole, and it hangs as before.
    desktop.wait_for("beginning anew", |desktop, now| change(desktop, &before, now) < 0.01 * SEEN);
    let again = play(&mut desktop);
    assert!(change(&desktop, &hanging, &again) < 0.1 * SEEN, "yarns are still cut");
    desktop.wait_for("beginning anew", |desktop, now| change(desktop, &before, now) < 0.01 * SEEN);
    // A weft leaves the patch to the left, while it is pulled.
    desktop.key("o");
    desktop.press(1, [150, 422], [20, 422]);
    desktop.wait_for("pulling a weft out", |desktop, now| change(desktop, &hanging, now) > SEEN);
    desktop.xdotool(&["mouseup", "1"]);
    desktop.key("q");
    assert!(desktop.wait_for_end(), "{}", desktop.complaints());
}

/// A sheet of 2 × 2 cm in the formatting of its author, yarns in one half, that is held at the other side.
#[cfg(feature = "yarn-level")]
const HYBRID: &str = r#"{
    "region":   "half",
    "cloth": { "sheet": { "cells": [4, 4], "crossings": 5 } },
    "pins": [{ "hold": { "uv": { "low": [0.0185, -1], "high": [1, 1] } } }], "gravity": [0, 0, 0]
}"#;

#[cfg(feature = "yarn-level")]
#[test]
fn a_hybrid_is_pulled_and_its_region_is_chosen_with_the_mouse() {
    let folder = Folder::new();
    folder.write("hybrid.json", HYBRID);
    let mut desktop = Desktop::open(SIZE, &[folder.path("hybrid.json").to_str().unwrap()]);
    let aside = ["mousemove", "550", "590"];
    desktop.xdotool(&aside);
    let before = desktop.settle();
    desktop.press(1, MIDDLE, [MIDDLE[0] - 120, MIDDLE[1] + 40]);
    desktop.wait_for("pulling", |desktop, now| change(desktop, &before, now) > SEEN);
    desktop.xdotool(&["mouseup", "1"]);
    desktop.key("Home");
    desktop.xdotool(&aside);
    desktop.wait_for("beginning anew", |desktop, now| change(desktop, &before, now) < 0.01 * SEEN);
    // The panel at the right: its section, all yarns off, single triangles, the first one, write.
    let left = SIZE[0] - 290;
    let first_triangle = [left + 65, 344];
    for [x, y] in [[left + 60, 43], [left + 153, 370], [left + 60, 89], first_triangle, [left + 205, 370]] {
        desktop.xdotool(&["mousemove", &x.to_string(), &y.to_string()]);
        let seen = desktop.settle();
        desktop.xdotool(&["mousedown", "1", "sleep", "0.2", "mouseup", "1"]);
        desktop.wait_for(&format!("a click at {x}, {y}"), |_, now| *now != seen);
    }
    let chosen = HYBRID.replace("\"half\"", r#"{"faces":[1]}"#);
    desktop.wait_for("writing the region", |_, _| folder.text("hybrid.json") == chosen);
    desktop.key("q");
    assert!(desktop.wait_for_end(), "{}", desktop.complaints());
}

#[test]
fn without_a_display_the_viewer_says_so() {
    let displays = ["DISPLAY", "WAYLAND_DISPLAY", "WAYLAND_SOCKET"];
    let program = displays.iter().fold(program(), |program, name| program.environment(name, None));
    let text = program.failure(&[scene("stockinette-stretch").to_str().unwrap()]);
    assert!(text.contains("no window can be opened") && text.contains("yarnwise-view render"), "{text}");
}
