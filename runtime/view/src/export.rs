//! `export`: a scene's yarns as curves.

use crate::cli::ExportArgs;
use crate::{outputs, progress};
use anyhow::Result;
use serde::Serialize;
use std::path::PathBuf;
use std::time::Instant;
use yarnwise_program::number::count;
use yarnwise_program::{print_json, say};
use yarnwise_viewer::export::{curve_files, export};
use yarnwise_viewer::files;
use yarnwise_viewer::frames::Frames;

/// What `export` has done.
#[derive(Debug, Serialize)]
struct Report {
    /// In each frame.
    yarns: usize,
    /// In each frame.
    vertices: usize,
    frames: usize,
    /// Wall time.
    seconds: f64,
    files: Vec<PathBuf>,
}

pub(crate) fn run(args: &ExportArgs) -> Result<()> {
    args.scene.threads.start()?;
    let named = files::read(None, &args.scene.files)?;
    let frames = args.scene.frames.chosen().unwrap_or(Frames::ALL);
    let inputs = named.inputs();
    outputs::check(&curve_files(&args.output, frames.first()..=frames.first())?, &inputs)?;
    let loaded = named.load()?;
    let all = frames.of(loaded.frame_count())?;
    outputs::check(&curve_files(&args.output, all.clone())?, &inputs)?;

    let (start, total) = (Instant::now(), all.count());
    let bar = progress::bar(total, "frame");
    let done = export(loaded, frames, args.basis, &args.output, &mut |done, _| bar.set_position(done as u64))?;
    bar.finish_and_clear();
    let seconds = start.elapsed().as_secs_f64();
    let report = Report { yarns: done.yarns, vertices: done.vertices, frames: total, seconds, files: done.files };
    if args.scene.json {
        return print_json(&report);
    }
    let Report { yarns, vertices, frames, .. } = report;
    let (yarns, vertices) = (count(yarns, "yarn", None), count(vertices, "vertex", Some("vertices")));
    say!("{yarns} with {vertices} in {}", count(frames, "frame", None))?;
    outputs::report(&report.files)
}
