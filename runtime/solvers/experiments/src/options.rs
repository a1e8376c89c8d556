//! Options that experiments share.

use anyhow::{Result, ensure};
use serde::Serialize;
use std::path::PathBuf;

/// Where results go.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Output {
    /// Print all figures as JSON instead of a table
    #[arg(long)]
    pub(crate) json: bool,
    /// Write plots (SVG) to this folder
    #[arg(short, long, value_name = "FOLDER")]
    pub(crate) output: Option<PathBuf>,
}

/// Which random parameter sets are run.
#[derive(Clone, Debug, clap::Args, Serialize)]
pub(crate) struct Sets {
    /// Number of random parameter sets; each experiment has its own default
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub(crate) runs: Option<u32>,
    /// Seed of the random parameters: the same seed gives the same sets
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
    /// All 500 parameter sets of the paper, each to its end; takes up to hours
    #[arg(long)]
    pub(crate) full: bool,
    /// Leave out sheets with more particles along a side, for a quick look
    #[arg(long, value_name = "PARTICLES")]
    pub(crate) largest: Option<usize>,
}

impl Sets {
    /// The number of runs: as asked, 500 as in the thesis, or what a small machine does in a few minutes.
    pub(crate) fn runs_or(&self, few: usize) -> usize {
        self.runs.map_or(if self.full { 500 } else { few }, |runs| runs as usize)
    }

    /// Those of some sheet sizes that are not left out.
    pub(crate) fn sizes(&self, all: &[usize]) -> Result<Vec<usize>> {
        let most = self.largest.unwrap_or(usize::MAX);
        let sizes: Vec<usize> = all.iter().copied().filter(|size| *size <= most).collect();
        let smallest = all.iter().min().copied().unwrap_or(0);
        ensure!(!sizes.is_empty(), "--largest {most}: the smallest sheet of this experiment has {smallest} particles");
        Ok(sizes)
    }
}
