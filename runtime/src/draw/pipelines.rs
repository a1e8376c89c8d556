//! The compiled shaders that draw, once per device and kind of target.

use super::program::{Drawing, layouts, module, pipeline};
use super::shadow::ShadowPipeline;
use super::state::TubeState;
use super::template::{BINS, THREAD, Template};
use crate::Result;
use crate::gpu::fault;
use crate::gpu::kernel::Kernel;
use std::sync::Arc;
use wgpu::util::DeviceExt;
use yarnwise_shaders::gpu::TubeCorner;
use yarnwise_shaders::stages::draw as stages;

/// The host's target: what its render passes draw into.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TargetOptions {
    /// Format of the colors. Where it does not encode sRGB by itself, the shaders do.
    pub color_format: wgpu::TextureFormat,
    /// Format of the depths.
    pub depth_format: wgpu::TextureFormat,
    /// What a depth must be, compared with the one before, to be drawn.
    pub depth_compare: wgpu::CompareFunction,
    /// Samples of a pixel, as the format allows: 1 or 4, for smooth outlines.
    pub sample_count: u32,
}

impl Default for TargetOptions {
    fn default() -> Self {
        TargetOptions {
            color_format: wgpu::TextureFormat::Rgba8UnormSrgb,
            depth_format: wgpu::TextureFormat::Depth32Float,
            depth_compare: wgpu::CompareFunction::Less,
            sample_count: 4,
        }
    }
}

/// The shaders that draw yarns, compiled for a device and a kind of target. Serves any number of [`TubeState`]s.
#[derive(Clone, Debug)]
pub struct TubePipelines {
    pub(super) shared: Arc<Shared>,
}

#[derive(Debug)]
pub(super) struct Shared {
    pub(super) target: TargetOptions,
    pub(super) count: Kernel,
    pub(super) scan: Kernel,
    pub(super) list: Kernel,
    /// Bind group layouts of the view and of a part.
    pub(super) layouts: Vec<wgpu::BindGroupLayout>,
    tubes: wgpu::RenderPipeline,
    thin: wgpu::RenderPipeline,
    pub(super) template: Template,
    corners: wgpu::Buffer,
    indices: wgpu::Buffer,
    pub(super) shadow: ShadowPipeline,
}

const CORNER_ATTRIBUTES: [wgpu::VertexAttribute; 2] = [
    wgpu::VertexAttribute { format: wgpu::VertexFormat::Float32x4, offset: 0, shader_location: 0 },
    wgpu::VertexAttribute {
        format: wgpu::VertexFormat::Uint32,
        offset: std::mem::offset_of!(TubeCorner, level) as u64,
        shader_location: 1,
    },
];

pub(super) const CORNER_LAYOUT: wgpu::VertexBufferLayout<'static> = wgpu::VertexBufferLayout {
    array_stride: size_of::<TubeCorner>() as u64,
    step_mode: wgpu::VertexStepMode::Vertex,
    attributes: &CORNER_ATTRIBUTES,
};

impl TubePipelines {
    /// Compiles the shaders for targets as `target` says.
    pub fn new(device: &wgpu::Device, target: &TargetOptions) -> Result<Self> {
        fault::guard(device, "compiling the shaders that draw", || {
            Ok(TubePipelines { shared: Arc::new(Shared::new(device, *target)) })
        })
    }

    /// Records what comes before the pass: finds the segments that are seen, and draws the shadow map if the style has
    /// shadows.
    ///
    /// Nothing is submitted. To be encoded after the yarns themselves and before the pass that draws them.
    pub fn encode(&self, encoder: &mut wgpu::CommandEncoder, tubes: &TubeState) {
        let descriptor = wgpu::ComputePassDescriptor { label: Some("tubes seen"), timestamp_writes: None };
        let mut pass = encoder.begin_compute_pass(&descriptor);
        for part in &tubes.parts {
            self.shared.count.dispatch(&mut pass, &part.count_bindings, part.groups);
            self.shared.scan.dispatch(&mut pass, &part.scan_bindings, [1, 1]);
            self.shared.list.dispatch(&mut pass, &part.list_bindings, part.groups);
        }
        drop(pass);
        if let Some(map) = tubes.shadow_map() {
            self.shared.shadow.encode(encoder, map, &tubes.parts);
        }
    }

    /// Draws the yarns of the frame that was last encoded.
    ///
    /// The pass must have one color target and a depth target as the [`TargetOptions`] say. The viewport is the pass's.
    /// Yarns thinner than a pixel are blended with what is there and write no depth: other things are drawn before.
    pub fn draw(&self, tubes: &TubeState, pass: &mut wgpu::RenderPass<'_>) {
        let shared = &self.shared;
        pass.set_bind_group(0, &tubes.view_bindings, &[]);
        pass.set_vertex_buffer(0, shared.corners.slice(..));
        pass.set_index_buffer(shared.indices.slice(..), wgpu::IndexFormat::Uint16);
        for (pipeline, thin) in [(&shared.tubes, false), (&shared.thin, true)] {
            pass.set_pipeline(pipeline);
            for part in &tubes.parts {
                pass.set_bind_group(1, &part.draw_bindings, &[]);
                for level in (0..BINS).filter(|level| (*level == THREAD) == thin) {
                    pass.draw_indexed_indirect(&part.buffers.arguments, level as u64 * ARGUMENT_BYTES);
                }
            }
        }
    }
}

/// Bytes of an indexed indirect draw's arguments.
const ARGUMENT_BYTES: u64 = 4 * yarnwise_shaders::gpu::constants::ARGUMENTS as u64;

impl Shared {
    fn new(device: &wgpu::Device, target: TargetOptions) -> Self {
        let limit = device.limits().max_compute_workgroups_per_dimension;
        let layouts = layouts(device, &stages::tubes::STAGE);
        let module = module(device, &stages::tubes::STAGE);
        let drawing = |label, fragment, blend: Option<wgpu::BlendState>| Drawing {
            label,
            module: &module,
            layouts: &layouts,
            vertex: "place",
            fragment: Some(fragment),
            buffers: &[Some(CORNER_LAYOUT)],
            cull: Some(wgpu::Face::Back),
            topology: wgpu::PrimitiveTopology::TriangleList,
            blend,
            depth: Some(blend.is_none()),
        };
        let over = Some(wgpu::BlendState::ALPHA_BLENDING);
        let template = Template::new();
        let buffer = |label, contents: &[u8], usage| {
            device.create_buffer_init(&wgpu::util::BufferInitDescriptor { label: Some(label), contents, usage })
        };
        Shared {
            target,
            count: Kernel::new(device, &stages::count::STAGE, limit),
            scan: Kernel::new(device, &stages::scan::STAGE, limit),
            list: Kernel::new(device, &stages::list::STAGE, limit),
            tubes: pipeline(device, &drawing("tubes", "shade", None), &target),
            thin: pipeline(device, &drawing("thin tubes", "shade_thin", over), &target),
            corners: buffer("corners of tubes", bytemuck::cast_slice(&template.corners), wgpu::BufferUsages::VERTEX),
            indices: buffer("indices of tubes", bytemuck::cast_slice(&template.indices), wgpu::BufferUsages::INDEX),
            shadow: ShadowPipeline::new(device),
            template,
            layouts,
        }
    }
}
