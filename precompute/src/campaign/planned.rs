//! What a campaign comes to: patterns to relax and bakes, with all their settings.

use crate::Result;
use crate::bake::{Bake, StartMode, default_curvatures};
use crate::equilibrium::settings::SolverSettings;
use crate::relax::Period;
use crate::sampling::SamplingSettings;
use std::path::{Path, PathBuf};
use yarnwise_shared::pattern::material::YarnMaterial;
use yarnwise_shared::pattern::{self, Pattern};
use yarnwise_shared::table::database::Encoding;
use yarnwise_shared::table::grid::{Axis, StrainGrid};

/// A pattern that is relaxed before it is baked.
#[derive(Clone, Debug, PartialEq)]
pub struct PlannedRest {
    /// Its name in the campaign, such as `plain-woven`; no other rest has it.
    pub name: String,
    /// The pattern file to relax.
    pub input: PathBuf,
    /// The relaxed pattern file to write.
    pub output: PathBuf,
    /// Its yarn's material.
    pub material: YarnMaterial,
    /// Whether the period may change.
    pub period: Period,
    /// The most steps of the search.
    pub max_steps: usize,
    /// When it counts as at rest.
    pub settings: SolverSettings,
}

/// Where a bake's pattern comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// A file that is baked as it is.
    Given(PathBuf),
    /// The relaxed pattern of this number.
    Relaxed(usize),
}

/// Whether and how far fabric is bent.
#[derive(Clone, Debug, PartialEq)]
pub enum Bending {
    /// It is not.
    None,
    /// At five curvatures that suit the pattern.
    Suited,
    /// At these curvatures, 1/m.
    At(Axis),
}

/// A bake of a campaign.
#[derive(Clone, Debug)]
pub struct PlannedBake {
    /// Its name in the campaign: the output's in the folder of outputs, without ending. No other bake has it.
    pub name: String,
    /// The names of its pattern, material, grid and bending.
    pub parts: [String; 4],
    /// The pattern.
    pub source: Source,
    /// The database to write.
    pub output: PathBuf,
    /// Its yarn's material.
    pub material: YarnMaterial,
    /// The strains.
    pub grid: StrainGrid,
    /// The curvatures.
    pub bending: Bending,
    /// Where samples start.
    pub start: StartMode,
    /// Settings of the sampling and the solver.
    pub settings: SamplingSettings,
    /// How exactly displacements are stored.
    pub encoding: Encoding,
    /// The most samples that are solved at a time; none: as many as there are threads.
    pub threads: Option<usize>,
    /// Into how many parts it is cut on a cluster, at least 1.
    pub shards: usize,
}

impl PlannedBake {
    /// The bake, with the pattern that was read from `file`; `tool` is the name and version of the program.
    ///
    /// It is the same as that of the command `bake` with this file and these settings.
    pub fn with_pattern(&self, pattern: Pattern, file: &Path, tool: &str) -> Result<Bake> {
        let curvatures = match &self.bending {
            Bending::None => None,
            Bending::Suited => Some(default_curvatures(&pattern, &self.grid)?),
            Bending::At(axis) => Some(axis.clone()),
        };
        Ok(Bake {
            name: Bake::name_of(file, &self.grid),
            origin: Bake::origin_of(file),
            tool: tool.to_owned(),
            pattern,
            material: self.material,
            grid: self.grid.clone(),
            curvatures,
            start: self.start,
            settings: self.settings,
        })
    }

    /// The bake, with the pattern that `file` holds; see [`Campaign::pattern_file`](super::Campaign::pattern_file).
    pub fn bake(&self, file: &Path, tool: &str) -> Result<Bake> {
        self.with_pattern(pattern::read(file)?, file, tool)
    }
}
