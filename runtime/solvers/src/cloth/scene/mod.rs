//! Cloth scenes as files: what hangs, falls or is pulled, on what, for how long.
//!
//! A scene is a JSON file; `docs/reference/cloth-scenes.md` describes it, `docs/reference/cloth-scene.schema.json` is its
//! schema. Every field has a default but the cloth itself, unknown fields are refused, and each fault is one message with
//! the file, the field and the cure.

mod bodies;
mod build;
mod check;
mod pins;

pub use bodies::{BodySpec, Rotation, ShapeSpec};
pub use build::SceneCloth;
pub use pins::{End, PinSpec, Selection};

use super::environment::Environment;
use super::model::ClothMaterial;
use super::options::ClothOptions;
use super::self_contact::SelfContact;
use crate::{Error, Result};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use yarnwise_shared::file;

/// Largest scene file, bytes.
const MAX_BYTES: u64 = 16 << 20;

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

/// What a simulation writes.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Output {
    /// Simulated seconds.
    pub duration: f64,
    /// Frames a second.
    pub frames_per_second: f64,
}

impl Default for Output {
    fn default() -> Self {
        Output { duration: 3.0, frames_per_second: 30.0 }
    }
}

impl Output {
    /// Frames after the first.
    pub fn frame_count(&self) -> usize {
        (self.duration * self.frames_per_second).round() as usize
    }
}

fn x_axis() -> [f64; 3] {
    [1.0, 0.0, 0.0]
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
        let bodies = self.bodies.iter().filter_map(|body| match &body.shape {
            ShapeSpec::Mesh { file, .. } => Some(file.as_path()),
            _ => None,
        });
        cloth.into_iter().chain(bodies)
    }

    /// Parses and checks the bytes of a scene file; `origin` names it in messages.
    pub fn parse(bytes: &[u8], origin: &str) -> Result<Self> {
        let refused = |line, problem| yarnwise_shared::Error::text(origin, line, problem);
        let mut json = serde_json::Deserializer::from_slice(bytes);
        let scene: Scene = serde_path_to_error::deserialize(&mut json).map_err(|e| {
            let field = e.path().to_string();
            refused(e.inner().line(), explain(&field, e.inner()))
        })?;
        json.end().map_err(|e| refused(e.line(), explain(".", &e)))?;
        match scene.fault() {
            None => Ok(scene),
            Some(problem) => Err(Error::invalid(origin, problem)),
        }
    }
}

/// The parser's reason with the field, without its own line, which the message gives already.
fn explain(field: &str, error: &serde_json::Error) -> String {
    let text = error.to_string();
    let reason = text.rfind(" at line ").map_or(text.as_str(), |at| &text[..at]);
    let place = if field == "." { String::new() } else { format!("{field}: ") };
    format!("column {}: {place}{reason}; docs/reference/cloth-scenes.md describes every field", error.column())
}
