//! Animated yarns as curves for other programs: USD text and OBJ polylines. Runs on the CPU path, needs no GPU.

mod obj;
mod usda;

pub use usda::Basis;

use crate::frames::{Frames, extension, files};
use crate::loaded::LoadedScene;
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
    /// Yarns in each frame.
    pub yarns: usize,
    /// Vertices in each frame.
    pub vertices: usize,
}

/// The yarns of a scene, frame after frame.
struct Curves {
    yarns: CpuYarns,
    loaded: LoadedScene,
}

impl Curves {
    fn frame(&mut self, frame: usize) -> Result<&[YarnVertex]> {
        let Curves { yarns, loaded } = self;
        loaded.go_to(frame)?;
        let origin = format!("{}, frame {frame}", loaded.origin);
        yarns
            .update(&FrameParams { positions: &loaded.positions, options: loaded.scene.frame })
            .map_err(Error::yarns(&origin))?;
        Ok(yarns.vertices())
    }

    /// Vertices of each yarn.
    fn counts(&self) -> impl Iterator<Item = u32> + '_ {
        self.yarns.layout().yarn_starts().windows(2).map(|w| w[1] - w[0])
    }

    /// The color of each yarn, as the viewer draws it.
    fn colors(&self) -> impl Iterator<Item = Color> + '_ {
        let (colors, layout) = (&self.loaded.scene.style.colors, self.yarns.layout());
        (0..layout.yarn_count()).map(|yarn| colors[layout.pattern_yarn(yarn) as usize % colors.len()])
    }

    /// Diameter of all yarns, meters.
    fn width(&self) -> f32 {
        let scene = &self.loaded.scene;
        2.0 * self.yarns.layout().radius() * scene.layout.scale as f32 * scene.frame.radius_factor
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
    let layout = loaded.fabric.layout.clone();
    let cpu = CpuYarns::new(layout.clone(), &loaded.fabric.database).map_err(Error::yarns(&loaded.origin))?;
    let mut curves = Curves { yarns: cpu, loaded };
    if extension(out) == "usda" {
        usda::write(&mut curves, frames, basis, out, progress)?;
    } else {
        let count = files.len();
        for (i, (frame, path)) in frames.zip(&files).enumerate() {
            obj::write(&mut curves, frame, path)?;
            progress(i + 1, count);
        }
    }
    Ok(Exported { files, yarns: layout.yarn_count(), vertices: layout.vertex_count() })
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
