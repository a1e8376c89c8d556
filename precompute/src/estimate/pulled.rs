//! Friction from a yarn that is pulled out of its crossings.

use super::friction::{FrictionFound, friction};
use crate::Result;
use crate::experiment::Pull;
use crate::experiment::pull_out::{PullOutOptions, pull_out};
use crate::explicit::patch::Family;
use crate::spline::SplineCell;
use std::sync::atomic::{AtomicBool, Ordering};
use yarnwise_shared::Error;

/// Forces below this share of the largest count by it.
const FLOOR: f64 = 0.05;

/// The most that a step of displacement may differ from the first, as a part of it.
const UNEVEN: f64 = 1e-6;

/// The coefficient of friction between `bounds` at which the yarn of `cell` is pulled out as `measured`; `origin` names the
/// measurement in messages. Ends with an error when `stop` is raised: it takes minutes, and keeps no journal.
pub fn pulled_friction(
    cell: &SplineCell,
    origin: &str,
    measured: &[Pull],
    bounds: [f64; 2],
    stop: &AtomicBool,
) -> Result<FrictionFound> {
    let options = options(origin, measured)?;
    let counting: Vec<usize> = (0..measured.len()).filter(|k| measured[*k].converged).collect();
    let largest = counting.iter().map(|k| measured[*k].force.abs()).fold(0.0, f64::max);
    if largest == 0.0 {
        return Err(Error::invalid(origin, "its pulls are all 0: friction cannot be estimated from them").into());
    }
    let residuals = |mu: f64| {
        if stop.load(Ordering::Relaxed) {
            return Err(Error::invalid(origin, "stopped while friction was estimated").into());
        }
        let found = pull_out(cell, &PullOutOptions { friction: mu, ..options }, &mut |_| ())?.pulls;
        let residual =
            |k: &usize| (found[*k].force - measured[*k].force) / measured[*k].force.abs().max(FLOOR * largest);
        Ok(counting.iter().map(residual).collect())
    };
    friction(residuals, bounds)
}

/// The pull that these measurements are of.
fn options(origin: &str, measured: &[Pull]) -> Result<PullOutOptions> {
    let refuse = |problem: &str| Err(Error::invalid(origin, problem).into());
    let [first, .., last] = measured else { return refuse("has fewer than 2 pulls: pull the yarn further") };
    let increment = first.displacement;
    let even = |(k, pull): (usize, &Pull)| {
        let expected = (k + 1) as f64 * increment;
        (pull.displacement - expected).abs() <= UNEVEN * expected && pull.force.is_finite()
    };
    if !(increment > 0.0 && measured.iter().enumerate().all(even)) {
        return refuse("its pulls must be finite and at displacements of even steps from 0");
    }
    let crossings = measured.iter().map(|p| p.touching).max().unwrap_or_default();
    Ok(PullOutOptions { family: Family::Weft, crossings, friction: 0.0, distance: last.displacement, increment })
}

#[cfg(test)]
mod tests {
    use super::super::spline_tests::plain;
    use super::*;

    static STOP: AtomicBool = AtomicBool::new(false);

    #[test]
    fn friction_comes_back_from_a_pull() {
        let cell = plain();
        let r = cell.yarns.radius;
        let pull = PullOutOptions {
            family: Family::Weft,
            crossings: 2,
            friction: 0.2,
            distance: 1.5 * r,
            increment: 0.25 * r,
        };
        let measured = pull_out(&cell, &pull, &mut |_| ()).unwrap().pulls;
        let found = pulled_friction(&cell, "pull.json", &measured, [0.0, 1.0], &STOP).unwrap();
        println!("{found:?}");
        assert!((found.value / 0.2 - 1.0).abs() < 0.02 && !found.at_bound, "{found:?}");
    }

    #[test]
    fn pulls_that_cannot_be_repeated_are_refused() {
        let pull = |displacement: f64, force: f64| Pull {
            displacement,
            force,
            force_without_friction: None,
            normal_force_sum: 1.0,
            touching: 2,
            converged: true,
        };
        let refused = |pulls: &[Pull]| options("a.json", pulls).unwrap_err().to_string();
        assert!(refused(&[pull(1.0, 1.0)]).contains("fewer than 2 pulls"));
        assert!(refused(&[pull(1.0, 1.0), pull(2.5, 1.0)]).contains("even steps"));
        assert!(refused(&[pull(1.0, 1.0), pull(2.0, f64::NAN)]).contains("must be finite"));
        assert_eq!(options("a.json", &[pull(1e-3, 1.0), pull(2e-3, 1.0)]).unwrap().crossings, 2);
    }
}
