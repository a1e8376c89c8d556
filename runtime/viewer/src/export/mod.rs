//! Animated yarns as curves for other programs: USD text and OBJ polylines. Runs on the CPU path, needs no GPU.

mod obj;
mod usda;

pub use usda::Basis;

use crate::frames::{Frames, numbered};
use crate::scene::Color;
use crate::stage::Stage;
use crate::{Error, Result};
use std::path::{Path, PathBuf};
use yarnwise_runtime::{CpuYarns, FrameParams};
use yarnwise_shaders::gpu::YarnVertex;

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

/// The yarns of a stage, frame after frame.
struct Curves {
    yarns: CpuYarns,
    stage: Stage,
}

impl Curves {
    fn frame(&mut self, frame: usize) -> Result<&[YarnVertex]> {
        let Curves { yarns, stage } = self;
        stage.go_to(frame)?;
        let origin = format!("{}, frame {frame}", stage.origin);
        yarns
            .update(&FrameParams { positions: &stage.positions, options: stage.scene.frame })
            .map_err(Error::yarns(&origin))?;
        Ok(yarns.vertices())
    }

    /// Vertices of each yarn.
    fn counts(&self) -> impl Iterator<Item = u32> + '_ {
        self.yarns.layout().yarn_starts().windows(2).map(|w| w[1] - w[0])
    }

    /// The color of each yarn, as the viewer draws it.
    fn colors(&self) -> impl Iterator<Item = Color> + '_ {
        let (colors, layout) = (&self.stage.scene.style.colors, self.yarns.layout());
        (0..layout.yarn_count()).map(|yarn| colors[layout.pattern_yarn(yarn) as usize % colors.len()])
    }

    /// Diameter of all yarns, meters.
    fn width(&self) -> f32 {
        let scene = &self.stage.scene;
        2.0 * self.yarns.layout().radius() * scene.layout.scale as f32 * scene.frame.radius_factor
    }
}

/// Writes the yarns of a stage's frames to `out`: one `.usda` file, or an `.obj` file for each frame with `####` in the
/// name.
pub fn export(stage: Stage, frames: Frames, basis: Basis, out: &Path) -> Result<Exported> {
    let frames = frames.of(stage.source.frame_count())?;
    let usda = is_usda(out, frames.clone().count() > 1)?;
    let layout = stage.fabric.layout.clone();
    let cpu = CpuYarns::new(layout.clone(), &stage.fabric.database).map_err(Error::yarns(&stage.origin))?;
    let mut curves = Curves { yarns: cpu, stage };
    let mut files = Vec::new();
    if usda {
        usda::write(&mut curves, frames, basis, out)?;
        files.push(out.to_owned());
    } else {
        for frame in frames {
            let path = numbered(out, frame).unwrap_or_else(|| out.to_owned());
            obj::write(&mut curves, frame, &path)?;
            files.push(path);
        }
    }
    Ok(Exported { files, yarns: layout.yarn_count(), vertices: layout.vertex_count() })
}

/// Whether a name is that of a USD file, and not of an OBJ file; an error where it is neither.
fn is_usda(out: &Path, several: bool) -> Result<bool> {
    let extension = out.extension().map(|e| e.to_string_lossy().to_lowercase()).unwrap_or_default();
    let problem = match extension.as_str() {
        "usda" => return Ok(true),
        "obj" if !several || numbered(out, 0).is_some() => return Ok(false),
        "obj" => "one OBJ file holds one frame: put #### into the name, as in yarns_####.obj",
        _ => "the name must end in .usda, or in .obj with #### for the number of the frame",
    };
    Err(Error::Request(format!("{}: {problem}", out.display())))
}
