//! One sample of a table: the equilibrium of a cell under one strain.

use super::descent::{Descent, Schedule, Work};
use super::follow::{Follower, Following};
use super::settings::SolverSettings;
use super::solver::{DescentSolver, Iteration, Statics};
use super::twists::relax_twists;
use crate::cell::energy::{Energy, Problem};
use crate::cell::state::State;
use crate::cell::stress::stress;
use argmin::core::Executor;
use argmin::core::observers::ObserverMode;
use yarnwise_shared::table::Displacements;

/// Where the search for an equilibrium begins.
#[derive(Clone, Copy, Debug)]
pub enum Start<'a> {
    /// At the affine state, as in the published tables.
    Cold,
    /// At the material displacements (dX1, dX2, dX3, dtheta) of another equilibrium, in m and radians.
    From(&'a Displacements),
    /// The same, at first with contact of this stiffness, N/m ([`smooth_contact`](super::smooth_contact)).
    Softly(&'a Displacements, f64),
}

/// The equilibrium that a search ended at, or where it was given up.
#[derive(Clone, Debug, PartialEq)]
pub struct Solved {
    /// Material displacements Delta Q = (dX1, dX2, dX3, dtheta) of each vertex, m and radians.
    pub displacements: Displacements,
    /// Energy of the cell by kind, J.
    pub energy: Energy,
    /// Energy per area of undeformed fabric, J/m^2.
    pub energy_density: f64,
    /// d psi / d(sx, sa, sy) of the energy density psi, N/m, where it is an equilibrium; none for bent fabric.
    pub stress: Option<[f64; 3]>,
    /// Unbalanced force over the forces that balance, see [`SolverSettings::tolerance`].
    pub residual: f64,
    /// Whether the residual reached the tolerance.
    pub converged: bool,
    /// Whether yarns passed through each other on the way: the state then belongs to another fabric.
    pub passed_through: bool,
    /// What the pullback of the positions missed, m: rounding, unless it failed.
    pub pullback_residual: f64,
    /// Work done.
    pub work: Work,
}

impl Solved {
    /// Whether this is an equilibrium of the fabric it began with: converged, finite, and no yarn passed through another.
    pub fn is_sound(&self) -> bool {
        is_sound(self.converged, self.passed_through, self.energy.total())
    }
}

/// What makes a result sound: converged, finite, and no yarn passed through another.
pub(crate) fn is_sound(converged: bool, passed_through: bool, energy: f64) -> bool {
    converged && !passed_through && energy.is_finite()
}

/// Balance of forces at which a search with soft contact ends. With 1e-3 or 0.1 solves take as long within a tenth.
const SOFT_TOLERANCE: f64 = 1e-2;

/// A pullback that misses by more than this, in yarn radii, has failed: the sample does not count as converged.
const PULLBACK_TOLERANCE: f64 = 1e-6;

/// Finds the equilibrium of `problem`. The result depends on the arguments alone, to the last bit.
pub fn solve(problem: &Problem, start: Start, settings: &SolverSettings) -> Solved {
    solve_unless_known(problem, start, &[], settings)
}

/// The same, but ends as soon as the search is clearly about to arrive at one of the `known` equilibria, which is then returned.
pub fn solve_unless_known(problem: &Problem, start: Start, known: &[&Solved], settings: &SolverSettings) -> Solved {
    let (displacements, soft) = match start {
        Start::Cold => return descend(problem, problem.affine_state(), Schedule::cold(settings), known, settings),
        Start::From(displacements) => (displacements, None),
        Start::Softly(displacements, stiffness) => (displacements, Some(stiffness)),
    };
    let state = problem.displaced_state(displacements);
    let (begin, mut work) = match soft {
        Some(stiffness) => softly(&problem.with_contact(stiffness), state.clone(), settings),
        None => (state.clone(), Work::default()),
    };
    // Both together may take as many factorizations as one.
    let left = settings.max_factorizations.saturating_sub(work.factorizations);
    let left = SolverSettings { max_factorizations: left, ..*settings };
    let fast = descend(problem, begin, Schedule::warm(settings), known, &left);
    work += fast.work;
    if fast.is_sound() {
        return Solved { work, ..fast };
    }
    let careful = descend(problem, state, Schedule::careful(settings), known, settings);
    work += careful.work;
    let better = if careful.is_sound() || fast.passed_through { careful } else { fast };
    Solved { work, ..better }
}

/// The state that a search with soft contact comes to; that where it began, should yarns pass through each other on the way. What is left
/// to do with the yarn's own contact is short, so that forces need not balance well.
fn softly(soft: &Problem, state: State, settings: &SolverSettings) -> (State, Work) {
    let settings = SolverSettings { tolerance: settings.tolerance.max(SOFT_TOLERANCE), ..*settings };
    let schedule = Schedule { checks: 0, ..Schedule::warm(&settings) };
    let descent = Descent::observed(soft, &settings, state.clone(), schedule, ());
    let descent = run(soft, DescentSolver::new(descent, Vec::new(), None), None).descent;
    let work = descent.work;
    (if descent.passed_through { state } else { descent.state }, work)
}

fn descend(
    problem: &Problem,
    state: State,
    schedule: Schedule,
    known: &[&Solved],
    settings: &SolverSettings,
) -> Solved {
    let known_state = |solved: &&Solved| (problem.displaced_positions(&solved.displacements), solved.energy.total());
    let known_states = known.iter().map(known_state).collect();
    let descent = Descent::observed(problem, settings, state, schedule, ());
    let solver = run(problem, DescentSolver::new(descent, known_states, None), None);
    match solver.recognized {
        Some(k) => Solved { work: solver.descent.work, ..known[k].clone() },
        None => finish(problem, solver.descent, settings),
    }
}

/// Runs a descent to its end, and shows each step to the follower.
pub(crate) fn run<'p, 'c, 's>(
    problem: &Problem,
    solver: DescentSolver<'p, 'c, 's>,
    follower: Option<&Follower>,
) -> DescentSolver<'p, 'c, 's> {
    let configure = |state: Iteration| state.max_iters(u64::MAX).target_cost(f64::NEG_INFINITY);
    let mut executor = Executor::new(Statics(problem), solver).configure(configure).timer(false);
    if let Some(follower) = follower {
        executor = executor.add_observer(Following(follower.clone()), ObserverMode::Always);
    }
    match executor.run() {
        Ok(result) => result.solver,
        // The descent returns no errors: not to converge is a result.
        Err(error) => panic!("the executor failed: {error}"),
    }
}

fn finish(problem: &Problem, descent: Descent<()>, settings: &SolverSettings) -> Solved {
    let (residual, converged) = (descent.residual, descent.converged());
    let (passed_through, work) = (descent.passed_through, descent.work);
    let mut energy = descent.energy;
    let mut state = descent.state.clone();
    // A state that did not have to move keeps its twists too: a pattern at rest stays exactly as it is.
    if settings.relax_twists && work.steps > 0 {
        relax_twists(problem, &mut state);
        energy = Energy { contact: energy.contact, ..problem.rod_energy(&state) };
    }
    let stress = stress(problem, &state, descent.pairs());
    let displacements: Displacements = problem.displacements(&state).into();
    let pullback_residual = problem.pullback_residual(&state, &displacements);
    Solved {
        displacements,
        energy_density: energy.total() / problem.cell.area(),
        stress,
        energy,
        residual,
        converged: converged && pullback_residual <= PULLBACK_TOLERANCE * problem.cell.radius(),
        passed_through,
        pullback_residual,
        work,
    }
}
