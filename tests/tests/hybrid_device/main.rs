//! The hybrid solver on a device: a step against the f64 solver, and its stages against their twins.

mod scene;
mod stages;
mod world;

use nalgebra::Vector3;
use scene::{OnDevice, apart, exact, points, sheet, wavy};
use yarnwise_shaders::gpu::{NodePosition, NodeVector, fault, phase};
use yarnwise_solvers::cloth::model::ClothMaterial;
use yarnwise_solvers::hybrid::device::{HybridPipelines, HybridSolverState};
use yarnwise_solvers::hybrid::{HybridOptions, HybridPin, HybridSimulation, TriangleModel};
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
        worst = [worst[0].max(off[0]), worst[1].max(off[1])];
    }
    worst
}

#[test]
fn ten_steps_of_the_device_are_those_of_the_solver() {
    use TriangleModel::{Matched, StVenantKirchhoff};
    for (triangles, sliding, amplitude) in
        [(Matched, false, 1.0), (StVenantKirchhoff, false, 1.0), (Matched, true, 0.3)]
    {
        let [position, velocity] = ten_steps(triangles, sliding, amplitude, 0.0);
        assert!(position < 1e-3 && velocity < 1e-3, "sliding {sliding}: {position} L, {velocity}");
    }
    // Negative control: one node of a thousand has moved by a hundredth of a spacing.
    let [position, velocity] = ten_steps(Matched, false, 1.0, 1e-5);
    assert!(position > 1e-3 && velocity > 1e-3, "{position} L, {velocity}");
}

fn small() -> HybridSimulation {
    wavy(sheet([3, 2], 8, 1.0, TriangleModel::Matched, true), HybridOptions { tolerance: 1e-4, ..exact() }, 0.2)
}

#[test]
fn a_frame_has_the_same_bits_each_time() {
    let (device, queue) = gpu::device();
    let simulation = small();
    let run = || {
        let on = OnDevice::new(&device, &queue, &simulation);
        on.frame(5e-4, 6, 150);
        (on.read::<NodePosition>("positions"), on.read::<NodeVector>("velocity"), on.scalars())
    };
    let (first, again) = (run(), run());
    assert!(first == again && first.2.taken >= 5, "{:?}", first.2);
}

#[test]
fn pinned_nodes_and_vertices_are_at_their_targets_at_the_end_of_a_frame() {
    let (device, queue) = gpu::device();
    let mut simulation = small();
    // A node of yarns and one of the hybrid ring.
    let hybrid = simulation.model().hybrid_nodes()[5];
    simulation.pin(HybridPin { nodes: vec![0, hybrid], ..HybridPin::default() }).unwrap();
    let mut on = OnDevice::new(&device, &queue, &simulation);
    let way = Vector3::new(0.0, 1e-5, 2e-5);
    on.targets.iter_mut().for_each(|t| *t += way);
    on.frame(5e-4, 8, 200);
    let scalars = on.scalars();
    assert_eq!(scalars.phase, phase::DONE, "{scalars:?}");
    let positions = on.positions();
    let edge = simulation.pins()[0].vertices[0];
    let place = simulation.model().active_vertices().iter().position(|v| *v == edge).unwrap();
    let points = [simulation.model().weave().node_count() + place, 0, hybrid as usize];
    for (point, target) in
        points.into_iter().zip([on.targets[0], on.targets[on.targets.len() - 2], on.targets[on.targets.len() - 1]])
    {
        assert!((positions[point] - target).norm() < 2e-9, "{point}: {} {target}", positions[point]);
    }
    // Hybrid vertices still fit their nodes best.
    let mut state = simulation.state().clone();
    let n = simulation.model().weave().node_count();
    state.yarns.positions.copy_from_slice(&positions[..n]);
    state.fit(simulation.model());
    let free = simulation.model().free_vertices();
    let off = apart(&positions[n + free..], &state.vertices[free..]);
    assert!(off < 1e-9, "{off}");
}

#[test]
fn a_nan_is_reported_and_positions_stay() {
    let (device, queue) = gpu::device();
    let on = OnDevice::new(&device, &queue, &small());
    let before: Vec<NodePosition> = on.read("positions");
    for (buffer, entry) in [("velocity", 33), ("momentum", 12), ("velocity", before.len() - 1)] {
        let on = OnDevice::new(&device, &queue, &small());
        queue.write_buffer(on.state.buffer(buffer), 20 * entry as u64, bytemuck::bytes_of(&f32::NAN));
        on.frame(1e-4, 8, 20);
        let scalars = on.scalars();
        assert_eq!(
            (scalars.phase, scalars.taken, scalars.fault),
            (phase::FAILED, 0, fault::NOT_FINITE),
            "{buffer} {scalars:?}"
        );
        assert_eq!(before, on.read("positions"), "{buffer}");
    }
}

#[test]
fn a_solve_that_reaches_its_cap_is_reported_and_halves_the_step() {
    let (device, queue) = gpu::device();
    let mut simulation = small();
    simulation.options.smallest_step = 2e-5;
    let on = OnDevice::new(&device, &queue, &simulation);
    let before: Vec<NodePosition> = on.read("positions");
    // Recorded iterations are the cap here.
    on.frame(1e-4, 6, 2);
    let scalars = on.scalars();
    assert_eq!((scalars.phase, scalars.fault, scalars.capped), (phase::FAILED, fault::NOT_CONVERGED, 3), "{scalars:?}");
    assert_eq!(before, on.read("positions"));
    // And that of the options here.
    simulation.options.max_iterations = 2;
    let on = OnDevice::new(&device, &queue, &simulation);
    on.frame(1e-4, 1, 50);
    let scalars = on.scalars();
    assert_eq!(
        (scalars.phase, scalars.fault, scalars.iterations),
        (phase::STEP, fault::NOT_CONVERGED, 2),
        "{scalars:?}"
    );
    assert_eq!((scalars.rejected, scalars.current), (1, 5e-5));
    assert_eq!(before, on.read("positions"));
}

/// A wave that snaps back: the first steps are halved, later ones doubled.
#[test]
fn steps_are_halved_where_strain_changes_too_much_and_doubled_later() {
    let (device, queue) = gpu::device();
    let options = HybridOptions { tolerance: 1e-3, step: 4e-4, ..exact() };
    let simulation = wavy(sheet([3, 2], 8, 1.0, TriangleModel::Matched, true), options, 3.0);
    let on = OnDevice::new(&device, &queue, &simulation);
    on.frame(4e-4, 8, 400);
    let first = on.scalars();
    assert!(first.rejected > 0 && first.current < 4e-4, "{first:?}");
    // How long steps are continues from frame to frame.
    let mut longest = 0.0_f32;
    for _ in 0..8 {
        on.frame(4e-4, 10, 250);
        longest = longest.max(on.scalars().current);
    }
    assert!(longest >= 2.0 * first.current, "{first:?} {:?}", on.scalars());
    assert!(on.positions().iter().all(|p| p.iter().all(|c| c.abs() < 1.0)));
}

#[test]
fn a_lost_device_is_an_error() {
    let (device, queue) = gpu::device();
    let simulation = small();
    let on = OnDevice::new(&device, &queue, &simulation);
    on.frame(1e-4, 1, 50);
    assert!(on.positions().iter().all(|p| p.iter().all(|c| c.is_finite())));
    device.destroy();
    let error = on.state.prepare(&queue, 1e-4, &on.targets).unwrap_err();
    assert!(error.to_string().contains("lost"), "{error}");
}

#[test]
fn what_the_device_leaves_out_is_refused() {
    let (device, queue) = gpu::device();
    let pipelines = HybridPipelines::new(&device).unwrap();
    let refusal = |simulation: &HybridSimulation| {
        HybridSolverState::new(&device, &queue, &pipelines, simulation).unwrap_err().to_string()
    };
    let mut simulation = small();
    simulation.options.newton_iterations = 5;
    assert!(refusal(&simulation).contains("newton_iterations"));
    let mut simulation = small();
    simulation.options.dead_load = true;
    assert!(refusal(&simulation).contains("dead_load"));
    let mut simulation = small();
    simulation.forces.push((0, Vector3::zeros()));
    assert!(refusal(&simulation).contains("forces"));
    let model = sheet([3, 2], 8, 1.0, TriangleModel::Springs(ClothMaterial::default()), true);
    assert!(refusal(&wavy(model, exact(), 0.2)).contains("springs"));
    let state = HybridSolverState::new(&device, &queue, &pipelines, &small()).unwrap();
    assert!(state.prepare(&queue, 1e-3, &[]).unwrap_err().to_string().contains("targets"));
    assert!(state.prepare(&queue, -1.0, &[]).is_err());
}

#[test]
fn a_renderer_binds_positions_without_reading_back() {
    let (device, queue) = gpu::device();
    let simulation = small();
    let on = OnDevice::new(&device, &queue, &simulation);
    let output = on.state.output(&queue).unwrap();
    gpu::spoil(&queue, &output.nodes);
    gpu::spoil(&queue, &output.vertices);
    on.frame(2e-4, 3, 100);
    let mut encoder = device.create_command_encoder(&Default::default());
    on.state.encode_output(&mut encoder, &output);
    queue.submit([encoder.finish()]);
    let mut found: Vec<[f32; 3]> = gpu::read(&device, &queue, &output.nodes);
    found.extend(gpu::read::<[f32; 3]>(&device, &queue, &output.vertices));
    let origin = on.state.fixed_point().origin;
    let found: Vec<_> = found.iter().map(|p| Vector3::from(*p).cast() + origin).collect();
    assert!(apart(&found, &on.positions()) < 1e-8, "{}", apart(&found, &on.positions()));
    assert!(apart(&found, &points(&simulation).0) > 1e-7, "negative control: they have moved");
}

/// Memory at most 250 B a yarn node, traffic at most 420 B a yarn node and iteration.
#[test]
fn a_yarn_node_takes_no_more_bytes_than_allowed() {
    let (device, queue) = gpu::device();
    for (cells, cell, yarns) in [([4, 4], 10, 2.0), ([4, 4], 10, 1.0), ([3, 3], 20, 1.0)] {
        let simulation = wavy(sheet(cells, cell, yarns, TriangleModel::Matched, true), exact(), 0.2);
        let on = OnDevice::new(&device, &queue, &simulation);
        let cost = on.state.cost();
        assert!(on.state.hybrid_params().rows > 0);
        assert!(cost.node_bytes <= 250.0 && cost.iteration_bytes <= 420.0, "{cost:?}");
        // Positions, arcs, links, velocity, momentum, anchors, compression, corners, diagonal, x, r, d, w; then rows and weights.
        let (own, hybrid) = (16 + 12 + 20 + 20 + 20 + 24 + 4 + 16 + 16 + 4 * 20, 12 + 16);
        assert!(cost.node_bytes >= f64::from(own) && cost.node_bytes <= f64::from(own + hybrid + 2), "{cost:?}");
    }
}

/// Differences of positions are exact wherever the cloth is.
#[test]
fn a_frame_far_from_the_origin_is_that_at_the_origin() {
    let (device, queue) = gpu::device();
    let near = small();
    let mut far = near.clone();
    let shift = Vector3::new(1024.0, -512.0, 256.0);
    let mut state = far.state().clone();
    state.yarns.positions.iter_mut().chain(&mut state.vertices).for_each(|p| *p += shift);
    far.set_state(state);
    let run = |simulation: &HybridSimulation| {
        let on = OnDevice::new(&device, &queue, simulation);
        on.frame(5e-4, 6, 150);
        assert_eq!(on.scalars().phase, phase::DONE, "{:?}", on.scalars());
        (on.positions(), on.velocities())
    };
    let ((x, v), (there, w)) = (run(&near), run(&far));
    let there: Vec<_> = there.iter().map(|p| p - shift).collect();
    let off = apart(&x, &there) / SPACING;
    assert!(off < 1e-4 && part(&w, &v) < 1e-3, "{off} L, {}", part(&w, &v));
    assert!(apart(&x, &points(&near).0) > 1e-3 * SPACING, "negative control: it has moved");
}

/// The momentum of all yarns and vertices, kg m/s.
fn momentum(on: &OnDevice) -> Vector3<f64> {
    let vector = |v: &NodeVector| Vector3::new(v.x, v.y, v.z).cast::<f64>();
    let nodes: Vector3<f64> = on.read::<NodeVector>("momentum").iter().map(vector).sum();
    let mass: Vec<f32> = on.read("vertex_mass");
    let n = on.state.params().nodes as usize;
    let vertices = on.velocities()[n..].iter().zip(&mass).map(|(v, m)| v * f64::from(*m)).sum::<Vector3<f64>>();
    nodes + vertices
}

#[test]
fn momentum_stays_in_free_flight() {
    let (device, queue) = gpu::device();
    let model = sheet([3, 2], 8, 1.0, TriangleModel::Matched, true);
    let mut simulation = HybridSimulation::new(model, HybridOptions { tolerance: 1e-6, ..exact() });
    simulation.gravity = Vector3::zeros();
    let mut state = simulation.state().clone();
    let flight = Vector3::new(0.3, -0.2, 0.1);
    for (p, v) in state.yarns.positions.iter().zip(&mut state.yarns.velocities) {
        let ripple = 0.05 * (400.0 * p.x).sin();
        *v = [flight.x, flight.y + ripple, flight.z, 0.0, 0.0];
    }
    state.vertex_velocities.fill(flight);
    simulation.set_state(state);
    let on = OnDevice::new(&device, &queue, &simulation);
    let before = momentum(&on);
    on.frame(1e-3, 12, 250);
    let scalars = on.scalars();
    assert_eq!((scalars.phase, scalars.taken), (phase::DONE, 10), "{scalars:?}");
    let change = (momentum(&on) - before).norm() / before.norm();
    assert!(change < 1e-5, "{change}");
}
