//! Pictures of yarns for tests: a small host that draws into memory.

use crate::gpu;
use std::num::NonZeroU32;
use yarnwise_runtime::draw::{Camera, MeshPipelines, MeshState, Occlusion, OcclusionOptions};
use yarnwise_runtime::draw::{TargetOptions, TubePipelines, TubeState, TubeStyle};
use yarnwise_runtime::wgpu;
use yarnwise_shaders::gpu::YarnVertex;

/// A device with the drawing pipelines, and a target of a fixed size.
pub struct Studio {
    /// The device.
    pub device: wgpu::Device,
    /// Its queue.
    pub queue: wgpu::Queue,
    /// The pipelines.
    pub tubes: TubePipelines,
    /// What its pictures are.
    pub target: TargetOptions,
    size: NonZeroU32,
}

/// What a picture may have besides yarns.
#[derive(Clone, Copy, Default)]
pub struct Extras<'a> {
    /// Darker corners.
    pub occlusion: Option<OcclusionOptions>,
    /// A bare mesh, already prepared.
    pub mesh: Option<(&'a MeshPipelines, &'a MeshState)>,
}

/// What a picture is cleared to: sRGB 0 in all lanes, so that what is drawn stands out.
const BACKGROUND: wgpu::Color = wgpu::Color { r: 0.0, g: 0.0, b: 0.0, a: 0.0 };

/// A square picture, sRGB, 4 B a pixel.
#[derive(Clone, Debug, PartialEq)]
pub struct Picture {
    /// Width and height.
    pub size: usize,
    /// Rows from the top.
    pub pixels: Vec<[u8; 4]>,
}

impl Studio {
    /// A target of `size` by `size` pixels; `size` is a multiple of 64, so that rows need no padding.
    ///
    /// # Panics
    /// Without an adapter, or when the pipelines cannot be made.
    pub fn new(size: u32, sample_count: u32) -> Self {
        assert!(size.is_multiple_of(64));
        let (device, queue) = gpu::device();
        let target = TargetOptions { sample_count, ..Default::default() };
        let tubes = TubePipelines::new(&device, &target).expect("the pipelines compile");
        Studio { device, queue, tubes, target, size: NonZeroU32::new(size).expect("a picture has pixels") }
    }

    /// Curves ready to be drawn.
    pub fn curves(&self, vertices: &[YarnVertex], starts: &[u32]) -> TubeState {
        TubeState::of_vertices(&self.device, &self.queue, &self.tubes, vertices, starts, &Default::default())
            .expect("the curves are valid")
    }

    /// A camera with parallel rays that looks down on the origin; y is up, the picture is `height` meters high.
    pub fn above(&self, height: f32) -> Camera {
        let side = self.size.get() as f32;
        Camera::orthographic([0.0, 0.0, 1.0], [0.0; 3], [0.0, 1.0, 0.0], height, [0.1, 2.0], [side, side])
    }

    /// The same from far above, for scenes of several meters.
    pub fn above_far(&self, height: f32) -> Camera {
        let side = self.size.get() as f32;
        Camera::orthographic([0.0, 0.0, 20.0], [0.0; 3], [0.0, 1.0, 0.0], height, [1.0, 40.0], [side, side])
    }

    /// A perspective camera that looks at the origin from `eye`.
    pub fn from(&self, eye: [f32; 3]) -> Camera {
        let side = self.size.get() as f32;
        let far = eye.iter().map(|c| c * c).sum::<f32>().sqrt() * 3.0;
        Camera::perspective(eye, [0.0; 3], [0.0, 1.0, 0.0], 0.5, [far * 0.01, far], [side, side])
    }

    /// Draws and reads the picture back.
    pub fn shoot(&self, tubes: &mut TubeState, camera: &Camera, style: &TubeStyle) -> Picture {
        self.shoot_with(tubes, camera, style, &Extras::default())
    }

    /// Draws, with what else there is to see, and reads the picture back.
    pub fn shoot_with(
        &self,
        tubes: &mut TubeState,
        camera: &Camera,
        style: &TubeStyle,
        extras: &Extras<'_>,
    ) -> Picture {
        tubes.prepare(&self.queue, camera, style).expect("the view is valid");
        let samples = self.texture(self.target.color_format, self.target.sample_count);
        let depth = self.texture(self.target.depth_format, self.target.sample_count).create_view(&Default::default());
        let color = self.texture(self.target.color_format, 1);
        let resolved = color.create_view(&Default::default());
        let multisampled = self.target.sample_count > 1;
        let view = if multisampled { samples.create_view(&Default::default()) } else { resolved.clone() };
        let mut encoder = self.device.create_command_encoder(&Default::default());
        self.tubes.encode(&mut encoder, tubes);
        let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            color_attachments: &[Some(attachment(
                &view,
                multisampled.then_some(&resolved),
                wgpu::LoadOp::Clear(BACKGROUND),
            ))],
            depth_stencil_attachment: Some(wgpu::RenderPassDepthStencilAttachment {
                view: &depth,
                depth_ops: Some(wgpu::Operations { load: wgpu::LoadOp::Clear(1.0), store: wgpu::StoreOp::Store }),
                stencil_ops: None,
            }),
            ..Default::default()
        });
        if let Some((pipelines, mesh)) = extras.mesh {
            pipelines.draw(mesh, &mut pass);
        }
        self.tubes.draw(tubes, &mut pass);
        drop(pass);
        if let Some(options) = &extras.occlusion {
            let mut darken = Occlusion::new(&self.device, &self.target).expect("the pass compiles");
            darken.set_depth(&depth).expect("the depths can be read");
            darken.prepare(&self.queue, camera, options).expect("the options are valid");
            let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
                color_attachments: &[Some(attachment(&resolved, None, wgpu::LoadOp::Load))],
                ..Default::default()
            });
            darken.draw(&mut pass);
        }
        self.read(encoder, &color)
    }

    fn read(&self, mut encoder: wgpu::CommandEncoder, color: &wgpu::Texture) -> Picture {
        let side = self.size.get();
        let buffer = self.device.create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size: u64::from(side) * u64::from(side) * 4,
            usage: wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::COPY_SRC,
            mapped_at_creation: false,
        });
        let layout = wgpu::TexelCopyBufferLayout { offset: 0, bytes_per_row: Some(side * 4), rows_per_image: None };
        let to = wgpu::TexelCopyBufferInfo { buffer: &buffer, layout };
        encoder.copy_texture_to_buffer(color.as_image_copy(), to, color.size());
        self.queue.submit([encoder.finish()]);
        Picture { size: side as usize, pixels: gpu::read(&self.device, &self.queue, &buffer) }
    }

    fn texture(&self, format: wgpu::TextureFormat, sample_count: u32) -> wgpu::Texture {
        self.device.create_texture(&wgpu::TextureDescriptor {
            label: None,
            size: wgpu::Extent3d { width: self.size.get(), height: self.size.get(), depth_or_array_layers: 1 },
            mip_level_count: 1,
            sample_count,
            dimension: wgpu::TextureDimension::D2,
            format,
            usage: wgpu::TextureUsages::RENDER_ATTACHMENT
                | wgpu::TextureUsages::TEXTURE_BINDING
                | wgpu::TextureUsages::COPY_SRC,
            view_formats: &[],
        })
    }
}

fn attachment<'a>(
    view: &'a wgpu::TextureView,
    resolve_target: Option<&'a wgpu::TextureView>,
    load: wgpu::LoadOp<wgpu::Color>,
) -> wgpu::RenderPassColorAttachment<'a> {
    let ops = wgpu::Operations { load, store: wgpu::StoreOp::Store };
    wgpu::RenderPassColorAttachment { view, resolve_target, depth_slice: None, ops }
}

impl Picture {
    /// How much of each pixel is covered, 0 to 1, by its alpha.
    pub fn coverage(&self, x: usize, y: usize) -> f64 {
        f64::from(self.at(x, y)[3]) / 255.0
    }

    /// Covered area in pixels.
    pub fn area(&self) -> f64 {
        self.pixels.iter().map(|p| f64::from(p[3]) / 255.0).sum()
    }

    /// The pixel in column `x` of row `y` from the top.
    pub fn at(&self, x: usize, y: usize) -> [u8; 4] {
        self.pixels[y * self.size + x]
    }

    /// Mean color of what is covered, by weight of coverage, 0 to 255.
    pub fn mean(&self) -> [f64; 3] {
        let area = self.area().max(1e-9);
        [0, 1, 2].map(|k| self.pixels.iter().map(|p| f64::from(p[k])).sum::<f64>() / area)
    }

    /// Mean difference to another picture of the same size, 0 to 255, over all lanes and pixels.
    pub fn difference(&self, other: &Picture) -> f64 {
        let lanes = |p: &Picture| p.pixels.concat();
        let (a, b) = (lanes(self), lanes(other));
        a.iter().zip(&b).map(|(a, b)| f64::from(a.abs_diff(*b))).sum::<f64>() / a.len() as f64
    }
}

/// A yarn through `points` with this radius; directors are across z where they can be.
pub fn curve(points: &[[f32; 3]], radius: f32) -> Vec<YarnVertex> {
    let vertex = |i: usize| {
        let (a, b) = (points[i.min(points.len() - 2)], points[(i + 1).min(points.len() - 1)]);
        let director = [-(b[1] - a[1]), b[0] - a[0], 1e-6];
        YarnVertex { position: points[i], twist: 0.0, director: YarnVertex::pack_director(director), radius }
    };
    (0..points.len()).map(vertex).collect()
}
