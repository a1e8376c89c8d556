//! `render`: pictures of a scene.

use crate::cli::RenderArgs;
use crate::{environment, outputs, progress};
use anyhow::{Result, anyhow};
use serde::Serialize;
use std::path::PathBuf;
use std::time::Instant;
use yarnwise_program::number::count;
use yarnwise_program::{print_json, say};
use yarnwise_viewer::files;
use yarnwise_viewer::frames::Frames;
use yarnwise_viewer::gpu::Gpu;
use yarnwise_viewer::headless::{PictureOptions, Studio, picture_files};
use yarnwise_viewer::scene::{HeatMapSpec, Scene};

/// What `render` has done.
#[derive(Debug, Serialize)]
struct Report {
    yarns: usize,
    vertices: usize,
    /// The graphics device.
    device: String,
    pictures: usize,
    /// Wall time of simulating, drawing and writing.
    seconds: f64,
    files: Vec<PathBuf>,
}

pub(crate) fn run(args: &RenderArgs) -> Result<()> {
    environment::prepare_for_graphics();
    args.scene.threads.start()?;
    let mut named = files::read(None, &args.scene.files)?;
    apply(args, &mut named.scene);
    if let Some(problem) = named.scene.fault() {
        return Err(anyhow!(problem));
    }
    let frames = args.scene.frames.chosen().unwrap_or(Frames::one(named.scene.still));
    if !named.scene.yarns.is_laid() && named.scene.still == 0 {
        // The frame that fills the picture is not given: the one that is drawn.
        named.scene.still = frames.first();
    }
    let inputs = named.inputs();
    outputs::check(&picture_files(&args.output, frames.first()..=frames.first())?, &inputs)?;
    let loaded = named.load()?;
    let all = frames.of(loaded.frame_count())?;
    outputs::check(&picture_files(&args.output, all.clone())?, &inputs)?;

    let [yarns, vertices] = loaded.yarn_counts();
    let gpu = Gpu::headless()?;
    let device = gpu.name.clone();
    let mut studio = Studio::new(gpu, loaded, PictureOptions { size: args.size, labels: !args.no_labels })?;
    let (start, pictures) = (Instant::now(), all.count());
    let bar = progress::bar(pictures, "picture");
    let files = studio.save(frames, &args.output, &mut |done, _| bar.set_position(done as u64))?;
    bar.finish_and_clear();
    let report = Report { yarns, vertices, device, pictures, seconds: start.elapsed().as_secs_f64(), files };
    if args.scene.json { print_json(&report) } else { print(&report) }
}

fn print(report: &Report) -> Result<()> {
    let Report { yarns, vertices, device, pictures, seconds, files } = report;
    say!("{} with {} on {device}", count(*yarns, "yarn", None), count(*vertices, "vertex", Some("vertices")))?;
    say!("{} in {seconds:.2} s, cloth and files included", count(*pictures, "picture", None))?;
    outputs::report(files)
}

/// Changes a scene as the arguments say.
fn apply(args: &RenderArgs, scene: &mut Scene) {
    if args.naive {
        scene.frame = scene.frame.naive();
    }
    scene.split = args.split.unwrap_or(scene.split);
    if let Some(value) = args.heat_map {
        scene.style.heat_map = Some(HeatMapSpec { value, range: None });
    }
    let camera = &mut scene.camera;
    camera.yaw = args.yaw.unwrap_or(camera.yaw);
    camera.pitch = args.pitch.unwrap_or(camera.pitch);
    if let Some(zoom) = args.zoom {
        (camera.zoom, camera.distance) = (zoom, None);
    }
}
