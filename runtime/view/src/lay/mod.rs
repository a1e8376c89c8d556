//! `lay`: a database's yarns on a clip, frame by frame, into files. Needs no GPU, can use one.

mod export;
mod gpu;
mod options;
mod path;

use anyhow::{Context, Result};
use export::Frame;
pub(crate) use options::Cli as LayArgs;
use options::{Cli, Frames};
use path::Path as Way;
use std::path::{Path, PathBuf};
use yarnwise_runtime::{FrameParams, YarnLayout, compat};
use yarnwise_shared::mesh::clip::{Clip, ClipOptions};
use yarnwise_shared::table::database::{self, Database};
use yarnwise_shared::table::model_folder;

pub(crate) fn run(cli: &Cli) -> Result<()> {
    if let Some(threads) = cli.threads {
        rayon::ThreadPoolBuilder::new().num_threads(threads).build_global().context("--threads")?;
    }
    let database = open(&cli.model)?;
    // The reference program keeps UV vertices as they are in the file.
    let options = ClipOptions { scale: cli.scale, weld_uvs: !cli.compat, ..Default::default() };
    let clip = Clip::open_with(&cli.clip, &options)?;
    let frames = match cli.frame {
        Frames::All => 0..clip.frame_count(),
        Frames::One(frame) => {
            let last = clip.frame_count() - 1;
            anyhow::ensure!(frame <= last, "--frame {frame}: {} has frames 0 to {last}", cli.clip.display());
            frame..frame + 1
        }
    };
    let lay = if cli.compat { compat::layout } else { YarnLayout::new };
    let layout = lay(clip.mesh(), database.pattern(), &cli.layout)?;
    let counts = layout.counts();
    println!(
        "{} yarns with {} vertices on {} faces in {} islands ({} too short yarns dropped)",
        counts.yarns,
        counts.kept,
        clip.mesh().faces().len(),
        layout.islands().len(),
        counts.dropped
    );
    let mut way = Way::new(cli.gpu, layout, &database)?;
    let several = frames.len() > 1;
    for frame in frames {
        let params = FrameParams { positions: clip.positions(frame), options: cli.options };
        let yarns: Frame = way.compute(&params).with_context(|| format!("frame {frame}"))?;
        let stem = if several { numbered(&cli.out, frame) } else { cli.out.clone() };
        if cli.format.npz() {
            report(&export::npz(&yarns, &clip, frame, &params, &with_extension(&stem, "npz"))?);
        }
        if cli.format.obj() {
            report(&export::obj(&yarns, &with_extension(&stem, "obj"))?);
        }
    }
    Ok(())
}

/// A database file, or a folder as the authors of the method publish them.
fn open(path: &Path) -> Result<Database> {
    if path.is_dir() {
        let import = model_folder::read(path, concat!("yarnwise-lay ", env!("CARGO_PKG_VERSION")))?;
        for note in &import.notes {
            eprintln!("note: {note}");
        }
        return Ok(import.database);
    }
    Ok(database::read(path)?)
}

fn report(path: &Path) {
    println!("wrote {}", path.display());
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
