//! Animated yarns as curves for other programs: USD text and OBJ polylines. Runs on the CPU, needs no GPU.

mod obj;
mod usda;

pub use usda::Basis;

use crate::frames::{Frames, extension, files};
use crate::loaded::{Fabric, LoadedScene};
use crate::scene::Color;
use crate::{Error, Result};
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use yarnwise_runtime::{CpuYarns, FrameParams, YarnVertex};

/// What has been written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exported {
    /// The files.
    pub files: Vec<PathBuf>,
    /// Yarns in each frame; in the first one where they are cut.
    pub yarns: usize,
    /// Vertices in each frame; in the first one where they are cut.
    pub vertices: usize,
}

/// The yarns of a scene, frame after frame.
struct Curves {
    /// Those that are laid on cloth.
    laid: Option<CpuYarns>,
    loaded: LoadedScene,
}

/// The curves of a frame.
struct CurveFrame<'a> {
    vertices: &'a [YarnVertex],
    /// Where each yarn begins, and after the last one the number of vertices.
    starts: &'a [u32],
}

impl Curves {
    fn new(loaded: LoadedScene) -> Result<Self> {
        let cpu = |fabric: &Fabric| CpuYarns::new(fabric.layout.clone(), &fabric.database);
        let laid = loaded.fabric.as_ref().map(cpu).transpose().map_err(Error::yarns(&loaded.origin))?;
        Ok(Curves { laid, loaded })
    }

    fn frame(&mut self, frame: usize) -> Result<CurveFrame<'_>> {
        let Curves { laid, loaded } = self;
        loaded.go_to(frame)?;
        match (laid, loaded.cloth.as_strands()) {
            (Some(yarns), _) => {
                let origin = format!("{}, frame {frame}", loaded.origin);
                yarns
                    .update(&FrameParams { positions: &loaded.positions, options: loaded.scene.frame })
                    .map_err(Error::yarns(&origin))?;
                Ok(CurveFrame { vertices: yarns.vertices(), starts: yarns.layout().yarn_starts() })
            }
            (None, Some(strands)) => Ok(CurveFrame { vertices: &strands.vertices, starts: &strands.starts }),
            (None, None) => Ok(CurveFrame { vertices: &[], starts: &[0] }),
        }
    }

    /// The color of each yarn of the present frame, as the viewer draws it.
    fn colors(&self) -> Vec<Color> {
        let colors = &self.loaded.scene.style.colors;
        let color = |number: u32| colors[number as usize % colors.len()];
        match (&self.laid, self.loaded.cloth.as_strands()) {
            (Some(yarns), _) => {
                let layout = yarns.layout();
                (0..layout.yarn_count()).map(|yarn| color(layout.pattern_yarn(yarn))).collect()
            }
            (None, strands) => strands.iter().flat_map(|s| &s.colors).map(|number| color(*number)).collect(),
        }
    }

    /// Diameter of all yarns, meters.
    fn width(&self) -> f32 {
        let scene = &self.loaded.scene;
        let free = || self.loaded.cloth.as_strands().and_then(|s| s.vertices.first()).map(|v| 2.0 * v.radius);
        let laid = self.laid.as_ref().map(|yarns| 2.0 * yarns.layout().radius() * scene.layout.scale as f32);
        laid.map(|width| width * scene.frame.radius_factor).or_else(free).unwrap_or(0.0)
    }
}

/// Writes the yarns of a scene's frames to `out`: one `.usda` file, or an `.obj` file for each frame with `####` in the
/// name. `progress` is called after each frame with its number and how many there are.
pub fn export(
    loaded: LoadedScene,
    frames: Frames,
    basis: Basis,
    out: &Path,
    progress: &mut dyn FnMut(usize, usize),
) -> Result<Exported> {
    let frames = frames.of(loaded.frame_count())?;
    let files = curve_files(out, frames.clone())?;
    let [yarns, vertices] = loaded.yarn_counts();
    let mut curves = Curves::new(loaded)?;
    if extension(out) == "usda" {
        usda::write(&mut curves, frames, basis, out, progress)?;
    } else {
        let count = files.len();
        for (i, (frame, path)) in frames.zip(&files).enumerate() {
            obj::write(&mut curves, frame, path)?;
            progress(i + 1, count);
        }
    }
    Ok(Exported { files, yarns, vertices })
}

/// The files that curves of frames are written to; an error where the name is neither that of a USD file nor of OBJ files.
pub fn curve_files(out: &Path, frames: RangeInclusive<usize>) -> Result<Vec<PathBuf>> {
    let problem = match extension(out).as_str() {
        "usda" => return Ok(vec![out.to_owned()]),
        "obj" => match files(out, frames) {
            Some(files) => return Ok(files),
            None => "one OBJ file holds one frame: put #### into the name, as in yarns_####.obj",
        },
        _ => "the name must end in .usda, or in .obj with #### for the number of the frame",
    };
    Err(Error::Request(format!("{}: {problem}", out.display())))
}
