//! `yarnwise-bake experiment`: virtual experiments on models of fabric.

mod cell;
mod model;
mod patch;

use crate::options::MaterialOptions;
use anyhow::{Result, bail};
use model::{Model, PeriodMode};
use std::path::{Path, PathBuf};
use yarnwise_lab::draw::Picture;
use yarnwise_lab::experiment::{plot, text};
use yarnwise_precompute::experiment::Experiment;
use yarnwise_precompute::spline::SplineSettings;
use yarnwise_program::{output, print, print_json};

#[derive(clap::Subcommand)]
pub(crate) enum Command {
    /// Stretch one straight yarn
    Single(cell::Stretched),
    /// Stretch a cell along both axes
    Biaxial(cell::Biaxial),
    /// Stretch a cell along x, free to narrow along y
    Uniaxial(cell::Uniaxial),
    /// Shear a cell that is stretched
    Shear(cell::Shear),
    /// Bend a cell along x and along y
    Bend(cell::Bend),
    /// Pull a yarn out of its crossings; those across are held as they lie in the fabric
    PullOut(patch::PullOut),
    /// Pull a patch along one family of yarns
    InPlane(patch::InPlane),
}

/// The fabric, and where results go.
#[derive(clap::Args)]
#[command(mut_arg("material", |material| material.help(MATERIAL)))]
pub(crate) struct Common {
    /// The pattern: a .yarn or .pyp file; or a database, *.ydb, whose pattern is taken
    pattern: PathBuf,
    /// What the fabric is made of
    #[arg(long, value_enum, default_value_t = Model::Spline)]
    model: Model,
    /// What persistent contacts are made of: a parameters file
    #[arg(long, value_name = "FILE")]
    parameters: Option<PathBuf>,
    /// Whether the period takes the size at which the fabric pulls in no direction, or stays
    #[arg(long, value_enum, default_value_t = PeriodMode::Free)]
    period: PeriodMode,
    /// Spans of the yarns' curves are at most this many radii long
    #[arg(long, value_name = "RADII", default_value_t = SplineSettings::default().span)]
    span: f64,
    /// Points at which yarns touch are at most this many radii apart
    #[arg(long, value_name = "RADII", default_value_t = SplineSettings::default().contact_spacing)]
    contact_spacing: f64,
    /// Write what was measured as JSON to a file, the data for estimates; --json prints it
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Draw curves of what was measured: *.svg
    #[arg(long, value_name = "FILE")]
    plot: Option<PathBuf>,
    /// Draw the yarns in the last state, colored by tension: *.png
    #[arg(long, value_name = "FILE")]
    picture: Option<PathBuf>,
    #[command(flatten)]
    material: MaterialOptions,
}

/// Of --material.
const MATERIAL: &str = "A named material: knit (soft to bend), woven, or fine (for yarns of 0.1 mm) [default: that of a database; else woven for \
                        weaves and knit for all others]";

/// The longer side of a picture, pixels.
const PIXELS: u32 = 1200;

impl Common {
    /// Refuses outputs that cannot be written, and options that do not go together, before any work.
    fn check(&self) -> Result<()> {
        let outputs: Vec<&Path> =
            [&self.output, &self.plot, &self.picture].into_iter().flatten().map(PathBuf::as_path).collect();
        if self.parameters.is_some() && self.model != Model::Persistent {
            bail!("--parameters: is for --model persistent");
        }
        self.settings().check()?;
        match self.model {
            Model::Persistent if self.picture.is_some() => {
                bail!("--picture: persistent contacts have no yarns to draw; --plot draws curves")
            }
            Model::Database if self.picture.is_some() => {
                bail!("--picture: databases are drawn by 'yarnwise-bake db inspect' and yarnwise-view")
            }
            _ => (),
        }
        let inputs: Vec<&Path> =
            [Some(&self.pattern), self.parameters.as_ref()].into_iter().flatten().map(PathBuf::as_path).collect();
        output::check_all(&outputs, &inputs)
    }

    /// Writes and prints what was measured.
    fn finish(&self, experiment: &Experiment, picture: impl FnOnce() -> Result<Picture>, json: bool) -> Result<()> {
        if let Some(file) = &self.output {
            experiment.write(file)?;
        }
        if let Some(file) = &self.plot {
            plot(experiment).save(file)?;
        }
        if let Some(file) = &self.picture {
            picture()?.save(file)?;
        }
        if json { print_json(experiment) } else { print(&text(experiment)) }
    }
}

pub(crate) fn run(command: &Command, json: bool) -> Result<()> {
    match command {
        Command::Single(command) => cell::single(command, json),
        Command::Biaxial(command) => cell::biaxial(command, json),
        Command::Uniaxial(command) => cell::uniaxial(command, json),
        Command::Shear(command) => cell::shear(command, json),
        Command::Bend(command) => cell::bend(command, json),
        Command::PullOut(command) => patch::pull_out(command, json),
        Command::InPlane(command) => patch::in_plane(command, json),
    }
}
