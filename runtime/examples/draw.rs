//! A picture of yarns, without a window: a baked pattern on a sheet that is pulled apart.
//!
//! `cargo run --release -p yarnwise-runtime --example draw -- DATABASE PICTURE.png [WIDTH HEIGHT SEEN SHEET TILT [heat]]`
//!
//! SEEN is the height of what is seen, SHEET the side of the sheet, both in meters; TILT in radians. With `heat`, colors
//! show how much thinner the yarns have become.

use anyhow::{Context, Result};
use std::path::PathBuf;
use std::time::Instant;
use yarnwise_picture::Picture;
use yarnwise_runtime::draw::{Camera, HeatMap, Occlusion, OcclusionOptions, Shadow};
use yarnwise_runtime::draw::{TargetOptions, TubeOptions, TubePipelines, TubeState, TubeStyle};
use yarnwise_runtime::shared::mesh::clip::make::{Animation, Sheet};
use yarnwise_runtime::shared::table::database;
use yarnwise_runtime::{
    CpuYarns, FrameParams, LayoutOptions, PipelineOptions, StateOptions, YarnLayout, YarnPipelines,
};
use yarnwise_runtime::{YarnState, wgpu};

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |i: usize, default: f32| arguments.get(i).map_or(Ok(default), |a| a.parse());
    let database = database::read(&PathBuf::from(arguments.first().context("which database?")?))?;
    let picture = PathBuf::from(arguments.get(1).context("which picture?")?);
    let (width, height) = (number(2, 1280.0)?, number(3, 800.0)?);
    let (seen, side, tilt) = (number(4, 0.1)?, number(5, 0.12)?, number(6, 0.6)?);
    let sheet = Sheet { size: [f64::from(side); 2], cells: [24, 24] };
    let clip = Animation::default().clip(sheet.mesh()?)?;
    let instance = wgpu::Instance::new(wgpu::InstanceDescriptor::new_without_display_handle_from_env());
    let adapter = pollster::block_on(instance.request_adapter(&Default::default())).context("no graphics adapter")?;
    let (device, queue) = pollster::block_on(adapter.request_device(&Default::default()))?;
    let target = TargetOptions::default();
    let size = wgpu::Extent3d { width: width as u32, height: height as u32, depth_or_array_layers: 1 };
    let texture = |format, sample_count| {
        device.create_texture(&wgpu::TextureDescriptor {
            label: None,
            size,
            mip_level_count: 1,
            sample_count,
            dimension: wgpu::TextureDimension::D2,
            format,
            usage: wgpu::TextureUsages::RENDER_ATTACHMENT
                | wgpu::TextureUsages::COPY_SRC
                | wgpu::TextureUsages::TEXTURE_BINDING,
            view_formats: &[],
        })
    };
    let samples = texture(target.color_format, target.sample_count).create_view(&Default::default());
    let depth = texture(target.depth_format, target.sample_count).create_view(&Default::default());
    let color = texture(target.color_format, 1);

    let pipelines = YarnPipelines::new(&device, &PipelineOptions::default())?;
    let layout = YarnLayout::new(clip.mesh(), database.pattern(), &LayoutOptions::default())?;
    let mut yarns = YarnState::new(&device, &queue, &pipelines, &layout, &database, &StateOptions::default())?;
    let tubes = TubePipelines::new(&device, &target)?;
    let mut view = TubeState::new(&device, &queue, &tubes, &layout, &yarns, &TubeOptions::default())?;
    let positions = clip.positions(clip.frame_count() / 4);
    yarns.prepare(&queue, &FrameParams { positions, ..Default::default() })?;
    let back = seen / 2.0 / 0.25f32.tan();
    let eye = [0.0, -tilt.sin() * back, tilt.cos() * back];
    let camera = Camera::perspective(eye, [0.0; 3], [0.0, 1.0, 0.0], 0.5, [back * 0.05, back * 10.0], [width, height]);
    let mut style = TubeStyle { shadow: Some(Shadow::seen_by(&camera, [0.0; 3], side)), ..Default::default() };
    if arguments.get(7).is_some_and(|a| a == "heat") {
        let mut cpu = CpuYarns::new(layout.clone(), &database)?;
        cpu.update(&FrameParams { positions, ..Default::default() })?;
        let thinner: Vec<f32> = cpu.vertices().iter().map(|v| 1.0 - v.radius / layout.radius()).collect();
        let most = thinner.iter().copied().fold(1e-6, f32::max);
        view.set_values(&queue, &thinner)?;
        style.heat_map = Some(HeatMap { range: [0.0, most], ..Default::default() });
    }
    view.prepare(&queue, &camera, &style)?;
    let mut occlusion = Occlusion::new(&device, &target)?;
    occlusion.set_depth(&depth)?;
    let radius = 2.5 * layout.radius();
    occlusion.prepare(&queue, &camera, &OcclusionOptions { radius, ..Default::default() })?;

    for _ in 0..2 {
        let start = Instant::now();
        let mut encoder = device.create_command_encoder(&Default::default());
        pipelines.encode(&mut encoder, &yarns)?;
        tubes.encode(&mut encoder, &view);
        let clear = wgpu::Color { r: 0.80, g: 0.80, b: 0.78, a: 1.0 };
        let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            color_attachments: &[Some(wgpu::RenderPassColorAttachment {
                view: &samples,
                resolve_target: Some(&color.create_view(&Default::default())),
                depth_slice: None,
                ops: wgpu::Operations { load: wgpu::LoadOp::Clear(clear), store: wgpu::StoreOp::Discard },
            })],
            depth_stencil_attachment: Some(wgpu::RenderPassDepthStencilAttachment {
                view: &depth,
                depth_ops: Some(wgpu::Operations { load: wgpu::LoadOp::Clear(1.0), store: wgpu::StoreOp::Store }),
                stencil_ops: None,
            }),
            ..Default::default()
        });
        tubes.draw(&view, &mut pass);
        drop(pass);
        let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            color_attachments: &[Some(wgpu::RenderPassColorAttachment {
                view: &color.create_view(&Default::default()),
                resolve_target: None,
                depth_slice: None,
                ops: wgpu::Operations { load: wgpu::LoadOp::Load, store: wgpu::StoreOp::Store },
            })],
            ..Default::default()
        });
        occlusion.draw(&mut pass);
        drop(pass);
        queue.submit([encoder.finish()]);
        device.poll(wgpu::PollType::wait_indefinitely())?;
        #[allow(clippy::print_stderr, reason = "a program prints how long it took")]
        {
            eprintln!("{} yarn vertices in {:.2?}", layout.vertex_count(), start.elapsed());
        }
    }
    save(&device, &queue, &color, &picture)
}

fn save(device: &wgpu::Device, queue: &wgpu::Queue, color: &wgpu::Texture, path: &std::path::Path) -> Result<()> {
    let row = (color.width() * 4).next_multiple_of(256);
    let (size, usage) = (u64::from(row * color.height()), wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST);
    let buffer = device.create_buffer(&wgpu::BufferDescriptor { label: None, size, usage, mapped_at_creation: false });
    let layout = wgpu::TexelCopyBufferLayout { offset: 0, bytes_per_row: Some(row), rows_per_image: None };
    let mut encoder = device.create_command_encoder(&Default::default());
    let to = wgpu::TexelCopyBufferInfo { buffer: &buffer, layout };
    encoder.copy_texture_to_buffer(color.as_image_copy(), to, color.size());
    queue.submit([encoder.finish()]);
    buffer.map_async(wgpu::MapMode::Read, .., |_| ());
    device.poll(wgpu::PollType::wait_indefinitely())?;
    let bytes = buffer.get_mapped_range(..)?.to_vec();
    let pixels: Vec<u8> = bytes.chunks(row as usize).flat_map(|r| &r[..color.width() as usize * 4]).copied().collect();
    Ok(Picture { width: color.width(), height: color.height(), pixels }.save(path)?)
}
