//! The rest state of a pattern: positions, twists and, on request, the period at which nothing pulls.
//!
//! A relaxed pattern is an equilibrium of its own: sampled at zero strain, it does not move.

#[cfg(test)]
mod tests;

use crate::cell::Cell;
use crate::cell::energy::{Energy, Problem};
use crate::cell::state::State;
use crate::cell::stress::energy_slope;
use crate::equilibrium::settings::SolverSettings;
use crate::equilibrium::{Solved, Start, is_sound, solve};
use nalgebra::{Matrix2, SymmetricEigen, Vector2};
use yarnwise_shared::pattern::material::YarnMaterial;
use yarnwise_shared::pattern::{Pattern, PatternData};
use yarnwise_shared::table::Displacements;
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

/// A relaxed pattern and how it came about.
#[derive(Clone, Debug)]
pub struct Relaxed {
    /// The pattern at rest.
    pub pattern: Pattern,
    /// Energy of the pattern as it was given, J per cell.
    pub energy_before: Energy,
    /// Energy at rest, J per cell.
    pub energy_after: Energy,
    /// Whether forces, and with a free period the pull of the fabric, reached their tolerances.
    pub converged: bool,
    /// Whether yarns passed through each other: the pattern is then another one.
    pub passed_through: bool,
    /// Unbalanced force over the forces that balance.
    pub residual: f64,
}

impl Relaxed {
    /// Whether the pattern is the one that was given, at rest: converged, finite, and no yarn passed through another.
    pub fn is_sound(&self) -> bool {
        is_sound(self.converged, self.passed_through, self.energy_after.total())
    }
}

/// Quadrature and exclusion follow the pattern's own edges, so a relaxed pattern may have to settle again.
const MAX_ROUNDS: usize = 12;

/// The most changes of the period.
const MAX_PERIOD_STEPS: usize = 60;

/// The period changes by no more than this fraction at once.
const PERIOD_STEP: f64 = 0.05;

/// The period is found when its next change is smaller than this fraction.
const PERIOD_TOLERANCE: f64 = 1e-6;

/// Strain by which pull and stiffness of the fabric are differentiated.
const DIFFERENCE: f64 = 1e-4;

/// Strain by which energy is differentiated.
const PULL_STEP: f64 = 1e-5;

/// Relaxes `pattern`. Not to converge is a result, not an error; a material or settings that cannot be solved are an error.
pub fn relax(pattern: &Pattern, material: &YarnMaterial, period: Period, settings: &SolverSettings) -> Result<Relaxed> {
    settings.check()?;
    let mut cell = Cell::new(pattern, material)?;
    let first = strained(&cell, [0.0; 2]);
    let start = first.affine_state();
    let energy_before = first.energy(&start, &first.pairs(&start.position, 0.0));
    let mut passed_through = false;
    let mut settled = false;
    for _ in 0..MAX_ROUNDS {
        let solved = solve(&strained(&cell, [0.0; 2]), Start::Cold, settings);
        passed_through |= solved.passed_through;
        let (stretch, found) = match period {
            Period::Fixed => ([0.0; 2], true),
            Period::Free => slack(&cell, &solved, settings),
        };
        settled = solved.converged && solved.work.steps == 0 && found && stretch == [0.0; 2];
        if settled {
            break;
        }
        cell = Cell::new(&moved(&cell, &solved, stretch, settings)?, material)?;
    }
    let solved = solve(&strained(&cell, [0.0; 2]), Start::Cold, settings);
    Ok(Relaxed {
        pattern: cell.pattern,
        energy_before,
        energy_after: solved.energy,
        converged: settled,
        passed_through,
        residual: solved.residual,
    })
}

fn strained<'a>(cell: &'a Cell, [sx, sy]: [f64; 2]) -> Problem<'a> {
    Problem::planar(cell, Strain::new(sx, 0.0, sy))
}

/// The strains (sx, sy) at which the fabric pulls in neither direction, and whether they were found. Zero if the cell is
/// there already.
fn slack(cell: &Cell, rest: &Solved, settings: &SolverSettings) -> ([f64; 2], bool) {
    let mut at = Vector2::zeros();
    let mut best = rest.clone();
    for _ in 0..MAX_PERIOD_STEPS {
        let step = period_step(cell, at, &best, settings);
        if step.amax() < PERIOD_TOLERANCE {
            return ([at.x, at.y], true);
        }
        let mut scale = 1.0;
        loop {
            let next = at + step * scale;
            let solved = solve(&strained(cell, next.into()), Start::From(&best.displacements), settings);
            if solved.energy.total() < best.energy.total() && !solved.passed_through {
                (at, best) = (next, solved);
                break;
            }
            scale *= 0.25;
            if scale < 1e-4 {
                return ([at.x, at.y], step.amax() < 1e-4);
            }
        }
    }
    ([at.x, at.y], false)
}

/// A Newton step of the energy as a function of the two stretches, with positive stiffness and bounded length.
fn period_step(cell: &Cell, at: Vector2<f64>, solved: &Solved, settings: &SolverSettings) -> Vector2<f64> {
    let pull = pull(cell, at, &solved.displacements);
    let column = |axis: usize| {
        let mut to = at;
        to[axis] += DIFFERENCE;
        let near = solve(&strained(cell, to.into()), Start::From(&solved.displacements), settings);
        (self::pull(cell, to, &near.displacements) - pull) / DIFFERENCE
    };
    let (a, b) = (column(0), column(1));
    let mixed = 0.5 * (a.y + b.x);
    let eigen = SymmetricEigen::new(Matrix2::new(a.x, mixed, mixed, b.y));
    let floor = 1e-3 * eigen.eigenvalues.amax().max(f64::MIN_POSITIVE);
    let inverse = Matrix2::from_diagonal(&eigen.eigenvalues.map(|l| 1.0 / l.abs().max(floor)));
    let step = -(eigen.eigenvectors * inverse * eigen.eigenvectors.transpose() * pull);
    step * (PERIOD_STEP / step.amax().max(PERIOD_STEP))
}

/// dE / d(sx, sy), J.
fn pull(cell: &Cell, at: Vector2<f64>, displacements: &Displacements) -> Vector2<f64> {
    let along = |sx: f64, sy: f64| {
        energy_slope(cell, Strain::new(at.x, 0.0, at.y), Strain::new(sx, 0.0, sy), PULL_STEP, displacements)
    };
    Vector2::new(along(1.0, 0.0), along(0.0, 1.0))
}

/// The pattern in its new state: period stretched by `stretch`, frames those of the state.
fn moved(cell: &Cell, solved: &Solved, stretch: [f64; 2], settings: &SolverSettings) -> Result<Pattern> {
    let problem = strained(cell, stretch);
    let there = if stretch == [0.0; 2] {
        solved.clone()
    } else {
        solve(&problem, Start::From(&solved.displacements), settings)
    };
    let state = problem.displaced_state(&there.displacements);
    let [px, py] = cell.pattern.period();
    let period = [px * (1.0 + stretch[0]), py * (1.0 + stretch[1])];
    let data = PatternData { period, ..with_state(cell.pattern.data(), &state) };
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
