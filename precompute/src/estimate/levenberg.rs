//! Levenberg-Marquardt as an `argmin` solver: the least squares of residuals r that depend on a few numbers z.
//!
//!   (J^T J + lambda diag(J^T J)) dz = -J^T r,     cost = 1/2 |r|^2      [Marquardt 1963]
//!
//! lambda is divided by 5 after a step that lowers the cost and multiplied by 5 after one that does not, which is not taken. No
//! number changes by more than 1 in a step: numbers are logarithms here, and models are not to be trusted further away.
//!
//! A point without an answer has residuals that are not finite: its cost is not lower, so no step leads there, and the next one is
//! half as long or shorter. A search that is led there again and again ends.

use argmin::core::{
    Error, IterState, Jacobian, KV, Operator, Problem, Solver, State, TerminationReason, TerminationStatus,
};
use argmin::kv;
use nalgebra::{DMatrix, DVector};
use serde::{Deserialize, Serialize};

/// argmin's record of the iterations: one accepted step each.
pub type Iterate = IterState<Vec<f64>, (), DMatrix<f64>, (), Vec<f64>, f64>;

/// Damping at the start.
const START: f64 = 1e-2;
/// Factor by which the damping changes.
const FACTOR: f64 = 5.0;
/// Damping after a step to where there is no answer, at least: the next step is half as long.
const MISSED: f64 = 1.0;
/// Damping below this changes no step by more than rounding does.
const LEAST: f64 = 1e-12;
/// The most that a number changes in a step.
const LONGEST: f64 = 1.0;
/// A number that hardly anything depends on is damped by this share of the largest diagonal entry. By its own entry it would move
/// readily and far, and as the longest change limits the step, hold all others back.
const FLOOR: f64 = 1e-3;

/// When the search ends.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Stops {
    /// A step is shorter than this.
    pub step: f64,
    /// The cost is below this.
    pub cost: f64,
    /// A step promises to lower the cost by less than this share of it: it is far within the errors of what is sought.
    pub gain: f64,
    /// The damping is above this.
    pub damping: f64,
    /// This many steps were taken.
    pub steps: u64,
    /// This many steps led to where there is no answer.
    pub misses: u32,
}

impl Default for Stops {
    fn default() -> Self {
        Stops { step: 1e-6, cost: 1e-12, gain: 1e-6, damping: 1e3, steps: 100, misses: 6 }
    }
}

/// Why the search ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum End {
    /// The next step is too short to matter.
    ShortStep,
    /// The residuals are as good as 0.
    LowCost,
    /// The next step would lower the cost by a negligible share.
    SmallGain,
    /// No step lowers the cost.
    NoDescent,
    /// Again and again, the best step leads to where there is no answer.
    NoAnswer,
    /// As many steps were taken as are allowed.
    MostSteps,
}

impl End {
    /// The reason in words.
    pub fn text(self) -> &'static str {
        match self {
            End::ShortStep => "the next step is too short to matter",
            End::LowCost => "the residuals are as good as 0",
            End::SmallGain => "the next step would gain next to nothing",
            End::NoDescent => "no step fits better",
            End::NoAnswer => "better fits are where the model has no equilibrium",
            End::MostSteps => "as many steps were taken as are allowed",
        }
    }
}

/// The solver.
#[derive(Clone, Debug)]
pub struct Levenberg {
    stops: Stops,
    /// Lowest and highest value of each number; infinite where it has no bound.
    bounds: Vec<[f64; 2]>,
    damping: f64,
    evaluations: u64,
    misses: u32,
    end: Option<End>,
}

/// A step and what it promises.
struct Proposal {
    step: DVector<f64>,
    /// By how much the cost falls if residuals are linear.
    gain: f64,
}

impl Levenberg {
    /// A solver that keeps each number between its bounds.
    pub fn new(bounds: Vec<[f64; 2]>, stops: Stops) -> Self {
        Levenberg { stops, bounds, damping: START, evaluations: 0, misses: 0, end: None }
    }

    /// Why it ended; none before.
    pub fn end(&self) -> Option<End> {
        self.end
    }

    /// The damped step, no longer than [`LONGEST`], that ends within the bounds: a number that would pass its bound goes there, and
    /// the others take that into account. `None` where the system has no finite solution, or the step promises nothing.
    fn propose(&self, z: &[f64], residuals: &[f64], jacobian: &DMatrix<f64>) -> Option<Proposal> {
        let normal = jacobian.transpose() * jacobian;
        let slope = jacobian.transpose() * DVector::from_column_slice(residuals);
        let mut given: Vec<Option<f64>> = vec![None; z.len()];
        let mut step = self.solve(&normal, &slope, &given)?;
        while let Some((i, to_bound)) = (0..z.len()).find_map(|i| Some((i, self.passed(i, z[i], step[i])?))) {
            given[i] = Some(to_bound);
            step = self.solve(&normal, &slope, &given)?;
        }
        step *= (LONGEST / step.amax()).min(1.0);
        let gain = -slope.dot(&step) - 0.5 * step.dot(&(&normal * &step));
        (gain >= 0.0).then_some(Proposal { step, gain })
    }

    /// The way to the bound that number `i` would pass.
    fn passed(&self, i: usize, z: f64, step: f64) -> Option<f64> {
        let [low, high] = self.bounds[i];
        let end = (z + step).clamp(low, high);
        (end != z + step).then_some(end - z).filter(|to_bound| *to_bound != step)
    }

    /// The damped step where some steps are given. `None` where the system has no finite solution.
    fn solve(&self, normal: &DMatrix<f64>, slope: &DVector<f64>, given: &[Option<f64>]) -> Option<DVector<f64>> {
        let mut step = DVector::from_iterator(given.len(), given.iter().map(|g| g.unwrap_or(0.0)));
        let free: Vec<usize> = (0..given.len()).filter(|i| given[*i].is_none()).collect();
        if free.is_empty() {
            return Some(step);
        }
        let least = (FLOOR * normal.diagonal().max()).max(f64::MIN_POSITIVE);
        let damped = DMatrix::from_fn(free.len(), free.len(), |a, b| {
            let entry = normal[(free[a], free[b])];
            if a == b { entry + self.damping * entry.max(least) } else { entry }
        });
        let right = -(slope + normal * &step);
        let found = damped.cholesky()?.solve(&DVector::from_fn(free.len(), |a, _| right[free[a]]));
        if !found.iter().all(|v| v.is_finite()) {
            return None;
        }
        free.iter().zip(found.iter()).for_each(|(i, v)| step[*i] = *v);
        Some(step)
    }

    /// Why this step need not be taken.
    fn finished(&self, proposal: &Proposal, cost: f64) -> Option<End> {
        let undamped = self.damping <= START;
        if proposal.step.amax() < self.stops.step {
            return Some(if undamped { End::ShortStep } else { End::NoDescent });
        }
        (undamped && proposal.gain <= self.stops.gain * cost).then_some(End::SmallGain)
    }

    /// Rounding may not carry a number past its bound.
    fn moved(&self, z: &[f64], step: &DVector<f64>) -> Vec<f64> {
        let end = |i: usize| (z[i] + step[i]).clamp(self.bounds[i][0], self.bounds[i][1]);
        (0..z.len()).map(end).collect()
    }

    fn damp(&mut self) {
        self.damping *= FACTOR;
        if self.end.is_none() && self.damping > self.stops.damping {
            self.end = Some(End::NoDescent);
        }
    }

    /// After a step that led to where there is no answer.
    fn miss(&mut self) {
        self.misses += 1;
        self.damping = self.damping.max(MISSED / FACTOR);
        if self.misses >= self.stops.misses {
            self.end = Some(End::NoAnswer);
        }
    }

    fn report(&self) -> Option<KV> {
        Some(kv!("damping" => self.damping; "evaluations" => self.evaluations;))
    }
}

/// 1/2 |r|^2.
pub(super) fn cost(residuals: &[f64]) -> f64 {
    0.5 * residuals.iter().map(|r| r * r).sum::<f64>()
}

impl<O> Solver<O, Iterate> for Levenberg
where
    O: Operator<Param = Vec<f64>, Output = Vec<f64>> + Jacobian<Param = Vec<f64>, Jacobian = DMatrix<f64>>,
{
    fn name(&self) -> &str {
        "Levenberg-Marquardt"
    }

    fn init(&mut self, problem: &mut Problem<O>, mut state: Iterate) -> Result<(Iterate, Option<KV>), Error> {
        let z = state.take_param().unwrap_or_default();
        let residuals = problem.apply(&z)?;
        self.evaluations = 1;
        let cost = cost(&residuals);
        if !cost.is_finite() {
            self.end = Some(End::NoAnswer);
            return Ok((state.param(z).cost(cost), self.report()));
        }
        if cost < self.stops.cost {
            self.end = Some(End::LowCost);
        }
        let jacobian = problem.jacobian(&z)?;
        Ok((state.param(z).cost(cost).residuals(residuals).jacobian(jacobian), self.report()))
    }

    fn next_iter(&mut self, problem: &mut Problem<O>, mut state: Iterate) -> Result<(Iterate, Option<KV>), Error> {
        let (z, before) = (state.take_param().unwrap_or_default(), state.get_cost());
        let residuals = state.take_residuals().unwrap_or_default();
        let jacobian = state.take_jacobian().unwrap_or_else(|| DMatrix::zeros(0, z.len()));
        while self.end.is_none() {
            let Some(proposal) = self.propose(&z, &residuals, &jacobian) else {
                self.damp();
                continue;
            };
            self.end = self.finished(&proposal, before);
            if self.end.is_some() {
                break;
            }
            let next = self.moved(&z, &proposal.step);
            let there = problem.apply(&next)?;
            self.evaluations += 1;
            let after = cost(&there);
            if after < before {
                self.damping = (self.damping / FACTOR).max(LEAST);
                self.end = (after < self.stops.cost).then_some(End::LowCost);
                let jacobian = problem.jacobian(&next)?;
                return Ok((state.param(next).cost(after).residuals(there).jacobian(jacobian), self.report()));
            }
            if !after.is_finite() {
                self.miss();
            }
            self.damp();
        }
        Ok((state.param(z).cost(before).residuals(residuals).jacobian(jacobian), self.report()))
    }

    fn terminate(&mut self, state: &Iterate) -> TerminationStatus {
        if self.end.is_none() && state.get_iter() >= self.stops.steps {
            self.end = Some(End::MostSteps);
        }
        match self.end {
            None => TerminationStatus::NotTerminated,
            Some(End::NoDescent | End::NoAnswer | End::MostSteps) => {
                TerminationStatus::Terminated(TerminationReason::SolverExit("no minimum was reached".into()))
            }
            Some(_) => TerminationStatus::Terminated(TerminationReason::SolverConverged),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use argmin::core::Executor;

    /// r = (10 (y - x^2), 1 - x) [Rosenbrock 1960].
    struct Valley;

    impl Operator for Valley {
        type Param = Vec<f64>;
        type Output = Vec<f64>;

        fn apply(&self, z: &Vec<f64>) -> Result<Vec<f64>, Error> {
            // Beyond the line x = 2 there is no answer.
            let hole = if z[0] > 2.0 { f64::INFINITY } else { 0.0 };
            Ok(vec![10.0 * (z[1] - z[0] * z[0]) + hole, 1.0 - z[0]])
        }
    }

    impl Jacobian for Valley {
        type Param = Vec<f64>;
        type Jacobian = DMatrix<f64>;

        fn jacobian(&self, z: &Vec<f64>) -> Result<DMatrix<f64>, Error> {
            Ok(DMatrix::from_row_slice(2, 2, &[-20.0 * z[0], 10.0, -1.0, 0.0]))
        }
    }

    fn search(start: [f64; 2], bounds: [[f64; 2]; 2]) -> (Vec<f64>, End, f64) {
        let solver = Levenberg::new(bounds.to_vec(), Stops::default());
        let configure = |state: Iterate| state.param(start.to_vec());
        let done = Executor::new(Valley, solver).configure(configure).ctrlc(false).timer(false).run().unwrap();
        let end = done.solver.end().unwrap();
        let state = done.state;
        (state.get_best_param().unwrap().clone(), end, state.get_best_cost())
    }

    const FREE: [[f64; 2]; 2] = [[f64::NEG_INFINITY, f64::INFINITY]; 2];

    #[test]
    fn it_finds_the_end_of_a_curved_valley_also_beside_a_hole() {
        for start in [[-1.2, 1.0], [1.99, -3.0], [-5.0, 9.0]] {
            let (z, end, cost) = search(start, FREE);
            assert!((z[0] - 1.0).abs() < 1e-5 && (z[1] - 1.0).abs() < 1e-5, "{start:?} led to {z:?}");
            assert!(end == End::LowCost && cost < 1e-12);
        }
    }

    #[test]
    fn bounds_hold_and_the_others_find_the_best_beside_them() {
        // At x = 0.5 the best y is x^2.
        let (z, end, cost) = search([-1.2, 1.0], [[-2.0, 0.5], [-3.0, 3.0]]);
        assert!(z[0] == 0.5 && (z[1] - 0.25).abs() < 1e-3, "{z:?}");
        assert!((cost - 0.125).abs() < 1e-6 && end != End::NoDescent, "{end:?}");
    }

    #[test]
    fn a_start_without_an_answer_is_an_end() {
        assert_eq!(search([3.0, 0.0], FREE).1, End::NoAnswer);
    }

    #[test]
    fn no_number_changes_by_more_than_one_in_a_step() {
        let solver = Levenberg::new(FREE.to_vec(), Stops::default());
        let jacobian = DMatrix::from_row_slice(2, 2, &[1e-3, 0.0, 0.0, 1.0]);
        let step = solver.propose(&[0.0, 0.0], &[-1.0, -1.0], &jacobian).unwrap().step;
        assert!((step.amax() - 1.0).abs() < 1e-12 && step[1] < 0.1, "{step}");
    }

    #[test]
    fn what_nothing_depends_on_stays() {
        let solver = Levenberg::new(FREE.to_vec(), Stops::default());
        let jacobian = DMatrix::from_row_slice(2, 2, &[1.0, 0.0, 1.0, 0.0]);
        let step = solver.propose(&[0.0, 0.0], &[-0.1, -0.1], &jacobian).unwrap().step;
        assert!(step[1] == 0.0 && step[0] > 0.09);
    }
}
