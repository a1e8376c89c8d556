//! Experiments on a periodic cell.

use super::Common;
use super::model::{Made, Source};
use crate::progress::bar;
use anyhow::{Result, bail};
use yarnwise_precompute::experiment::{
    Experiment, Kind, bent, respond_all, single as single_yarn, strains, uniaxial as free,
};
use yarnwise_precompute::fabric::Response;
use yarnwise_precompute::spline;
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
    /// Strains along x and along y, with commas between them: every pair is measured [default: 0,0.03,0.06,0.1,0.15,0.2; all samples
    /// of a database]
    #[arg(long, value_name = "S,S,...", value_delimiter = ',', allow_negative_numbers = true)]
    strains: Option<Vec<f64>>,
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
    /// Shears sa, cosines of the angle between both axes, with commas between them [default: 0,0.1,0.2,0.3,0.4,0.5; all samples of a
    /// database]
    #[arg(long, value_name = "SA,SA,...", value_delimiter = ',', allow_negative_numbers = true)]
    strains: Option<Vec<f64>>,
    /// Stretches along both axes under which the cell is sheared [default: 0,0.05,0.1; all samples of a database]
    #[arg(long, value_name = "S,S,...", value_delimiter = ',', allow_negative_numbers = true)]
    loads: Option<Vec<f64>>,
}

/// Bent.
#[derive(clap::Args)]
pub(crate) struct Bend {
    #[command(flatten)]
    common: Common,
    /// Curvatures in 1/m, positive toward the front, with commas between them [default: 0 to 0.04 over the radius of the yarn; all
    /// samples of a database]
    #[arg(long, value_name = "C,C,...", value_delimiter = ',', allow_negative_numbers = true)]
    curvatures: Option<Vec<f64>>,
    /// Stretches along both axes under which the cell is bent [default: 0; all samples of a database]
    #[arg(long, value_name = "S,S,...", value_delimiter = ',', allow_negative_numbers = true)]
    loads: Option<Vec<f64>>,
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

fn measure(
    common: &Common,
    kind: Kind,
    source: &Source,
    made: &Made,
    strains: &[Strain<f64>],
    json: bool,
) -> Result<()> {
    if strains.is_empty() {
        bail!("{}: the database has no sound samples for the experiment {}", common.pattern.display(), kind.name());
    }
    let progress = bar("solving", strains.len());
    let mut experiment = common.experiment(kind, source, made)?;
    experiment.states = respond_all(made.fabric(), strains, &|| progress.inc(1))?;
    progress.finish_and_clear();
    finish(common, &experiment, made, json)
}

fn finish(common: &Common, experiment: &Experiment, made: &Made, json: bool) -> Result<()> {
    remark(&experiment.states);
    let last = experiment.states.last().map_or(Strain::new(0.0, 0.0, 0.0), Response::strain);
    common.finish(experiment, || made.picture(last, super::PIXELS), json)
}

pub(super) fn single(command: &Stretched, json: bool) -> Result<()> {
    check("--strains", &command.strains, STRETCH)?;
    let source = command.common.yarn_source(Kind::Single)?;
    let cell = command.common.splines(&source)?;
    let states = single_yarn::stretched(&cell, &command.strains);
    let made = Made::Spline(Box::new(cell));
    let mut experiment = command.common.experiment(Kind::Single, &source, &made)?;
    experiment.states = states;
    remark(&experiment.states);
    command.common.finish(&experiment, || made.picture(Strain::new(0.0, 0.0, 0.0), super::PIXELS), json)
}

pub(super) fn biaxial(command: &Biaxial, json: bool) -> Result<()> {
    let values = command.strains.as_deref().unwrap_or(&strains::BIAXIAL);
    check("--strains", values, STRETCH)?;
    let source = command.common.source()?;
    let made = command.common.made(&source)?;
    let sampled = command.strains.is_none().then(|| made.sampled(|s| s.strain[1] == 0.0)).flatten();
    measure(&command.common, Kind::Biaxial, &source, &made, &sampled.unwrap_or_else(|| strains::biaxial(values)), json)
}

pub(super) fn shear(command: &Shear, json: bool) -> Result<()> {
    let values = command.strains.as_deref().unwrap_or(&strains::SHEAR);
    let loads = command.loads.as_deref().unwrap_or(&strains::SHEAR_LOADS);
    check("--strains", values, SHEARS)?;
    check("--loads", loads, STRETCH)?;
    let source = command.common.source()?;
    let made = command.common.made(&source)?;
    let chosen = command.strains.is_some() || command.loads.is_some();
    let sampled = (!chosen).then(|| made.sampled(|s| s.strain[0] == s.strain[2])).flatten();
    measure(
        &command.common,
        Kind::Shear,
        &source,
        &made,
        &sampled.unwrap_or_else(|| strains::shear(values, loads)),
        json,
    )
}

pub(super) fn uniaxial(command: &Uniaxial, json: bool) -> Result<()> {
    check("--strains", &command.strains, STRETCH)?;
    let source = command.common.source()?;
    let made = command.common.made(&source)?;
    let progress = bar("solving", command.strains.len());
    let mut experiment = command.common.experiment(Kind::Uniaxial, &source, &made)?;
    experiment.states = free::free_width(made.fabric(), &command.strains, &|| progress.inc(1))?;
    progress.finish_and_clear();
    finish(&command.common, &experiment, &made, json)
}

/// Refuses curvatures that no cell of this radius can have.
fn check_curvatures(values: &[f64], radius: f64) -> Result<()> {
    let [least, most] = bent::POSSIBLE.map(|c| c / radius);
    check("--curvatures", values, [-most, most])?;
    match values.iter().find(|v| **v != 0.0 && v.abs() < least) {
        Some(bad) => bail!("--curvatures {bad}: must be 0 or at least {least} 1/m"),
        None => Ok(()),
    }
}

pub(super) fn bend(command: &Bend, json: bool) -> Result<()> {
    let common = &command.common;
    let loads = command.loads.as_deref().unwrap_or(&[0.0]);
    check("--loads", loads, STRETCH)?;
    let source = common.bent_source()?;
    let usual = bent::CURVATURES.map(|c| c / source.radius());
    let curvatures = command.curvatures.as_deref().unwrap_or(&usual);
    check_curvatures(curvatures, source.radius())?;
    let made = common.made(&source)?;
    let mut experiment = common.experiment(Kind::Bent, &source, &made)?;
    let states = match &made {
        Made::Database(baked) if command.curvatures.is_some() || command.loads.is_some() => {
            bail!("--curvatures, --loads: {} is asked at all samples of its bending tables", baked.database().name())
        }
        Made::Database(baked) => bent::baked(baked.database(), &common.pattern.display().to_string())?,
        Made::Spline(cell) => {
            let bends: Vec<spline::Bend> = [0, 1]
                .into_iter()
                .flat_map(|axis| loads.iter().flat_map(move |s| curvatures.iter().map(move |c| (axis, *s, *c))))
                .map(|(axis, s, curvature)| spline::Bend { strain: Strain::new(s, 0.0, s), axis, curvature })
                .collect();
            let progress = bar("bending", bends.len());
            let states = bent::bend_all(cell, &bends, &|| progress.inc(1));
            progress.finish_and_clear();
            states
        }
        Made::Solid(..) | Made::Persistent(..) => unreachable!("refused before"),
    };
    let bad = states.iter().filter(|s| !s.is_sound()).count();
    if bad > 0 {
        note!("warning: {bad} of {} states are no stable equilibria", states.len());
    }
    experiment.bent = Some(states);
    common.finish(&experiment, || made.picture(Strain::new(0.0, 0.0, 0.0), super::PIXELS), json)
}
