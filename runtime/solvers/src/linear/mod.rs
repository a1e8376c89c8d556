//! Filtered linear systems: the vocabulary that all solvers share. Knows no cloth and no yarn.
//!
//! The constrained problem is
//!
//!   S A x = S b,   (I − S) x = (I − S) z                                     [Boxerman03, Eq. 5.2]
//!
//! - [`Operator`]: A, symmetric positive definite, known by its product with a vector.
//! - [`Filter`]: S, an orthogonal projection that removes constrained directions ([Casafranca20, Eq. 7] calls its
//!   generalized form a filter as well).
//! - [`Preconditioner`]: P, applied through its inverse. It should approximate S A + I − S, not A [Boxerman03, §5.3].
//! - [`mpcg`]: the modified preconditioned conjugate gradient method that puts them together;
//!   [`mpcg_from_rest`]: the same where nothing moves that is prescribed; [`conjugate_gradients`]: without constraints.
//!
//! Vectors are plain slices of `f64` (or `f32`, see [`Scalar`]); a node takes as many entries as its solver likes: three for a particle, five for a
//! yarn crossing.
//!
//! # Whole vectors and pieces
//!
//! Each of the three traits takes the whole vector, so that it may couple any entry with any other: a matrix-free
//! operator of several passes, the filter of enriched kinematics F = I − B K⁻¹ Bᵀ [Casafranca20, Eq. 3], a low-rank or
//! line-sweeping preconditioner. It has all threads for itself.
//!
//! What computes some entries of its result without the others' should implement the *piecewise* trait instead
//! ([`PiecewiseOperator`], [`PiecewiseFilter`], [`PiecewisePreconditioner`]) and gets the whole-vector trait from it. The
//! methods then fuse it with what happens before and after on the same piece of [`PIECE`] entries, while it is in the
//! cache. Both kinds mix freely; fusing changes no bit of the result.

#[cfg(feature = "yarn-level")]
mod age;
mod block;
mod constraint;
mod krylov;
mod pass;
mod scalar;
mod sparse_cholesky;
mod sym3;
mod vector;

#[cfg(test)]
mod tests;

#[cfg(feature = "yarn-level")]
pub(crate) use age::Age;
pub use block::{Block, BlockDiagonal, BlockFilter, NodeProjection, PreconditionerKind};
pub use constraint::Constraint;
pub use krylov::{SolveReport, StoppingRule, conjugate_gradients, conjugate_residuals, mpcg, mpcg_from_rest};
pub use scalar::Scalar;
pub use sparse_cholesky::{FactorEntry, SparseCholesky};
pub use sym3::Sym3;
pub use vector::{PIECE, dot};

use vector::in_pieces;

/// A symmetric positive definite matrix A.
pub trait Operator<T: Scalar = f64>: Sync {
    /// Number of rows counted by [`SolveReport::row_products`]: nodes, not scalars.
    fn rows(&self) -> usize;
    /// y = A x.
    fn apply(&self, x: &[T], y: &mut [T]);
    /// The operator by pieces of y, where it can be taken so.
    fn pieces(&self) -> Option<&dyn PiecewiseOperator<T>> {
        None
    }
}

/// An orthogonal projection S onto the directions that are free.
pub trait Filter<T: Scalar = f64>: Sync {
    /// v ← S v.
    fn apply(&self, v: &mut [T]);
    /// The filter by pieces, where no piece needs another.
    fn pieces(&self) -> Option<&dyn PiecewiseFilter<T>> {
        None
    }
}

/// An approximation P of S A + I − S that is easy to invert; symmetric positive definite.
pub trait Preconditioner<T: Scalar = f64>: Sync {
    /// h = P⁻¹ r.
    fn apply_inverse(&self, r: &[T], h: &mut [T]);
    /// The preconditioner by pieces, where no piece needs another.
    fn pieces(&self) -> Option<&dyn PiecewisePreconditioner<T>> {
        None
    }
}

/// An [`Operator`] of which any piece of a product can be computed alone.
pub trait PiecewiseOperator<T: Scalar = f64>: Sync {
    /// Number of rows, see [`Operator::rows`].
    fn rows(&self) -> usize;
    /// y = the entries of A x from `first` on; x is whole. `first` is a multiple of [`PIECE`].
    fn apply_piece(&self, x: &[T], first: usize, y: &mut [T]);
}

/// A [`Filter`] that couples no two pieces.
pub trait PiecewiseFilter<T: Scalar = f64>: Sync {
    /// v ← S v, where v are the entries from `first` on, a multiple of [`PIECE`].
    fn apply_piece(&self, first: usize, v: &mut [T]);
}

/// A [`Preconditioner`] that couples no two pieces.
pub trait PiecewisePreconditioner<T: Scalar = f64>: Sync {
    /// h = P⁻¹ r, the entries from `first` on, a multiple of [`PIECE`].
    fn apply_inverse_piece(&self, first: usize, r: &[T], h: &mut [T]);
}

impl<T: Scalar, A: PiecewiseOperator<T>> Operator<T> for A {
    fn rows(&self) -> usize {
        PiecewiseOperator::rows(self)
    }

    fn apply(&self, x: &[T], y: &mut [T]) {
        in_pieces([y], |first, [y]| {
            self.apply_piece(x, first, y);
            []
        });
    }

    fn pieces(&self) -> Option<&dyn PiecewiseOperator<T>> {
        Some(self)
    }
}

impl<T: Scalar, S: PiecewiseFilter<T>> Filter<T> for S {
    fn apply(&self, v: &mut [T]) {
        in_pieces([v], |first, [v]| {
            self.apply_piece(first, v);
            []
        });
    }

    fn pieces(&self) -> Option<&dyn PiecewiseFilter<T>> {
        Some(self)
    }
}

impl<T: Scalar, P: PiecewisePreconditioner<T>> Preconditioner<T> for P {
    fn apply_inverse(&self, r: &[T], h: &mut [T]) {
        in_pieces([h], |first, [h]| {
            self.apply_inverse_piece(first, &r[first..first + h.len()], h);
            []
        });
    }

    fn pieces(&self) -> Option<&dyn PiecewisePreconditioner<T>> {
        Some(self)
    }
}

/// The filter that leaves every direction free, S = I.
#[derive(Clone, Copy, Debug, Default)]
pub struct Unfiltered;

impl<T: Scalar> PiecewiseFilter<T> for Unfiltered {
    fn apply_piece(&self, _first: usize, _v: &mut [T]) {}
}

/// The preconditioner that changes nothing, P = I.
#[derive(Clone, Copy, Debug, Default)]
pub struct Unpreconditioned;

impl<T: Scalar> PiecewisePreconditioner<T> for Unpreconditioned {
    fn apply_inverse_piece(&self, _first: usize, r: &[T], h: &mut [T]) {
        h.copy_from_slice(r);
    }
}

/// An operator given as a function that writes A x to its second argument.
#[derive(Clone, Copy, Debug)]
pub struct MatrixFree<F> {
    /// Number of rows, see [`Operator::rows`].
    pub rows: usize,
    /// Writes A x, from the first argument to the second.
    pub product: F,
}

impl<F: Fn(&[f64], &mut [f64]) + Sync> Operator for MatrixFree<F> {
    fn rows(&self) -> usize {
        self.rows
    }

    fn apply(&self, x: &[f64], y: &mut [f64]) {
        (self.product)(x, y);
    }
}
