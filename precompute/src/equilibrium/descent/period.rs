//! The period as two more unknowns of a descent.
//!
//! Stretching the period by t = (tx, ty), fractions of its length, carries every vertex along, x -> (1 + t) x; a step p of the
//! vertices is relative to that. With g = dE/dp, h = dE/dt, G = dg/dt and K = dh/dt, both by central differences, a step solves
//!
//!   (H + rho M) p + G t = -g,   C p = 0,   G^T p + (K + rho m) t = -h
//!
//! by two more solves with the factor of H + rho M. The matrix of both is positive definite on the free directions if and only if
//! that of p and what is left for t, S = K + rho m - G^T (H + rho M)^-1 G, are.

use crate::cell::energy::Problem;
use crate::cell::pairs::Pairs;
use crate::cell::state::State;
use crate::cell::stress::pulls;
use nalgebra::{Matrix2, Vector2};

/// Stretch by which forces are differentiated: rounding is 1e-10 of the stretch stiffness then.
const DIFFERENCE: f64 = 1e-6;

/// A period that is free, and its derivatives in the current state.
pub(super) struct Period {
    /// m: a stretch moves what touches, at a distance of 2r, by 2r t, and does so at each vertex. In units of rho, m^2.
    mass: f64,
    /// The largest t of a step: what touches moves by no more than the bound of a vertex' step.
    bound: f64,
    /// h by kind of force, elastic and contact, J.
    pulls: [Vector2<f64>; 2],
    /// G, N.
    mixed: [Vec<f64>; 2],
    /// K, J.
    stiffness: Matrix2<f64>,
}

/// A step of the vertices, m, and of the period, as fractions.
pub(super) struct Direction {
    pub vertices: Vec<f64>,
    pub period: [f64; 2],
}

impl Period {
    /// A free period of a cell of `vertices` and this `radius` (m), where no component of a vertex' step exceeds `bound` (m).
    pub(super) fn new(vertices: usize, radius: f64, bound: f64) -> Self {
        let diameter = 2.0 * radius;
        Period {
            mass: vertices as f64 * diameter * diameter,
            bound: bound / diameter,
            pulls: [Vector2::zeros(); 2],
            mixed: [Vec::new(), Vec::new()],
            stiffness: Matrix2::zeros(),
        }
    }

    /// How many times a step is longer than allowed.
    pub(super) fn excess(&self, direction: &Direction) -> f64 {
        direction.period[0].abs().max(direction.period[1].abs()) / self.bound
    }

    /// The largest t of a step.
    pub(super) fn bound(&self) -> f64 {
        self.bound
    }

    /// The unbalanced pull as a fraction of the pulls that balance, or of `least` (J) where these are smaller.
    pub(super) fn residual(&self, least: f64) -> f64 {
        let [elastic, contact] = self.pulls;
        (elastic + contact).norm() / (elastic.norm() + contact.norm()).max(least)
    }

    /// Differentiates at `state`.
    pub(super) fn differentiate(&mut self, problem: &Problem, state: &State, pairs: &Pairs) {
        self.pulls = pulls_by_fraction(problem, [0.0; 2], state, pairs);
        for axis in 0..2 {
            let at = |t: f64| {
                let mut by = [0.0; 2];
                by[axis] = t;
                let (near, pairs) = (problem.stretched(by), pairs.stretched(by));
                let state = carried(&near, state, by);
                let mut gradient = vec![0.0; 4 * state.position.len()];
                near.add_rod_gradient(&state, &near.cell.stiffness, &mut gradient);
                near.add_contact_gradient(&state.position, &pairs, &mut gradient);
                let [elastic, contact] = pulls_by_fraction(&near, by, &state, &pairs);
                (gradient, elastic + contact)
            };
            let ((g0, h0), (g1, h1)) = (at(-DIFFERENCE), at(DIFFERENCE));
            self.mixed[axis] = g0.iter().zip(&g1).map(|(a, b)| (b - a) / (2.0 * DIFFERENCE)).collect();
            self.stiffness.set_column(axis, &((h1 - h0) / (2.0 * DIFFERENCE)));
        }
    }

    /// The step of both from the step of the vertices alone; `solve` gives the latter for any gradient. None where the period has
    /// no stiffness of its own.
    pub(super) fn direction(
        &self,
        alone: Vec<f64>,
        rho: f64,
        mut solve: impl FnMut(&[f64]) -> Option<Vec<f64>>,
    ) -> Option<Direction> {
        let [x, y] = &self.mixed;
        let along = [solve(x)?, solve(y)?];
        let by_mixed = |v: &[f64]| Vector2::new(dot(x, v), dot(y, v));
        let left = self.stiffness + Matrix2::from_columns(&[by_mixed(&along[0]), by_mixed(&along[1])]);
        let left = 0.5 * (left + left.transpose()) + Matrix2::identity() * (rho * self.mass);
        let pull: Vector2<f64> = self.pulls[0] + self.pulls[1] + by_mixed(&alone);
        let t = -left.cholesky()?.solve(&pull);
        let vertices = alone.iter().zip(&along[0]).zip(&along[1]).map(|((p, a), b)| p + a * t.x + b * t.y).collect();
        Some(Direction { vertices, period: t.into() })
    }
}

/// `state` carried along by a stretch of the period to that of `problem`.
pub(super) fn carried(problem: &Problem, state: &State, by: [f64; 2]) -> State {
    let position = state.position.iter().map(|x| stretched(x, by)).collect();
    state.moved(problem.cell, &problem.links, position, state.twist.clone())
}

/// A point carried along by a stretch.
pub(super) fn stretched(x: &nalgebra::Vector3<f64>, [tx, ty]: [f64; 2]) -> nalgebra::Vector3<f64> {
    nalgebra::Vector3::new(x.x * (1.0 + tx), x.y * (1.0 + ty), x.z)
}

/// dE/dt by kind of force, J, where t counts from a period that was stretched by `by` since.
fn pulls_by_fraction(problem: &Problem, by: [f64; 2], state: &State, pairs: &Pairs) -> [Vector2<f64>; 2] {
    let before =
        problem.in_plane_stretch().map(|s| Vector2::new((1.0 + s[0]) / (1.0 + by[0]), (1.0 + s[1]) / (1.0 + by[1])));
    let (before, pulls) = (before.unwrap_or_default(), pulls(problem, state, pairs).unwrap_or_default());
    pulls.map(|[sx, _, sy]| Vector2::new(sx, sy).component_mul(&before))
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
