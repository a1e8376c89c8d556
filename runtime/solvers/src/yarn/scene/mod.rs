//! Yarn scenes as files: what is woven, what holds it, what it falls on, for how long.
//!
//! A scene is a JSON file; `docs/reference/yarn-scenes.md` describes it, `docs/reference/yarn-scene.schema.json` is its
//! schema. Every field has a default but the cloth itself, unknown fields are refused, and each fault is one message with
//! the file, the field and the cure.

mod build;
mod check;
mod draft;
mod garment;
mod pins;

pub use crate::scene::{BodySpec, End, Output, Rotation, ShapeSpec};
pub use draft::DraftSpec;
pub use garment::{EdgeSpec, GarmentSpec, PanelId, PanelSpec, SeamSpec};
pub use pins::{EndsSpec, FamilySpec, PinSpec, Selection};

use super::material::YarnMaterial;
use super::options::YarnOptions;
use crate::scene::{MAX_BYTES, x_axis};
use crate::{Error, Result};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use yarnwise_shared::{file, json};

/// A yarn scene.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scene {
    /// What is to be seen, for people.
    #[serde(default)]
    pub description: String,
    /// What is woven.
    pub cloth: ClothSpec,
    /// What the yarns are made of, and how close they lie.
    #[serde(default)]
    pub material: YarnMaterial,
    /// A file with estimated parameters of persistent contacts, relative to the scene's folder: they take the place of what the
    /// material says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parameters: Option<PathBuf>,
    /// Acceleration, m/s².
    #[serde(default = "gravity")]
    pub gravity: [f64; 3],
    /// What the yarns collide with.
    #[serde(default)]
    pub bodies: Vec<BodySpec>,
    /// What holds them.
    #[serde(default)]
    pub pins: Vec<PinSpec>,
    /// Distance of crossings from bodies, meters; two radii where not given.
    #[serde(default)]
    pub thickness: Option<f64>,
    /// How to step.
    #[serde(default)]
    pub solver: YarnOptions,
    /// What to write.
    #[serde(default)]
    pub output: Output,
}

/// What is woven.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum ClothSpec {
    /// A rectangle.
    Sheet(SheetSpec),
    /// Panels with outlines, and the seams between them.
    Garment(GarmentSpec),
}

/// A rectangle of straight yarns.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SheetSpec {
    /// How large it is.
    pub extent: ExtentSpec,
    /// Which yarn is on top at each crossing.
    #[serde(default)]
    pub draft: DraftSpec,
    /// Middle of the sheet, meters.
    #[serde(default)]
    pub center: [f64; 3],
    /// Direction of the wefts, along which the warps lie side by side.
    #[serde(default = "x_axis")]
    pub u: [f64; 3],
    /// Direction of the warps, perpendicular to u. The front of the draft looks along u × v.
    #[serde(default = "y_axis")]
    pub v: [f64; 3],
    /// How far free ends stick out beyond the last crossing, in spacings.
    #[serde(default = "half")]
    pub tail: f64,
    /// Other lengths of single ends.
    #[serde(default)]
    pub tails: Vec<TailSpec>,
    /// Height of ripples in the start position, meters: a perfectly flat sheet has no reason to fold.
    #[serde(default)]
    pub ripple: f64,
}

/// How large a sheet is.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ExtentSpec {
    /// Numbers of warps and wefts.
    Yarns([usize; 2]),
    /// Length along u and v, meters; the numbers of yarns follow from their spacing.
    Meters([f64; 2]),
}

/// The length of one end of one yarn beyond its last crossing.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TailSpec {
    /// A warp or a weft.
    pub of: FamilySpec,
    /// Its number, from 0.
    pub yarn: usize,
    /// Which end.
    pub side: End,
    /// In spacings.
    pub length: f64,
}

fn gravity() -> [f64; 3] {
    [0.0, -9.81, 0.0]
}

fn y_axis() -> [f64; 3] {
    [0.0, 1.0, 0.0]
}

fn half() -> f64 {
    0.5
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
        let drafts: Vec<&DraftSpec> = match &self.cloth {
            ClothSpec::Sheet(sheet) => vec![&sheet.draft],
            ClothSpec::Garment(garment) => garment.panels.iter().map(|p| &p.draft).collect(),
        };
        let named = drafts.into_iter().filter_map(DraftSpec::file).chain(self.parameters.as_deref());
        named.chain(self.bodies.iter().filter_map(BodySpec::file))
    }

    /// Parses and checks the bytes of a scene file; `origin` names it in messages.
    pub fn parse(bytes: &[u8], origin: &str) -> Result<Self> {
        let scene: Scene = json::parse(bytes, origin, "docs/reference/yarn-scenes.md")?;
        match scene.fault() {
            None => Ok(scene),
            Some(problem) => Err(Error::invalid(origin, problem)),
        }
    }
}
