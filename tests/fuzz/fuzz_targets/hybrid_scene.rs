//! Reads hybrid scenes and masks of regions, and takes two steps of scenes that are small and need no other file.
#![no_main]

use std::path::Path;
use yarnwise_solvers::hybrid::scene::{ClothSpec, Scene, mask};

/// Crossings above which a scene is only read: a step of millions would be taken for a hang.
const FEW: usize = 200;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let _ = mask::parse(bytes, "fuzz");
    let Ok(scene) = Scene::parse(bytes, "fuzz") else { return };
    let ClothSpec::Sheet(sheet) = &scene.cloth else { return };
    let crossings = sheet.cells[0] * sheet.cells[1] * sheet.crossings * sheet.crossings;
    if crossings > FEW || scene.bodies.len() > 16 || scene.files().next().is_some() {
        return;
    }
    // Steps that are halved a million times are no hang of the reader.
    if scene.solver.smallest_step < 1e-3 * scene.solver.step || scene.solver.newton_iterations > 5 {
        return;
    }
    let Ok(mut cloth) = scene.build("fuzz", Path::new("")) else { return };
    let _ = cloth.advance(2.0 * scene.solver.step);
    assert!(cloth.mesh_positions().iter().all(|p| p.iter().all(|c| c.is_finite())));
});
