//! The cloth of a scene, and how it moves.

use crate::Result;
use crate::cloth::MovingCloth;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use yarnwise_shared::mesh::Mesh;
use yarnwise_shared::mesh::clip::make::{Animation, Motion, Sheet, Skirt, Tube};
use yarnwise_shared::mesh::clip::{Clip, ClipOptions, DEFAULT_FRAME_TIME};
use yarnwise_shared::{Error, file};

/// The cloth; paths are relative to the scene's folder.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ClothSpec {
    /// A mesh or clip from files.
    Clip(ClipSpec),
    /// A rectangle.
    Sheet(SheetSpec),
    /// A tube around the y axis.
    Tube(TubeSpec),
    /// A skirt of two panels.
    Skirt(SkirtSpec),
    /// A cloth scene (`docs/reference/cloth-scenes.md`), simulated while it is looked at.
    Simulation(PathBuf),
}

/// A mesh or clip from files.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClipSpec {
    /// An OBJ file, a folder of OBJ files, a binary sequence or a point cache.
    pub file: PathBuf,
    /// Factor of positions and UVs.
    #[serde(default = "one")]
    pub scale: f32,
    /// Factors of the UVs alone, for UVs that are not in meters.
    #[serde(default = "ones")]
    pub uv_scale: [f32; 2],
    /// Seconds between frames.
    #[serde(default = "frame_time")]
    pub frame_time: f64,
}

fn one() -> f32 {
    1.0
}

fn ones() -> [f32; 2] {
    [1.0; 2]
}

fn frame_time() -> f64 {
    DEFAULT_FRAME_TIME
}

impl ClipSpec {
    /// The file as it is.
    pub fn of(file: PathBuf) -> Self {
        ClipSpec { file, scale: one(), uv_scale: ones(), frame_time: frame_time() }
    }
}

/// A rectangle in the plane z = 0.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SheetSpec {
    /// Width and height, meters.
    pub size: [f64; 2],
    /// Cells along each.
    pub cells: [usize; 2],
    /// How it moves.
    pub motion: MotionSpec,
}

/// A tube around the y axis.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TubeSpec {
    /// Meters.
    pub radius: f64,
    /// Meters.
    pub height: f64,
    /// Cells around and along.
    pub cells: [usize; 2],
    /// How it moves.
    pub motion: MotionSpec,
}

/// A skirt of two panels.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SkirtSpec {
    /// Length around the waist, meters.
    pub waist: f64,
    /// Length around the hem, meters.
    pub hem: f64,
    /// From waist to hem, meters.
    pub length: f64,
    /// Cells across each panel and from hem to waist.
    pub cells: [usize; 2],
    /// How it moves.
    pub motion: MotionSpec,
}

/// How a shape moves: at rest at the beginning and at the end, farthest half way.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct MotionSpec {
    /// Which motion.
    pub kind: Motion,
    /// How far it goes, in the motion's own units.
    pub amount: f64,
    /// Number of frames.
    pub frames: usize,
    /// Seconds between frames.
    pub frame_time: f64,
}

impl Default for SheetSpec {
    fn default() -> Self {
        let Sheet { size, cells } = Sheet::default();
        SheetSpec { size, cells, motion: MotionSpec::default() }
    }
}

impl Default for TubeSpec {
    fn default() -> Self {
        let Tube { radius, height, cells } = Tube::default();
        TubeSpec { radius, height, cells, motion: MotionSpec::default() }
    }
}

impl Default for SkirtSpec {
    fn default() -> Self {
        let Skirt { waist, hem, length, cells, .. } = Skirt::default();
        SkirtSpec { waist, hem, length, cells, motion: MotionSpec::default() }
    }
}

impl Default for MotionSpec {
    fn default() -> Self {
        let Animation { motion: kind, amount, frames, frame_time } = Animation::default();
        MotionSpec { kind, amount, frames, frame_time }
    }
}

impl MotionSpec {
    fn clip(&self, mesh: Mesh) -> Result<MovingCloth> {
        let MotionSpec { kind: motion, amount, frames, frame_time } = *self;
        Ok(MovingCloth::clip(Animation { motion, amount, frames, frame_time }.clip(mesh)?))
    }
}

impl ClothSpec {
    /// Makes the cloth; `origin` names the scene in messages.
    pub(crate) fn load(&self, origin: &str, folder: &Path) -> Result<MovingCloth> {
        // What a formula refuses is a field of this scene; what a file refuses names that file already.
        let here = |e: crate::Error| match e {
            crate::Error::Data(Error::Invalid { origin: what, problem }) => {
                crate::Error::Data(Error::invalid(origin, format!("field 'cloth', {what}: {problem}")))
            }
            e => e,
        };
        match self {
            ClothSpec::Clip(ClipSpec { file, scale, uv_scale, frame_time }) => {
                let options =
                    ClipOptions { scale: *scale, uv_scale: *uv_scale, frame_time: *frame_time, ..Default::default() };
                Ok(MovingCloth::clip(Clip::open_with(&folder.join(file), &options)?))
            }
            ClothSpec::Sheet(SheetSpec { size, cells, motion }) => Sheet { size: *size, cells: *cells }
                .mesh()
                .map_err(Into::into)
                .and_then(|m| motion.clip(m))
                .map_err(here),
            ClothSpec::Tube(TubeSpec { radius, height, cells, motion }) => {
                let tube = Tube { radius: *radius, height: *height, cells: *cells };
                tube.mesh().map_err(Into::into).and_then(|m| motion.clip(m)).map_err(here)
            }
            ClothSpec::Skirt(SkirtSpec { waist, hem, length, cells, motion }) => {
                let skirt = Skirt { waist: *waist, hem: *hem, length: *length, cells: *cells, ..Default::default() };
                skirt.mesh().map_err(Into::into).and_then(|m| motion.clip(m)).map_err(here)
            }
            ClothSpec::Simulation(path) => {
                let path = folder.join(path);
                let scene = yarnwise_solvers::cloth::scene::Scene::read(&path)?;
                let folder = path.parent().unwrap_or(Path::new("."));
                Ok(MovingCloth::live(scene.build(&file::origin(&path), folder)?, &scene.output))
            }
        }
    }
}
