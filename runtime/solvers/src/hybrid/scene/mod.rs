//! Hybrid scenes as files: cloth that is yarns here and triangles there, what holds it, what it falls on, for how long.
//!
//! A scene is a JSON file; `docs/reference/hybrid-scenes.md` describes it, `docs/reference/hybrid-scene.schema.json` is its schema. Only
//! the cloth and its region of yarns have no default, unknown fields are refused, and each fault is one message with the file, the field
//! and the cure.

mod build;
mod check;
pub mod mask;
mod pins;
mod region;

pub use crate::scene::{BodySpec, Output, Rotation, ShapeSpec};
pub use crate::yarn::scene::DraftSpec;
pub use pins::{PinSpec, Selection};
pub use region::{RegionSpec, contains};

use super::options::HybridOptions;
use crate::cloth::model::ClothMaterial;
use crate::scene::{MAX_BYTES, x_axis};
use crate::yarn::YarnMaterial;
use crate::{Error, Result};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use yarnwise_shared::{file, json};

/// A hybrid scene.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scene {
    /// What is to be seen, for people.
    #[serde(default)]
    pub description: String,
    /// The sheet or mesh.
    pub cloth: ClothSpec,
    /// Where it is yarns.
    pub region: RegionSpec,
    /// What the yarns are made of, and how close they lie.
    #[serde(default)]
    pub material: YarnMaterial,
    /// A file with estimated parameters of persistent contacts, relative to the scene's folder: they take the place of what the
    /// material says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parameters: Option<PathBuf>,
    /// What triangles are made of.
    #[serde(default)]
    pub triangles: TrianglesSpec,
    /// Whether yarns slide where cloth is yarns alone.
    #[serde(default = "yes")]
    pub sliding: bool,
    /// How the start position differs from that of the cloth.
    #[serde(default)]
    pub start: StartSpec,
    /// Acceleration, m/s².
    #[serde(default = "gravity")]
    pub gravity: [f64; 3],
    /// What the cloth collides with.
    #[serde(default)]
    pub bodies: Vec<BodySpec>,
    /// What holds it.
    #[serde(default)]
    pub pins: Vec<PinSpec>,
    /// Distance of the cloth from bodies, meters; two radii where not given.
    #[serde(default)]
    pub thickness: Option<f64>,
    /// How to step.
    #[serde(default)]
    pub solver: HybridOptions,
    /// A database whose displacements yarns on triangles are drawn with, relative to the scene's folder.
    #[serde(default)]
    pub look: Option<PathBuf>,
    /// What to write.
    #[serde(default)]
    pub output: Output,
}

/// The cloth of a scene.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum ClothSpec {
    /// A rectangle of squares, each cut by a diagonal.
    Sheet(SheetSpec),
    /// A triangle mesh with UVs in meters.
    Mesh(MeshSpec),
}

/// A rectangle of squares, each cut by a diagonal.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SheetSpec {
    /// Squares along u and v.
    pub cells: [usize; 2],
    /// Crossings along the side of a square.
    pub crossings: usize,
    /// Which yarn is on top at each crossing.
    #[serde(default)]
    pub draft: DraftSpec,
    /// The corner u = v = 0, meters.
    #[serde(default)]
    pub origin: [f64; 3],
    /// Direction of u, along which wefts run.
    #[serde(default = "x_axis")]
    pub u: [f64; 3],
    /// Direction of v, along which warps run, perpendicular to u.
    #[serde(default = "y_axis")]
    pub v: [f64; 3],
}

/// A triangle mesh.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MeshSpec {
    /// An OBJ file with UVs in meters, relative to the scene's folder.
    pub file: PathBuf,
    /// Which yarn is on top at each crossing.
    #[serde(default)]
    pub draft: DraftSpec,
}

/// What triangles are made of.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum TrianglesSpec {
    /// The energy of the weave itself.
    #[default]
    Matched,
    /// St. Venant-Kirchhoff, fitted to the weave.
    StVenantKirchhoff,
    /// The energy density of a baked pattern: a database, relative to the scene's folder.
    Table(PathBuf),
    /// What was estimated: a parameters file of the kind `membrane`, relative to the scene's folder.
    Parameters(PathBuf),
    /// The springs of the cloth solver.
    Springs(ClothMaterial),
}

/// How the start position differs from that of the cloth.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct StartSpec {
    /// Height of ripples, meters: a perfectly flat sheet has no reason to fold.
    pub ripple: f64,
    /// By how much the cloth is longer along x, y and z, about its middle.
    pub stretch: [f64; 3],
}

impl Default for StartSpec {
    fn default() -> Self {
        StartSpec { ripple: 0.0, stretch: [1.0; 3] }
    }
}

fn yes() -> bool {
    true
}

fn gravity() -> [f64; 3] {
    [0.0, -9.81, 0.0]
}

fn y_axis() -> [f64; 3] {
    [0.0, 1.0, 0.0]
}

impl ClothSpec {
    /// Which yarn is on top at each crossing.
    pub(super) fn draft(&self) -> &DraftSpec {
        match self {
            ClothSpec::Sheet(sheet) => &sheet.draft,
            ClothSpec::Mesh(mesh) => &mesh.draft,
        }
    }
}

impl Scene {
    /// Reads a scene file and checks it.
    pub fn read(path: &Path) -> Result<Self> {
        let origin = file::origin(path);
        let scene = Scene::parse(&file::read(path, MAX_BYTES, file::json)?, &origin)?;
        scene.with_parameters(&origin, path.parent().unwrap_or(Path::new("")))
    }

    /// The scene with the material that its parameters file says, if it names one; the file is looked for in `folder`.
    pub(super) fn with_parameters(mut self, origin: &str, folder: &Path) -> Result<Self> {
        if let Some(file) = &self.parameters {
            self.material = self.material.read_parameters(&folder.join(file))?;
        }
        match self.fault() {
            None => Ok(self),
            Some(problem) => Err(Error::invalid(origin, problem)),
        }
    }

    /// The files that the scene names, relative to its folder.
    pub fn files(&self) -> impl Iterator<Item = &Path> {
        let mesh = match &self.cloth {
            ClothSpec::Mesh(mesh) => Some(mesh.file.as_path()),
            ClothSpec::Sheet(_) => None,
        };
        let table = match &self.triangles {
            TrianglesSpec::Table(file) | TrianglesSpec::Parameters(file) => Some(file.as_path()),
            _ => None,
        };
        let region = match &self.region {
            RegionSpec::File(file) => Some(file.as_path()),
            _ => None,
        };
        let named = [mesh, table, region, self.cloth.draft().file(), self.look.as_deref(), self.parameters.as_deref()];
        named.into_iter().flatten().chain(self.bodies.iter().filter_map(BodySpec::file))
    }

    /// The database whose displacements yarns on triangles are drawn with, relative to the scene's folder: the one of `look`, or that
    /// of the triangles' energy.
    pub fn look(&self) -> Option<&Path> {
        let table = match &self.triangles {
            TrianglesSpec::Table(file) => Some(file.as_path()),
            _ => None,
        };
        self.look.as_deref().or(table)
    }

    /// Parses and checks the bytes of a scene file; `origin` names it in messages.
    pub fn parse(bytes: &[u8], origin: &str) -> Result<Self> {
        let scene: Scene = json::parse(bytes, origin, "docs/reference/hybrid-scenes.md")?;
        match scene.fault() {
            None => Ok(scene),
            Some(problem) => Err(Error::invalid(origin, problem)),
        }
    }
}
