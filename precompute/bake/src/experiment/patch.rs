//! Experiments on finite fabric.

use super::Common;
use super::model::Made;
use crate::progress::bar;
use anyhow::{Result, ensure};
use clap::ValueEnum;
use yarnwise_lab::experiment::patch_picture;
use yarnwise_precompute::experiment::in_plane::{self as load, InPlaneOptions};
use yarnwise_precompute::experiment::pull_out::{self as pull, PullOutOptions};
use yarnwise_precompute::experiment::{FRICTION, Kind};
use yarnwise_precompute::explicit::patch::Family;
use yarnwise_program::note;
use yarnwise_program::number::within;

/// A family of yarns.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Yarn {
    /// Along x
    Weft,
    /// Along y
    Warp,
}

impl From<Yarn> for Family {
    fn from(yarn: Yarn) -> Self {
        match yarn {
            Yarn::Weft => Family::Weft,
            Yarn::Warp => Family::Warp,
        }
    }
}

/// Pulled out of its crossings.
#[derive(clap::Args)]
pub(crate) struct PullOut {
    #[command(flatten)]
    common: Common,
    /// How many crossings the yarn runs through
    #[arg(long, default_value_t = 8)]
    crossings: usize,
    /// Coefficient of friction
    #[arg(long, value_name = "MU", default_value_t = 0.2)]
    friction: f64,
    /// How far the end of the yarn is pulled, in radii: by more than the yarn stretches, or its far end still sticks
    #[arg(long, value_name = "RADII", default_value_t = 3.5)]
    distance: f64,
    /// By how much at a time, in radii
    #[arg(long, value_name = "RADII", default_value_t = 0.25)]
    increment: f64,
    /// Which yarn is pulled
    #[arg(long, value_enum, default_value_t = Yarn::Weft)]
    yarn: Yarn,
}

/// A patch, pulled.
#[derive(clap::Args)]
pub(crate) struct InPlane {
    #[command(flatten)]
    common: Common,
    /// Periods of the pattern along x and along y
    #[arg(long, value_name = "N,N", value_delimiter = ',', num_args = 1, default_values_t = InPlaneOptions::default().periods)]
    periods: Vec<usize>,
    /// By how much the pulled yarns are stretched
    #[arg(long, default_value_t = InPlaneOptions::default().stretch, allow_negative_numbers = true)]
    stretch: f64,
    /// In how many increments
    #[arg(long, value_name = "N", default_value_t = InPlaneOptions::default().increments)]
    increments: usize,
    /// Coefficient of friction
    #[arg(long, value_name = "MU", default_value_t = 0.0)]
    friction: f64,
    /// Which yarns are pulled
    #[arg(long, value_enum, default_value_t = Yarn::Weft)]
    yarn: Yarn,
}

/// Refuses a count that is not possible.
fn one_of(option: &str, count: usize, [least, most]: [usize; 2]) -> Result<()> {
    ensure!((least..=most).contains(&count), "{option} {count}: a whole number from {least} to {most} is expected");
    Ok(())
}

pub(super) fn pull_out(command: &PullOut, json: bool) -> Result<()> {
    let common = &command.common;
    within("--friction", command.friction, FRICTION)?;
    within("--increment", command.increment, pull::INCREMENT)?;
    within("--distance", command.distance, [command.increment, pull::LONGEST])?;
    one_of("--crossings", command.crossings, pull::CROSSINGS)?;
    let source = common.yarn_source(Kind::PullOut)?;
    let r = source.radius();
    let cell = common.splines(&source)?;
    let options = PullOutOptions {
        family: command.yarn.into(),
        crossings: command.crossings,
        friction: command.friction,
        distance: command.distance * r,
        increment: command.increment * r,
    };
    let progress = bar("pulling", (command.distance / command.increment).clamp(1.0, 1e6) as usize);
    let done = pull::pull_out(&cell, &options, &mut |_| progress.inc(1))?;
    progress.finish_and_clear();
    note!("{:.0} factorizations an increment", done.factorizations);
    let mut experiment = common.experiment(Kind::PullOut, &source, &Made::Spline(Box::new(cell)))?;
    experiment.friction = Some(command.friction);
    experiment.pull_out = Some(done.pulls);
    common.finish(&experiment, || Ok(patch_picture(&done.patch, super::PIXELS)), json)
}

pub(super) fn in_plane(command: &InPlane, json: bool) -> Result<()> {
    let common = &command.common;
    let [x, y] = command.periods[..] else { anyhow::bail!("--periods: two numbers are expected, such as 4,4") };
    within("--friction", command.friction, FRICTION)?;
    within("--stretch", command.stretch, load::STRETCH)?;
    one_of("--increments", command.increments, load::INCREMENTS)?;
    [x, y].into_iter().try_for_each(|n| one_of("--periods", n, load::PERIODS))?;
    let source = common.yarn_source(Kind::InPlane)?;
    let cell = common.splines(&source)?;
    let options = InPlaneOptions {
        periods: [x, y],
        family: command.yarn.into(),
        stretch: command.stretch,
        increments: command.increments,
        friction: command.friction,
    };
    let progress = bar("pulling", command.increments.saturating_add(1));
    let done = load::in_plane(&cell, &options, &mut |_| progress.inc(1))?;
    progress.finish_and_clear();
    let mut experiment = common.experiment(Kind::InPlane, &source, &Made::Spline(Box::new(cell)))?;
    experiment.friction = Some(command.friction);
    experiment.in_plane = Some(done.loads);
    common.finish(&experiment, || Ok(patch_picture(&done.patch, super::PIXELS)), json)
}
