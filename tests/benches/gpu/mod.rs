//! The GPU path: bytes per vertex, counted, and times on whatever adapter there is.

use super::{Scene, best, estimate};
use yarnwise_runtime::gpu::{PipelineOptions, StateOptions, YarnPipelines, YarnState};
use yarnwise_runtime::{CpuYarns, FrameParams, LayoutOptions, YarnLayout, wgpu};
use yarnwise_tests::gpu::device;

/// The stages before `yarns`.
const MESH_STAGES: usize = 3;

pub(super) fn measure(scene: &Scene, millions: f64) {
    let (device, queue) = device();
    let factor = (millions * 1e6 / estimate(scene)).sqrt() as f32;
    let mesh = scene.mesh.clone().scaled(factor).unwrap();
    let positions: Vec<[f32; 3]> = scene.positions.iter().map(|p| p.map(|c| c * factor)).collect();
    let layout = YarnLayout::new(&mesh, scene.database.pattern(), &LayoutOptions::default()).unwrap();
    let pipelines = YarnPipelines::new(&device, &PipelineOptions::default()).unwrap();
    let options = StateOptions::default();
    let mut yarns = YarnState::new(&device, &queue, &pipelines, &layout, &scene.database, &options).unwrap();
    let mut cpu = CpuYarns::new(layout, &scene.database).unwrap();
    let frame = FrameParams { positions: &positions, ..Default::default() };
    let run = |yarns: &YarnState| {
        let mut encoder = device.create_command_encoder(&Default::default());
        pipelines.encode(&mut encoder, yarns).unwrap();
        queue.submit([encoder.finish()]);
        device.poll(wgpu::PollType::wait_indefinitely()).unwrap();
    };
    yarns.prepare(&queue, &frame).unwrap();
    let whole = best(5, || run(&yarns));
    yarns.prepare_from_cpu(&queue, &mut cpu, &frame, MESH_STAGES).unwrap();
    let alone = best(5, || run(&yarns));
    let traffic = yarns.traffic();
    let strain = (whole - alone).max(0.0);
    println!(
        "\nGPU path on {}: {}, {} vertices\n  {:.2} B per vertex and frame (sites {} B in, vertices {} B out), {:.2} MB shared, {:.2} MB of the mesh\n  \\
         yarns {:.1} ns/vertex, strain {:.0} us ({:.1} ns per mesh vertex)",
        device.adapter_info().name,
        scene.name,
        traffic.vertices,
        traffic.bytes_per_vertex(),
        traffic.sites / traffic.vertices.max(1),
        traffic.written / traffic.vertices.max(1),
        traffic.shared as f64 / 1e6,
        traffic.mesh as f64 / 1e6,
        alone * 1e9 / traffic.vertices as f64,
        strain * 1e6,
        strain * 1e9 / mesh.positions().len() as f64,
    );
}
