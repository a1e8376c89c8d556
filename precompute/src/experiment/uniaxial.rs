//! Pulled along x, free to narrow along y: sigma_y = 0.

use super::respond::Tick;
use crate::Result;
use crate::fabric::{Fabric, Response};
use yarnwise_shared::Error;
use yarnwise_shared::table::strain::Strain;

/// sigma_y counts as zero below this fraction of sigma_x.
const FREE: f64 = 1e-6;

/// The most equilibria for one state.
const MAX_TRIALS: usize = 40;

/// The first step of the width.
const FIRST_STEP: f64 = 0.01;

/// No step of the width is longer.
const LONGEST_STEP: f64 = 0.05;

/// The narrowest fabric that is looked at.
const NARROWEST: f64 = -0.6;

/// The responses at stretches `sx` along x with sigma_y = 0: for each the width is found by the secant method, from that of the
/// stretch before.
pub fn free_width(fabric: &dyn Fabric, sx: &[f64], progress: Tick) -> Result<Vec<Response>> {
    let mut width = 0.0;
    let mut out = Vec::new();
    for stretch in sx {
        let response = at_free_width(fabric, *stretch, width)?;
        width = response.strain[2];
        out.push(response);
        progress();
    }
    Ok(out)
}

fn at_free_width(fabric: &dyn Fabric, sx: f64, near: f64) -> Result<Response> {
    let respond = |sy: f64| -> Result<(Response, f64)> {
        let response = fabric.respond(Strain::new(sx, 0.0, sy))?;
        let pull = response.stress.map(|s| s[2]);
        let pull = pull.ok_or_else(|| failed(fabric, sx, "it has no stress"))?;
        Ok((response, pull))
    };
    let (mut before, mut sy) = (near, near);
    let (mut response, mut pull) = respond(sy)?;
    let mut pull_before = pull;
    for trial in 0..MAX_TRIALS {
        let size = response.stress.map_or(0.0, |s| s[0].abs());
        if pull.abs() <= FREE * size {
            return Ok(response);
        }
        let secant = -pull * (sy - before) / (pull - pull_before);
        let step = if trial == 0 || !secant.is_finite() || secant == 0.0 {
            -FIRST_STEP * pull.signum()
        } else {
            secant.clamp(-LONGEST_STEP, LONGEST_STEP)
        };
        (before, pull_before) = (sy, pull);
        sy = (sy + step).max(NARROWEST);
        (response, pull) = respond(sy)?;
    }
    Err(failed(fabric, sx, &format!("40 widths were tried, at sy = {sy:.4} sigma_y is still {pull:.3e} N/m")))
}

fn failed(fabric: &dyn Fabric, sx: f64, problem: &str) -> crate::Error {
    Error::invalid(format!("free width of model {} at sx = {sx}", fabric.model()), problem.to_owned()).into()
}
