//! Experiments on a periodic cell.

use super::Common;
use crate::progress::bar;
use anyhow::{Result, bail};
use yarnwise_lab::experiment::cell_picture;
use yarnwise_precompute::experiment::{Kind, respond_all, single as single_yarn, strains, uniaxial as free};
use yarnwise_precompute::fabric::Response;
use yarnwise_precompute::spline::SplineCell;
use yarnwise_program::note;
use yarnwise_shared::table::strain::Strain;

/// One straight yarn.
#[derive(clap::Args)]
pub(crate) struct Stretched {
    #[command(flatten)]
    common: Common,
    /// Strains, with commas between them
    #[arg(long, value_delimiter = ',', default_value = "0,0.01,0.02,0.03,0.04,0.05", allow_negative_numbers = true)]
    strains: Vec<f64>,
}

/// Stretched along both axes.
#[derive(clap::Args)]
pub(crate) struct Biaxial {
    #[command(flatten)]
    common: Common,
    /// Strains along x and along y, with commas between them: every pair is measured
    #[arg(long, value_delimiter = ',', default_values_t = strains::BIAXIAL, allow_negative_numbers = true)]
    strains: Vec<f64>,
}

/// Stretched along x, free to narrow.
#[derive(clap::Args)]
pub(crate) struct Uniaxial {
    #[command(flatten)]
    common: Common,
    /// Strains along x, with commas between them
    #[arg(long, value_delimiter = ',', default_values_t = strains::UNIAXIAL, allow_negative_numbers = true)]
    strains: Vec<f64>,
}

/// Sheared.
#[derive(clap::Args)]
pub(crate) struct Shear {
    #[command(flatten)]
    common: Common,
    /// Shears sa, cosines of the angle between both axes, with commas between them
    #[arg(long, value_delimiter = ',', default_values_t = strains::SHEAR, allow_negative_numbers = true)]
    strains: Vec<f64>,
    /// Stretches along both axes under which the cell is sheared
    #[arg(long, value_delimiter = ',', default_values_t = strains::SHEAR_LOADS, allow_negative_numbers = true)]
    loads: Vec<f64>,
}

/// Strains at which fabric has been turned inside out or torn apart are typing errors.
const STRETCH: [f64; 2] = [-0.6, 3.0];
const SHEARS: [f64; 2] = [-0.95, 0.95];
const MOST: usize = 1000;

fn check(option: &str, values: &[f64], [low, high]: [f64; 2]) -> Result<()> {
    if values.is_empty() || values.len() > MOST {
        bail!("{option}: 1 to {MOST} numbers are expected");
    }
    match values.iter().find(|v| !(**v >= low && **v <= high)) {
        Some(bad) => bail!("{option} {bad}: must be between {low} and {high}"),
        None => Ok(()),
    }
}

/// Says which states are none.
fn remark(states: &[Response]) {
    let bad = states.iter().filter(|s| !s.is_sound()).count();
    if bad > 0 {
        note!("warning: {bad} of {} states are no stable equilibria; estimates leave them out", states.len());
    }
}

fn measure(common: &Common, kind: Kind, cell: &SplineCell, strains: &[Strain<f64>], json: bool) -> Result<()> {
    let progress = bar("solving", strains.len());
    let mut experiment = common.experiment(kind, cell)?;
    experiment.states = respond_all(cell, strains, &|| progress.inc(1))?;
    progress.finish_and_clear();
    remark(&experiment.states);
    finish(common, &experiment, cell, json)
}

fn finish(
    common: &Common,
    experiment: &yarnwise_precompute::experiment::Experiment,
    cell: &SplineCell,
    json: bool,
) -> Result<()> {
    let last = experiment.states.last().map_or(Strain::new(0.0, 0.0, 0.0), Response::strain);
    common.finish(experiment, || cell_picture(cell, &cell.solve(last), super::PIXELS), json)
}

pub(super) fn single(command: &Stretched, json: bool) -> Result<()> {
    check("--strains", &command.strains, STRETCH)?;
    command.common.check()?;
    let cell = command.common.cell()?;
    let mut experiment = command.common.experiment(Kind::Single, &cell)?;
    experiment.states = single_yarn::stretched(&cell, &command.strains);
    remark(&experiment.states);
    command.common.finish(
        &experiment,
        || cell_picture(&cell, &cell.solve(Strain::new(0.0, 0.0, 0.0)), super::PIXELS),
        json,
    )
}

pub(super) fn biaxial(command: &Biaxial, json: bool) -> Result<()> {
    check("--strains", &command.strains, STRETCH)?;
    command.common.check()?;
    measure(&command.common, Kind::Biaxial, &command.common.cell()?, &strains::biaxial(&command.strains), json)
}

pub(super) fn shear(command: &Shear, json: bool) -> Result<()> {
    check("--strains", &command.strains, SHEARS)?;
    check("--loads", &command.loads, STRETCH)?;
    command.common.check()?;
    measure(
        &command.common,
        Kind::Shear,
        &command.common.cell()?,
        &strains::shear(&command.strains, &command.loads),
        json,
    )
}

pub(super) fn uniaxial(command: &Uniaxial, json: bool) -> Result<()> {
    check("--strains", &command.strains, STRETCH)?;
    command.common.check()?;
    let cell = command.common.cell()?;
    let progress = bar("solving", command.strains.len());
    let mut experiment = command.common.experiment(Kind::Uniaxial, &cell)?;
    experiment.states = free::free_width(&cell, &command.strains, &|| progress.inc(1))?;
    progress.finish_and_clear();
    remark(&experiment.states);
    finish(&command.common, &experiment, &cell, json)
}
