//! Triangles of cloth: nothing is searched, everything is linear in what is sought.

use super::data::Data;
use super::options::Form;
use super::{Command, Done, Outcome};
use anyhow::ensure;
use serde::Serialize;
use std::fmt;
use yarnwise_precompute::estimate::membrane::{
    ConstantsFit, ConstantsOptions, SplineFit, SplineOptions, fit_constants, fit_spline,
};
use yarnwise_shared::parameters::{InPlane, Parameters, SheetConstants};

/// A sheet and how well it meets the data.
#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Sheet {
    Constants(Box<ConstantsFit>),
    Spline(Box<SplineFit>),
}

pub(super) fn estimate(command: &Command, data: &Data) -> anyhow::Result<Done> {
    let origin = command.data.display().to_string();
    ensure!(
        !command.search.is_wished() && !command.selection.is_given(),
        "--for membrane: has no search, and takes all states: leave out --fix, --start, --bounds, --use, --prior, --flat, \
         --strains, --shear and --states"
    );
    ensure!(command.plots.is_none(), "--for membrane: has no search to plot: leave out --plots");
    let states = data.all_states(&origin)?;
    let sheet = match command.search.form() {
        Form::Spline => Sheet::Spline(Box::new(fit_spline(&origin, &states, &SplineOptions::default())?)),
        Form::Constants => Sheet::Constants(Box::new(fit_constants(&origin, &states, &ConstantsOptions::default())?)),
    };
    let Parameters { estimated, model, data, .. } = match &sheet {
        Sheet::Constants(fit) => fit.parameters("", "", None),
        Sheet::Spline(fit) => fit.parameters("", "", None),
    };
    let mut outcome = Outcome::new(model);
    outcome.listed = estimated;
    outcome.states = data.first().map_or(0, |d| d.states);
    outcome.sheet = Some(sheet);
    Ok(Done::Finished(Box::new(outcome)))
}

impl fmt::Display for Sheet {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Sheet::Constants(fit) => {
                for e in &fit.estimated {
                    match (e.value.0, e.standard_error.0) {
                        (Some(value), Some(error)) => {
                            writeln!(f, "{:<14}{value:.4e} N/m  +- {:.2} %", e.name, 100.0 * error)?;
                        }
                        _ => writeln!(f, "{:<14}not determined by these data", e.name)?,
                    }
                }
                writeln!(f, "residuals     {:.3} root mean square of weighted data of {} states", fit.rms, fit.states)
            }
            Sheet::Spline(fit) => {
                let SheetConstants { c11, c22, c12, c66 } = InPlane::Spline(fit.spline.clone()).at_rest();
                writeln!(f, "at rest       c11 {c11:.4e}, c22 {c22:.4e}, c12 {c12:.4e}, c66 {c66:.4e} N/m")?;
                if let Some(asymmetry) = fit.asymmetry {
                    writeln!(f, "shear         differs by {:.2} % from one side to the other", 100.0 * asymmetry)?;
                }
                writeln!(f, "residuals     {:.3} root mean square of weighted data of {} states", fit.rms, fit.states)
            }
        }
    }
}
