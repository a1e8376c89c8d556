//! What is drawn into: a texture, and its pixels.

use crate::gpu::Gpu;
use crate::scene::Color;
use crate::{Error, Result};
use yarnwise_runtime::wgpu;

/// Colors of the picture.
pub(crate) const FORMAT: wgpu::TextureFormat = wgpu::TextureFormat::Rgba8UnormSrgb;

/// Samples of a pixel.
pub(super) const SAMPLES: u32 = 4;

/// The most pixels of a picture: with samples and depths each takes some 40 bytes.
const MAX_PIXELS: u64 = 40_000_000;

/// A texture to draw into.
#[derive(Debug)]
pub(crate) struct Target {
    picture: wgpu::Texture,
    view: wgpu::TextureView,
    samples: wgpu::TextureView,
    depth: wgpu::TextureView,
}

impl Target {
    /// A target of `width` x `height` pixels; an error where that is more than the device can draw.
    pub(crate) fn new(gpu: &Gpu, width: u32, height: u32) -> Result<Self> {
        let most = gpu.device.limits().max_texture_dimension_2d;
        if width == 0 || height == 0 || width > most || height > most {
            let problem = format!("{width} x {height} pixels: this device draws 1 to {most} along each side");
            return Err(Error::Request(problem));
        }
        if u64::from(width) * u64::from(height) > MAX_PIXELS {
            let problem = format!("{width} x {height} pixels: a picture may have {} million", MAX_PIXELS / 1_000_000);
            return Err(Error::Request(problem));
        }
        let memory = gpu.device.push_error_scope(wgpu::ErrorFilter::OutOfMemory);
        let target = Target::make(gpu, width, height);
        match pollster::block_on(memory.pop()) {
            None => Ok(target),
            Some(_) => Err(Error::Device(format!("{width} x {height} pixels do not fit its memory"))),
        }
    }

    fn make(gpu: &Gpu, width: u32, height: u32) -> Self {
        let texture = |format, sample_count, usage| {
            gpu.device.create_texture(&wgpu::TextureDescriptor {
                label: Some("picture"),
                size: wgpu::Extent3d { width, height, depth_or_array_layers: 1 },
                mip_level_count: 1,
                sample_count,
                dimension: wgpu::TextureDimension::D2,
                format,
                usage: usage | wgpu::TextureUsages::RENDER_ATTACHMENT,
                // The panels take colors as they are encoded.
                view_formats: if sample_count == 1 { &[wgpu::TextureFormat::Rgba8Unorm] } else { &[] },
            })
        };
        let picture = texture(FORMAT, 1, wgpu::TextureUsages::COPY_SRC | wgpu::TextureUsages::TEXTURE_BINDING);
        let view = |t: &wgpu::Texture| t.create_view(&Default::default());
        Target {
            view: view(&picture),
            samples: view(&texture(FORMAT, SAMPLES, wgpu::TextureUsages::empty())),
            depth: view(&texture(wgpu::TextureFormat::Depth32Float, SAMPLES, wgpu::TextureUsages::empty())),
            picture,
        }
    }

    /// Pixels.
    pub(crate) fn width(&self) -> u32 {
        self.picture.width()
    }

    /// Pixels.
    pub(crate) fn height(&self) -> u32 {
        self.picture.height()
    }

    /// The picture as the panels take it: encoded colors.
    pub(crate) fn encoded_view(&self) -> wgpu::TextureView {
        let format = Some(wgpu::TextureFormat::Rgba8Unorm);
        self.picture.create_view(&wgpu::TextureViewDescriptor { format, ..Default::default() })
    }

    pub(super) fn begin<'a>(&self, encoder: &'a mut wgpu::CommandEncoder, background: Color) -> wgpu::RenderPass<'a> {
        let [r, g, b] = background.linear().map(f64::from);
        let clear = wgpu::LoadOp::Clear(wgpu::Color { r, g, b, a: 1.0 });
        encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            label: Some("picture"),
            color_attachments: &[Some(wgpu::RenderPassColorAttachment {
                view: &self.samples,
                resolve_target: Some(&self.view),
                depth_slice: None,
                ops: wgpu::Operations { load: clear, store: wgpu::StoreOp::Discard },
            })],
            depth_stencil_attachment: Some(wgpu::RenderPassDepthStencilAttachment {
                view: &self.depth,
                depth_ops: Some(wgpu::Operations { load: wgpu::LoadOp::Clear(1.0), store: wgpu::StoreOp::Discard }),
                stencil_ops: None,
            }),
            ..Default::default()
        })
    }

    /// Waits for the picture and reads it back.
    pub(crate) fn read(&self, gpu: &Gpu) -> Result<yarnwise_picture::Picture> {
        let (width, height) = (self.width(), self.height());
        let row = (width * 4).next_multiple_of(wgpu::COPY_BYTES_PER_ROW_ALIGNMENT);
        let usage = wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST;
        let buffer = gpu.device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("pixels"),
            size: u64::from(row) * u64::from(height),
            usage,
            mapped_at_creation: false,
        });
        let layout = wgpu::TexelCopyBufferLayout { offset: 0, bytes_per_row: Some(row), rows_per_image: None };
        let mut encoder = gpu.device.create_command_encoder(&Default::default());
        let to = wgpu::TexelCopyBufferInfo { buffer: &buffer, layout };
        encoder.copy_texture_to_buffer(self.picture.as_image_copy(), to, self.picture.size());
        gpu.queue.submit([encoder.finish()]);
        buffer.map_async(wgpu::MapMode::Read, .., |_| ());
        gpu.wait()?;
        let mapped = buffer.get_mapped_range(..).map_err(|e| Error::Device(e.to_string()))?;
        let pixels = mapped.chunks_exact(row as usize).flat_map(|r| r[..width as usize * 4].iter().copied()).collect();
        Ok(yarnwise_picture::Picture { width, height, pixels })
    }
}
