//! Evaluations of a model as waves of a job: a task is one state of one evaluation.
//!
//! Every state is reached along the same path in every evaluation, whatever was solved before, so that states do not change branch
//! while the parameters change.

use super::observations::{Observations, Predicted, predict};
use super::unknowns::Sought;
use crate::fabric::Fabric;
use crate::job::{Event, Run, Tasks};
use crate::{Error, Result};
use std::collections::BTreeMap;
use yarnwise_shared::table::strain::Strain;

/// What a model says of one state, or why it says nothing.
pub(super) type Answer = Result<Predicted, String>;

/// What is estimated from what.
#[derive(Clone, Copy)]
pub(super) struct Setup<'a> {
    pub(super) fabric: &'a dyn Fabric,
    pub(super) unknowns: &'a Sought,
    pub(super) observations: &'a Observations,
}

/// The evaluation of states at one set of values.
struct Evaluation<'a> {
    fabric: Box<dyn Fabric>,
    observations: &'a Observations,
    parameters: usize,
}

impl Tasks for Evaluation<'_> {
    type Task = usize;
    type Output = Answer;

    fn run(&self, state: &usize) -> Answer {
        let [sx, sa, sy] = self.observations.strain(*state);
        let answer = self.fabric.respond_with_sensitivity(Strain::new(sx, sa, sy)).map_err(|e| e.to_string());
        answer.and_then(|(response, sensitivity)| predict(self.observations.data(*state), &response, &sensitivity))
    }

    fn encode(&self, answer: &Answer) -> Vec<u8> {
        match answer {
            Err(reason) => [&[0], reason.as_bytes()].concat(),
            Ok(predicted) => {
                let numbers = predicted.values.iter().chain(predicted.slopes.iter().flatten());
                [1].into_iter().chain(numbers.flat_map(|v| v.to_le_bytes())).collect()
            }
        }
    }

    fn decode(&self, bytes: &[u8]) -> Option<Answer> {
        let (kind, rest) = bytes.split_first()?;
        if *kind == 0 {
            return String::from_utf8(rest.to_vec()).ok().map(Err);
        }
        let (numbers, left) = rest.as_chunks::<8>();
        let per_datum = 1 + self.parameters;
        if *kind != 1 || !left.is_empty() || numbers.len() % per_datum != 0 {
            return None;
        }
        let numbers: Vec<f64> = numbers.iter().map(|b| f64::from_le_bytes(*b)).collect();
        let (values, slopes) = numbers.split_at(numbers.len() / per_datum);
        let slopes = slopes.chunks(self.parameters.max(1)).map(<[f64]>::to_vec).collect();
        Some(Ok(Predicted { values: values.to_vec(), slopes }))
    }
}

/// What is reported while an estimate runs.
#[derive(Clone, Debug)]
pub enum EstimateProgress {
    /// An evaluation begins.
    Evaluation {
        /// Its number, from 0.
        number: u32,
        /// How many states it has to solve.
        states: usize,
    },
    /// A state is solved.
    State {
        /// Whether an earlier run had found it.
        recalled: bool,
    },
    /// The search stands at another place, or begins.
    Step {
        /// 1/2 |residuals|^2.
        cost: f64,
    },
}

/// Answers by state, for logarithms of values.
type Known = (Vec<f64>, BTreeMap<usize, Answer>);

/// Evaluations one after the other.
pub(super) struct Course<'a> {
    setup: Setup<'a>,
    run: Run<'a>,
    report: &'a mut dyn FnMut(EstimateProgress),
    /// Where the search stands.
    stand: Known,
    /// The last attempt.
    last: Known,
    evaluations: u32,
}

/// The job was asked to stop.
#[derive(Debug, thiserror::Error)]
#[error("asked to stop")]
pub(super) struct Stopped;

/// Why an evaluation did not come about.
pub(super) enum Halt {
    Stopped,
    Failed(Error),
}

impl From<Error> for Halt {
    fn from(error: Error) -> Self {
        Halt::Failed(error)
    }
}

impl<'a> Course<'a> {
    pub(super) fn new(setup: Setup<'a>, run: Run<'a>, report: &'a mut dyn FnMut(EstimateProgress)) -> Self {
        Course { setup, run, report, stand: Known::default(), last: Known::default(), evaluations: 0 }
    }

    /// How many evaluations were made.
    pub(super) fn evaluations(&self) -> u32 {
        self.evaluations
    }

    pub(super) fn flush(&mut self) -> Result<()> {
        self.run.flush()
    }

    /// What the model says of `states` at z, in their order.
    pub(super) fn evaluate(&mut self, z: &[f64], states: &[usize]) -> Result<Vec<Answer>, Halt> {
        let known = &self.known(z).1;
        let missing: Vec<usize> = states.iter().copied().filter(|s| !known.contains_key(s)).collect();
        if !missing.is_empty() {
            let found = self.solve(z, &missing)?;
            self.known(z).1.extend(missing.into_iter().zip(found));
        }
        let known = &self.known(z).1;
        Ok(states.iter().filter_map(|s| known.get(s).cloned()).collect())
    }

    /// The search stands at z from now on: what is known there stays known.
    pub(super) fn stand_at(&mut self, z: &[f64], cost: f64) {
        (self.report)(EstimateProgress::Step { cost });
        if self.last.0 == z {
            self.stand = std::mem::take(&mut self.last);
        }
    }

    fn known(&mut self, z: &[f64]) -> &mut Known {
        if self.stand.0 == z {
            return &mut self.stand;
        }
        if self.last.0 != z {
            self.last = (z.to_vec(), BTreeMap::new());
        }
        &mut self.last
    }

    fn solve(&mut self, z: &[f64], states: &[usize]) -> Result<Vec<Answer>, Halt> {
        let Setup { fabric, unknowns, observations } = self.setup;
        let number = self.evaluations;
        self.evaluations += 1;
        (self.report)(EstimateProgress::Evaluation { number, states: states.len() });
        let fabric = match fabric.with_values(&unknowns.values(z)) {
            Ok(fabric) => fabric,
            Err(error) => return Ok(vec![Err(error.to_string()); states.len()]),
        };
        let work = Evaluation { fabric, observations, parameters: unknowns.list().len() };
        let report = &mut self.report;
        let found = self.run.wave(&work, states, &mut |event| {
            if let Event::Finished { recalled, .. } = event {
                report(EstimateProgress::State { recalled });
            }
            Ok(())
        })?;
        found.ok_or(Halt::Stopped)
    }
}
