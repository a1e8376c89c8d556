//! What center lines are written as.

use crate::cli::SimulateArgs;
use crate::npz;
use anyhow::{Result, bail};
use std::path::{Path, PathBuf};
use yarnwise_shared::file;
use yarnwise_shared::mesh::obj;
use yarnwise_shared::npy::Data;
use yarnwise_viewer::frames::numbered;
use yarnwise_viewer::gpu::Gpu;
use yarnwise_viewer::headless::{PictureOptions, Studio};
use yarnwise_viewer::loaded::LoadedScene;
use yarnwise_viewer::scene::{self, YarnsSpec};
use yarnwise_viewer::strands::Strands;
use yarnwise_viewer::strands::cache::{CacheHeader, CacheWriter};

/// What center lines are written as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Format {
    /// All frames in one file, for the viewer.
    Cache,
    /// One file a frame.
    Npz,
    /// One file a frame.
    Obj,
}

impl Format {
    /// By the name of a file. `others` says in messages what else there is.
    pub(super) fn of(path: &Path, others: &str) -> Result<Self> {
        let format = match path.extension().and_then(|e| e.to_str()) {
            Some("ycache") => return Ok(Format::Cache),
            Some("npz") => Format::Npz,
            Some("obj") => Format::Obj,
            _ => bail!("{}: yarns are written to NAME.ycache, NAME_####.npz or NAME_####.obj{others}", path.display()),
        };
        match numbered(path, 0) {
            Some(_) => Ok(format),
            None => bail!("{}: one file holds one frame: put #### into its name", path.display()),
        }
    }

    /// The files of that many frames.
    pub(super) fn files(self, output: &Path, frames: usize) -> Vec<PathBuf> {
        match self {
            Format::Cache => vec![output.to_owned()],
            Format::Npz | Format::Obj => (0..frames).filter_map(|frame| numbered(output, frame)).collect(),
        }
    }
}

/// Where frames go.
pub(super) enum Sink {
    Cache(CacheWriter),
    Files { format: Format, output: PathBuf, frames: usize },
}

impl Sink {
    pub(super) fn create(format: Format, output: &Path, header: &CacheHeader) -> Result<Self> {
        Ok(match format {
            Format::Cache => Sink::Cache(CacheWriter::create(output, header)?),
            Format::Npz | Format::Obj => Sink::Files { format, output: output.to_owned(), frames: 0 },
        })
    }

    /// Continues a cache after its first `frames` frames.
    pub(super) fn resume(output: &Path, header: &CacheHeader, frames: usize) -> Result<Self> {
        Ok(Sink::Cache(CacheWriter::resume(output, header, frames)?))
    }

    pub(super) fn frame_count(&self) -> usize {
        match self {
            Sink::Cache(writer) => writer.frame_count(),
            Sink::Files { frames, .. } => *frames,
        }
    }

    pub(super) fn push(&mut self, strands: &Strands) -> Result<()> {
        match self {
            Sink::Cache(writer) => Ok(writer.push(strands)?),
            Sink::Files { format, output, frames } => {
                let path = numbered(output, *frames).unwrap_or_else(|| output.clone());
                *frames += 1;
                match format {
                    Format::Obj => write_obj(strands, &path),
                    _ => write_npz(strands, *frames - 1, &path),
                }
            }
        }
    }

    pub(super) fn flush(&mut self) -> Result<()> {
        match self {
            Sink::Cache(writer) => Ok(writer.flush()?),
            Sink::Files { .. } => Ok(()),
        }
    }

    /// Removes what is not complete; files of whole frames stay.
    pub(super) fn discard(self) -> Result<()> {
        match self {
            Sink::Cache(writer) => Ok(writer.discard()?),
            Sink::Files { .. } => Ok(()),
        }
    }

    pub(super) fn finish(self) -> Result<()> {
        match self {
            Sink::Cache(writer) => Ok(writer.finish()?),
            Sink::Files { .. } => Ok(()),
        }
    }
}

fn write_obj(strands: &Strands, path: &Path) -> Result<()> {
    let positions: Vec<[f32; 3]> = strands.vertices.iter().map(|v| v.position).collect();
    let yarns = strands.starts.windows(2).map(|yarn| &positions[yarn[0] as usize..yarn[1] as usize]);
    Ok(obj::write_polylines("yarns as polylines, meters", yarns, path)?)
}

/// The arrays of a frame, named as those of `lay` where they are the same.
fn write_npz(strands: &Strands, frame: usize, path: &Path) -> Result<()> {
    let (vertices, n) = (&strands.vertices, strands.vertices.len());
    let value = |i: usize| Data::F32(strands.values.iter().map(|v| v[i]).collect());
    let directors = vertices.iter().flat_map(|v| v.unpack_director()).collect();
    npz::write(
        path,
        &[
            ("frame", npz::array(&[], Data::U32(vec![frame as u32]))),
            ("position", npz::array(&[n, 3], Data::F32(vertices.iter().flat_map(|v| v.position).collect()))),
            ("director", npz::array(&[n, 3], Data::F32(directors))),
            ("radius", npz::array(&[n], Data::F32(vertices.iter().map(|v| v.radius).collect()))),
            ("arc", npz::array(&[n], Data::F32(strands.arcs.clone()))),
            ("yarn_starts", npz::array(&[strands.starts.len()], Data::U32(strands.starts.clone()))),
            ("family", npz::array(&[strands.colors.len()], Data::U32(strands.colors.clone()))),
            ("tension", npz::array(&[n], value(0))),
            ("compression", npz::array(&[n], value(1))),
            ("sliding", npz::array(&[n], value(2))),
        ],
    )
}

/// Draws a frame of the cache that was written.
pub(super) fn draw(gpu: Gpu, args: &SimulateArgs, frame: usize, path: &Path) -> Result<()> {
    let cache = std::path::absolute(&args.output)?;
    let scene = scene::Scene { still: frame, ..scene::Scene::of_strands(YarnsSpec::Cache(cache)) };
    let loaded = LoadedScene::load(scene, file::origin(&args.output), PathBuf::new())?;
    let mut studio = Studio::new(gpu, loaded, PictureOptions { size: args.size, labels: true })?;
    Ok(studio.picture(frame)?.save(path)?)
}
