//! Reads cloth scenes, and takes two steps of those that are small and need no other file.
#![no_main]

use std::path::Path;
use yarnwise_solvers::cloth::scene::{ClothSpec, Scene, ShapeSpec};

/// Particles above which a scene is only read: a step of millions would be taken for a hang.
const FEW: usize = 400;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let Ok(scene) = Scene::parse(bytes, "fuzz") else { return };
    let particles = match &scene.cloth {
        ClothSpec::Grid(grid) => grid.columns.saturating_mul(grid.rows),
        ClothSpec::Tube(tube) => tube.around.saturating_mul(tube.along),
        ClothSpec::Mesh(_) => return,
    };
    let from_file = scene.bodies.iter().any(|b| matches!(b.shape, ShapeSpec::Mesh { .. }));
    if particles > FEW || scene.bodies.len() > 16 || from_file {
        return;
    }
    let Ok(mut built) = scene.build("fuzz", Path::new("")) else { return };
    for _ in 0..2 {
        if built.simulation.step(scene.solver.step).is_err() {
            return;
        }
    }
    assert!(built.simulation.positions().iter().all(|p| p.iter().all(|c| c.is_finite())));
});
