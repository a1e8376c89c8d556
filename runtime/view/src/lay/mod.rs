//! `lay`: a database's yarns on a clip, frame by frame, into files. Needs no GPU, can use one.

mod backend;
mod frame;
mod gpu;
mod options;

use crate::{environment, outputs, progress};
use anyhow::{Context, Result};
use backend::Backend;
use options::Format;
pub(crate) use options::LayArgs;
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::time::Instant;
use yarnwise_program::number::count;
use yarnwise_program::{note, print_json, say};
use yarnwise_runtime::{FrameParams, YarnLayout, compat};
use yarnwise_shared::mesh::clip::{Clip, ClipOptions};
use yarnwise_shared::table::database::{self, Database};
use yarnwise_shared::table::model_folder;
use yarnwise_viewer::files::clip_files;
use yarnwise_viewer::frames::Frames;

/// What `lay` has done.
#[derive(Debug, Serialize)]
struct Report {
    yarns: usize,
    vertices: usize,
    faces: usize,
    islands: usize,
    /// Yarns that were too short.
    dropped: usize,
    frames: usize,
    /// Wall time of computing and writing frames.
    seconds: f64,
    files: Vec<PathBuf>,
}

pub(crate) fn run(args: &LayArgs) -> Result<()> {
    if args.gpu {
        environment::prepare_for_graphics();
    }
    args.threads.start()?;
    args.check()?;
    let frames = args.frames.chosen().unwrap_or(Frames::one(0));
    let mut inputs = clip_files(&args.clip);
    inputs.push(args.model.clone());
    outputs::check(&files(&args.output, args.format, None), &inputs)?;
    let database = open(&args.model)?;
    // The reference program keeps UV vertices as they are in the file.
    let options = ClipOptions { scale: args.scale, weld_uvs: !args.compat, ..Default::default() };
    let clip = Clip::open_with(&args.clip, &options)?;
    let frames = frames.of(clip.frame_count())?;
    let several = frames.start() != frames.end();
    let files_of = |frame: usize| files(&args.output, args.format, several.then_some(frame));
    outputs::check(&frames.clone().flat_map(files_of).collect::<Vec<_>>(), &inputs)?;

    let lay = if args.compat { compat::layout } else { YarnLayout::new };
    let layout = lay(clip.mesh(), database.pattern(), &args.layout)?;
    let mut report = Report::of(&layout, &clip, frames.clone().count());
    let mut backend = Backend::new(args.gpu, layout, &database)?;
    let (start, bar) = (Instant::now(), progress::bar(report.frames, "frame"));
    for frame in frames {
        let params = FrameParams { positions: clip.positions(frame), options: args.options };
        let yarns = backend.compute(&params).with_context(|| format!("frame {frame}"))?;
        for file in files_of(frame) {
            match file.extension().is_some_and(|e| e == "npz") {
                true => frame::npz(&yarns, &clip, frame, &params, &file)?,
                false => frame::obj(&yarns, &file)?,
            }
            report.files.push(file);
        }
        bar.inc(1);
    }
    bar.finish_and_clear();
    report.seconds = start.elapsed().as_secs_f64();
    if args.json { print_json(&report) } else { report.print() }
}

impl Report {
    fn of(layout: &YarnLayout, clip: &Clip, frames: usize) -> Self {
        let counts = layout.counts();
        Report {
            yarns: counts.yarns,
            vertices: counts.kept,
            faces: clip.mesh().faces().len(),
            islands: layout.islands().len(),
            dropped: counts.dropped,
            frames,
            seconds: 0.0,
            files: Vec::new(),
        }
    }

    fn print(&self) -> Result<()> {
        let yarns = count(self.yarns, "yarn", None);
        let vertices = count(self.vertices, "vertex", Some("vertices"));
        let (faces, islands) = (count(self.faces, "face", None), count(self.islands, "island", None));
        let dropped = count(self.dropped, "yarn", None);
        say!("{yarns} with {vertices} on {faces} in {islands} ({dropped} dropped: too short)")?;
        outputs::report(&self.files)
    }
}

/// A database file, or a folder as the authors of the method publish them.
fn open(path: &Path) -> Result<Database> {
    if path.is_dir() {
        let import = model_folder::read(path, concat!("yarnwise-view ", env!("CARGO_PKG_VERSION")))?;
        for note in &import.notes {
            note!("note: {note}");
        }
        return Ok(import.database);
    }
    Ok(database::read(path)?)
}

/// The files of one frame; with its number where there are several.
fn files(name: &Path, format: Format, frame: Option<usize>) -> Vec<PathBuf> {
    let stem = match frame {
        Some(frame) => numbered(name, frame),
        None => name.to_owned(),
    };
    let endings = [(format.npz(), "npz"), (format.obj(), "obj")];
    endings.into_iter().filter(|(wanted, _)| *wanted).map(|(_, ending)| with_extension(&stem, ending)).collect()
}

/// `yarns` becomes `yarns_0007`.
fn numbered(stem: &Path, frame: usize) -> PathBuf {
    let mut name = stem.file_name().unwrap_or_default().to_owned();
    name.push(format!("_{frame:04}"));
    stem.with_file_name(name)
}

/// Appended, not replaced: `yarns.v2` becomes `yarns.v2.npz`. An extension that is already there stays.
fn with_extension(stem: &Path, extension: &str) -> PathBuf {
    let mut name = stem.file_name().unwrap_or_default().to_owned();
    if stem.extension().is_none_or(|e| e != extension) {
        name.push(".");
        name.push(extension);
    }
    stem.with_file_name(name)
}
