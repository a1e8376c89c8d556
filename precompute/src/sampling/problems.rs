//! The problems over a grid: one fabric under many large-scale deformations.

use crate::cell::Cell;
use crate::cell::energy::Problem;
use yarnwise_shared::table::Displacements;
use yarnwise_shared::table::strain::Strain;

/// The direction along which fabric is bent: II = lambda v v^T.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BentAlong {
    /// v = e1.
    X,
    /// v = e2.
    Y,
}

impl BentAlong {
    /// Both, in the order of their tables.
    pub const BOTH: [BentAlong; 2] = [BentAlong::X, BentAlong::Y];

    /// v.
    pub fn vector(self) -> [f64; 2] {
        match self {
            BentAlong::X => [1.0, 0.0],
            BentAlong::Y => [0.0, 1.0],
        }
    }

    /// In one letter.
    pub fn name(self) -> &'static str {
        match self {
            BentAlong::X => "x",
            BentAlong::Y => "y",
        }
    }
}

/// A fabric over a grid of strains, in the plane or bent along one direction.
#[derive(Clone, Copy, Debug)]
pub struct Problems<'a> {
    /// The fabric.
    pub cell: &'a Cell,
    /// Along which direction it is bent; none in the plane.
    pub bent: Option<BentAlong>,
}

impl<'a> Problems<'a> {
    /// In the plane.
    pub fn planar(cell: &'a Cell) -> Self {
        Problems { cell, bent: None }
    }

    /// The problem at the coordinates (sx, sa, sy) in the plane, (sx, sa, sy, curvature in 1/m) where it is bent.
    pub fn at<const N: usize>(&self, coordinates: [f64; N]) -> Problem<'a> {
        let strain = Strain::new(coordinates[0], coordinates[1], coordinates[2]);
        match (self.bent, coordinates.get(3)) {
            (Some(along), Some(curvature)) => Problem::bent(self.cell, strain, along.vector(), *curvature),
            _ => Problem::planar(self.cell, strain),
        }
    }
}

/// Energy of the cell with these displacements as they are, J; infinite where they cannot be.
pub fn energy_of(problem: &Problem, displacements: &Displacements) -> f64 {
    let state = problem.displaced_state(displacements);
    let energy = problem.energy(&state, &problem.pairs(&state.position, 0.0)).total();
    if energy.is_finite() { energy } else { f64::INFINITY }
}
