//! Campaigns: many bakes in one file, which is the unit that fills a machine or a cluster.
//!
//! A file says patterns, materials, grids and curvatures; each combination of them is a bake. [`Campaign`] is what it comes to when
//! every name is resolved and every setting is known: patterns to relax first ([`PlannedRest`]), then bakes ([`PlannedBake`]),
//! each with its own output.

mod planned;

pub use planned::{Bending, PlannedBake, PlannedRest, Source};

use std::path::{Path, PathBuf};

/// A campaign: what is relaxed and what is baked.
#[derive(Clone, Debug)]
pub struct Campaign {
    /// A short name for people.
    pub name: String,
    /// The campaign's file.
    pub file: PathBuf,
    /// The folder of its outputs.
    pub folder: PathBuf,
    /// Patterns that are relaxed before they are baked, each with one material.
    pub rests: Vec<PlannedRest>,
    /// The bakes, in the order of the file: by pattern, then material, then grid, then bending.
    pub bakes: Vec<PlannedBake>,
}

impl Campaign {
    /// The pattern file that a bake reads: the given one, or the relaxed one, which need not exist yet.
    pub fn pattern_file<'a>(&'a self, bake: &'a PlannedBake) -> &'a Path {
        match &bake.source {
            Source::Given(path) => path,
            Source::Relaxed(rest) => &self.rests[*rest].output,
        }
    }

    /// The bake of this name.
    pub fn bake(&self, name: &str) -> Option<&PlannedBake> {
        self.bakes.iter().find(|bake| bake.name == name)
    }
}
