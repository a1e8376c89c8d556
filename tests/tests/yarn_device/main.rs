//! The yarn solver's stages: twins against the f64 solver, the device against its twins.
//!
//! What a stage writes is filled with NaN before. Each comparison is made again with one node moved, and must then fail.

mod scene;
mod twin;

use bytemuck::Pod;
use nalgebra::Vector3;
use scene::{OnDevice, RADIUS, far, sheet, simulation, twin_of};
use twin::Twin;
use yarnwise_shaders::cpu::yarn_solver::Value;
use yarnwise_shaders::gpu::{NodePosition, YarnSolverScalars, fault, phase};
use yarnwise_solvers::yarn::device::BYTES_PER_NODE;
use yarnwise_solvers::yarn::{YarnOptions, YarnSimulation};
use yarnwise_tests::gpu;

/// One Newton iteration, solved far below what is compared.
fn exact() -> YarnOptions {
    YarnOptions { newton_iterations: 1, tolerance: 1e-6, changes: false, ..Default::default() }
}

/// Largest distance of nodes from those of a simulation, in radii.
fn apart(positions: &[Vector3<f64>], simulation: &YarnSimulation) -> f64 {
    let off = |(a, b): (&Vector3<f64>, &Vector3<f64>)| (a - b).norm() / RADIUS;
    positions
        .iter()
        .zip(&simulation.state().positions)
        .map(off)
        .fold(0.0, |m, d| if d > m || d.is_nan() { d } else { m })
}

#[test]
fn a_step_of_the_twins_is_that_of_the_solver() {
    for (warps, wefts, draft) in [(12, 12, "plain"), (9, 14, "twill"), (10, 10, "satin"), (1, 4, "plain")] {
        for newton_iterations in [1, 4] {
            let options = YarnOptions { newton_iterations, ..exact() };
            let mut simulation = simulation(sheet(warps, wefts, draft), options, Vector3::zeros());
            let mut twin = twin_of(&simulation, 1e-3);
            simulation.step(1e-3).unwrap();
            twin.frame(8);
            assert_eq!(twin.scalars.phase, phase::DONE, "{draft}: {:?}", twin.scalars);
            let mut state = simulation.state().clone();
            twin.nodes.unpack(&mut state);
            let off = apart(&state.positions, &simulation);
            assert!(off < 1e-3, "{draft} {warps} x {wefts}, {newton_iterations}: {off} R");
        }
    }
}

/// The largest difference of numbers as a part of the largest number; infinite where one is not a number.
fn off(a: &[f32], b: &[f32]) -> f32 {
    assert_eq!(a.len(), b.len());
    let scale = b.iter().fold(f32::MIN_POSITIVE, |m, v| m.max(v.abs()));
    let difference = |(a, b): (&f32, &f32)| if (a - b).is_nan() { f32::INFINITY } else { (a - b).abs() };
    a.iter().zip(b).map(difference).fold(0.0, f32::max) / scale
}

fn words<T: Pod>(values: &[T]) -> Vec<f32> {
    bytemuck::pod_collect_to_vec(values)
}

fn flat(values: &[Value]) -> Vec<f32> {
    values.iter().flat_map(|v| v.words()).collect()
}

/// What stages have written after a step, by buffer; numbers in fixed point as meters.
fn written(twin: &Twin) -> Vec<(&'static str, Vec<f32>)> {
    let n = &twin.nodes;
    // In the buffer each part of the rows lies behind the same one of the nodes before.
    let rows = (0..8).flat_map(|part| twin.rows.iter().flat_map(move |r| r[part])).collect();
    let unit = twin.params.unit;
    vec![
        ("normals", n.normals.iter().flatten().copied().collect()),
        ("compression", n.compression.clone()),
        ("rows", rows),
        ("blocks", twin.blocks.iter().flatten().copied().collect()),
        ("residual", flat(&twin.r)),
        ("change", flat(&twin.x)),
        ("velocity", words(&n.velocity)),
        ("momentum", words(&n.momentum)),
        ("anchors", words(&n.anchors)),
        ("positions", n.positions.iter().flat_map(|p| meters(p, unit)).collect()),
        ("arcs", n.arcs.iter().flat_map(|a| [a.u, a.v].map(|c| c as f32 * unit)).collect()),
    ]
}

fn meters(p: &NodePosition, unit: f32) -> [f32; 3] {
    [p.x, p.y, p.z].map(|c| c as f32 * unit)
}

fn on_device(device: &OnDevice, n: usize) -> Vec<(&'static str, Vec<f32>)> {
    let unit = device.state.params().unit;
    let ints: Vec<NodePosition> = device.read("positions");
    let arcs: Vec<[i32; 3]> = device.read("arcs");
    let vectors: Vec<[f32; 15]> = device.read("vectors");
    vec![
        ("normals", device.read("normals")),
        ("compression", device.read("compression")),
        ("rows", device.read("rows")),
        ("blocks", device.read("blocks")),
        ("residual", device.read("residual")),
        ("change", vectors[..n].iter().flat_map(|v| v[..5].to_vec()).collect()),
        ("velocity", device.read("velocity")),
        ("momentum", device.read("momentum")),
        ("anchors", device.read("anchors")),
        ("positions", ints.iter().flat_map(|p| meters(p, unit)).collect()),
        ("arcs", arcs.iter().flat_map(|a| [a[0], a[1]].map(|c| c as f32 * unit)).collect()),
    ]
}

/// Rows and blocks are computed from nearly the same numbers; a solve amplifies what differs.
fn allowed(name: &str) -> f32 {
    match name {
        "normals" | "compression" | "rows" | "positions" | "arcs" => 1e-5,
        _ => 1e-3,
    }
}

/// Two iterations of conjugate gradients, in which every stage takes part. (Workgroups have 64 invocations.)
#[test]
fn stages_agree_with_their_twins_for_all_sizes_around_a_workgroup() {
    let (device, queue) = gpu::device();
    for (warps, wefts, draft) in
        [(1, 1, "plain"), (4, 9, "twill"), (2, 15, "plain"), (1, 21, "plain"), (9, 10, "satin"), (5, 17, "twill")]
    {
        for newton_iterations in [1, 2] {
            let options = YarnOptions { newton_iterations, max_iterations: 2, ..exact() };
            let simulation = simulation(sheet(warps, wefts, draft), options, Vector3::zeros());
            let n = simulation.weave().node_count();
            let mut twin = twin_of(&simulation, 1e-3);
            let mut moved = twin.clone();
            moved.nodes.positions[n / 2].z += (2e-6 / moved.params.unit) as i32;
            twin.attempt();
            moved.attempt();
            let mut on = OnDevice::new(&device, &queue, &simulation);
            on.spoil();
            on.frame(1e-3, 1, 4);
            let (expected, control) = (written(&twin), written(&moved));
            let mut noticed = 0;
            for ((name, found), ((_, expected), (_, control))) in
                on_device(&on, n).iter().zip(expected.iter().zip(&control))
            {
                let (off_by, limit) = (off(found, expected), allowed(name));
                assert!(off_by < limit, "{n} nodes, {newton_iterations}: {name} off by {off_by}");
                noticed += usize::from(off(found, control) > limit);
            }
            assert!(noticed >= 6, "{n} nodes: only {noticed} buffers notice a moved node");
            let scalars = on.scalars();
            assert_eq!(
                (scalars.taken, scalars.rejected, scalars.newton),
                (twin.scalars.taken, twin.scalars.rejected, twin.scalars.newton)
            );
        }
    }
}

#[test]
fn a_step_of_the_device_is_that_of_the_solver_also_far_from_the_origin() {
    let (device, queue) = gpu::device();
    for at in [Vector3::zeros(), far()] {
        let mut simulation = simulation(sheet(12, 12, "plain"), YarnOptions { tolerance: 1e-7, ..exact() }, at);
        let mut on = OnDevice::new(&device, &queue, &simulation);
        // The yardstick is solved exactly.
        simulation.options.tolerance = 1e-10;
        simulation.step(1e-3).unwrap();
        on.frame(1e-3, 1, 1400);
        let scalars = on.scalars();
        assert_eq!((scalars.phase, scalars.taken), (phase::DONE, 1), "{scalars:?}");
        let off = apart(&on.positions(), &simulation);
        assert!(off < 1e-3, "{off} R at {at:?}");
    }
}

#[test]
fn a_tenth_of_a_second_ends_where_the_solver_does() {
    let (device, queue) = gpu::device();
    let options = YarnOptions { tolerance: 1e-4, step: 2e-3, ..exact() };
    let mut simulation = simulation(sheet(8, 8, "plain"), options, Vector3::zeros());
    let mut on = OnDevice::new(&device, &queue, &simulation);
    for _ in 0..5 {
        simulation.advance(0.02).unwrap();
        on.frame(0.02, 14, 400);
        assert_eq!(on.scalars().phase, phase::DONE, "{:?}", on.scalars());
    }
    let off = apart(&on.positions(), &simulation);
    assert!(off < 0.1, "{off} R");
}

#[test]
fn a_frame_has_the_same_bits_each_time() {
    let (device, queue) = gpu::device();
    let simulation = simulation(sheet(9, 10, "satin"), YarnOptions { tolerance: 1e-3, ..exact() }, Vector3::zeros());
    let run = || {
        let mut on = OnDevice::new(&device, &queue, &simulation);
        on.frame(4e-3, 6, 200);
        (on.read::<NodePosition>("positions"), on.scalars())
    };
    let (first, again) = (run(), run());
    assert!(first == again && first.1.taken >= 4, "{:?}", first.1);
}

/// A pin that moves too fast is taken back, halved, and in the end reported; positions stay as they were.
#[test]
fn what_cannot_be_stepped_is_reported_and_positions_stay() {
    let (device, queue) = gpu::device();
    let options = YarnOptions { smallest_step: 4e-4, ..exact() };
    let simulation = simulation(sheet(6, 6, "plain"), options, Vector3::zeros());
    let mut on = OnDevice::new(&device, &queue, &simulation);
    let before: Vec<NodePosition> = on.read("positions");
    on.targets[0] += Vector3::new(1e9, 0.0, 0.0);
    on.frame(1e-3, 4, 40);
    let scalars: YarnSolverScalars = on.scalars();
    assert_eq!((scalars.phase, scalars.taken, scalars.fault), (phase::FAILED, 0, fault::CROWDED), "{scalars:?}");
    assert_eq!(before, on.read("positions"));
}

#[test]
fn a_node_takes_no_more_bytes_than_counted() {
    let (device, queue) = gpu::device();
    let simulation = simulation(sheet(10, 10, "plain"), exact(), Vector3::zeros());
    let on = OnDevice::new(&device, &queue, &simulation);
    let n = simulation.weave().node_count() as u64;
    let names = [
        "positions",
        "arcs",
        "links",
        "velocity",
        "momentum",
        "anchors",
        "normals",
        "compression",
        "rows",
        "blocks",
        "residual",
        "vectors",
    ];
    let bytes: u64 = names.iter().map(|name| on.state.buffer(name).size()).sum();
    assert_eq!(bytes, n * BYTES_PER_NODE as u64);
    const { assert!(BYTES_PER_NODE <= 400) };
}
