//! Every scene of ours looks as it did: one picture of each is kept in `tests/golden`.
//!
//! Drivers round differently, so pictures are compared after 4 x 4 pixels are averaged (`picture::difference`): two
//! drivers differ by far less than the tolerance, another frame or a missing displacement by far more.

mod support;

use std::path::PathBuf;
use support::{root, scene, scenes};
use yarnwise_picture::{Picture, difference};
use yarnwise_viewer::frames::Frames;
use yarnwise_viewer::gpu::Gpu;
use yarnwise_viewer::headless::{PictureOptions, Studio};
use yarnwise_viewer::loaded::LoadedScene;
use yarnwise_viewer::scene::Split;

/// As in tests/golden/README.md.
const OPTIONS: PictureOptions = PictureOptions { size: [256, 160], labels: true };

/// Levels of 255.
const TOLERANCE: f64 = 2.0;

fn golden(name: &str) -> Picture {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(name).with_extension("png");
    Picture::read(&path).unwrap()
}

fn studio(name: &str, change: impl FnOnce(&mut LoadedScene)) -> Studio {
    let mut loaded = LoadedScene::open(&scene(name)).unwrap();
    change(&mut loaded);
    Studio::new(Gpu::headless().unwrap(), loaded, OPTIONS).unwrap()
}

#[test]
fn every_scene_looks_as_it_did() {
    let names = scenes();
    assert!(names.len() >= 10, "only {} scenes", names.len());
    let mut wrong = Vec::new();
    for name in &names {
        let mut studio = studio(name, |_| ());
        let still = studio.loaded.scene.still;
        let picture = studio.picture(still).unwrap();
        let by = difference(&picture, &golden(name), 4).expect("pictures have one size");
        if by > TOLERANCE {
            wrong.push(format!("{name} by {by:.1}"));
        }
    }
    let cure = "look at the new pictures; if they are better, keep them as tests/golden/README.md says";
    assert!(wrong.is_empty(), "these scenes look different: {}; {cure}", wrong.join(", "));
}

/// The control: what is to be seen is seen by the comparison.
#[test]
fn another_frame_or_no_displacement_is_another_picture() {
    let name = "stockinette-stretch";
    let golden = golden(name);
    let moved = studio(name, |_| ()).picture(24).unwrap();
    assert!(difference(&moved, &golden, 4).unwrap() > TOLERANCE, "another frame");
    let naive = studio(name, |loaded| loaded.scene.frame.displacement = 0.0).picture(30).unwrap();
    assert!(difference(&naive, &golden, 4).unwrap() > TOLERANCE, "no displacement");
    let thin = studio(name, |loaded| loaded.scene.frame.radius_factor = 0.8).picture(30).unwrap();
    assert!(difference(&thin, &golden, 4).unwrap() > TOLERANCE, "thinner yarns");
}

#[test]
fn the_same_picture_twice_is_the_same_to_the_last_bit() {
    let mut studio = studio("plain-shear", |_| ());
    let first = studio.picture(30).unwrap();
    studio.picture(0).unwrap();
    assert!(studio.picture(30).unwrap() == first, "drawing depends on what was drawn before");
}

#[test]
fn two_databases_stand_side_by_side() {
    let mut studio = studio("plain-shear", |loaded| {
        let mut scene = loaded.scene.clone();
        scene.compare = Some(scene.yarns.clone());
        scene.split = Split::Compare;
        *loaded = LoadedScene::load(scene, "compare".into(), root().join("data/scenes")).unwrap();
    });
    let picture = studio.picture(30).unwrap();
    let half = |left: u32| {
        let pixel = |x: u32, y: u32| {
            let at = ((y * picture.width + x) * 4) as usize;
            picture.pixels[at..at + 4].iter().copied()
        };
        // Below the titles.
        let pixels = (24..160).flat_map(|y| (left..left + 127).flat_map(move |x| pixel(x, y)).collect::<Vec<_>>());
        Picture { width: 127, height: 136, pixels: pixels.collect() }
    };
    let (a, b) = (half(0), half(129));
    assert!(difference(&a, &b, 1).unwrap() < 0.5, "the same database twice gives two pictures");
    let background = Picture { pixels: [0xf4, 0xf1, 0xea, 255].repeat(127 * 136), ..a.clone() };
    assert!(difference(&a, &background, 4).unwrap() > 10.0, "nothing is drawn");
}

#[test]
fn frames_become_numbered_files_or_an_animation() {
    let folder = tempfile::tempdir().unwrap();
    let mut studio = studio("plain-shear", |_| ());
    let mut told = Vec::new();
    let frames: Frames = "29..30".parse().unwrap();
    let files = studio.save(frames, &folder.path().join("a_###.png"), &mut |i, n| told.push((i, n))).unwrap();
    assert_eq!(files, ["a_029.png", "a_030.png"].map(|n| folder.path().join(n)));
    assert_eq!(told, [(1, 2), (2, 2)]);
    let still = Picture::read(&files[1]).unwrap();
    assert!(difference(&still, &golden("plain-shear"), 4).unwrap() < TOLERANCE);
    let animation = studio.save(frames, &folder.path().join("a.apng"), &mut |_, _| ()).unwrap();
    assert!(std::fs::read(&animation[0]).unwrap().windows(4).any(|w| w == b"acTL"), "no animation");
    for (name, cure) in [("a.png", "####"), ("a.gif", ".apng")] {
        let error = studio.save(frames, &folder.path().join(name), &mut |_, _| ()).unwrap_err().to_string();
        assert!(error.contains(cure), "{error}");
    }
}

#[test]
fn a_picture_that_is_too_large_is_refused() {
    let gpu = Gpu::headless().unwrap();
    for size in [[16_000, 16_000], [100_000, 2], [0, 5]] {
        let loaded = LoadedScene::open(&scene("plain-shear")).unwrap();
        let error = Studio::new(gpu.clone(), loaded, PictureOptions { size, labels: true }).unwrap_err().to_string();
        assert!(error.contains("pixels"), "{error}");
    }
}
