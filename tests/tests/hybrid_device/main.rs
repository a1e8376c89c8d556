//! The hybrid solver on a device: a step against the f64 solver, and its stages against their twins.

mod scene;
mod stages;
mod world;

use nalgebra::Vector3;
use scene::{OnDevice, apart, exact, points, sheet, wavy};
use yarnwise_shaders::gpu::phase;
use yarnwise_solvers::hybrid::TriangleModel;
use yarnwise_tests::gpu;

/// Spacing of yarns, meters.
const SPACING: f64 = 1e-3;

/// Root of the mean square of the differences as a part of that of the second.
fn part(a: &[Vector3<f64>], b: &[Vector3<f64>]) -> f64 {
    let sum = |values: &mut dyn Iterator<Item = Vector3<f64>>| values.map(|v| v.norm_squared()).sum::<f64>();
    (sum(&mut a.iter().zip(b).map(|(a, b)| a - b)) / sum(&mut b.iter().copied())).sqrt()
}

/// Runs ten steps of 0.1 ms on both; the largest errors of positions (in L) and velocities (as parts).
fn ten_steps(triangles: TriangleModel, sliding: bool, amplitude: f64, push: f64) -> [f64; 2] {
    let (device, queue) = gpu::device();
    let mut simulation = wavy(sheet([4, 4], 10, 2.0, triangles, sliding), exact(), amplitude);
    let mut start = simulation.clone();
    let mut state = start.state().clone();
    state.yarns.positions[700].z += push;
    start.set_state(state);
    let on = OnDevice::new(&device, &queue, &start);
    on.spoil();
    // The yardstick is solved exactly.
    simulation.options.tolerance = 1e-10;
    let mut worst = [0.0_f64; 2];
    for step in 0..10 {
        let report = simulation.step(1e-4).unwrap();
        on.frame(1e-4, 1, 250);
        let scalars = on.scalars();
        assert_eq!((scalars.phase, scalars.taken), (phase::DONE, 1), "step {step}: {scalars:?}");
        assert_eq!(report.rejected, 0);
        let (positions, velocities) = points(&simulation);
        let off = [apart(&on.positions(), &positions) / SPACING, part(&on.velocities(), &velocities)];
        println!("sliding {sliding}, step {step}: {} iterations, {off:?}", scalars.iterations);
        worst = [worst[0].max(off[0]), worst[1].max(off[1])];
    }
    worst
}

#[test]
fn ten_steps_of_the_device_are_those_of_the_solver() {
    use TriangleModel::{Matched, StVenantKirchhoff};
    for (triangles, sliding, amplitude) in [(Matched, false, 1.0), (StVenantKirchhoff, false, 1.0), (Matched, true, 0.3)] {
        let [position, velocity] = ten_steps(triangles, sliding, amplitude, 0.0);
        assert!(position < 1e-3 && velocity < 1e-3, "sliding {sliding}: {position} L, {velocity}");
    }
    // Negative control: one node of a thousand has moved by a hundredth of a spacing.
    let [position, velocity] = ten_steps(Matched, false, 1.0, 1e-5);
    assert!(position > 1e-3 && velocity > 1e-3, "{position} L, {velocity}");
}
