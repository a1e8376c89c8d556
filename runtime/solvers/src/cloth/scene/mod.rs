//! Cloth scenes as files: what hangs, falls or is pulled, on what, for how long.
//!
//! A scene is a JSON file; `docs/reference/cloth-scenes.md` describes it, `docs/reference/cloth-scene.schema.json` is its
//! schema. Every field has a default but the cloth itself, unknown fields are refused, and each fault is one message with
//! the file, the field and the cure.

mod build;
mod check;
mod pins;

pub use crate::scene::{BodySpec, End, Output, Rotation, ShapeSpec};
pub use build::SceneCloth;
pub use pins::{PinSpec, Selection};

use super::environment::Environment;
use super::model::ClothMaterial;
use super::options::ClothOptions;
use super::self_contact::SelfContact;
use crate::scene::{MAX_BYTES, x_axis};
use crate::{Error, Result};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use yarnwise_shared::{file, json};

/// A cloth scene.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scene {
    /// What is to be seen, for people.
    #[serde(default)]
    pub description: String,
    /// The sheet, tube or mesh.
    pub cloth: ClothSpec,
    /// What it is made of.
    #[serde(default)]
    pub material: ClothMaterial,
    /// A parameters file of the kind `membrane`, relative to the scene's folder, whose stiffness springs along warp, weft and diagonals get
    /// instead of that in `material`.
    #[serde(default)]
    pub parameters: Option<PathBuf>,
    /// Gravity and air.
    #[serde(default)]
    pub environment: Environment,
    /// What it collides with.
    #[serde(default)]
    pub bodies: Vec<BodySpec>,
    /// What holds it.
    #[serde(default)]
    pub pins: Vec<PinSpec>,
    /// Distance kept from bodies, meters; a fifth of the mesh spacing where not given.
    #[serde(default)]
    pub thickness: Option<f64>,
    /// Contact with itself; none where not given.
    #[serde(default)]
    pub self_contact: Option<SelfContact>,
    /// How to step.
    #[serde(default)]
    pub solver: ClothOptions,
    /// What to write.
    #[serde(default)]
    pub output: Output,
}

/// The cloth of a scene.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ClothSpec {
    /// A regular sheet.
    Grid(GridSpec),
    /// A sleeve.
    Tube(TubeSpec),
    /// A triangle mesh with UVs in meters.
    Mesh(MeshSpec),
}

/// A regular sheet.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GridSpec {
    /// Particles along u, at least 2.
    pub columns: usize,
    /// Particles along v, at least 2.
    pub rows: usize,
    /// Distance of neighbors, meters.
    pub spacing: f64,
    /// Middle of the sheet, meters.
    #[serde(default)]
    pub center: [f64; 3],
    /// Direction of u.
    #[serde(default = "x_axis")]
    pub u: [f64; 3],
    /// Direction of v, perpendicular to u.
    #[serde(default = "minus_z_axis")]
    pub v: [f64; 3],
    /// Height of ripples in the start position, meters: a perfectly flat sheet has no reason to fold.
    #[serde(default)]
    pub ripple: f64,
}

/// A sleeve.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TubeSpec {
    /// Particles around, at least 5.
    pub around: usize,
    /// Rings along, at least 2.
    pub along: usize,
    /// Meters.
    pub radius: f64,
    /// Meters.
    pub length: f64,
    /// Middle of the first ring, meters.
    #[serde(default)]
    pub origin: [f64; 3],
    /// Direction from the first ring to the last.
    #[serde(default = "x_axis")]
    pub axis: [f64; 3],
}

/// A triangle mesh.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MeshSpec {
    /// An OBJ file with UVs in meters, relative to the scene's folder.
    pub file: PathBuf,
}

fn minus_z_axis() -> [f64; 3] {
    [0.0, 0.0, -1.0]
}

impl Scene {
    /// Reads a scene file and checks it.
    pub fn read(path: &Path) -> Result<Self> {
        Scene::parse(&file::read(path, MAX_BYTES, file::json)?, &file::origin(path))
    }

    /// The files that the scene names, relative to its folder.
    pub fn files(&self) -> impl Iterator<Item = &Path> {
        let cloth = match &self.cloth {
            ClothSpec::Mesh(mesh) => Some(mesh.file.as_path()),
            ClothSpec::Grid(_) | ClothSpec::Tube(_) => None,
        };
        let named = [cloth, self.parameters.as_deref()];
        named.into_iter().flatten().chain(self.bodies.iter().filter_map(BodySpec::file))
    }

    /// Parses and checks the bytes of a scene file; `origin` names it in messages.
    pub fn parse(bytes: &[u8], origin: &str) -> Result<Self> {
        let scene: Scene = json::parse(bytes, origin, "docs/reference/cloth-scenes.md")?;
        match scene.fault() {
            None => Ok(scene),
            Some(problem) => Err(Error::invalid(origin, problem)),
        }
    }
}
