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
use crate::equilibrium::{Follower, STIFFER, Seen, is_sound, run};
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

/// Steps that are tried before a search is given up, taken or not. Random charts of up to 6 x 6 stitches take 2007 at most
/// (docs/results/bake.md).
pub const MAX_STEPS: usize = 5000;

/// Contact that is much stiffer than bending leaves yarns that slide only the smallest of steps: a knit of random stitches takes ten
/// times as many as with this stiffness, in units of B / r^3, which is about that of the woven preset material (1.5). So the search
/// begins with it and continues in steps of a factor of [`STIFFER`].
const SOFT_CONTACT: f64 = 1.5;

/// Balance of forces at which a stage with soft contact ends.
const SOFT_TOLERANCE: f64 = 1e-3;

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
    let mut search = Search { period, settings, watch, work: Work::default(), passed_through: false };
    // A pattern that is at rest already is to stay as it is.
    let (energy_before, residual) = search.balance(&unstrained(&cell));
    let mut stages = if residual <= settings.tolerance { Vec::new() } else { soft_stages(&cell) }.into_iter();
    let mut rounds = 0;
    loop {
        let stage = stages.next();
        let soft = stage.map(|contact| Cell::new(&cell.pattern, &YarnMaterial { contact, ..*material })).transpose()?;
        let problem = unstrained(soft.as_ref().unwrap_or(&cell));
        let tolerance = if soft.is_some() { settings.tolerance.max(SOFT_TOLERANCE) } else { settings.tolerance };
        let descent = search.descend(&problem, tolerance);
        rounds += usize::from(soft.is_none());
        let ended = if soft.is_some() { search.given_up() } else { search.ended(&descent, rounds) };
        if ended != Some(Ended::AtRest) {
            let pattern = found(&descent, settings)?;
            cell = Cell::new(&pattern, material)?;
        }
        if let Some(ended) = ended {
            let (energy_after, residual) = search.balance(&unstrained(&cell));
            let Search { work, passed_through, .. } = search;
            let pattern = cell.pattern;
            return Ok(Relaxed { pattern, energy_before, energy_after, ended, passed_through, residual, work });
        }
    }
}

/// Stiffnesses of contact (N/m) to begin with; none for a cell whose own is soft enough.
fn soft_stages(cell: &Cell) -> Vec<f64> {
    let softest = SOFT_CONTACT * cell.stiffness.bend / cell.radius().powi(3);
    let stages = std::iter::successors(Some(softest), |contact| Some(contact * STIFFER));
    stages.take_while(|contact| contact * STIFFER.sqrt() < cell.stiffness.contact).collect()
}

/// A search for rest, and what it took so far.
struct Search<'a, 'w> {
    period: Period,
    settings: &'a SolverSettings,
    watch: &'a Watch<'w>,
    work: Work,
    passed_through: bool,
}

impl Search<'_, '_> {
    /// Energy and unbalanced force of the pattern as it is.
    fn balance(&self, problem: &Problem) -> (Energy, f64) {
        let descent = self.begin(problem, self.settings);
        (descent.energy, descent.residual)
    }

    /// The descent from the pattern as it is, before its first step.
    fn begin<'p, 'c>(&self, problem: &'p Problem<'c>, settings: &SolverSettings) -> Descent<'p, 'c, ()> {
        let schedule = Schedule { free_period: self.period == Period::Free, ..Schedule::rest(settings) };
        Descent::observed(problem, settings, problem.affine_state(), schedule, ())
    }

    /// The descent from the pattern as it is, to its end.
    fn descend<'p, 'c>(&mut self, problem: &'p Problem<'c>, tolerance: f64) -> Descent<'p, 'c, ()> {
        let max_factorizations = self.watch.max_steps.saturating_sub(self.work.factorizations);
        let settings = SolverSettings { max_factorizations, tolerance, ..*self.settings };
        let descent = self.begin(problem, &settings);
        let solver = DescentSolver::new(descent, Vec::new(), self.watch.stop);
        let descent = run(problem, solver, self.follower().as_ref()).descent;
        self.work += descent.work;
        self.passed_through |= descent.passed_through;
        descent
    }

    /// The follower of the next descent: steps are counted from the beginning of the search.
    fn follower(&self) -> Option<Follower> {
        let (follower, before) = (self.watch.follower.clone()?, self.work);
        Some(Rc::new(RefCell::new(move |seen: &Seen| {
            let step = before.steps + seen.step;
            let factorizations = before.factorizations + seen.factorizations;
            (follower.borrow_mut())(&Seen { step, factorizations, ..*seen });
        })))
    }

    /// Whether the search was stopped or has no steps left.
    fn given_up(&self) -> Option<Ended> {
        if self.watch.stop.is_some_and(|stop| stop.load(Ordering::Relaxed)) {
            return Some(Ended::Stopped);
        }
        (self.work.factorizations >= self.watch.max_steps).then_some(Ended::OutOfSteps)
    }

    /// Whether and how the search ends after a descent, the one of number `rounds`.
    fn ended(&self, descent: &Descent<()>, rounds: usize) -> Option<Ended> {
        if descent.converged() && descent.work.steps == 0 {
            return Some(Ended::AtRest);
        }
        self.given_up()
            .or_else(|| (!descent.converged()).then_some(Ended::Stuck))
            .or_else(|| (rounds == MAX_ROUNDS).then_some(Ended::Unsettled))
    }
}

fn unstrained(cell: &Cell) -> Problem<'_> {
    Problem::planar(cell, Strain::new(0.0, 0.0, 0.0))
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
