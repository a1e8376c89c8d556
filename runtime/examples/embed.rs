//! Yarns in a host's own renderer: device, queue, encoder and pass are the host's; Yarnwise fills a vertex buffer.
//!
//! `cargo run --release -p yarnwise-runtime --example embed -- [PICTURE.png [DATABASE]]`
//!
//! A sheet that is pulled apart is drawn as lines, without a window. Without a database the yarns of a knitted
//! pattern follow the sheet but do not slide on each other.

use anyhow::{Context, Result};
use std::path::{Path, PathBuf};
use yarnwise_runtime::{FrameParams, LayoutOptions, PipelineOptions, StateOptions, YarnLayout, YarnPipelines};
use yarnwise_runtime::{YarnState, wgpu};
use yarnwise_shared::clip::make::{Animation, Sheet};
use yarnwise_shared::database::{self, Database, DatabaseData, SampleRecord};
use yarnwise_shared::grid::StrainGrid;
use yarnwise_shared::pattern::knit::{KnitChart, KnitOptions, knit};
use yarnwise_shared::table::Table;

const SIZE: u32 = 768;
const FORMAT: wgpu::TextureFormat = wgpu::TextureFormat::Rgba8UnormSrgb;
const SHADER: &str = "
@vertex fn place(@location(0) p: vec3f) -> @builtin(position) vec4f { return vec4f(p.xy * 8.0, 0.5 - p.z, 1.0); }
@fragment fn shade() -> @location(0) vec4f { return vec4f(0.45, 0.05, 0.1, 1.0); }
";

fn main() -> Result<()> {
    let mut arguments = std::env::args_os().skip(1).map(PathBuf::from);
    let picture = arguments.next().unwrap_or_else(|| "embed.png".into());
    run(&arguments.next().map_or_else(knitted, |path| Ok(database::read(&path)?))?, &picture)
}

/// Plays half a clip and saves its last frame.
pub(crate) fn run(database: &Database, picture: &Path) -> Result<()> {
    let sheet = Sheet { size: [0.12, 0.12], cells: [12, 12] };
    let clip = Animation::default().clip(sheet.mesh()?)?;

    // The host's own things: a device, a target, a pipeline that draws lines.
    let instance = wgpu::Instance::new(wgpu::InstanceDescriptor::new_without_display_handle_from_env());
    let adapter = pollster::block_on(instance.request_adapter(&Default::default())).context("no graphics adapter")?;
    let (device, queue) = pollster::block_on(adapter.request_device(&Default::default()))?;
    let color = device.create_texture(&wgpu::TextureDescriptor {
        label: None,
        size: wgpu::Extent3d { width: SIZE, height: SIZE, depth_or_array_layers: 1 },
        mip_level_count: 1,
        sample_count: 1,
        dimension: wgpu::TextureDimension::D2,
        format: FORMAT,
        usage: wgpu::TextureUsages::RENDER_ATTACHMENT | wgpu::TextureUsages::COPY_SRC,
        view_formats: &[],
    });
    let view = color.create_view(&Default::default());
    let lines = line_pipeline(&device);

    // Yarnwise: stages once per device, layout and state once per garment.
    let pipelines = YarnPipelines::new(&device, &PipelineOptions::default())?;
    let layout = YarnLayout::new(clip.mesh(), database.pattern(), &LayoutOptions::default())?;
    let mut yarns = YarnState::new(&device, &queue, &pipelines, &layout, database, &StateOptions::default())?;

    for frame in 0..=clip.frame_count() / 2 {
        yarns.prepare(&queue, &FrameParams { positions: clip.positions(frame), ..Default::default() })?;
        let mut encoder = device.create_command_encoder(&Default::default());
        pipelines.encode(&mut encoder, &yarns)?;
        let ops = wgpu::Operations { load: wgpu::LoadOp::Clear(wgpu::Color::WHITE), store: wgpu::StoreOp::Store };
        let target = wgpu::RenderPassColorAttachment { view: &view, resolve_target: None, depth_slice: None, ops };
        let color_attachments = &[Some(target)];
        let mut pass =
            encoder.begin_render_pass(&wgpu::RenderPassDescriptor { color_attachments, ..Default::default() });
        pass.set_pipeline(&lines);
        for part in yarns.parts() {
            pass.set_vertex_buffer(0, part.vertex_buffer().slice(..));
            for yarn in part.yarns(layout.yarn_starts()) {
                pass.draw(yarn, 0..1);
            }
        }
        drop(pass);
        queue.submit([encoder.finish()]);
    }
    save(&device, &queue, &color, picture)
}

fn line_pipeline(device: &wgpu::Device) -> wgpu::RenderPipeline {
    let source = wgpu::ShaderSource::Wgsl(SHADER.into());
    let module = &device.create_shader_module(wgpu::ShaderModuleDescriptor { label: None, source });
    let (targets, buffers) = (&[Some(FORMAT.into())], &[Some(YarnState::VERTEX_LAYOUT)]);
    let compilation_options = wgpu::PipelineCompilationOptions::default();
    device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
        label: Some("yarns as lines"),
        layout: None,
        fragment: Some(wgpu::FragmentState {
            module,
            entry_point: None,
            compilation_options: compilation_options.clone(),
            targets,
        }),
        vertex: wgpu::VertexState { module, entry_point: None, compilation_options, buffers },
        primitive: wgpu::PrimitiveState { topology: wgpu::PrimitiveTopology::LineStrip, ..Default::default() },
        depth_stencil: None,
        multisample: Default::default(),
        multiview_mask: None,
        cache: None,
    })
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
    image::save_buffer(path, &pixels, SIZE, SIZE, image::ColorType::Rgba8).context(path.display().to_string())
}

/// A knitted pattern that is laid on the mesh as it is: with a table of no displacements.
pub(crate) fn knitted() -> Result<Database> {
    let pattern = knit(&KnitChart::preset("stockinette")?, &KnitOptions::default())?;
    let (grid, vertices) = (StrainGrid::preset(5)?, pattern.vertices().len());
    let samples = vec![SampleRecord::IMPORTED; grid.sample_count()];
    let table = Table::new(grid, vertices, vec![[0.0; 4]; vertices * samples.len()])?;
    let (name, origin, tool) = ("stockinette".into(), "knit chart".into(), "embed".into());
    let (material, settings, bending) = (None, Default::default(), None);
    Ok(Database::new(DatabaseData { name, origin, tool, pattern, material, settings, table, samples, bending })?)
}
