//! Render pipelines from reflected shaders.

use super::target::TargetOptions;
use std::borrow::Cow;
use wgpu::{BindGroupLayout, Device, ShaderModule, ShaderStages};
use yarnwise_device::binding_type;
use yarnwise_shaders::Stage;

/// The bind group layouts of a shader that draws, by group.
pub(super) fn layouts(device: &Device, stage: &'static Stage) -> Vec<BindGroupLayout> {
    let groups = stage.bindings.iter().map(|b| b.group + 1).max().unwrap_or(0);
    (0..groups)
        .map(|group| {
            let entry = |b: &yarnwise_shaders::Binding| wgpu::BindGroupLayoutEntry {
                binding: b.index,
                visibility: ShaderStages::VERTEX_FRAGMENT,
                ty: binding_type(b.kind),
                count: None,
            };
            let entries: Vec<_> = stage.bindings.iter().filter(|b| b.group == group).map(entry).collect();
            let label = Some(stage.name);
            device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor { label, entries: &entries })
        })
        .collect()
}

/// A bind group with these resources at the indices 0, 1, ...
pub(super) fn bind(
    device: &Device,
    layout: &BindGroupLayout,
    resources: &[wgpu::BindingResource<'_>],
) -> wgpu::BindGroup {
    let numbered = resources.iter().cloned().zip(0..);
    let entries: Vec<_> = numbered.map(|(resource, binding)| wgpu::BindGroupEntry { binding, resource }).collect();
    device.create_bind_group(&wgpu::BindGroupDescriptor { label: None, layout, entries: &entries })
}

pub(super) fn module(device: &Device, stage: &'static Stage) -> ShaderModule {
    let source = wgpu::ShaderSource::Wgsl(Cow::Borrowed(stage.source));
    device.create_shader_module(wgpu::ShaderModuleDescriptor { label: Some(stage.name), source })
}

/// What differs between the pipelines of a shader.
pub(super) struct Drawing<'a> {
    pub(super) label: &'static str,
    pub(super) module: &'a ShaderModule,
    pub(super) layouts: &'a [BindGroupLayout],
    pub(super) vertex: &'static str,
    /// None draws depth only.
    pub(super) fragment: Option<&'static str>,
    pub(super) buffers: &'a [Option<wgpu::VertexBufferLayout<'a>>],
    pub(super) cull: Option<wgpu::Face>,
    pub(super) topology: wgpu::PrimitiveTopology,
    pub(super) blend: Option<wgpu::BlendState>,
    /// Whether depths are written; none for a pass without a depth target.
    pub(super) depth: Option<bool>,
}

/// A pipeline for a target.
pub(super) fn pipeline(device: &Device, drawing: &Drawing<'_>, target: &TargetOptions) -> wgpu::RenderPipeline {
    let groups: Vec<_> = drawing.layouts.iter().map(Some).collect();
    let layout = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
        label: Some(drawing.label),
        bind_group_layouts: &groups,
        immediate_size: 0,
    });
    let color = wgpu::ColorTargetState {
        format: target.color_format,
        blend: drawing.blend,
        write_mask: wgpu::ColorWrites::ALL,
    };
    let targets = [Some(color)];
    device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
        label: Some(drawing.label),
        layout: Some(&layout),
        vertex: wgpu::VertexState {
            module: drawing.module,
            entry_point: Some(drawing.vertex),
            compilation_options: Default::default(),
            buffers: drawing.buffers,
        },
        primitive: wgpu::PrimitiveState { topology: drawing.topology, cull_mode: drawing.cull, ..Default::default() },
        depth_stencil: drawing.depth.map(|write| wgpu::DepthStencilState {
            format: target.depth_format,
            depth_write_enabled: Some(write),
            depth_compare: Some(target.depth_compare),
            stencil: Default::default(),
            bias: Default::default(),
        }),
        multisample: wgpu::MultisampleState { count: target.sample_count, ..Default::default() },
        fragment: drawing.fragment.map(|entry| wgpu::FragmentState {
            module: drawing.module,
            entry_point: Some(entry),
            compilation_options: Default::default(),
            targets: &targets,
        }),
        multiview_mask: None,
        cache: None,
    })
}
