//! The rest state of a pattern: positions, twists and, on request, the period at which nothing pulls.
//!
//! A relaxed pattern is an equilibrium of its own: sampled at zero strain, it does not move.

#[cfg(test)]
mod tests;

use crate::cell::Cell;
use crate::cell::energy::{Energy, Problem};
use crate::cell::state::State;
use crate::equilibrium::descent::{Descent, Schedule, Work};
use crate::equilibrium::settings::SolverSettings;
use crate::equilibrium::solver::DescentSolver;
use crate::equilibrium::twists::relax_twists;
use crate::equilibrium::{Follower, Seen, is_sound, run};
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, Ordering};
use yarnwise_shared::pattern::material::YarnMaterial;
use yarnwise_shared::pattern::{Pattern, PatternData};
use yarnwise_shared::table::strain::Strain;
use yarnwise_shared::{Error, Result};

/// Whether the period may change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Period {
    /// It stays.
    Fixed,
    /// It takes the size at which the fabric pulls in neither direction.
    Free,
}

/// How a search for rest ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Ended {
    /// Forces, and with a free period the pull of the fabric, reached their tolerances.
    AtRest,
    /// The steps allowed are used up.
    OutOfSteps,
    /// No step lowers the energy, although forces do not balance.
    Stuck,
    /// Each time the pattern is laid out anew in the state that was found, it moves again.
    Unsettled,
    /// It was stopped.
    Stopped,
}

/// A relaxed pattern and how it came about.
#[derive(Clone, Debug)]
pub struct Relaxed {
    /// The pattern at rest, or in the state of least energy that was found.
    pub pattern: Pattern,
    /// Energy of the pattern as it was given, J per cell.
    pub energy_before: Energy,
    /// Energy of the pattern now, J per cell.
    pub energy_after: Energy,
    /// Why it is no further.
    pub ended: Ended,
    /// Whether yarns passed through each other: the pattern is then another one.
    pub passed_through: bool,
    /// Unbalanced force, or pull if that is larger, over the forces that balance.
    pub residual: f64,
    /// Work done.
    pub work: Work,
}

impl Relaxed {
    /// Whether forces, and with a free period the pull of the fabric, reached their tolerances.
    pub fn converged(&self) -> bool {
        self.ended == Ended::AtRest
    }

    /// Whether the pattern is the one that was given, at rest: converged, finite, and no yarn passed through another.
    pub fn is_sound(&self) -> bool {
        is_sound(self.converged(), self.passed_through, self.energy_after.total())
    }
}

/// Steps that are tried before a search is given up, taken or not. The 150 random charts and drafts of the study take MOST of them
/// at most.
pub const MAX_STEPS: usize = 5000;

/// Quadrature and exclusion follow the pattern's own edges, so a relaxed pattern may have to settle again.
const MAX_ROUNDS: usize = 12;

/// Who looks at a search for rest, and how long it may take.
pub struct Watch<'a> {
    /// Steps that may be tried, taken or not.
    pub max_steps: usize,
    /// Ends the search once it is true; the pattern is then what was found so far.
    pub stop: Option<&'a AtomicBool>,
    /// Sees every step; steps are counted from the beginning of the search.
    pub follower: Option<Follower>,
}

impl Default for Watch<'_> {
    fn default() -> Self {
        Watch { max_steps: MAX_STEPS, stop: None, follower: None }
    }
}

/// Relaxes `pattern`. Not to converge is a result, not an error; a material or settings that cannot be solved are an error.
pub fn relax(pattern: &Pattern, material: &YarnMaterial, period: Period, settings: &SolverSettings) -> Result<Relaxed> {
    relax_watched(pattern, material, period, settings, &Watch::default())
}

/// The same, watched.
pub fn relax_watched(
    pattern: &Pattern,
    material: &YarnMaterial,
    period: Period,
    settings: &SolverSettings,
    watch: &Watch,
) -> Result<Relaxed> {
    settings.check()?;
    let mut cell = Cell::new(pattern, material)?;
    let energy_before = {
        let problem = unstrained(&cell);
        let start = problem.affine_state();
        problem.energy(&start, &problem.pairs(&start.position, 0.0))
    };
    let mut work = Work::default();
    let mut passed_through = false;
    for round in 1.. {
        let problem = unstrained(&cell);
        let left = watch.max_steps.saturating_sub(work.factorizations);
        let descent = descend(&problem, period, &SolverSettings { max_factorizations: left, ..*settings }, work, watch);
        work += descent.work;
        passed_through |= descent.passed_through;
        let settled = descent.converged() && descent.work.steps == 0;
        let ended = if settled {
            Some(Ended::AtRest)
        } else if watch.stop.is_some_and(|stop| stop.load(Ordering::Relaxed)) {
            Some(Ended::Stopped)
        } else if work.factorizations >= watch.max_steps {
            Some(Ended::OutOfSteps)
        } else if !descent.converged() {
            Some(Ended::Stuck)
        } else {
            (round == MAX_ROUNDS).then_some(Ended::Unsettled)
        };
        let (energy_after, residual) = (descent.energy, descent.residual);
        let pattern = if settled { cell.pattern.clone() } else { found(&descent, settings)? };
        if let Some(ended) = ended {
            return Ok(Relaxed { pattern, energy_before, energy_after, ended, passed_through, residual, work });
        }
        cell = Cell::new(&pattern, material)?;
    }
    unreachable!("the last round ends the search")
}

fn unstrained(cell: &Cell) -> Problem<'_> {
    Problem::planar(cell, Strain::new(0.0, 0.0, 0.0))
}

/// The descent from the pattern as it is. `before` is the work of earlier rounds.
fn descend<'p, 'c>(
    problem: &'p Problem<'c>,
    period: Period,
    settings: &SolverSettings,
    before: Work,
    watch: &Watch,
) -> Descent<'p, 'c, ()> {
    let begin = match period {
        Period::Fixed => Descent::observed,
        Period::Free => Descent::with_free_period,
    };
    let descent = begin(problem, settings, problem.affine_state(), Schedule::rest(settings), ());
    let follower = watch.follower.clone().map(|follower| -> Follower {
        Rc::new(RefCell::new(move |seen: &Seen| {
            let step = before.steps + seen.step;
            let factorizations = before.factorizations + seen.factorizations;
            (follower.borrow_mut())(&Seen { step, factorizations, ..*seen });
        }))
    });
    run(problem, DescentSolver::new(descent, Vec::new(), watch.stop), follower.as_ref()).descent
}

/// The pattern in the state that a descent came to: its period, frames those of the state, twists in equilibrium.
fn found(descent: &Descent<()>, settings: &SolverSettings) -> Result<Pattern> {
    let problem = descent.problem();
    let mut state = descent.state.clone();
    if settings.relax_twists {
        relax_twists(problem, &mut state);
    }
    let [px, py] = problem.cell.pattern.period();
    let [sx, sy] = problem.in_plane_stretch().unwrap_or_default();
    let data =
        PatternData { period: [px * (1.0 + sx), py * (1.0 + sy)], ..with_state(problem.cell.pattern.data(), &state) };
    Pattern::new(data).map_err(|fault| Error::from(("the relaxed pattern", fault)))
}

fn with_state(data: &PatternData, state: &State) -> PatternData {
    let mut out = data.clone();
    for (i, v) in out.vertices.iter_mut().enumerate() {
        v.position = state.position[i].into();
        v.twist = state.twist[i];
        v.reference_director = state.frames.director[i].into();
        v.reference_twist = state.frames.reference_twist[i];
    }
    out
}
