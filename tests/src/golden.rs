//! The golden frames of the reference program: what was run, and the published models and clips it was run on.

use crate::npz::Npz;
use std::path::{Path, PathBuf};
use yarnwise_runtime::{Bending, FrameOptions, FrameParams, LayoutOptions};
use yarnwise_shared::mesh::clip::{Clip, ClipOptions};
use yarnwise_shared::table::database::Database;
use yarnwise_shared::table::model_folder;

/// One case: a pattern on a clip, with or without one switch changed.
#[derive(Clone, Debug)]
pub struct Case {
    /// `<pattern>__<clip>[__variant]`.
    pub name: String,
    /// Factor of positions and UVs.
    pub scale: f32,
    /// The frames that are stored.
    pub frames: Vec<usize>,
    overrides: serde_json::Map<String, serde_json::Value>,
    folder: PathBuf,
}

impl Case {
    /// All cases in a reference folder.
    pub fn all(reference: &Path) -> Vec<Case> {
        let text = std::fs::read_to_string(reference.join("golden/cases.json")).unwrap();
        let cases: serde_json::Map<String, serde_json::Value> = serde_json::from_str(&text).unwrap();
        let case = |(name, value): (String, serde_json::Value)| Case {
            name,
            scale: value["scale"].as_f64().unwrap() as f32,
            frames: value["frames"].as_array().unwrap().iter().map(|f| f.as_u64().unwrap() as usize).collect(),
            overrides: value["overrides"].as_object().unwrap().clone(),
            folder: reference.to_owned(),
        };
        cases.into_iter().map(case).collect()
    }

    fn part(&self, index: usize) -> &str {
        self.name.split("__").nth(index).unwrap()
    }

    /// The case's clip, scaled.
    pub fn clip(&self) -> Clip {
        let options = ClipOptions { scale: self.scale, weld_uvs: false, ..Default::default() };
        Clip::open_with(&self.folder.join(format!("clips/{}.bin", self.part(1))), &options).unwrap()
    }

    /// The published model of the case's pattern.
    pub fn database(&self) -> Database {
        model_folder::read(&self.folder.join(format!("models/{}_9", self.part(0))), "tests").unwrap().database
    }

    /// The tiled vertices; variants share those of the plain case unless they have their own.
    pub fn soup(&self) -> Npz {
        let own = self.folder.join(format!("golden/{}__soup.npz", self.name));
        let shared = self.folder.join(format!("golden/{}__{}__soup.npz", self.part(0), self.part(1)));
        Npz::read(if own.exists() { &own } else { &shared })
    }

    /// A stored frame.
    pub fn frame(&self, frame: usize) -> Npz {
        Npz::read(&self.folder.join(format!("golden/{}__f{frame:03}.npz", self.name)))
    }

    fn switch(&self, name: &str, default: f64) -> f64 {
        self.overrides.get(name).map_or(default, |v| v.as_f64().unwrap())
    }

    /// The layout's options, with the case's switches.
    pub fn layout_options(&self) -> LayoutOptions {
        LayoutOptions {
            min_yarn_length: self.switch("minlen", 16.0),
            shepard_weights: self.switch("shepard", 1.0) != 0.0,
            ..Default::default()
        }
    }

    /// The frame's parameters with the case's switches.
    pub fn frame_params<'a>(&self, positions: &'a [[f32; 3]]) -> FrameParams<'a> {
        FrameParams {
            positions,
            options: FrameOptions {
                displacement: self.switch("deform", 1.0) as f32,
                bending: Bending::Linearized,
                bending_amount: self.switch("bend", 1.0) as f32,
                min_eigenvalue: self.switch("svdclamp", 0.8) as f32,
                phong: self.switch("phong", 0.5) as f32,
                ..Default::default()
            },
        }
    }
}
