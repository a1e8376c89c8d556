//! Residuals of a model against what was measured, as an `argmin` problem.
//!
//!   J(z) = 1/2 sum_k [W_k (s_k(z) - s^_k)]^2 + 1/2 prior |z - z0|^2,     z = ln p
//!
//! with derivatives of the equilibria, no differences of solves.

use super::course::{Answer, Course, Halt, Stopped};
use super::levenberg::cost;
use super::observations::Observations;
use super::unknowns::Sought;
use argmin::core::{Error, Jacobian, Operator};
use nalgebra::DMatrix;
use std::cell::RefCell;

/// Residuals of a fixed set of states: none leaves it during the search. Where one of them has no answer, no residual is
/// finite, and the search does not go there.
pub(super) struct LeastSquares<'p, 'c> {
    pub(super) unknowns: &'p Sought,
    pub(super) observations: &'p Observations,
    /// The states that count.
    pub(super) states: &'p [usize],
    /// Weight of the distance from the start.
    pub(super) prior: f64,
    pub(super) course: &'p RefCell<Course<'c>>,
    /// The states that had no answer when residuals were last asked for.
    pub(super) silent: &'p RefCell<Vec<usize>>,
}

impl LeastSquares<'_, '_> {
    fn answers(&self, z: &[f64]) -> Result<Vec<Answer>, Error> {
        self.course.borrow_mut().evaluate(z, self.states).map_err(|halt| match halt {
            Halt::Stopped => Error::new(Stopped),
            Halt::Failed(error) => Error::new(error),
        })
    }

    fn with_prior(&self, mut residuals: Vec<f64>, z: &[f64]) -> Vec<f64> {
        if self.prior > 0.0 {
            let start = self.unknowns.start();
            residuals.extend(z.iter().zip(start).map(|(z, start)| self.prior.sqrt() * (z - start)));
        }
        residuals
    }
}

/// Weighted residuals of the data of `states`, given what the model says of them.
pub(super) fn residuals(observations: &Observations, states: &[usize], answers: &[Answer]) -> Vec<f64> {
    let of_state = |(state, answer): (&usize, &Answer)| {
        let data = observations.data(*state);
        let residual = |k: usize| match answer {
            Ok(predicted) => data[k].weight * (predicted.values[k] - data[k].value),
            Err(_) => f64::INFINITY,
        };
        (0..data.len()).map(residual).collect::<Vec<_>>()
    };
    states.iter().zip(answers).flat_map(of_state).collect()
}

/// Their derivatives by the logarithms of what is `sought`.
pub(super) fn jacobian(
    observations: &Observations,
    sought: &[usize],
    states: &[usize],
    answers: &[Answer],
) -> DMatrix<f64> {
    let mut rows = Vec::new();
    for (state, answer) in states.iter().zip(answers) {
        for (k, datum) in observations.data(*state).iter().enumerate() {
            let slope = |p: &usize| answer.as_ref().map_or(0.0, |predicted| datum.weight * predicted.slopes[k][*p]);
            rows.extend(sought.iter().map(slope));
        }
    }
    DMatrix::from_row_slice(rows.len() / sought.len().max(1), sought.len(), &rows)
}

impl Operator for LeastSquares<'_, '_> {
    type Param = Vec<f64>;
    type Output = Vec<f64>;

    fn apply(&self, z: &Vec<f64>) -> Result<Vec<f64>, Error> {
        let answers = self.answers(z)?;
        let silent = self.states.iter().zip(&answers).filter(|(_, answer)| answer.is_err());
        *self.silent.borrow_mut() = silent.map(|(state, _)| *state).collect();
        Ok(self.with_prior(residuals(self.observations, self.states, &answers), z))
    }
}

impl Jacobian for LeastSquares<'_, '_> {
    type Param = Vec<f64>;
    type Jacobian = DMatrix<f64>;

    fn jacobian(&self, z: &Vec<f64>) -> Result<DMatrix<f64>, Error> {
        let answers = self.answers(z)?;
        let at = self.with_prior(residuals(self.observations, self.states, &answers), z);
        self.course.borrow_mut().stand_at(z, cost(&at));
        let data = jacobian(self.observations, &self.unknowns.sought(), self.states, &answers);
        if self.prior == 0.0 {
            return Ok(data);
        }
        let rows = data.nrows();
        let mut all = data.resize_vertically(rows + z.len(), 0.0);
        (0..z.len()).for_each(|k| all[(rows + k, k)] = self.prior.sqrt());
        Ok(all)
    }
}
