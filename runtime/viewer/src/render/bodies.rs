//! The bodies that simulated cloth collides with: drawn plainly, to show what the cloth lies on.

use super::target::{FORMAT, SAMPLES};
use crate::camera::Camera;
use crate::gpu::Gpu;
use crate::live::Scenery;
use crate::scene::StyleSpec;
use nalgebra::{Matrix4, Vector3};
use yarnwise_runtime::wgpu::{self, util::DeviceExt};
use yarnwise_shared::mesh::Surface;
use yarnwise_solvers::contact::Shape;

const SHADER: &str = "
struct BodyView { proj: mat4x4f, light: vec4f, color: vec4f }
@group(0) @binding(0) var<uniform> view: BodyView;
struct Varyings { @builtin(position) at: vec4f, @location(0) normal: vec3f }
@vertex fn place(@location(0) p: vec3f, @location(1) n: vec3f) -> Varyings {
    return Varyings(view.proj * vec4f(p, 1.0), n);
}
@fragment fn shade(corner: Varyings) -> @location(0) vec4f {
    let lambert = 0.5 + 0.5 * dot(normalize(corner.normal), view.light.xyz);
    return vec4f(view.color.rgb * (0.35 + 0.65 * lambert), 1.0);
}
";

/// Faces of a round body around and along.
const ROUND: [usize; 2] = [64, 32];

#[derive(Debug)]
pub(super) struct BodiesPipeline(wgpu::RenderPipeline);

impl BodiesPipeline {
    pub(super) fn new(device: &wgpu::Device) -> Self {
        let source = wgpu::ShaderSource::Wgsl(SHADER.into());
        let module = &device.create_shader_module(wgpu::ShaderModuleDescriptor { label: Some("bodies"), source });
        let options = wgpu::PipelineCompilationOptions::default();
        BodiesPipeline(device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
            label: Some("bodies"),
            layout: None,
            vertex: wgpu::VertexState {
                module,
                entry_point: None,
                compilation_options: options.clone(),
                buffers: &[Some(wgpu::VertexBufferLayout {
                    array_stride: size_of::<Corner>() as u64,
                    step_mode: wgpu::VertexStepMode::Vertex,
                    attributes: &wgpu::vertex_attr_array![0 => Float32x3, 1 => Float32x3],
                })],
            },
            fragment: Some(wgpu::FragmentState {
                module,
                entry_point: None,
                compilation_options: options,
                targets: &[Some(FORMAT.into())],
            }),
            primitive: wgpu::PrimitiveState::default(),
            depth_stencil: Some(wgpu::DepthStencilState {
                format: wgpu::TextureFormat::Depth32Float,
                depth_write_enabled: Some(true),
                depth_compare: Some(wgpu::CompareFunction::Less),
                stencil: Default::default(),
                bias: Default::default(),
            }),
            multisample: wgpu::MultisampleState { count: SAMPLES, ..Default::default() },
            multiview_mask: None,
            cache: None,
        }))
    }
}

/// Position and normal.
type Corner = [f32; 6];

/// The bodies of a simulation on a device.
#[derive(Debug)]
pub(super) struct Bodies {
    corners: wgpu::Buffer,
    view: wgpu::Buffer,
    bindings: wgpu::BindGroup,
}

impl Bodies {
    /// None where there is nothing to draw.
    pub(super) fn of(gpu: &Gpu, pipeline: &BodiesPipeline, scenery: &Scenery<'_>) -> Option<Self> {
        let corners = corners(scenery);
        if corners.is_empty() {
            return None;
        }
        let usage = wgpu::BufferUsages::VERTEX | wgpu::BufferUsages::COPY_DST;
        let contents = bytemuck::cast_slice(&corners);
        let corners =
            gpu.device.create_buffer_init(&wgpu::util::BufferInitDescriptor { label: Some("bodies"), contents, usage });
        let view = gpu.device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("view of bodies"),
            size: size_of::<[f32; 24]>() as u64,
            usage: wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        let bindings = gpu.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some("bodies"),
            layout: &pipeline.0.get_bind_group_layout(0),
            entries: &[wgpu::BindGroupEntry { binding: 0, resource: view.as_entire_binding() }],
        });
        Some(Bodies { corners, view, bindings })
    }

    pub(super) fn prepare(
        &self,
        queue: &wgpu::Queue,
        scenery: &Scenery<'_>,
        view_proj: &Matrix4<f32>,
        camera: &Camera,
        style: &StyleSpec,
    ) {
        let (light, color) = (style.light_direction(camera), style.bodies.linear());
        let mut view = [0.0; 24];
        view[..16].copy_from_slice(view_proj.as_slice());
        view[16..19].copy_from_slice(light.as_slice());
        view[20..23].copy_from_slice(&color);
        queue.write_buffer(&self.view, 0, bytemuck::cast_slice(&view));
        if scenery.bodies.iter().any(|b| !b.motion.is_still()) {
            queue.write_buffer(&self.corners, 0, bytemuck::cast_slice(&corners(scenery)));
        }
    }

    pub(super) fn draw(&self, pipeline: &BodiesPipeline, pass: &mut wgpu::RenderPass<'_>) {
        pass.set_pipeline(&pipeline.0);
        pass.set_bind_group(0, &self.bindings, &[]);
        pass.set_vertex_buffer(0, self.corners.slice(..));
        pass.draw(0..(self.corners.size() / size_of::<Corner>() as u64) as u32, 0..1);
    }
}

/// How far bodies reach, meters.
pub(super) fn reach(scenery: &Scenery<'_>) -> f32 {
    scenery.bodies.iter().map(|b| half_size(&b.shape)).fold(0.0, f32::max)
}

fn half_size(shape: &Shape) -> f32 {
    match shape {
        Shape::Sphere { radius } => *radius as f32,
        Shape::Box { half, .. } => half.norm() as f32,
        Shape::Capsule { half_length, radius } => (half_length + radius) as f32,
        Shape::Mesh(grid) => {
            let lengths = grid.surface().positions().iter().map(|p| Vector3::from(*p).norm());
            lengths.fold(0.0, f32::max)
        }
        Shape::Plane => 0.0,
    }
}

/// Triangles of all bodies. A floor is left out: it would hide the background.
fn corners(scenery: &Scenery<'_>) -> Vec<Corner> {
    let mut all = Vec::new();
    for body in scenery.bodies {
        let pose = body.pose(scenery.time).cast::<f32>();
        for [p, n] in shape_corners(&body.shape, scenery.inset) {
            let (p, n) = (pose * nalgebra::Point3::from(p), pose.rotation * n);
            all.push([p.x, p.y, p.z, n.x, n.y, n.z]);
        }
    }
    all
}

fn shape_corners(shape: &Shape, inset: f32) -> Vec<[Vector3<f32>; 2]> {
    match shape {
        Shape::Sphere { radius } => round(*radius as f32 - inset, |_| Vector3::zeros()),
        Shape::Capsule { half_length, radius } => {
            let half = *half_length as f32;
            round(*radius as f32 - inset, move |n| Vector3::y() * half * n.y.signum())
        }
        // A rounded box is a ball whose eight parts are moved apart.
        Shape::Box { half, rounding } => {
            let r = (*rounding as f32).max(inset);
            let core = half.cast::<f32>().map(|h| (h - r).max(0.0));
            round(r - inset * 0.5, move |n| core.component_mul(&n.map(f32::signum)))
        }
        Shape::Mesh(grid) => flat(grid.surface()),
        Shape::Plane => Vec::new(),
    }
}

/// A surface's triangles, each with its own normal.
fn flat(surface: &Surface) -> Vec<[Vector3<f32>; 2]> {
    let positions = surface.positions();
    let corners = |face: &[u32; 3]| {
        let [a, b, c] = face.map(|i| Vector3::from(positions[i as usize]));
        let normal = (b - a).cross(&(c - a)).try_normalize(0.0).unwrap_or(Vector3::y());
        [a, b, c].map(|p| [p, normal])
    };
    surface.faces().iter().flat_map(corners).collect()
}

/// A ball's triangles; `center` is where the ball is for each direction.
fn round(radius: f32, center: impl Fn(Vector3<f32>) -> Vector3<f32>) -> Vec<[Vector3<f32>; 2]> {
    let [around, along] = ROUND;
    // Half a step off the axes: no direction lies on a border where the center jumps.
    let direction = |i: usize, j: usize| {
        let (s, c) = ((i as f32 + 0.5) / around as f32 * std::f32::consts::TAU).sin_cos();
        let (t, u) = (j as f32 / along as f32 * std::f32::consts::PI).sin_cos();
        Vector3::new(s * t, u + 1e-6, c * t)
    };
    let corner = |i, j| {
        let n = direction(i, j);
        [center(n) + n * radius, n]
    };
    let mut corners = Vec::with_capacity(6 * around * along);
    for j in 0..along {
        for i in 0..around {
            let [a, b, c, d] = [corner(i, j), corner(i + 1, j), corner(i + 1, j + 1), corner(i, j + 1)];
            corners.extend([a, d, c, a, c, b]);
        }
    }
    corners
}
