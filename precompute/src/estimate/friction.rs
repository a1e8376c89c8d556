//! Friction alone: one number between bounds, by Brent's method, because a pull is not smooth in it [Brent 1973].

use super::levenberg::cost;
use crate::{Error, Result};
use argmin::core::{CostFunction, Executor, IterState, State};
use argmin::solver::brent::BrentOpt;
use serde::Serialize;
use std::cell::Cell;

/// The search ends where the coefficient is known to this absolute difference.
const TOLERANCE: f64 = 1e-4;

/// The most evaluations.
const MOST: u64 = 60;

/// Half the difference by which residuals are differentiated at the end.
const DIFFERENCE: f64 = 5e-3;

/// A coefficient of friction that was estimated.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct FrictionFound {
    /// mu.
    pub value: f64,
    /// Its standard error as a part of it; none where it cannot be told.
    pub standard_error: Option<f64>,
    /// Root mean square of the residuals.
    pub rms: f64,
    /// How many pulls were simulated.
    pub evaluations: u32,
    /// Whether it is at one of the bounds: the data ask for more.
    pub at_bound: bool,
}

struct FrictionProblem<'a, F> {
    residuals: &'a F,
    evaluations: &'a Cell<u32>,
}

impl<F: Fn(f64) -> Result<Vec<f64>>> CostFunction for FrictionProblem<'_, F> {
    type Param = f64;
    type Output = f64;

    fn cost(&self, friction: &f64) -> Result<f64, argmin::core::Error> {
        self.evaluations.set(self.evaluations.get() + 1);
        Ok(cost(&(self.residuals)(*friction)?))
    }
}

/// The coefficient of friction between `bounds` whose `residuals` are smallest.
pub fn friction(residuals: impl Fn(f64) -> Result<Vec<f64>>, bounds: [f64; 2]) -> Result<FrictionFound> {
    let [low, high] = bounds;
    let invalid = |problem: String| Error::from(yarnwise_shared::Error::invalid("bounds friction", problem));
    if !(low >= 0.0 && high.is_finite() && low < high) {
        return Err(invalid(format!("from {low} to {high}: two ascending numbers of at least 0 are expected")));
    }
    let evaluations = Cell::new(0);
    let problem = FrictionProblem { residuals: &residuals, evaluations: &evaluations };
    let solver = BrentOpt::new(low, high).set_tolerance(f64::EPSILON.sqrt(), TOLERANCE);
    let configure = |state: IterState<f64, (), (), (), (), f64>| state.max_iters(MOST);
    let done = Executor::new(problem, solver).configure(configure).ctrlc(false).timer(false).run();
    let done = done.map_err(|e| match e.downcast::<Error>() {
        Ok(error) => error,
        Err(other) => invalid(other.to_string()),
    })?;
    let value = done.state.get_best_param().copied().unwrap_or(low);
    let at = residuals(value)?;
    let found = FrictionFound {
        value,
        standard_error: standard_error(&residuals, value, bounds, &at)?,
        rms: (2.0 * cost(&at) / at.len().max(1) as f64).sqrt(),
        evaluations: evaluations.get() + 3,
        at_bound: value - low < 2.0 * TOLERANCE || high - value < 2.0 * TOLERANCE,
    };
    Ok(found)
}

/// s / |dr/d ln mu|, with the derivative by differences.
fn standard_error(
    residuals: &impl Fn(f64) -> Result<Vec<f64>>,
    value: f64,
    [low, high]: [f64; 2],
    at: &[f64],
) -> Result<Option<f64>> {
    let (more, less) = ((value + DIFFERENCE).min(high), (value - DIFFERENCE).max(low));
    let (above, below) = (residuals(more)?, residuals(less)?);
    let slope = |(a, b): (&f64, &f64)| value * (a - b) / (more - less);
    let squares: f64 = above.iter().zip(&below).map(slope).map(|s| s * s).sum();
    if at.len() < 2 || squares == 0.0 {
        return Ok(None);
    }
    let variance = 2.0 * cost(at) / (at.len() - 1) as f64;
    Ok(Some((variance / squares).sqrt()).filter(|e| e.is_finite()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Pulls at growing displacement: sticking first, then sliding with mu sum N.
    fn pulls(friction: f64) -> Vec<f64> {
        (1..=12).map(|k| (0.1 * f64::from(k)).min(2.0 * friction) + 0.05).collect()
    }

    #[test]
    fn it_comes_back_from_pulls_with_and_without_noise() {
        for truth in [0.05, 0.2, 0.45] {
            let measured: Vec<f64> =
                pulls(truth).iter().enumerate().map(|(k, f)| f * (1.0 + 2e-3 * (k as f64 * 2.4).sin())).collect();
            let residuals =
                |mu: f64| Ok(pulls(mu).iter().zip(&measured).map(|(f, m)| f / m - 1.0).collect::<Vec<f64>>());
            let found = friction(residuals, [0.0, 1.0]).unwrap();
            assert!((found.value / truth - 1.0).abs() < 0.02, "{truth}: {found:?}");
            assert!(found.standard_error.unwrap() < 0.02 && !found.at_bound && found.evaluations < 60, "{found:?}");
        }
    }

    #[test]
    fn a_pull_that_only_sticks_does_not_determine_it() {
        let residuals = |mu: f64| Ok(pulls(mu)[..2].iter().zip(&pulls(0.9)).map(|(f, m)| f / m - 1.0).collect());
        let found = friction(residuals, [0.2, 1.0]).unwrap();
        assert_eq!(found.standard_error, None);
    }

    #[test]
    fn contradictory_bounds_and_failures_are_reported() {
        let none = |_: f64| Ok(vec![0.0]);
        for bounds in [[0.5, 0.1], [-0.1, 0.5], [0.1, f64::NAN]] {
            assert!(friction(none, bounds).unwrap_err().to_string().contains("two ascending numbers"));
        }
        let failing = |_: f64| Err(yarnwise_shared::Error::invalid("pull-out", "it broke").into());
        assert_eq!(friction(failing, [0.0, 1.0]).unwrap_err().to_string(), "pull-out: it broke");
    }
}
