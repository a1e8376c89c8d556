//! What an estimate says of itself: how well the data are met, and how well they determine each parameter.
//!
//! With J the Jacobian of the weighted residuals r by ln p, n data and m parameters that are sought,
//!
//!   s^2 = |r|^2 / (n - m),     covariance of ln p = s^2 (J^T J)^-1,     J = U S V^T
//!
//! so the standard error of ln p, which is the relative error of p, has a part s V_k / S_k of each direction k. The direction of the
//! smallest S is the one that the data say least of.

use super::levenberg::End;
use super::observations::{Aside, Observations, Quantity};
use super::{Estimation, Fit};
use nalgebra::{DMatrix, DVector};
use serde::Serialize;
use yarnwise_shared::parameters::LARGEST_ERROR;

/// Models answer to this relative exactness: however well data are met, errors are no smaller.
const EXACTNESS: f64 = 1e-6;

/// Shares of a direction and differences of logarithms below this are rounding.
const ROUNDING: f64 = 1e-9;

/// A step that the search took.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SearchStep {
    /// 1/2 |residuals|^2 after it.
    pub cost: f64,
    /// How many states counted.
    pub states: usize,
    /// ln p of what is sought.
    #[serde(skip)]
    pub logarithms: Vec<f64>,
}

/// What is known of a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// It is determined by the data.
    Determined,
    /// It was given.
    Given,
    /// It is at one of its bounds: the data ask for more.
    AtBound,
    /// Not determined by these data.
    NotDetermined,
}

/// A parameter of the report.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Found {
    /// Its name.
    pub name: String,
    /// Its unit.
    pub unit: String,
    /// Where the search began.
    pub start: f64,
    /// Its value; none where the data do not determine it.
    pub value: Option<f64>,
    /// Relative standard error; none where there are no more data than parameters, or where it was given.
    pub standard_error: Option<f64>,
    /// What is known of it.
    pub verdict: Verdict,
}

/// One datum and what the model says of it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Residual {
    /// The state's number in the data, from 0.
    pub state: usize,
    /// (sx, sa, sy).
    pub strain: [f64; 3],
    /// What it is, such as `stress x`.
    pub datum: String,
    /// What kind of quantity it is.
    pub quantity: Quantity,
    /// As measured, SI units.
    pub measured: f64,
    /// As the model has it.
    pub found: f64,
    /// Weighted difference: relative to the measured value unless that is near 0.
    pub residual: f64,
}

/// How large differences are beside the data of a kind, whatever their weights: root mean square over that of the data.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Overall {
    /// The kind of data.
    pub quantity: Quantity,
    /// With the values that were found.
    pub found: f64,
    /// Where the search began, of the states that had an equilibrium there; none if there were no such data.
    pub start: Option<f64>,
}

/// How much a parameter takes part in a direction of ln p.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Share {
    /// The parameter.
    pub name: String,
    /// Its part of the unit vector.
    pub share: f64,
}

/// The outcome of an estimate.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Estimated {
    /// The model.
    pub model: String,
    /// Its parameters.
    pub parameters: Vec<Found>,
    /// Best values of all parameters, determined or not.
    #[serde(skip)]
    pub best: Vec<f64>,
    /// Why the search ended.
    pub end: End,
    /// Where it began and the steps that it took.
    pub steps: Vec<SearchStep>,
    /// How many times states were solved.
    pub evaluations: u32,
    /// Root mean square of the residuals.
    pub rms: f64,
    /// The largest residual.
    pub largest: f64,
    /// Data minus parameters that are sought.
    pub freedom: i64,
    /// How large differences are by kind of data.
    pub overall: Vec<Overall>,
    /// Singular values of the Jacobian by ln p, the largest first.
    pub singular_values: Vec<f64>,
    /// Covariance of ln p of what is sought; none without freedom or where a direction is not seen at all.
    pub covariance: Option<Vec<Vec<f64>>>,
    /// The direction of ln p that the data say least of.
    pub weakest: Vec<Share>,
    /// Every datum.
    pub residuals: Vec<Residual>,
    /// States that do not count.
    pub aside: Vec<Aside>,
}

impl Estimated {
    /// How many steps were taken.
    pub fn step_count(&self) -> usize {
        // The first of each search is where it begins.
        let again = self.steps.windows(2).filter(|w| w[0].logarithms == w[1].logarithms).count();
        self.steps.len().saturating_sub(1 + again)
    }

    /// Names of parameters that are sought and not determined.
    pub fn not_determined(&self) -> Vec<&str> {
        let open = |p: &&Found| p.verdict == Verdict::NotDetermined;
        self.parameters.iter().filter(open).map(|p| p.name.as_str()).collect()
    }

    pub(super) fn new(estimation: &Estimation, fit: Fit) -> Self {
        let list = estimation.unknowns.list();
        let (sought, bounds) = (estimation.unknowns.sought(), estimation.unknowns.bounds());
        let at_bound = |k: usize| fit.z[k] <= bounds[k][0] + ROUNDING || fit.z[k] >= bounds[k][1] - ROUNDING;
        // A parameter at its bound is as good as given: the others are determined beside it.
        let free: Vec<usize> = (0..sought.len()).filter(|k| !at_bound(*k)).collect();
        let jacobian = fit.jacobian.select_columns(&free);
        let freedom = fit.residuals.len() as i64 - free.len() as i64;
        let spectrum = Spectrum::of(&jacobian);
        let sum: f64 = fit.residuals.iter().map(|r| r * r).sum();
        let variance = (freedom > 0).then(|| (sum / freedom as f64).max(EXACTNESS * EXACTNESS));
        let errors = variance.map(|v| spectrum.errors(v));
        let best = estimation.unknowns.values(&fit.z);
        let found = |(i, unknown): (usize, &super::Unknown)| {
            let place = sought.iter().position(|s| *s == i);
            let column = place.and_then(|k| free.iter().position(|f| *f == k));
            let error = column.and_then(|c| errors.as_ref().map(|e| e[c])).filter(|e| e.is_finite());
            let verdict = match (place, column) {
                (None, _) => Verdict::Given,
                (Some(_), None) => Verdict::AtBound,
                _ if error.is_some_and(|e| e <= LARGEST_ERROR) => Verdict::Determined,
                _ => Verdict::NotDetermined,
            };
            Found {
                name: unknown.name.clone(),
                unit: unknown.unit.clone(),
                start: unknown.start,
                value: (verdict != Verdict::NotDetermined).then_some(best[i]),
                standard_error: error,
                verdict,
            }
        };
        let all = listed(&estimation.observations, &fit.counting, &fit.residuals);
        let weakest = spectrum.weakest();
        let share = |(k, share): (usize, &f64)| Share { name: list[sought[free[k]]].name.clone(), share: *share };
        Estimated {
            model: estimation.fabric.model().to_owned(),
            parameters: list.iter().enumerate().map(found).collect(),
            end: fit.end,
            evaluations: fit.evaluations,
            rms: (sum / fit.residuals.len().max(1) as f64).sqrt(),
            largest: fit.residuals.iter().fold(0.0, |largest: f64, r| largest.max(r.abs())),
            freedom,
            covariance: variance.and_then(|v| spectrum.covariance(v)),
            weakest: weakest.iter().enumerate().map(share).collect(),
            singular_values: spectrum.values,
            overall: overall(&fit.start, &all),
            residuals: all,
            steps: fit.steps,
            aside: fit.aside,
            best,
        }
    }
}

/// The data of these states with their residuals.
pub(super) fn listed(observations: &Observations, states: &[usize], residuals: &[f64]) -> Vec<Residual> {
    let data = states.iter().flat_map(|s| observations.data(*s));
    let one = |(datum, residual): (&super::Datum, &f64)| Residual {
        state: datum.state,
        strain: observations.strain(datum.state),
        datum: datum.name(),
        quantity: datum.quantity,
        measured: datum.value,
        found: datum.value + residual / datum.weight,
        residual: *residual,
    };
    data.zip(residuals).map(one).collect()
}

fn overall(start: &[Residual], found: &[Residual]) -> Vec<Overall> {
    let part = |all: &[Residual], quantity: Quantity| {
        let own = || all.iter().filter(move |r| r.quantity == quantity);
        let square = |value: fn(&Residual) -> f64| own().map(|r| value(r) * value(r)).sum::<f64>();
        let share = (square(|r| r.found - r.measured) / square(|r| r.measured)).sqrt();
        share.is_finite().then_some(share)
    };
    let one = |quantity| Some(Overall { quantity, found: part(found, quantity)?, start: part(start, quantity) });
    [Quantity::Stress, Quantity::Energy, Quantity::Heights].into_iter().filter_map(one).collect()
}

/// Singular values and right singular vectors of a Jacobian, from the largest on; directions that no datum sees have 0.
struct Spectrum {
    values: Vec<f64>,
    vectors: Vec<DVector<f64>>,
}

impl Spectrum {
    fn of(jacobian: &DMatrix<f64>) -> Self {
        let columns = jacobian.ncols();
        if columns == 0 {
            return Spectrum { values: Vec::new(), vectors: Vec::new() };
        }
        // As many rows as columns at least, so that there are as many singular vectors.
        let rows = jacobian.nrows().max(columns);
        let svd = jacobian.clone().resize_vertically(rows, 0.0).svd(false, true);
        let vectors = svd.v_t.unwrap_or_else(|| DMatrix::identity(columns, columns));
        let mut order: Vec<usize> = (0..columns).collect();
        order.sort_by(|a, b| svd.singular_values[*b].total_cmp(&svd.singular_values[*a]));
        Spectrum {
            values: order.iter().map(|k| svd.singular_values[*k]).collect(),
            vectors: order.iter().map(|k| positive(vectors.row(*k).transpose())).collect(),
        }
    }

    /// Standard errors of the numbers for residuals of this variance; infinite where a direction is not seen.
    fn errors(&self, variance: f64) -> Vec<f64> {
        let error = |column: usize| {
            let part = |(value, vector): (&f64, &DVector<f64>)| match vector[column] {
                v if v.abs() < ROUNDING => 0.0,
                v => (v / value).powi(2),
            };
            (variance * self.values.iter().zip(&self.vectors).map(part).sum::<f64>()).sqrt()
        };
        (0..self.values.len()).map(error).collect()
    }

    fn covariance(&self, variance: f64) -> Option<Vec<Vec<f64>>> {
        let n = self.values.len();
        let entry = |a: usize, b: usize| {
            let terms = self.values.iter().zip(&self.vectors).map(|(s, v)| v[a] * v[b] / (s * s));
            variance * terms.sum::<f64>()
        };
        let rows: Vec<Vec<f64>> = (0..n).map(|a| (0..n).map(|b| entry(a, b)).collect()).collect();
        rows.iter().flatten().all(|v| v.is_finite()).then_some(rows)
    }

    fn weakest(&self) -> Vec<f64> {
        self.vectors.last().map_or(Vec::new(), |v| v.iter().copied().collect())
    }
}

/// The same direction with its largest entry positive.
fn positive(vector: DVector<f64>) -> DVector<f64> {
    if vector[vector.iamax()] < 0.0 { -vector } else { vector }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_are_those_of_the_inverse_normal_matrix() {
        let jacobian = DMatrix::from_row_slice(4, 2, &[1.0, 2.0, 0.5, -1.0, 3.0, 0.1, 0.2, 0.9]);
        let inverse = (jacobian.transpose() * &jacobian).try_inverse().unwrap();
        let spectrum = Spectrum::of(&jacobian);
        let errors = spectrum.errors(0.25);
        for k in 0..2 {
            assert!((errors[k] - 0.5 * inverse[(k, k)].sqrt()).abs() < 1e-12, "{errors:?}");
        }
        assert!((spectrum.covariance(1.0).unwrap()[0][1] - inverse[(0, 1)]).abs() < 1e-12);
        assert!(spectrum.values[0] > spectrum.values[1]);
    }

    #[test]
    fn a_direction_that_is_not_seen_has_no_error() {
        // Only the sum of the first two is seen, and the third.
        let jacobian = DMatrix::from_row_slice(3, 3, &[1.0, 1.0, 0.0, 0.0, 0.0, 2.0, 2.0, 2.0, 1.0]);
        let spectrum = Spectrum::of(&jacobian);
        let errors = spectrum.errors(1e-4);
        assert!(errors[0] > 1.0 && errors[1] > 1.0 && errors[2] < 0.01, "{errors:?}");
        let weakest = spectrum.weakest();
        assert!((weakest[0] + weakest[1]).abs() < 1e-9 && weakest[2].abs() < 1e-9, "{weakest:?}");
        // Fewer data than parameters.
        let few = Spectrum::of(&DMatrix::from_row_slice(1, 3, &[1.0, 0.0, 0.0]));
        let errors = few.errors(1e-4);
        assert!(errors[0] < 0.011 && errors[1].is_infinite() && errors[2].is_infinite(), "{errors:?}");
    }
}
