//! Ambient occlusion from the depths of a finished picture: darkens where yarns cross. A pass of its own that a host
//! may leave out.

use super::camera::Camera;
use super::program::{Drawing, bind, layouts, module, pipeline};
use super::target::TargetOptions;
use crate::gpu::fault;
use crate::{Error, Result};
use nalgebra::{Matrix4, Vector3};
use yarnwise_shaders::gpu::OcclusionView;
use yarnwise_shaders::stages::draw as stages;

/// How much corners darken.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OcclusionOptions {
    /// How far around a point others block light, meters: two to four yarn radii. Its effect fades where this is
    /// only a few pixels.
    pub radius: f32,
    /// How strong, 0 to 1.
    pub amount: f32,
    /// Left and upper border of the camera's viewport in the target, whole pixels. A host with several viewports gives
    /// each an [`Occlusion`] of its own, and a scissor rectangle.
    pub origin: [f32; 2],
    /// The depth that the host's depth target was cleared to: the background is not darkened.
    pub background: f32,
}

impl Default for OcclusionOptions {
    fn default() -> Self {
        OcclusionOptions { radius: 1.5e-3, amount: 0.8, origin: [0.0; 2], background: 1.0 }
    }
}

/// The pass that darkens corners, for one depth target.
///
/// It reads the depths of the pass that drew the yarns (a texture with the usage `TEXTURE_BINDING`, stored, and not
/// attached to the pass in which [`Occlusion::draw`] is called) and multiplies the colors of a target with one sample a
/// pixel: the one that was resolved to.
#[derive(Debug)]
pub struct Occlusion {
    device: wgpu::Device,
    pipeline: wgpu::RenderPipeline,
    layouts: Vec<wgpu::BindGroupLayout>,
    view: wgpu::Buffer,
    bindings: Option<wgpu::BindGroup>,
    encodes: bool,
}

/// Pixels: below the first, occlusion is invisible; the second is the largest distance it samples.
const PIXELS: [f32; 2] = [1.5, 90.0];

impl Occlusion {
    /// Compiles the pass for targets as `target` says: its color format and the number of its depths' samples.
    pub fn new(device: &wgpu::Device, target: &TargetOptions) -> Result<Self> {
        fault::guard(device, "compiling the occlusion pass", || {
            let stage =
                if target.sample_count > 1 { &stages::occlusion_samples::STAGE } else { &stages::occlusion::STAGE };
            let layouts = layouts(device, stage);
            let multiply = wgpu::BlendComponent {
                src_factor: wgpu::BlendFactor::Dst,
                dst_factor: wgpu::BlendFactor::Zero,
                operation: wgpu::BlendOperation::Add,
            };
            let drawing = Drawing {
                label: "occlusion",
                module: &module(device, stage),
                layouts: &layouts,
                vertex: "fill",
                fragment: Some("darken"),
                buffers: &[],
                cull: None,
                topology: wgpu::PrimitiveTopology::TriangleList,
                blend: Some(wgpu::BlendState { color: multiply, alpha: multiply }),
                depth: None,
            };
            Ok(Occlusion {
                device: device.clone(),
                pipeline: pipeline(device, &drawing, &TargetOptions { sample_count: 1, ..*target }),
                layouts,
                view: device.create_buffer(&wgpu::BufferDescriptor {
                    label: Some("occlusion"),
                    size: size_of::<OcclusionView>() as u64,
                    usage: wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST,
                    mapped_at_creation: false,
                }),
                bindings: None,
                encodes: !target.color_format.is_srgb(),
            })
        })
    }

    /// Sets the depths to read. To be called again when the host makes a new depth texture.
    pub fn set_depth(&mut self, depth: &wgpu::TextureView) -> Result<()> {
        let resources = [self.view.as_entire_binding(), wgpu::BindingResource::TextureView(depth)];
        let device = self.device.clone();
        let bindings =
            fault::guard(&device, "binding a depth texture", || Ok(bind(&device, &self.layouts[0], &resources)))?;
        self.bindings = Some(bindings);
        Ok(())
    }

    /// Sets camera and strength of the next frame.
    pub fn prepare(&mut self, queue: &wgpu::Queue, camera: &Camera, options: &OcclusionOptions) -> Result<()> {
        camera.check()?;
        let limits = [(options.radius, 1e-9, 1e9), (options.amount, 0.0, 1.0), (options.background, 0.0, 1.0)];
        let limits = limits.into_iter().chain(options.origin.map(|c| (c, 0.0, 1e6)));
        if let Some((value, ..)) = { limits }.find(|(v, low, high)| !(low..=high).contains(&v)) {
            let range = "of a positive radius, within the target, with an amount and a background from 0 to 1";
            return Err(Error::parameter("occlusion", value, range));
        }
        let Some(inverse) = Matrix4::from(camera.view_proj).try_inverse() else {
            return Err(Error::parameter("camera", 0.0, "one whose view_proj can be inverted"));
        };
        let row = |r: usize| Vector3::from([0, 1, 2].map(|k| camera.view_proj[k][r]));
        // Clip space's w grows into the picture, unless rays are parallel.
        let forward = if row(3).norm() > 0.0 {
            row(3).normalize()
        } else {
            -Vector3::new(camera.eye[0], camera.eye[1], camera.eye[2]).normalize()
        };
        let view = OcclusionView {
            inverse: inverse.into(),
            forward: [forward.x, forward.y, forward.z, 0.0],
            amount: [options.radius, options.amount, camera.pixel_scale(), if self.encodes { 1.0 } else { 0.0 }],
            limits: [PIXELS[0], PIXELS[1], options.background, 0.0],
            area: [options.origin[0], options.origin[1], camera.viewport[0], camera.viewport[1]],
        };
        fault::guard(&self.device, "uploading the occlusion pass", || {
            fault::write(queue, &self.view, bytemuck::bytes_of(&view))
        })
    }

    /// Darkens the pass's color target, which is loaded, not cleared; the pass has no depth target. Does nothing before
    /// [`Occlusion::set_depth`].
    pub fn draw(&self, pass: &mut wgpu::RenderPass<'_>) {
        if let Some(bindings) = &self.bindings {
            pass.set_pipeline(&self.pipeline);
            pass.set_bind_group(0, bindings, &[]);
            pass.draw(0..3, 0..1);
        }
    }
}
