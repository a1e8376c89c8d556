//! `yarnwise-bake compare`: sample sets side by side.

use anyhow::{Context, bail};
use std::path::{Path, PathBuf};
use yarnwise_lab::compare::{self, CompareOptions, Comparison, Set};
use yarnwise_precompute::bake::log_path;
use yarnwise_program::{note, output, print, print_json};
use yarnwise_shared::file;
use yarnwise_shared::mesh::clip::{Clip, ClipOptions};
use yarnwise_shared::pattern::material::YarnMaterial;

#[derive(clap::Args)]
pub(crate) struct Command {
    /// The sets: databases, or folders with published tables. The others are compared with the one that has the most
    /// samples
    #[arg(required = true, value_name = "SET")]
    sets: Vec<PathBuf>,
    /// Also lay the yarns on this clip and compare them there
    #[arg(long, value_name = "CLIP")]
    clip: Option<PathBuf>,
    /// Multiply positions and UVs of the clip: a larger piece of cloth, the same strains
    #[arg(long, value_name = "S", default_value_t = 1.0, requires = "clip")]
    scale: f32,
    /// The yarn's material for sets that do not know it (published tables): knit, woven or fine
    #[arg(long, value_name = "NAME")]
    material: Option<String>,
    #[command(flatten)]
    measures: Measures,
    #[command(flatten)]
    reports: Reports,
}

/// How thoroughly sets are compared.
#[derive(clap::Args)]
pub(crate) struct Measures {
    /// Strains at which tables are read, spread at random over the range that all sets cover
    #[arg(long, value_name = "random:N", default_value = "random:2000")]
    strains: String,
    /// Another seed gives other random strains
    #[arg(long, default_value_t = CompareOptions::default().seed)]
    seed: u64,
    /// Strains in each of four regions at which equilibria are solved anew; 0 for none
    #[arg(long, value_name = "N", default_value_t = CompareOptions::default().held_out as u16)]
    held_out: u16,
    /// Frames of the clip that are looked at
    #[arg(long, value_name = "N", default_value_t = CompareOptions::default().frames)]
    frames: usize,
    /// The compression clamp; 0 for none
    #[arg(long, value_name = "EIGENVALUE", default_value_t = CompareOptions::default().min_eigenvalue)]
    clamp: f64,
    /// The error in yarn radii that the suggested smallest grid may have
    #[arg(long, value_name = "RADII", default_value_t = CompareOptions::default().error)]
    error: f64,
    /// Do not compare bending models, although a set has bending tables
    #[arg(long)]
    no_bending: bool,
}

/// Where the report goes besides the terminal.
#[derive(clap::Args)]
pub(crate) struct Reports {
    /// Write the report as a page with pictures
    #[arg(long, value_name = "FILE")]
    pub(crate) html: Option<PathBuf>,
    /// Write all figures as JSON to a file; --json prints them
    #[arg(long, value_name = "FILE")]
    pub(crate) json_file: Option<PathBuf>,
    /// Write the tables as comma-separated values
    #[arg(long, value_name = "FILE")]
    pub(crate) csv: Option<PathBuf>,
}

/// More random strains than this take too long to be meant.
const MOST_STRAINS: usize = 10_000_000;

impl Measures {
    pub(crate) fn options(&self) -> anyhow::Result<CompareOptions> {
        let count = self.strains.strip_prefix("random:").unwrap_or(&self.strains);
        let strains: usize = count.parse().ok().filter(|n| (1..=MOST_STRAINS).contains(n)).with_context(|| {
            format!("--strains {}: random:N is expected, with N from 1 to {MOST_STRAINS}", self.strains)
        })?;
        if !(self.clamp >= 0.0 && self.clamp <= 100.0) {
            bail!("--clamp {}: a number between 0 (off) and 100 is expected", self.clamp);
        }
        if !(self.error >= 0.0 && self.error.is_finite()) {
            bail!("--error {}: a number of radii of at least 0 is expected", self.error);
        }
        if self.frames == 0 {
            bail!("--frames 0: at least one frame is needed");
        }
        Ok(CompareOptions {
            strains,
            seed: self.seed,
            held_out: usize::from(self.held_out),
            material: None,
            frames: self.frames,
            min_eigenvalue: self.clamp,
            error: self.error,
            bending: !self.no_bending,
        })
    }
}

impl Reports {
    /// Refuses files that cannot be written or that are inputs, before minutes are spent.
    pub(crate) fn check(&self, inputs: &[&Path]) -> anyhow::Result<()> {
        let files: Vec<&Path> =
            [&self.html, &self.json_file, &self.csv].into_iter().flatten().map(PathBuf::as_path).collect();
        output::check_all(&files, inputs)
    }

    pub(crate) fn write(&self, comparison: &Comparison) -> anyhow::Result<()> {
        let write = |path: &Option<PathBuf>, text: &dyn Fn() -> anyhow::Result<String>| -> anyhow::Result<()> {
            let Some(path) = path else { return Ok(()) };
            let text = text()?;
            file::write_atomically(path, |w| w.write_all(text.as_bytes()))?;
            note!("wrote {}", path.display());
            Ok(())
        };
        write(&self.html, &|| Ok(compare::html(comparison)?))?;
        write(&self.json_file, &|| Ok(serde_json::to_string_pretty(comparison).context("the report as JSON")? + "\n"))?;
        write(&self.csv, &|| Ok(compare::csv(comparison)))
    }
}

impl Command {
    /// The files and folders that it reads; a bake's log is beside its database.
    fn inputs(&self) -> Vec<PathBuf> {
        let logs = self.sets.iter().map(|set| log_path(set));
        self.sets.iter().cloned().chain(logs).chain(self.clip.clone()).collect()
    }
}

pub(crate) fn run(command: Command, json: bool) -> anyhow::Result<()> {
    let inputs = command.inputs();
    command.reports.check(&inputs.iter().map(PathBuf::as_path).collect::<Vec<_>>())?;
    let material = command.material.as_deref().map(YarnMaterial::preset).transpose()?;
    let options = CompareOptions { material, ..command.measures.options()? };
    let sets = Set::read_all(&command.sets, &crate::writing::tool())?;
    compare::check(&sets)?;
    let clip = match &command.clip {
        None => None,
        Some(path) => {
            let clip = Clip::open_with(path, &ClipOptions { scale: command.scale, ..Default::default() })?;
            Some((path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned(), clip))
        }
    };
    let clip = clip.as_ref().map(|(name, clip)| (name.as_str(), clip));
    let comparison = compare::compare(&sets, clip, &options, &mut |what| note!("{what}"))?;
    print_comparison(&comparison, json)?;
    command.reports.write(&comparison)
}

/// Prints a comparison, for people or for programs.
pub(crate) fn print_comparison(comparison: &Comparison, json: bool) -> anyhow::Result<()> {
    if json { print_json(comparison) } else { print(&compare::text(comparison)) }
}
