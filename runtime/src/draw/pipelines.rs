//! The compiled shaders that draw, once per device and kind of target.

use super::program::{Drawing, layouts, module, pipeline};
use super::state::TubeState;
use super::template::Template;
use crate::Result;
use crate::gpu::fault;
use crate::gpu::kernel::Kernel;
use std::sync::Arc;
use wgpu::util::DeviceExt;
use yarnwise_shaders::stages::draw as stages;
use yarnwise_shared::gpu::TubeCorner;

/// The host's target: what its render passes draw into.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TargetOptions {
    /// Format of the colours. Where it does not encode sRGB by itself, the shaders do.
    pub color_format: wgpu::TextureFormat,
    /// Format of the depths.
    pub depth_format: wgpu::TextureFormat,
    /// What a depth must be, compared with the one before, to be drawn.
    pub depth_compare: wgpu::CompareFunction,
    /// Samples of a pixel: 1 or 4. Thin yarns look right with 4 only.
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
    pub(super) list: Kernel,
    /// Bind group layouts of the view and of a part.
    pub(super) layouts: Vec<wgpu::BindGroupLayout>,
    tubes: wgpu::RenderPipeline,
    thin: wgpu::RenderPipeline,
    pub(super) template: Template,
    corners: wgpu::Buffer,
    indices: wgpu::Buffer,
    pub(super) shadow_sampler: wgpu::Sampler,
    /// Stands in for the shadow map of a view that has none.
    pub(super) no_shadow: wgpu::TextureView,
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

    /// Records what comes before the pass: finds the segments that are seen.
    ///
    /// Nothing is submitted. To be encoded after the yarns themselves and before the pass that draws them.
    pub fn encode(&self, encoder: &mut wgpu::CommandEncoder, tubes: &TubeState) {
        for part in &tubes.parts {
            part.reset(encoder, &tubes.reset);
        }
        let descriptor = wgpu::ComputePassDescriptor { label: Some("tubes seen"), timestamp_writes: None };
        let pass = &mut encoder.begin_compute_pass(&descriptor);
        for part in &tubes.parts {
            self.shared.count.dispatch(pass, &part.count_bindings, part.groups);
            self.shared.list.dispatch(pass, &part.list_bindings, part.groups);
        }
    }

    /// Draws the yarns of the frame that was last encoded.
    ///
    /// The pass must have one colour target and a depth target as the [`TargetOptions`] say. The viewport is the pass's.
    pub fn draw(&self, tubes: &TubeState, pass: &mut wgpu::RenderPass<'_>) {
        let shared = &self.shared;
        pass.set_bind_group(0, &tubes.view_bindings, &[]);
        pass.set_vertex_buffer(0, shared.corners.slice(..));
        pass.set_index_buffer(shared.indices.slice(..), wgpu::IndexFormat::Uint16);
        for (pipeline, levels) in [(&shared.tubes, [0, 1, 2, 5].as_slice()), (&shared.thin, &[3, 4])] {
            pass.set_pipeline(pipeline);
            for part in &tubes.parts {
                pass.set_bind_group(1, &part.draw_bindings, &[]);
                for level in levels {
                    pass.draw_indexed_indirect(&part.buffers.arguments, level * ARGUMENT_BYTES);
                }
            }
        }
    }
}

/// Bytes of an indexed indirect draw's arguments.
const ARGUMENT_BYTES: u64 = 20;

impl Shared {
    fn new(device: &wgpu::Device, target: TargetOptions) -> Self {
        let limit = device.limits().max_compute_workgroups_per_dimension;
        let layouts = layouts(device, &stages::tubes::STAGE);
        let module = module(device, &stages::tubes::STAGE);
        let drawing = |label, fragment| Drawing {
            label,
            module: &module,
            layouts: &layouts,
            vertex: "place",
            fragment: Some(fragment),
            buffers: &[Some(CORNER_LAYOUT)],
            cull: Some(wgpu::Face::Back),
            topology: wgpu::PrimitiveTopology::TriangleList,
            blend: None,
            bias: Default::default(),
        };
        let template = Template::new();
        let buffer = |label, contents: &[u8], usage| {
            device.create_buffer_init(&wgpu::util::BufferInitDescriptor { label: Some(label), contents, usage })
        };
        Shared {
            target,
            count: Kernel::new(device, &stages::count::STAGE, limit),
            list: Kernel::new(device, &stages::list::STAGE, limit),
            tubes: pipeline(device, &drawing("tubes", "shade"), &target),
            thin: pipeline(device, &drawing("thin tubes", "shade_thin"), &target),
            corners: buffer("corners of tubes", bytemuck::cast_slice(&template.corners), wgpu::BufferUsages::VERTEX),
            indices: buffer("indices of tubes", bytemuck::cast_slice(&template.indices), wgpu::BufferUsages::INDEX),
            shadow_sampler: device.create_sampler(&wgpu::SamplerDescriptor {
                label: Some("shadow map"),
                mag_filter: wgpu::FilterMode::Linear,
                min_filter: wgpu::FilterMode::Linear,
                compare: Some(wgpu::CompareFunction::LessEqual),
                ..Default::default()
            }),
            no_shadow: shadow_texture(device, 1),
            template,
            layouts,
        }
    }
}

/// A square depth texture that is drawn into and compared with.
fn shadow_texture(device: &wgpu::Device, size: u32) -> wgpu::TextureView {
    let texture = device.create_texture(&wgpu::TextureDescriptor {
        label: Some("shadow map"),
        size: wgpu::Extent3d { width: size, height: size, depth_or_array_layers: 1 },
        mip_level_count: 1,
        sample_count: 1,
        dimension: wgpu::TextureDimension::D2,
        format: wgpu::TextureFormat::Depth32Float,
        usage: wgpu::TextureUsages::RENDER_ATTACHMENT | wgpu::TextureUsages::TEXTURE_BINDING,
        view_formats: &[],
    });
    texture.create_view(&Default::default())
}
