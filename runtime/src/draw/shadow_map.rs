//! The depth map that the lamp sees, and the pipeline that draws it.

use super::program::{Drawing, bind, layouts, module, pipeline};
use super::target::TargetOptions;
use yarnwise_shaders::stages::draw::shadow::STAGE;

/// The pipeline that draws shadow maps.
#[derive(Debug)]
pub(super) struct ShadowPipeline {
    pipeline: wgpu::RenderPipeline,
    layouts: Vec<wgpu::BindGroupLayout>,
    pub(super) sampler: wgpu::Sampler,
    /// Stands in for the map of a view that has none.
    pub(super) none: wgpu::TextureView,
}

/// The shadow map of a view.
#[derive(Debug)]
pub(super) struct ShadowMap {
    pub(super) texture: wgpu::TextureView,
    pub(super) size: u32,
    bindings: wgpu::BindGroup,
}

impl ShadowPipeline {
    pub(super) fn new(device: &wgpu::Device) -> Self {
        let layouts = layouts(device, &STAGE);
        let target = TargetOptions { sample_count: 1, ..Default::default() };
        let drawing = Drawing {
            label: "shadows",
            module: &module(device, &STAGE),
            layouts: &layouts,
            vertex: "ribbon",
            fragment: None,
            buffers: &[],
            cull: None,
            topology: wgpu::PrimitiveTopology::TriangleStrip,
            blend: None,
            depth: Some(true),
        };
        ShadowPipeline {
            pipeline: pipeline(device, &drawing, &target),
            layouts,
            sampler: device.create_sampler(&wgpu::SamplerDescriptor {
                label: Some("shadow map"),
                mag_filter: wgpu::FilterMode::Linear,
                min_filter: wgpu::FilterMode::Linear,
                compare: Some(wgpu::CompareFunction::LessEqual),
                ..Default::default()
            }),
            none: texture(device, 1),
        }
    }

    pub(super) fn map(&self, device: &wgpu::Device, view: &wgpu::Buffer, size: u32) -> ShadowMap {
        let bindings = bind(device, &self.layouts[0], &[view.as_entire_binding()]);
        ShadowMap { texture: texture(device, size), size, bindings }
    }

    /// Binds a part's uniform, vertices and strands.
    pub(super) fn bind_part(&self, device: &wgpu::Device, buffers: [&wgpu::Buffer; 3]) -> wgpu::BindGroup {
        bind(device, &self.layouts[1], &buffers.map(wgpu::Buffer::as_entire_binding))
    }

    /// Records the pass that draws a map; a part has its bindings and a number of segments.
    pub(super) fn encode<'a>(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        map: &ShadowMap,
        parts: impl Iterator<Item = (&'a wgpu::BindGroup, u32)>,
    ) {
        let depth_ops = Some(wgpu::Operations { load: wgpu::LoadOp::Clear(1.0), store: wgpu::StoreOp::Store });
        let view = &map.texture;
        let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            label: Some("shadows"),
            depth_stencil_attachment: Some(wgpu::RenderPassDepthStencilAttachment {
                view,
                depth_ops,
                stencil_ops: None,
            }),
            ..Default::default()
        });
        pass.set_pipeline(&self.pipeline);
        pass.set_bind_group(0, &map.bindings, &[]);
        for (bindings, segments) in parts {
            pass.set_bind_group(1, bindings, &[]);
            // Two pieces of ribbon for each segment.
            pass.draw(0..6, 0..segments);
        }
    }
}

/// A square depth texture that is drawn into and compared with.
fn texture(device: &wgpu::Device, size: u32) -> wgpu::TextureView {
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
