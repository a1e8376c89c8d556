//! Equilibrium of the twists alone, positions held.
//!
//! Each yarn is a problem of its own: a cyclic chain in which every twist sees its two neighbors, and the row
//! sum L theta = 0. Newton's method; the chains are short enough for dense algebra.

use crate::cell::energy::Problem;
use crate::cell::state::State;
use crate::rod::{bend, twist};
use nalgebra::{Cholesky, DMatrix, DVector};

/// Newton's method squares its error in each step: this many are plenty.
const MAX_STEPS: usize = 30;

/// Stop when a step turns no edge by more than this, radians.
const SMALL_STEP: f64 = 1e-11;

/// No step turns an edge by more than this, radians.
const LARGEST_STEP: f64 = 0.5;

/// Turns the twists of `state` into equilibrium.
pub fn relax_twists(problem: &Problem, state: &mut State) {
    for yarn in problem.cell.pattern.yarns() {
        let vertices: Vec<usize> = yarn.vertices.iter().map(|v| *v as usize).collect();
        let lengths = DVector::from_iterator(vertices.len(), vertices.iter().map(|v| problem.cell.rest_length[*v]));
        let mean = vertices.iter().zip(&lengths).map(|(v, l)| state.twist[*v] * l).sum::<f64>() / lengths.sum();
        vertices.iter().for_each(|v| state.twist[*v] -= mean);
        for _ in 0..MAX_STEPS {
            let (gradient, hessian) = chain(problem, state, &vertices);
            let step = constrained_step(&gradient, hessian, &lengths);
            let largest = step.amax();
            let scale = if largest > LARGEST_STEP { LARGEST_STEP / largest } else { 1.0 };
            vertices.iter().zip(step.iter()).for_each(|(v, s)| state.twist[*v] += scale * s);
            if largest.is_nan() || largest < SMALL_STEP {
                break;
            }
        }
    }
}

/// Gradient and second derivatives of bend and twist by the twists of one yarn.
fn chain(problem: &Problem, state: &State, vertices: &[usize]) -> (DVector<f64>, DMatrix<f64>) {
    let n = vertices.len();
    let cell = problem.cell;
    let data = cell.pattern.vertices();
    let edges = problem.links.edges(cell, &state.position);
    let (mut g, mut h) = (DVector::zeros(n), DMatrix::zeros(n, n));
    for (k, i) in vertices.iter().enumerate() {
        let before = (k + n - 1) % n;
        let l = cell.voronoi_length[*i];
        let (bend, twist) = (cell.stiffness.bend / l, cell.stiffness.twist / l);
        let (joint, m) = problem.joint(state, &edges, *i);
        let gradient = bend::gradient(&joint, bend, data[*i].rest_curvature)
            + twist::gradient(&joint, m, twist, data[*i].rest_twist);
        let hessian = bend::hessian(&joint, bend, data[*i].rest_curvature)
            + twist::hessian(&joint, m, twist, data[*i].rest_twist);
        for (row, a) in [(before, 6), (k, 7)] {
            g[row] += gradient[a];
            for (column, b) in [(before, 6), (k, 7)] {
                h[(row, column)] += hessian[(a, b)];
            }
        }
    }
    (g, h)
}

/// The Newton step with lengths.step = 0. Adding a multiple of lengths lengths^T changes no such step and makes the
/// matrix definite; where curvature makes it indefinite all the same, the diagonal is raised until it is not.
fn constrained_step(gradient: &DVector<f64>, hessian: DMatrix<f64>, lengths: &DVector<f64>) -> DVector<f64> {
    let n = gradient.len();
    let size = hessian.diagonal().amax();
    let row = lengths / lengths.norm();
    let augmented = hessian + &row * row.transpose() * size;
    let mut raise = 0.0;
    for _ in 0..60 {
        let matrix = &augmented + DMatrix::identity(n, n) * (raise * size);
        if let Some(factor) = Cholesky::new(matrix) {
            let free = -factor.solve(gradient);
            let along = factor.solve(&row);
            return &free - &along * (row.dot(&free) / row.dot(&along));
        }
        raise = (2.0 * raise).max(1e-6);
    }
    DVector::zeros(n)
}
