//! Coarse corrections: smooth motions of the whole cloth, which blocks and lines know nothing of.
//!
//!   P⁻¹ = ½ fine⁻¹ + Q V Qᵀ
//!
//! ½ because an element joins up to three nodes: r rᵀ is at most three times the sum of its parts of one node each, so the eigenvalues
//! of fine⁻¹ A go to 3 where those of the other term go to about 1; times 2/(1 + 3) the upper part of both is centered on 1. With 1 a
//! fine sheet takes 8 % more iterations to 1e-2, a small one of coarse yarns 12 % fewer to 1e-6 (docs/results/yarns.md).
//!
//! Q interpolates positions bilinearly from a lattice of every fourth crossing; V is one V-cycle on Qᵀ A Q with block Gauss-Seidel,
//! each further lattice twice as coarse, the last solved directly. Arc coordinates have no coarse part: lines take sliding. Ours.
//!
//! Without it the number of iterations grows with the size of the cloth, and with the ratio of its stiffness to its mass: in a fine
//! sheet a step of 1 ms joins hundreds of crossings.
//!
//! - `lattice`: the nodes of each lattice and how finer ones hang on them.
//! - `pattern`: which of them are coupled, and in which order they are smoothed.
//! - `galerkin`: Qᵀ A Q.
//! - `matrix`: its product and its smoother.

mod galerkin;
mod lattice;
mod matrix;
mod pattern;
mod vector;

use super::filter::{NodeConstraint, NodeFilter};
use super::operator::RowOperator;
use crate::linear::{PIECE, Preconditioner, Scalar};
use crate::yarn::model::{Weave, places};
use lattice::Lattice;
use matrix::CoarseMatrix;
use nalgebra::{Cholesky, DVector, Dyn};
use pattern::Pattern;
use rayon::prelude::*;
use std::sync::Arc;
use vector::{Vec3, add};

/// Crossings between the nodes of the first lattice.
const FIRST: i32 = 4;

/// Lattices with fewer nodes are solved directly.
const DIRECT: usize = 96;

/// The lattices of a weave; they stay while links do.
#[derive(Clone, Debug, Default)]
pub struct Lattices {
    steps: Vec<(Lattice, Arc<Pattern>)>,
}

impl Lattices {
    /// Finds the lattice of each panel by following links.
    pub fn new(weave: &Weave) -> Self {
        let mut places = places(weave);
        let mut steps: Vec<(Lattice, Arc<Pattern>)> = Vec::new();
        let mut factor = FIRST;
        loop {
            let mut lattice = Lattice::new(&places, factor);
            let pattern = match steps.last() {
                None => Pattern::of_weave(weave, &mut lattice),
                Some((_, finer)) => Pattern::of_pattern(finer, &mut lattice),
            };
            let (fine, coarse) = (places.len(), lattice.places.len());
            places = std::mem::take(&mut lattice.places);
            steps.push((lattice, Arc::new(pattern)));
            if coarse <= DIRECT || 4 * coarse > 3 * fine {
                return Lattices { steps };
            }
            factor = 2;
        }
    }
}

#[cfg(test)]
impl Lattices {
    /// Number of lattices.
    pub(super) fn count(&self) -> usize {
        self.steps.len()
    }

    /// Q from a lattice to what is finer, where a node has `fine` entries.
    pub(super) fn interpolation(&self, level: usize, fine: usize) -> nalgebra::DMatrix<f64> {
        let (lattice, _) = &self.steps[level];
        let mut q = nalgebra::DMatrix::zeros(fine * lattice.fine_count(), 3 * lattice.count());
        for i in 0..lattice.fine_count() {
            for (p, weight) in lattice.parents(i) {
                (0..3).for_each(|k| q[(fine * i + k, 3 * p as usize + k)] = f64::from(weight));
            }
        }
        q
    }
}

/// The matrices of the lattices. As part of a preconditioner they may be those of an earlier step.
#[derive(Debug)]
pub struct CoarseMatrices<T> {
    matrices: Vec<CoarseMatrix<T>>,
    last: Option<Cholesky<f64, Dyn>>,
}

impl<T: Scalar> CoarseMatrices<T> {
    /// Qᵀ A Q of every lattice.
    pub fn new(lattices: &Lattices, operator: &RowOperator<'_, T>, filter: &NodeFilter) -> Self {
        let mut matrices: Vec<CoarseMatrix<T>> = Vec::with_capacity(lattices.steps.len());
        for (lattice, pattern) in &lattices.steps {
            let matrix = match matrices.last() {
                None => galerkin::first(lattice, pattern, operator.weave, operator.rows, filter),
                Some(finer) => galerkin::further(lattice, pattern, finer),
            };
            matrices.push(matrix);
        }
        let last = matrices.last().filter(|m| m.count() <= 8 * DIRECT).and_then(CoarseMatrix::dense);
        CoarseMatrices { matrices, last }
    }
}

#[cfg(test)]
impl CoarseMatrices<f64> {
    pub(super) fn matrix(&self, level: usize) -> nalgebra::DMatrix<f64> {
        let matrix = &self.matrices[level];
        let mut dense = nalgebra::DMatrix::zeros(3 * matrix.count(), 3 * matrix.count());
        for i in 0..matrix.count() {
            for (k, block) in matrix.row(i) {
                (0..9).for_each(|e| dense[(3 * i + e / 3, 3 * k as usize + e % 3)] = block[e / 3][e % 3]);
            }
        }
        dense
    }
}

/// The coarse correction with a preconditioner of the finest level.
pub struct Coarse<'a, P, T> {
    /// Of the finest level.
    pub fine: &'a P,
    /// How lattices are joined.
    pub lattices: &'a Lattices,
    /// Matrices of the lattices.
    pub coarse: &'a CoarseMatrices<T>,
    /// What is prescribed.
    pub filter: &'a NodeFilter,
}

impl<P, T: Scalar> Coarse<'_, P, T> {
    /// An approximate solution on a level.
    fn cycle(&self, level: usize, b: &[Vec3<T>]) -> Vec<Vec3<T>> {
        let CoarseMatrices { matrices, last } = self.coarse;
        let matrix = &matrices[level];
        let n = b.len();
        if level + 1 == matrices.len()
            && let Some(factor) = last
        {
            let x = factor.solve(&DVector::from_iterator(3 * n, b.iter().flatten().map(|b| b.to_f64())));
            return (0..n).map(|i| std::array::from_fn(|k| T::from_f64(x[3 * i + k]))).collect();
        }
        let (mut x, rest) = matrix.sweep_from_zero(b);
        if let Some((lattice, _)) = self.lattices.steps.get(level + 1) {
            let change = self.cycle(level + 1, &lattice.restrict(|i| rest[i]));
            x.par_iter_mut().enumerate().with_min_len(512).for_each(|(i, x)| {
                *x = add(*x, lattice.interpolate(&change, i));
            });
        }
        matrix.sweep_back(b, &mut x);
        x
    }

    /// x without what is prescribed at a node.
    #[inline(always)]
    fn project(&self, i: usize, x: Vec3<T>) -> Vec3<T> {
        let c = self.filter.nodes[i];
        if !c.has(NodeConstraint::POSITION) && !c.has(NodeConstraint::PARTIAL) {
            return x;
        }
        self.filter.position(i).apply(&x.map(T::to_f64)).map(T::from_f64)
    }
}

impl<P: Preconditioner<T>, T: Scalar> Coarse<'_, P, T> {
    fn solve(&self, r: &[T], h: &mut [T]) {
        let Some((lattice, _)) = self.lattices.steps.first() else { return self.fine.apply_inverse(r, h) };
        let (nodes, _) = r.as_chunks::<5>();
        let b = lattice.restrict(|i| self.project(i, [nodes[i][0], nodes[i][1], nodes[i][2]]));
        let x = self.cycle(0, &b);
        let pieces = self.fine.pieces();
        if pieces.is_none() {
            self.fine.apply_inverse(r, h);
        }
        h.par_chunks_mut(PIECE).enumerate().for_each(|(piece, h)| {
            let first = piece * PIECE;
            if let Some(fine) = pieces {
                fine.apply_inverse_piece(first, &r[first..first + h.len()], h);
            }
            let half = T::from_f64(0.5);
            for (k, h) in h.as_chunks_mut::<5>().0.iter_mut().enumerate() {
                let i = first / 5 + k;
                let change = self.project(i, lattice.interpolate(&x, i));
                (0..5).for_each(|c| h[c] = half * h[c]);
                (0..3).for_each(|c| h[c] += change[c]);
            }
        });
    }
}

// For each kind of number alone: an implementation for all of them could clash with one for pieces elsewhere.

impl<P: Preconditioner<f32>> Preconditioner<f32> for Coarse<'_, P, f32> {
    fn apply_inverse(&self, r: &[f32], h: &mut [f32]) {
        self.solve(r, h);
    }
}

impl<P: Preconditioner<f64>> Preconditioner<f64> for Coarse<'_, P, f64> {
    fn apply_inverse(&self, r: &[f64], h: &mut [f64]) {
        self.solve(r, h);
    }
}
