//! Filtered linear systems: the vocabulary that the cloth solver and, later, the hybrid solver share.
//!
//! The constrained problem is
//!
//!   S A x = S b,   (I − S) x = (I − S) z                                     [Boxerman03, Eq. 5.2]
//!
//! - [`Operator`]: A, symmetric positive definite, known by its product with a vector.
//! - [`Filter`]: S, an orthogonal projection that removes constrained directions ([Casafranca20, Eq. 7] calls its
//!   generalized form a filter as well).
//! - [`Preconditioner`]: P, applied through its inverse. It should approximate S A + I − S, not A [Boxerman03, §5.3].
//! - [`mpcg`]: the modified preconditioned conjugate gradient method that puts them together.
//!
//! Vectors are plain slices of `f64`: a particle takes three entries, yarn crossings may take five. All three work on pieces
//! of vectors that begin at multiples of [`PIECE`] entries, so that an iteration is a few passes over memory.

mod axial_block;
mod block_matrix;
mod filter;
mod mpcg;
mod preconditioner;
mod sym3;
mod vector;

pub use axial_block::AxialBlock;
pub use block_matrix::{BlockMatrix, BlockRows, Connection};
pub use filter::{Constraint, ParticleFilter};
pub use mpcg::{MpcgOptions, MpcgReport, mpcg};
pub use preconditioner::{BlockPreconditioner, PreconditionerKind};
pub use sym3::Sym3;
pub use vector::{PIECE, dot};

/// A symmetric positive definite matrix A.
pub trait Operator: Sync {
    /// Number of rows counted by [`MpcgReport::row_products`]: particles or nodes, not scalars.
    fn rows(&self) -> usize;
    /// y = the entries of A x from `first` on.
    fn apply(&self, x: &[f64], first: usize, y: &mut [f64]);
}

/// An orthogonal projection S onto the directions that are free.
pub trait Filter: Sync {
    /// v ← S v, where v are the entries from `first` on.
    fn apply(&self, first: usize, v: &mut [f64]);
    /// x ← S x + (I − S) z, the vector that has the free part of x and the prescribed part of z, from `first` on.
    fn impose(&self, first: usize, x: &mut [f64], z: &[f64]) {
        for (x, z) in x.iter_mut().zip(z) {
            *x -= z;
        }
        self.apply(first, x);
        for (x, z) in x.iter_mut().zip(z) {
            *x += z;
        }
    }
}

/// An approximation P of S A + I − S that is easy to invert.
pub trait Preconditioner: Sync {
    /// h = P⁻¹ r, the entries from `first` on.
    fn apply_inverse(&self, first: usize, r: &[f64], h: &mut [f64]);
}
