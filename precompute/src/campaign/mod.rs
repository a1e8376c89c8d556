//! Campaigns: many bakes in one file, which is the unit that fills a machine or a cluster.
//!
//! A file says patterns, materials, grids and curvatures; each combination of them is a bake. [`Campaign`] is what it comes to when
//! every name is resolved and every setting is known: patterns to relax first ([`PlannedRest`]), then bakes ([`PlannedBake`]),
//! each with its own output.
//!
//! - `file`, `read`: the file as it is written, and its reader, which finds all faults at once.
//! - `parts`: its lists, with files read and names resolved; `expand`: their combinations.
//! - `run`: all of it on this machine; `rest`: a pattern that is relaxed; `found`: what is done already; `status`: how far it is.
//! - [`plan`]: all of it as what engines of clusters run.

mod expand;
pub mod file;
mod found;
mod parts;
pub mod plan;
mod planned;
mod read;
mod rest;
mod run;
mod status;
mod toml;
mod wildcard;

pub use crate::faults::{Fault, Faults};
pub use found::{OutputState, failed_path};
pub use planned::{Bending, PlannedBake, PlannedRest, Source};
pub use read::{DEFAULT_NAMING, LARGEST_TOLERANCE, MOST_SHARDS};
pub use run::{CampaignEvent, CampaignOptions, CampaignOutcome, CampaignStep, StepEnd};
pub use status::{BakeStatus, RestStatus, Standing, Status};

use crate::Result;
use expand::Expansion;
use file::CampaignFile;
use parts::Resolver;
use rayon::prelude::*;
use std::path::{Path, PathBuf};

/// Largest campaign file that is read.
const MAX_BYTES: u64 = 16 << 20;

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
    /// The files that it reads, its own included.
    pub inputs: Vec<PathBuf>,
    /// What its user should know of these files.
    pub notes: Vec<String>,
}

impl Campaign {
    /// Reads a campaign; an error lists everything that is wrong in the file and with the files that it names.
    pub fn read(path: &Path) -> Result<Self> {
        let (campaign, faults) = Campaign::draft(path)?;
        Faults::check(path, faults)?;
        Ok(campaign)
    }

    /// As much of a campaign as is right, and everything that is wrong.
    pub fn draft(path: &Path) -> Result<(Self, Vec<Fault>)> {
        let bytes = yarnwise_shared::file::read(path, MAX_BYTES, yarnwise_shared::file::text)?;
        Campaign::draft_of(&bytes, path)
    }

    /// The same of the bytes of the file `path`, to whose folder paths are relative.
    pub fn draft_of(bytes: &[u8], path: &Path) -> Result<(Self, Vec<Fault>)> {
        // Reports the line where something that is not text begins.
        yarnwise_shared::file::text(bytes, &yarnwise_shared::file::origin(path))?;
        let (written, mut faults) = CampaignFile::parse(&String::from_utf8_lossy(bytes));
        let stem = file::stem(path);
        let here = path.parent().unwrap_or(Path::new(""));
        let folder = here.join(written.output.as_deref().unwrap_or(&stem));
        let name = written.name.clone().unwrap_or(stem);
        let mut resolver = Resolver::new(here);
        let parts = resolver.parts(&written);
        let Resolver { mut inputs, notes, faults: of_parts, .. } = resolver;
        faults.extend(of_parts);
        let mut expansion = Expansion::new(&written, &parts, &folder);
        if faults.is_empty() || !parts.patterns.is_empty() {
            expansion.run();
        }
        let Expansion { rests, bakes, faults: of_all, .. } = expansion;
        faults.extend(of_all);
        inputs.push(path.to_owned());
        Ok((Campaign { name, file: path.to_owned(), folder, rests, bakes, inputs, notes }, faults))
    }

    /// What is wrong with single bakes: grids that are too large for their pattern, curvatures that bend it too far.
    pub fn check_bakes(&self) -> Vec<Fault> {
        let fault = |bake: &PlannedBake| {
            let checked = self.checked_bake(bake).and_then(|bake| bake.check());
            checked.err().map(|error| Fault::of_all(format!("{}: {error}", bake.name)))
        };
        self.bakes.par_iter().filter_map(fault).collect()
    }

    /// The bake as it can be checked now: of a pattern that is yet to be relaxed it is not known how far it can be bent.
    pub fn checked_bake(&self, planned: &PlannedBake) -> Result<crate::bake::Bake> {
        let file = self.pattern_file(planned);
        match &planned.source {
            Source::Relaxed(rest) if !file.exists() => {
                let flat = PlannedBake { bending: Bending::None, ..planned.clone() };
                flat.bake(&self.rests[*rest].input, "")
            }
            _ => planned.bake(file, ""),
        }
    }

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

    /// The relaxed patterns and bakes of this name, in which `*` stands for any letters.
    pub fn steps(&self, name: &str) -> Vec<CampaignStep> {
        let fits = |n: &str| wildcard::fits(name, n);
        let rests = (0..self.rests.len()).filter(|i| fits(&self.rests[*i].name)).map(CampaignStep::Rest);
        let bakes = (0..self.bakes.len()).filter(|i| fits(&self.bakes[*i].name)).map(CampaignStep::Bake);
        rests.chain(bakes).collect()
    }
}
