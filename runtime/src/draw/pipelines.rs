//! The compiled shaders that draw, once per device and kind of target.

use super::program::{Drawing, layouts, module, pipeline};
use super::shadow_map::ShadowPipeline;
use super::target::TargetOptions;
use super::template::Template;
use crate::Result;
use crate::gpu::fault;
use std::sync::Arc;
use wgpu::util::DeviceExt;
use yarnwise_device::StagePipeline;
use yarnwise_shaders::gpu::TubeCorner;
use yarnwise_shaders::stages::draw as stages;

/// The shaders that draw yarns, compiled for a device and a kind of target. Serves any number of
/// [`TubeState`](super::TubeState)s.
#[derive(Clone, Debug)]
pub struct TubePipelines {
    pub(super) shared: Arc<TubeShaders>,
}

#[derive(Debug)]
pub(super) struct TubeShaders {
    pub(super) target: TargetOptions,
    pub(super) count: StagePipeline,
    pub(super) scan: StagePipeline,
    pub(super) list: StagePipeline,
    /// Bind group layouts of the view and of a part.
    pub(super) layouts: Vec<wgpu::BindGroupLayout>,
    pub(super) tubes: wgpu::RenderPipeline,
    pub(super) thin: wgpu::RenderPipeline,
    pub(super) template: Template,
    pub(super) corners: wgpu::Buffer,
    pub(super) indices: wgpu::Buffer,
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
            Ok(TubePipelines { shared: Arc::new(TubeShaders::new(device, *target)) })
        })
    }
}

impl TubeShaders {
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
        TubeShaders {
            target,
            count: StagePipeline::new(device, &stages::count::STAGE, limit),
            scan: StagePipeline::new(device, &stages::scan::STAGE, limit),
            list: StagePipeline::new(device, &stages::list::STAGE, limit),
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
