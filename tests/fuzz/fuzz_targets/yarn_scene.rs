//! Reads yarn scenes, and takes two steps of those that are small and need no other file.
#![no_main]

use std::path::Path;
use yarnwise_solvers::yarn::scene::{ClothSpec, ExtentSpec, Scene};

/// Crossings above which a scene is only read: a step of millions would be taken for a hang.
const FEW: f64 = 200.0;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let Ok(scene) = Scene::parse(bytes, "fuzz") else { return };
    let spacing = scene.material.spacing;
    let crossings = match &scene.cloth {
        ClothSpec::Sheet(sheet) => match sheet.extent {
            ExtentSpec::Yarns([warps, wefts]) => warps as f64 * wefts as f64,
            ExtentSpec::Meters([width, height]) => width / spacing * (height / spacing),
        },
        ClothSpec::Garment(garment) => garment.most_crossings(spacing),
        _ => return,
    };
    if crossings > FEW || scene.bodies.len() > 16 || scene.files().next().is_some() {
        return;
    }
    // Steps that are halved a million times are no hang of the reader.
    if scene.solver.smallest_step < 1e-3 * scene.solver.step || scene.solver.newton_iterations > 5 {
        return;
    }
    let Ok(mut simulation) = scene.build("fuzz", Path::new("")) else { return };
    for _ in 0..2 {
        if simulation.step(scene.solver.step).is_err() {
            break;
        }
    }
    assert!(simulation.state().positions.iter().all(|p| p.iter().all(|c| c.is_finite())));
});
