//! The descent as an `argmin` problem and solver, so that its executor, observers and termination can be used.

use super::descent::{Descent, Step};
use crate::cell::energy::Problem;
use argmin::core::{CostFunction, Error, IterState, KV, Solver, TerminationReason, TerminationStatus};
use argmin::kv;
use nalgebra::Vector3;
use std::sync::atomic::{AtomicBool, Ordering};

/// Unknowns (x, y, z, r theta) of all vertices, m.
pub type Unknowns = Vec<f64>;

/// argmin's record of the iterations.
pub type Iteration = IterState<Unknowns, (), (), (), (), f64>;

/// The energy of a cell as a cost function.
#[derive(Clone, Copy, Debug)]
pub struct Statics<'p, 'c>(pub &'p Problem<'c>);

impl CostFunction for Statics<'_, '_> {
    type Param = Unknowns;
    type Output = f64;

    /// Total energy, J, with frames carried from the affine state in one go.
    fn cost(&self, q: &Unknowns) -> Result<f64, Error> {
        let r = self.0.cell.radius();
        let position: Vec<_> = q.chunks_exact(4).map(|c| Vector3::new(c[0], c[1], c[2])).collect();
        let pairs = self.0.pairs(&position, 0.0);
        let twist = q.chunks_exact(4).map(|c| c[3] / r).collect();
        let state = self.0.affine_state().moved(self.0.cell, &self.0.links, position, twist);
        Ok(self.0.energy(&state, &pairs).total())
    }
}

/// A descent within this distance of a known equilibrium, in yarn radii, and within this fraction of its energy, ends there.
const RECOGNIZED: (f64, f64) = (0.1, 1e-2);

/// The descent of [`super::descent`] as a solver: one accepted step an iteration.
pub struct DescentSolver<'p, 'c, 's> {
    /// The descent.
    pub descent: Descent<'p, 'c, ()>,
    stuck: bool,
    /// Positions (m) and energies (J) of known equilibria.
    known: Vec<(Vec<Vector3<f64>>, f64)>,
    /// The known equilibrium that the descent has come to.
    pub recognized: Option<usize>,
    /// Ends the descent where it stands once it is true.
    stop: Option<&'s AtomicBool>,
}

impl<'p, 'c, 's> DescentSolver<'p, 'c, 's> {
    /// A solver that continues from where `descent` stands, and need not finish at equilibria that are `known` by their
    /// positions (m) and energies (J).
    pub fn new(
        descent: Descent<'p, 'c, ()>,
        known: Vec<(Vec<Vector3<f64>>, f64)>,
        stop: Option<&'s AtomicBool>,
    ) -> Self {
        DescentSolver { descent, stuck: false, known, recognized: None, stop }
    }

    fn recognize(&self) -> Option<usize> {
        let (radii, fraction) = RECOGNIZED;
        let (reach, energy) = (radii * self.descent.radius(), self.descent.energy.total());
        let near = |positions: &[Vector3<f64>]| {
            self.descent.state.position.iter().zip(positions).all(|(a, b)| (a - b).norm_squared() < reach * reach)
        };
        self.known.iter().position(|(positions, e)| (energy - e).abs() <= fraction * e.abs() && near(positions))
    }

    fn report(&self, state: Iteration) -> (Iteration, Option<KV>) {
        let d = &self.descent;
        let q = crate::cell::constraints::unknowns(&d.state, d.radius());
        let count = |n: usize| n as u64;
        let kv = kv!("rho" => d.rho(); "residual" => d.residual; "steps" => count(d.work.steps);
            "factorizations" => count(d.work.factorizations); "contacts" => count(d.touching()););
        (state.param(q).cost(d.energy.total()), Some(kv))
    }
}

impl Solver<Statics<'_, '_>, Iteration> for DescentSolver<'_, '_, '_> {
    fn name(&self) -> &str {
        "gradient flow to Newton"
    }

    fn init(
        &mut self,
        _problem: &mut argmin::core::Problem<Statics<'_, '_>>,
        state: Iteration,
    ) -> Result<(Iteration, Option<KV>), Error> {
        Ok(self.report(state))
    }

    fn next_iter(
        &mut self,
        _problem: &mut argmin::core::Problem<Statics<'_, '_>>,
        state: Iteration,
    ) -> Result<(Iteration, Option<KV>), Error> {
        self.stuck = self.descent.step() == Step::Stuck;
        self.recognized = self.recognize();
        Ok(self.report(state))
    }

    fn terminate(&mut self, _state: &Iteration) -> TerminationStatus {
        if self.descent.converged() {
            TerminationStatus::Terminated(TerminationReason::SolverConverged)
        } else if self.recognized.is_some() {
            TerminationStatus::Terminated(TerminationReason::SolverExit("a known equilibrium".into()))
        } else if self.stop.is_some_and(|stop| stop.load(Ordering::Relaxed)) {
            TerminationStatus::Terminated(TerminationReason::Interrupt)
        } else if self.stuck {
            TerminationStatus::Terminated(TerminationReason::SolverExit("no step lowers the energy".into()))
        } else {
            TerminationStatus::NotTerminated
        }
    }
}
