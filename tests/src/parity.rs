//! The GPU path against the CPU path on the same frame.

use crate::gpu;
use yarnwise_runtime::gpu::{PipelineOptions, StateOptions, YarnPipelines, YarnState};
use yarnwise_runtime::{CpuYarns, FrameParams, YarnLayout, wgpu};
use yarnwise_shaders::gpu::{Patch, SurfaceForms, YarnVertex};
use yarnwise_shared::table::database::Database;

/// A garment on the CPU and on a device.
pub struct Twins {
    /// The device.
    pub device: wgpu::Device,
    /// Its queue.
    pub queue: wgpu::Queue,
    /// The stages.
    pub pipelines: YarnPipelines,
    /// The GPU path.
    pub gpu: YarnState,
    /// The CPU path.
    pub cpu: CpuYarns,
}

/// The largest differences between two sets of yarn vertices.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Difference {
    /// Of positions, in yarn radii.
    pub position: f32,
    /// Of twists, radians.
    pub twist: f32,
    /// Of directors, as the length of the difference of unit vectors.
    pub director: f32,
    /// Of radii, in yarn radii.
    pub radius: f32,
}

impl Difference {
    /// Between vertices in the same order; NaN counts as infinitely far.
    ///
    /// # Panics
    /// When their numbers differ.
    pub fn of(a: &[YarnVertex], b: &[YarnVertex], radius: f32) -> Self {
        assert_eq!(a.len(), b.len());
        let mut worst = Difference::default();
        for (a, b) in a.iter().zip(b) {
            let distance = |a: [f32; 3], b: [f32; 3]| {
                let square: f64 = (0..3).map(|k| (f64::from(a[k]) - f64::from(b[k])).powi(2)).sum();
                square.sqrt() as f32
            };
            raise(&mut worst.position, distance(a.position, b.position) / radius);
            raise(&mut worst.twist, (a.twist - b.twist).abs());
            raise(&mut worst.director, distance(a.unpack_director(), b.unpack_director()));
            raise(&mut worst.radius, (a.radius - b.radius).abs() / radius);
        }
        worst
    }

    /// The larger of each.
    pub fn or(self, other: Self) -> Self {
        Difference {
            position: self.position.max(other.position),
            twist: self.twist.max(other.twist),
            director: self.director.max(other.director),
            radius: self.radius.max(other.radius),
        }
    }
}

/// Raises `worst` to `value`, to infinity if that is not a number.
pub fn raise(worst: &mut f32, value: f32) {
    *worst = worst.max(if value.is_nan() { f32::INFINITY } else { value });
}

/// Results of all stages.
#[derive(Clone, Debug, PartialEq)]
pub struct Results {
    /// Stage `faces`.
    pub faces: Vec<SurfaceForms>,
    /// Stage `vertices`.
    pub vertices: Vec<SurfaceForms>,
    /// Stage `patches`.
    pub patches: Vec<Patch>,
    /// Stages `yarns` and `radius`.
    pub yarns: Vec<YarnVertex>,
}

impl Twins {
    /// A garment on a device with default limits.
    pub fn new(layout: YarnLayout, database: &Database, options: &StateOptions) -> Self {
        let (device, queue) = gpu::device();
        Self::on(device, queue, &PipelineOptions::default(), layout, database, options)
    }

    /// A garment on this device.
    pub fn on(
        device: wgpu::Device,
        queue: wgpu::Queue,
        pipeline_options: &PipelineOptions,
        layout: YarnLayout,
        database: &Database,
        options: &StateOptions,
    ) -> Self {
        let pipelines = YarnPipelines::new(&device, pipeline_options).unwrap();
        let gpu = YarnState::new(&device, &queue, &pipelines, &layout, database, options).unwrap();
        let cpu = CpuYarns::new(layout, database).unwrap();
        Twins { device, queue, pipelines, gpu, cpu }
    }

    /// The frame on the CPU.
    pub fn run_cpu(&mut self, frame: &FrameParams<'_>) -> Results {
        self.cpu.update(frame).unwrap();
        Results {
            faces: self.cpu.face_forms().to_vec(),
            vertices: self.cpu.vertex_forms().to_vec(),
            patches: self.cpu.patches().to_vec(),
            yarns: self.cpu.vertices().to_vec(),
        }
    }

    /// The frame on the GPU, with its first `cpu_stages` on the CPU. What stages write is filled with NaN before.
    pub fn run_gpu(&mut self, frame: &FrameParams<'_>, cpu_stages: usize) -> Results {
        self.spoil();
        if cpu_stages == 0 {
            self.gpu.prepare(&self.queue, frame).unwrap();
        } else {
            self.gpu.prepare_from_cpu(&self.queue, &mut self.cpu, frame, cpu_stages).unwrap();
        }
        self.submit()
    }

    /// Fills what the stages write with NaN.
    pub fn spoil(&self) {
        let parts = self.gpu.parts().iter().map(|part| part.vertex_buffer());
        for buffer in parts.chain(self.gpu.mesh_buffers()) {
            gpu::spoil(&self.queue, buffer);
        }
    }

    /// Encodes, submits and reads back the frame that the GPU path is prepared for.
    pub fn submit(&self) -> Results {
        let mut encoder = self.device.create_command_encoder(&Default::default());
        self.pipelines.encode(&mut encoder, &self.gpu).unwrap();
        self.queue.submit([encoder.finish()]);
        let [faces, vertices, patches] = self.gpu.mesh_buffers();
        let mut yarns = Vec::new();
        for part in self.gpu.parts() {
            let all: Vec<YarnVertex> = gpu::read(&self.device, &self.queue, part.vertex_buffer());
            let (stored, owned) = (&part.chunk().stored, &part.chunk().owned);
            yarns.extend_from_slice(&all[(owned.start - stored.start) as usize..][..owned.len()]);
        }
        Results {
            faces: gpu::read(&self.device, &self.queue, faces),
            vertices: gpu::read(&self.device, &self.queue, vertices),
            patches: gpu::read(&self.device, &self.queue, patches),
            yarns,
        }
    }
}

/// The largest difference of mesh quantities, each as a share of what stage tests allow: 1 is the limit.
///
/// Allowed: 1e-5 of the entry, of 1 at least, for what has no unit; II and what is made of it may be off by 2e-3 per meter,
/// the noise of dihedral angles in single precision on triangles of a few millimeters.
pub fn forms_off(a: &[SurfaceForms], b: &[SurfaceForms]) -> f32 {
    assert_eq!(a.len(), b.len());
    let mut worst = 0.0;
    for (a, b) in a.iter().zip(b) {
        for (a, b) in [(a.du, b.du), (a.dv, b.dv), (a.first, b.first)] {
            raise(&mut worst, row_off(a, b, 1e-5, 1e-5));
        }
        raise(&mut worst, row_off(a.second, b.second, 1e-5, 2e-3));
    }
    worst
}

/// The same for patches; their positions may be off by 1e-6 m.
pub fn patches_off(a: &[Patch], b: &[Patch]) -> f32 {
    assert_eq!(a.len(), b.len());
    let mut worst = 0.0;
    for (a, b) in a.iter().zip(b) {
        let [a, b]: [&[[f32; 4]; 22]; 2] = [bytemuck::cast_ref(a), bytemuck::cast_ref(b)];
        for (row, (a, b)) in a.iter().zip(b).enumerate() {
            // Rows 7, 9 and 11 are of II.
            raise(&mut worst, row_off(*a, *b, 1e-5, if matches!(row, 7 | 9 | 11) { 2e-3 } else { 1e-6 }));
        }
    }
    worst
}

/// The largest difference in a row over `relative` times its entries plus `least`.
fn row_off(a: [f32; 4], b: [f32; 4], relative: f32, least: f32) -> f32 {
    let mut worst = 0.0;
    for k in 0..4 {
        raise(&mut worst, (a[k] - b[k]).abs() / (relative * a[k].abs() + least));
    }
    worst
}
