//! Yarns in a host's own renderer: device, queue, encoder and pass are the host's.
//!
//! `cargo run --release -p yarnwise-runtime --example embed -- [PICTURE.png [DATABASE]]`
//!
//! A sheet that is pulled apart, drawn without a window. Without a database the yarns of a knitted pattern follow the
//! sheet but do not slide on each other. (A host with its own way of drawing uses `YarnState::parts`: vertex buffers.)

use anyhow::{Context, Result};
use std::path::{Path, PathBuf};
use yarnwise_picture::Picture;
use yarnwise_runtime::draw::{Camera, TargetOptions, TubeOptions, TubePipelines, TubeState, TubeStyle};
use yarnwise_runtime::shared::mesh::clip::make::{Animation, Sheet};
use yarnwise_runtime::shared::pattern::knit::{KnitChart, KnitOptions, knit};
use yarnwise_runtime::shared::table::database::{self, Database};
use yarnwise_runtime::{FrameParams, LayoutOptions, PipelineOptions, StateOptions, YarnLayout, YarnPipelines};
use yarnwise_runtime::{YarnState, wgpu};

const SIZE: u32 = 768;
fn main() -> Result<()> {
    let mut arguments = std::env::args_os().skip(1).map(PathBuf::from);
    let picture = arguments.next().unwrap_or_else(|| "embed.png".into());
    run(arguments.next().map_or_else(knitted, |path| Ok(database::read(&path)?))?, &picture)
}

/// Draws three frames of a clip and saves the last of them.
pub(crate) fn run(database: Database, picture: &Path) -> Result<()> {
    let sheet = Sheet { size: [0.12, 0.12], cells: [12, 12] };
    let clip = Animation::default().clip(sheet.mesh()?)?;

    // The host's own things: a device and targets for colors and depths.
    let instance = wgpu::Instance::new(wgpu::InstanceDescriptor::new_without_display_handle_from_env());
    let adapter = pollster::block_on(instance.request_adapter(&Default::default())).context("no graphics adapter")?;
    let (device, queue) = pollster::block_on(adapter.request_device(&Default::default()))?;
    let target = TargetOptions { sample_count: 1, ..Default::default() };
    let texture = |format| {
        device.create_texture(&wgpu::TextureDescriptor {
            label: None,
            size: wgpu::Extent3d { width: SIZE, height: SIZE, depth_or_array_layers: 1 },
            mip_level_count: 1,
            sample_count: target.sample_count,
            dimension: wgpu::TextureDimension::D2,
            format,
            usage: wgpu::TextureUsages::RENDER_ATTACHMENT | wgpu::TextureUsages::COPY_SRC,
            view_formats: &[],
        })
    };
    let (color, depth) = (texture(target.color_format), texture(target.depth_format));
    let [color_view, depth_view] = [&color, &depth].map(|t| t.create_view(&Default::default()));

    // Yarnwise: pipelines once per device, layout and states once per garment.
    let pipelines = YarnPipelines::new(&device, &PipelineOptions::default())?;
    let tubes = TubePipelines::new(&device, &target)?;
    let layout = YarnLayout::new(clip.mesh(), database.pattern(), &LayoutOptions::default())?;
    let mut yarns = YarnState::new(&device, &queue, &pipelines, &layout, &database, &StateOptions::default())?;
    let mut view = TubeState::new(&device, &queue, &tubes, &layout, &yarns, &TubeOptions::default())?;
    let (eye, up, side) = ([0.0, 0.0, 1.0], [0.0, 1.0, 0.0], SIZE as f32);
    let camera = Camera::orthographic(eye, [0.0; 3], up, 0.25, [0.1, 2.0], [side, side]);

    let half = clip.frame_count() / 2;
    for frame in [0, half / 2, half] {
        let positions = clip.positions(frame);
        yarns.prepare(&queue, &FrameParams { positions, ..Default::default() })?;
        view.prepare(&queue, &camera, &TubeStyle::default())?;
        let mut encoder = device.create_command_encoder(&Default::default());
        pipelines.encode(&mut encoder, &yarns)?;
        tubes.encode(&mut encoder, &view);
        let ops = wgpu::Operations { load: wgpu::LoadOp::Clear(wgpu::Color::WHITE), store: wgpu::StoreOp::Store };
        let depth_ops = Some(wgpu::Operations { load: wgpu::LoadOp::Clear(1.0), store: wgpu::StoreOp::Discard });
        let attachment =
            wgpu::RenderPassColorAttachment { view: &color_view, resolve_target: None, depth_slice: None, ops };
        let depths = wgpu::RenderPassDepthStencilAttachment { view: &depth_view, depth_ops, stencil_ops: None };
        let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            color_attachments: &[Some(attachment)],
            depth_stencil_attachment: Some(depths),
            ..Default::default()
        });
        tubes.draw(&view, &mut pass);
        drop(pass);
        queue.submit([encoder.finish()]);
    }
    save(&device, &queue, &color, picture)
}

fn save(device: &wgpu::Device, queue: &wgpu::Queue, color: &wgpu::Texture, path: &Path) -> Result<()> {
    let (size, usage) = (u64::from(SIZE * SIZE * 4), wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST);
    let buffer = device.create_buffer(&wgpu::BufferDescriptor { label: None, size, usage, mapped_at_creation: false });
    let layout = wgpu::TexelCopyBufferLayout { offset: 0, bytes_per_row: Some(SIZE * 4), rows_per_image: None };
    let mut encoder = device.create_command_encoder(&Default::default());
    let to = wgpu::TexelCopyBufferInfo { buffer: &buffer, layout };
    encoder.copy_texture_to_buffer(color.as_image_copy(), to, color.size());
    queue.submit([encoder.finish()]);
    buffer.map_async(wgpu::MapMode::Read, .., |_| ());
    device.poll(wgpu::PollType::wait_indefinitely())?;
    let pixels = buffer.get_mapped_range(..)?.to_vec();
    Ok(Picture { width: SIZE, height: SIZE, pixels }.save(path)?)
}

/// A knitted pattern that is laid on the mesh as it is: with a table of no displacements.
pub(crate) fn knitted() -> Result<Database> {
    let pattern = knit(&KnitChart::preset("stockinette")?, &KnitOptions::default())?;
    Ok(Database::undisplaced(pattern, "knit chart", "embed")?)
}
