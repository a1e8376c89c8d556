//! The code in the guides for hosts compiles as it is written there, with nothing but `yarnwise-runtime` in scope.

use std::path::Path;
use yarnwise_runtime::Result;
use yarnwise_runtime::shared::table::database::Database;
use yarnwise_runtime::{FrameParams, YarnLayout, YarnPipelines, YarnVertex, wgpu};

type AnyResult = std::result::Result<(), Box<dyn std::error::Error>>;

#[rustfmt::skip]
fn from_files_to_yarns(draw: fn(&[YarnVertex])) -> AnyResult {
    use yarnwise_runtime::shared::mesh::clip::Clip;
    use yarnwise_runtime::shared::table::database;
    use yarnwise_runtime::{CpuYarns, FrameParams, LayoutOptions, YarnLayout, YarnVertex};

    let database = database::read("knit.ydb".as_ref())?;
    let clip = Clip::open("garment.obj".as_ref())?;

    let layout = YarnLayout::new(clip.mesh(), database.pattern(), &LayoutOptions::default())?;
    let mut yarns = CpuYarns::new(layout, &database)?;

    yarns.update(&FrameParams { positions: clip.positions(0), ..Default::default() })?;
    for yarn in yarns.layout().yarn_starts().windows(2) {
        draw(&yarns.vertices()[yarn[0] as usize..yarn[1] as usize]);
    }
    let _: &[YarnVertex] = yarns.vertices();
    Ok(())
}

/// What the host of the second guide and the third one has.
struct Host<'a> {
    device: wgpu::Device,
    queue: wgpu::Queue,
    layout: YarnLayout,
    database: Database,
    positions: &'a [[f32; 3]],
    encoder: wgpu::CommandEncoder,
}

#[rustfmt::skip]
fn on_the_hosts_gpu(host: Host<'_>) -> Result<YarnState> {
    let Host { device, queue, layout, database, positions, mut encoder } = host;
    use yarnwise_runtime::{PipelineOptions, StateOptions, YarnPipelines, YarnState, wgpu};

    let pipelines = YarnPipelines::new(&device, &PipelineOptions::default())?;
    let mut yarns = YarnState::new(&device, &queue, &pipelines, &layout, &database, &StateOptions::default())?;

    yarns.prepare(&queue, &FrameParams { positions, ..Default::default() })?;
    pipelines.encode(&mut encoder, &yarns)?;
    let _: wgpu::CommandBuffer = encoder.finish();
    Ok(yarns)
}

type YarnState = yarnwise_runtime::YarnState;

struct Frame<'a> {
    eye: [f32; 3],
    center: [f32; 3],
    up: [f32; 3],
    fov_y: f32,
    near: f32,
    far: f32,
    width: f32,
    height: f32,
    pass: wgpu::RenderPass<'a>,
}

#[rustfmt::skip]
fn drawn(host: Host<'_>, pipelines: YarnPipelines, yarns: YarnState, formats: [wgpu::TextureFormat; 2], frame: Frame<'_>) -> Result<()> {
    let Host { device, queue, layout, mut encoder, .. } = host;
    let [color_format, depth_format] = formats;
    let Frame { eye, center, up, fov_y, near, far, width, height, mut pass } = frame;
    use yarnwise_runtime::draw::{Camera, TargetOptions, TubeOptions, TubePipelines, TubeState, TubeStyle};

    let target = TargetOptions { color_format, depth_format, sample_count: 4, ..Default::default() };
    let tubes = TubePipelines::new(&device, &target)?;
    let mut view = TubeState::new(&device, &queue, &tubes, &layout, &yarns, &TubeOptions::default())?;

    let camera = Camera::perspective(eye, center, up, fov_y, [near, far], [width, height]);
    view.prepare(&queue, &camera, &TubeStyle::default())?;
    pipelines.encode(&mut encoder, &yarns)?;
    tubes.encode(&mut encoder, &view);
    tubes.draw(&view, &mut pass);
    Ok(())
}

/// Code without comments and white space.
fn bare(code: &str) -> String {
    let lines = code.lines().map(|line| line.split("//").next().unwrap_or_default());
    lines.flat_map(str::chars).filter(|c| !c.is_whitespace()).collect()
}

#[test]
fn the_code_of_the_guides_is_compiled_here() {
    // That it compiles is the test; it is not run without files and a window.
    let _ = (from_files_to_yarns, on_the_hosts_gpu, drawn);
    let compiled = bare(include_str!("guides.rs"));
    let mut blocks = 0;
    for guide in ["embedding.md", "drawing.md"] {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/guide").join(guide);
        let text = std::fs::read_to_string(path).unwrap();
        for block in text.split("```rust\n").skip(1).map(|rest| rest.split("```").next().unwrap_or_default()) {
            assert!(compiled.contains(&bare(block)), "{guide}: this code is not the one that is compiled:\n{block}");
            blocks += 1;
        }
    }
    assert_eq!(blocks, 3, "blocks of code in the guides for hosts");
}
