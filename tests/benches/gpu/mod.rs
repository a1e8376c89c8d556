//! The GPU path: bytes per vertex, counted, and times on whatever adapter there is.

use super::{Scene, best};
use yarnwise_runtime::gpu::{PipelineOptions, StateOptions, YarnPipelines, YarnState};
use yarnwise_runtime::{CpuYarns, FrameParams, LayoutOptions, YarnLayout, wgpu};

/// The stages before `yarns`.
const MESH_STAGES: usize = 3;

/// Millions of yarn vertices when the strain stages are measured.
const FEW_YARNS: f64 = 0.005;

/// A device with wgpu's default limits, if there is an adapter.
pub(super) fn device() -> Option<(wgpu::Device, wgpu::Queue)> {
    let instance = wgpu::Instance::new(wgpu::InstanceDescriptor::new_without_display_handle_from_env());
    let adapter = pollster::block_on(instance.request_adapter(&Default::default())).ok()?;
    pollster::block_on(adapter.request_device(&Default::default())).ok()
}

/// A garment on the device.
struct Garment<'a> {
    device: &'a wgpu::Device,
    queue: &'a wgpu::Queue,
    pipelines: YarnPipelines,
    yarns: YarnState,
    cpu: CpuYarns,
    positions: Vec<[f32; 3]>,
}

impl<'a> Garment<'a> {
    fn new(device: &'a wgpu::Device, queue: &'a wgpu::Queue, scene: &Scene, millions: f64) -> Self {
        let (mesh, positions) = scene.scaled(millions);
        let layout = YarnLayout::new(&mesh, scene.database.pattern(), &LayoutOptions::default()).unwrap();
        let pipelines = YarnPipelines::new(device, &PipelineOptions::default()).unwrap();
        let options = StateOptions::default();
        let yarns = YarnState::new(device, queue, &pipelines, &layout, &scene.database, &options).unwrap();
        let cpu = CpuYarns::new(layout, &scene.database).unwrap();
        Garment { device, queue, pipelines, yarns, cpu, positions }
    }

    /// Seconds of a frame whose first `cpu_stages` the CPU has done; the best of `repeat`.
    fn time(&mut self, cpu_stages: usize, repeat: usize) -> f64 {
        let frame = FrameParams { positions: &self.positions, ..Default::default() };
        if cpu_stages == 0 {
            self.yarns.prepare(self.queue, &frame).unwrap();
        } else {
            self.yarns.prepare_from_cpu(self.queue, &mut self.cpu, &frame, cpu_stages).unwrap();
        }
        best(repeat, || {
            let mut encoder = self.device.create_command_encoder(&Default::default());
            self.pipelines.encode(&mut encoder, &self.yarns).unwrap();
            self.queue.submit([encoder.finish()]);
            self.device.poll(wgpu::PollType::wait_indefinitely()).unwrap();
        })
    }
}

pub(super) fn measure(device: &wgpu::Device, queue: &wgpu::Queue, scene: &Scene, millions: f64) {
    let mut garment = Garment::new(device, queue, scene, millions);
    let alone = garment.time(MESH_STAGES, 4);
    let traffic = garment.yarns.traffic();
    println!("{}, {} vertices on {}", scene.name, traffic.vertices, device.adapter_info().name);
    println!(
        "  {:.2} B per vertex and frame, counted: {} B of its site in, {} B of the finished vertex out",
        traffic.bytes_per_vertex(),
        traffic.sites / traffic.vertices.max(1),
        traffic.written / traffic.vertices.max(1),
    );
    println!(
        "  {:.2} MB that vertices share, {:.2} MB of the mesh",
        traffic.shared as f64 / 1e6,
        traffic.mesh as f64 / 1e6
    );
    println!("  yarn stage {:.1} ns a vertex", alone * 1e9 / traffic.vertices as f64);
    // The same mesh with few yarns on it: otherwise the strain stages would drown in the noise of the yarn stage.
    let mut bare = Garment::new(device, queue, scene, FEW_YARNS);
    let (whole, yarns) = (bare.time(0, 20), bare.time(MESH_STAGES, 20));
    if whole > yarns {
        let strain = whole - yarns;
        let each = strain * 1e9 / scene.mesh.positions().len() as f64;
        println!("  strain stages {:.0} us a frame, {each:.0} ns a mesh vertex", strain * 1e6);
    } else {
        println!("  strain stages: less than the noise of this machine, not measured");
    }
}
