//! Estimation: which parameters make a model behave as measured.
//!
//! [`Estimation`] says what is estimated from what; [`Estimation::run`] finds the parameters whose answers are nearest to the
//! data by Levenberg-Marquardt in the logarithms of the parameters, as a job that survives interruption; [`Estimated`] is the
//! report: residuals, standard errors, what the data do not determine. \[MartinGarrido18\] announces such an estimation and leaves
//! it open.
//!
//! Which states count changes only between searches, never inside one, so that costs compare. A state without an equilibrium
//! where the search begins waits until the search has ended and joins if it has one there; so does a state that loses its
//! equilibrium and keeps the search from a better fit. The report names those that still wait in the end.

mod course;
mod friction;
mod ledger;
mod levenberg;
pub mod membrane;
mod observations;
mod problem;
mod pulled;
mod report;
mod selection;
#[cfg(test)]
mod spline_tests;
#[cfg(test)]
mod test_truss;
#[cfg(test)]
mod tests;
mod text;
mod unknowns;
mod yarn;

pub use course::EstimateProgress;
pub use friction::{FrictionFound, friction};
pub use levenberg::{End, Iterate, Levenberg, Stops};
pub use observations::{Aside, Datum, Observations, Quantity};
pub use pulled::pulled_friction;
pub use report::{Estimated, Found, Overall, Residual, SearchStep, Share, Verdict};
pub use selection::Selection;
pub use unknowns::{Sought, Unknown, Wishes};
pub use yarn::{listed, yarn_parameters};

use crate::fabric::Fabric;
use crate::job::{ExecuteOptions, Journal, Run};
use crate::{Error, Result};
use argmin::core::observers::{Observe, ObserverMode};
use argmin::core::{Executor, KV, State};
use course::{Course, Halt, Setup, Stopped};
use ledger::Ledger;
use nalgebra::DMatrix;
use problem::LeastSquares;
use serde::{Deserialize, Serialize};
use std::cell::RefCell;
use std::sync::{Arc, Mutex};

/// How an estimate is made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct EstimateOptions {
    /// When a search ends.
    pub stops: Stops,
    /// Weight of |ln p - ln start|^2 beside squared residuals. None by default: 1e-4 pulls the contact stiffness of a weave by 1 %
    /// from exact data when the start is 10 times off, and the damping already keeps what the data say nothing of where it was.
    pub prior: f64,
}

/// What is estimated from what.
pub struct Estimation<'a> {
    /// The model.
    pub fabric: &'a dyn Fabric,
    /// Its parameters.
    pub unknowns: Sought,
    /// What was measured.
    pub observations: Observations,
    /// How.
    pub options: EstimateOptions,
}

/// How an estimate ended.
#[derive(Clone, Debug)]
pub enum EstimateOutcome {
    /// With a report.
    Finished(Box<Estimated>),
    /// It was asked to stop; what is solved is in the journal.
    Stopped,
}

/// What one search found.
struct Searched {
    z: Vec<f64>,
    end: End,
    /// States without an answer that kept it from going on.
    blocking: Vec<usize>,
}

impl<'a> Estimation<'a> {
    /// The estimate; what is solved is kept in the `journal`, if there is one, and recalled from it.
    ///
    /// The same bytes whatever the number of threads and however often it was interrupted.
    pub fn run(
        &self,
        journal: Option<&mut Journal>,
        options: ExecuteOptions,
        report: &mut dyn FnMut(EstimateProgress),
    ) -> Result<EstimateOutcome> {
        let setup = Setup { fabric: self.fabric, unknowns: &self.unknowns, observations: &self.observations };
        let course = RefCell::new(Course::new(setup, Run::new(journal, options)?, report));
        let done = self.search(&course);
        course.borrow_mut().flush()?;
        match done {
            Ok(estimated) => Ok(EstimateOutcome::Finished(Box::new(estimated))),
            Err(Halt::Stopped) => Ok(EstimateOutcome::Stopped),
            Err(Halt::Failed(error)) => Err(error),
        }
    }

    /// All that determines the outcome besides the model, by name, for a journal.
    pub fn description(&self) -> Vec<(String, String)> {
        let unknown = |u: &Unknown| {
            let bounds = u.bounds.map_or("none".to_owned(), |[low, high]| format!("{low:e} to {high:e}"));
            (format!("parameter {}", u.name), format!("{:e} {} bounds {bounds} fixed {}", u.start, u.unit, u.fixed))
        };
        let mut out = vec![("model".to_owned(), self.fabric.model().to_owned())];
        out.extend(self.unknowns.list().iter().map(unknown));
        out.push(("options".to_owned(), format!("{:?}", self.options)));
        let states = self.observations.states();
        let data =
            states.iter().map(|s| format!("{:?} {:?}", self.observations.strain(*s), self.observations.data(*s)));
        out.push(("data".to_owned(), data.collect::<Vec<_>>().join("\n")));
        out
    }

    /// Searches until the states that count are those that have an answer at the end.
    fn search(&self, course: &RefCell<Course>) -> Result<Estimated, Halt> {
        let mut z = self.unknowns.start();
        let mut ledger = Ledger::new(self.observations.states());
        if !admit(course, &z, &mut ledger)? {
            return Err(Halt::Failed(self.no_state(&ledger)));
        }
        let start = self.listed_at(course, &z, &ledger)?;
        let mut steps = Vec::new();
        let end = loop {
            let searched = self.search_with(course, &z, ledger.counting(), &mut steps)?;
            z.clone_from(&searched.z);
            if !ledger.lose(&searched.blocking) && !admit(course, &z, &mut ledger)? {
                break searched.end;
            }
        };
        let counting = ledger.counting().to_vec();
        let answers = course.borrow_mut().evaluate(&z, &counting)?;
        let residuals = problem::residuals(&self.observations, &counting, &answers);
        let jacobian = problem::jacobian(&self.observations, &self.unknowns.sought(), &counting, &answers);
        let aside = self.aside(&ledger);
        let evaluations = course.borrow().evaluations();
        Ok(Estimated::new(self, Fit { z, end, start, steps, evaluations, counting, aside, residuals, jacobian }))
    }

    /// The data of the states that count, and what the model says of them at z.
    fn listed_at(&self, course: &RefCell<Course>, z: &[f64], ledger: &Ledger) -> Result<Vec<Residual>, Halt> {
        let answers = course.borrow_mut().evaluate(z, ledger.counting())?;
        let residuals = problem::residuals(&self.observations, ledger.counting(), &answers);
        Ok(report::listed(&self.observations, ledger.counting(), &residuals))
    }

    fn no_state(&self, ledger: &Ledger) -> Error {
        let first = ledger.waiting().next().map_or(String::new(), |(s, reason)| format!(" (state {s}: {reason})"));
        let problem =
            format!("none of the states has an equilibrium where the search begins{first}: choose another start");
        yarnwise_shared::Error::invalid(format!("model {}", self.fabric.model()), problem).into()
    }

    /// The states that do not count.
    fn aside(&self, ledger: &Ledger) -> Vec<Aside> {
        let aside = |(state, reason): (usize, &str)| Aside {
            state,
            strain: self.observations.strain(state),
            reason: reason.to_owned(),
        };
        let mut all: Vec<Aside> = ledger.waiting().map(aside).chain(self.observations.unsound().to_vec()).collect();
        all.sort_by_key(|a| a.state);
        all
    }

    /// Searches with these states from z.
    fn search_with(
        &self,
        course: &RefCell<Course>,
        z: &[f64],
        states: &[usize],
        steps: &mut Vec<SearchStep>,
    ) -> Result<Searched, Halt> {
        let silent = RefCell::new(Vec::new());
        let problem = LeastSquares {
            unknowns: &self.unknowns,
            observations: &self.observations,
            states,
            prior: self.options.prior,
            course,
            silent: &silent,
        };
        let taken = Arc::new(Mutex::new(Vec::new()));
        let solver = Levenberg::new(self.unknowns.bounds(), self.options.stops);
        let executor = Executor::new(problem, solver)
            .configure(|state: Iterate| state.param(z.to_vec()).max_iters(u64::MAX))
            .add_observer(Recorder { taken: taken.clone(), states: states.len() }, ObserverMode::Always);
        let done = executor.ctrlc(false).timer(false).run();
        steps.append(&mut taken.lock().unwrap_or_else(std::sync::PoisonError::into_inner));
        let done = done.map_err(halt)?;
        let end = done.solver.end().unwrap_or(End::NoDescent);
        let z = done.state.get_best_param().cloned().unwrap_or_else(|| z.to_vec());
        let blocking = if matches!(end, End::NoDescent | End::NoAnswer) { silent.take() } else { Vec::new() };
        Ok(Searched { z, end, blocking })
    }
}

/// Lets states that have an answer at z count; whether there are any.
fn admit(course: &RefCell<Course>, z: &[f64], ledger: &mut Ledger) -> Result<bool, Halt> {
    let candidates = ledger.candidates();
    let answers = course.borrow_mut().evaluate(z, &candidates)?;
    Ok(ledger.admit(&candidates, answers))
}

/// What comes out of the searches.
struct Fit {
    z: Vec<f64>,
    end: End,
    /// Where it began.
    start: Vec<Residual>,
    steps: Vec<SearchStep>,
    evaluations: u32,
    counting: Vec<usize>,
    aside: Vec<Aside>,
    residuals: Vec<f64>,
    jacobian: DMatrix<f64>,
}

/// The executor wraps errors of the problem.
fn halt(error: argmin::core::Error) -> Halt {
    if error.is::<Stopped>() {
        return Halt::Stopped;
    }
    match error.downcast::<Error>() {
        Ok(error) => Halt::Failed(error),
        Err(other) => Halt::Failed(yarnwise_shared::Error::invalid("estimate", other.to_string()).into()),
    }
}

/// Keeps the steps that a search takes.
struct Recorder {
    taken: Arc<Mutex<Vec<SearchStep>>>,
    states: usize,
}

impl Recorder {
    fn note(&self, state: &Iterate) {
        let Some(z) = state.get_param() else { return };
        let mut taken = self.taken.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        // An iteration that ends the search may stand where it stood.
        if taken.last().is_none_or(|last| last.logarithms != *z) {
            taken.push(SearchStep { cost: state.get_cost(), states: self.states, logarithms: z.clone() });
        }
    }
}

impl Observe<Iterate> for Recorder {
    fn observe_init(&mut self, _: &str, state: &Iterate, _: &KV) -> Result<(), argmin::core::Error> {
        self.note(state);
        Ok(())
    }

    fn observe_iter(&mut self, state: &Iterate, _: &KV) -> Result<(), argmin::core::Error> {
        self.note(state);
        Ok(())
    }
}
