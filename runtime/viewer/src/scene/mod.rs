//! Scene files: yarns on moving cloth, and how they are looked at. JSON; `docs/reference/scenes.md` describes every field.
//!
//! Unknown fields are refused, each fault is one message with the file, the field and the cure.

mod camera;
mod cloth;
mod color;
mod style;
mod yarns;

pub use camera::CameraSpec;
pub use cloth::{ClipSpec, ClothSpec, MotionSpec, SheetSpec, SkirtSpec, TubeSpec};
pub use color::Color;
pub use style::{HeatMapSpec, LightSpec, StyleSpec};
pub use yarns::YarnsSpec;

pub use crate::heat::Quantity;

use crate::Result;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use yarnwise_runtime::{FrameOptions, LayoutOptions};
use yarnwise_shared::{Error, file};

/// Largest scene file, bytes.
const MAX_BYTES: u64 = 1 << 20;

/// A scene.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scene {
    /// What is to be seen, for people.
    #[serde(default)]
    pub description: String,
    /// The yarns.
    pub yarns: YarnsSpec,
    /// Other yarns to compare them with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub compare: Option<YarnsSpec>,
    /// The cloth and its motion; none for yarns that move without.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cloth: Option<ClothSpec>,
    /// How the pattern lies on the cloth.
    #[serde(default)]
    pub layout: LayoutOptions,
    /// How yarns follow the cloth.
    #[serde(default)]
    pub frame: FrameOptions,
    /// Where the picture is taken from.
    #[serde(default)]
    pub camera: CameraSpec,
    /// How it is drawn.
    #[serde(default)]
    pub style: StyleSpec,
    /// What stands side by side.
    #[serde(default)]
    pub split: Split,
    /// The frame that a picture shows by default.
    #[serde(default)]
    pub still: usize,
}

/// What stands side by side.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
#[serde(rename_all = "kebab-case")]
pub enum Split {
    /// One picture.
    #[default]
    None,
    /// Left without, right with the looked-up displacements.
    Naive,
    /// Left the scene's yarns, right those it is compared with.
    Compare,
}

impl Scene {
    /// Reads a scene file and checks it.
    pub fn read(path: &Path) -> Result<Self> {
        Scene::parse(&file::read(path, MAX_BYTES, file::json)?, &file::origin(path))
    }

    /// Parses and checks the bytes of a scene file; `origin` names it in messages.
    pub fn parse(bytes: &[u8], origin: &str) -> Result<Self> {
        let mut json = serde_json::Deserializer::from_slice(bytes);
        let scene: Scene = serde_path_to_error::deserialize(&mut json).map_err(|e| {
            let field = e.path().to_string();
            let inner = e.into_inner();
            Error::text(origin, inner.line(), explain(&field, &inner))
        })?;
        json.end().map_err(|e| Error::text(origin, e.line(), explain(".", &e)))?;
        match scene.fault() {
            None => Ok(scene),
            Some(problem) => Err(Error::invalid(origin, problem).into()),
        }
    }

    /// A scene of a database on a mesh or clip, with defaults for the rest.
    pub fn of(database: PathBuf, clip: PathBuf) -> Self {
        Scene {
            description: String::new(),
            yarns: YarnsSpec::Database(database),
            compare: None,
            cloth: Some(ClothSpec::Clip(ClipSpec::of(clip))),
            layout: LayoutOptions::default(),
            frame: FrameOptions::default(),
            camera: CameraSpec::default(),
            style: StyleSpec::default(),
            split: Split::None,
            still: 0,
        }
    }

    /// A scene of yarns that move without cloth: warps and wefts in colors that can be told apart.
    pub fn of_strands(yarns: YarnsSpec) -> Self {
        let style = StyleSpec { colors: StyleSpec::WOVEN.to_vec(), plies: 2, ..StyleSpec::default() };
        Scene { yarns, cloth: None, style, ..Scene::of(PathBuf::new(), PathBuf::new()) }
    }

    /// What is wrong with yarns and cloth together, if anything.
    fn yarns_fault(&self) -> Option<String> {
        let problem = match (self.yarns.is_laid(), &self.cloth) {
            (true, None) => {
                "missing field `cloth`, on which the yarns lie; docs/reference/scenes.md describes every field"
            }
            (false, Some(_)) => "field 'cloth': simulated yarns need no cloth, leave it out",
            (false, None) if self.compare.is_some() => "field 'compare': simulated yarns cannot be compared",
            (false, None) if self.split != Split::None => "field 'split': simulated yarns have one picture",
            (true, Some(_)) if self.compare.as_ref().is_some_and(|c| !c.is_laid()) => {
                "field 'compare': simulated yarns do not lie on cloth"
            }
            _ => return None,
        };
        Some(problem.into())
    }

    /// What is wrong, if anything: the field and the cure.
    pub fn fault(&self) -> Option<String> {
        let split = (self.split == Split::Compare && self.compare.is_none())
            .then(|| "split is 'compare', but there is nothing to compare with: add a field 'compare'".to_owned());
        self.yarns_fault()
            .or_else(|| out_of_range("layout", self.layout.check()))
            .or_else(|| out_of_range("frame", self.frame.check()))
            .or_else(|| self.camera.fault())
            .or_else(|| self.style.fault())
            .or(split)
    }
}

/// The parser's reason with the field, without its own line and column, which the message gives already.
fn explain(field: &str, error: &serde_json::Error) -> String {
    let text = error.to_string();
    let reason = text.rfind(" at line ").map_or(text.as_str(), |at| &text[..at]);
    let cure = "; docs/reference/scenes.md describes every field";
    if field == "." { format!("{reason}{cure}") } else { format!("field '{field}': {reason}{cure}") }
}

/// What the runtime finds wrong with the options in a field.
fn out_of_range(field: &str, found: yarnwise_runtime::Result<()>) -> Option<String> {
    use yarnwise_runtime::Error::Parameter;
    match found.err()? {
        Parameter { name, value, range } => Some(format!("field '{field}.{name}' is {value}, it must be {range}")),
        other => Some(format!("field '{field}': {other}")),
    }
}

/// A fault unless `value` is a number between `low` and `high`.
fn range(field: &str, value: f32, [low, high]: [f32; 2]) -> Option<String> {
    (!(low..=high).contains(&value)).then(|| format!("field '{field}' is {value}, it must be between {low} and {high}"))
}

#[cfg(test)]
mod tests;
