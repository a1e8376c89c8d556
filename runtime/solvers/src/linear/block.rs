//! Filters and preconditioners that treat each node alone: block-diagonal, with blocks of any size that divides
//! [`PIECE`](super::PIECE).

use super::{Constraint, PIECE, PiecewiseFilter, PiecewisePreconditioner, Sym3};
use nalgebra::{SMatrix, SVector};

/// The projection S_i of one node of N entries.
pub trait NodeProjection<const N: usize>: Sync {
    /// v ← S_i v.
    fn project(&self, v: &mut [f64; N]);
}

/// S = diag(S_1, …, S_n), one projection for each node of N entries.
#[derive(Clone, Copy, Debug)]
pub struct BlockFilter<'a, C, const N: usize>(pub &'a [C]);

impl<C: NodeProjection<N>, const N: usize> PiecewiseFilter for BlockFilter<'_, C, N> {
    fn apply_piece(&self, first: usize, v: &mut [f64]) {
        const { assert!(PIECE.is_multiple_of(N), "no node may be cut") };
        for (v, projection) in v.as_chunks_mut::<N>().0.iter_mut().zip(&self.0[first / N..]) {
            projection.project(v);
        }
    }
}

/// S_i of [Boxerman03, Eq. 5.1].
impl NodeProjection<3> for Constraint {
    #[inline]
    fn project(&self, v: &mut [f64; 3]) {
        if !matches!(self, Constraint::Free) {
            *v = self.apply(v);
        }
    }
}

/// A symmetric block of N × N entries.
pub trait Block<const N: usize>: Sync {
    /// The product with a vector.
    fn times(&self, v: &[f64; N]) -> [f64; N];
}

impl Block<3> for Sym3 {
    #[inline]
    fn times(&self, v: &[f64; 3]) -> [f64; 3] {
        self.mul(v)
    }
}

impl<const N: usize> Block<N> for SMatrix<f64, N, N> {
    #[inline]
    fn times(&self, v: &[f64; N]) -> [f64; N] {
        (self * SVector::from(*v)).into()
    }
}

/// Which matrix approximates the constrained problem's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PreconditionerKind {
    /// P = I.
    None,
    /// `A-Block`: P = C, the diagonal blocks of A. A poor choice where particles slide [Boxerman03, Fig. 5.7].
    BlockDiagonal,
    /// `CP`: P = S C + (I − S) [Boxerman03, Eq. 5.4].
    #[default]
    Constrained,
}

/// A block-diagonal preconditioner, kept as the inverses of its blocks.
#[derive(Clone, Debug)]
pub struct BlockDiagonal<B, const N: usize> {
    /// Empty for the identity.
    inverse: Vec<B>,
}

impl<B, const N: usize> BlockDiagonal<B, N> {
    /// From the inverse of each block.
    pub fn from_inverses(inverse: Vec<B>) -> Self {
        BlockDiagonal { inverse }
    }
}

impl BlockDiagonal<Sym3, 3> {
    /// From the diagonal blocks of A and the constraint of each node.
    ///
    /// A block that is not positive definite, which rounding may do to extreme stiffness ratios, is replaced by the
    /// identity: a preconditioner may be rough, not singular.
    pub fn new(kind: PreconditionerKind, diagonal: &[Sym3], constraints: &[Constraint]) -> Self {
        let invert = |c: Sym3| c.inverse().unwrap_or(Sym3::scaled_identity(1.0));
        BlockDiagonal::from_inverses(match kind {
            PreconditionerKind::None => Vec::new(),
            PreconditionerKind::BlockDiagonal => diagonal.iter().map(|c| invert(*c)).collect(),
            PreconditionerKind::Constrained => {
                diagonal.iter().zip(constraints).map(|(c, s)| invert(s.constrain(c))).collect()
            }
        })
    }
}

impl<B: Block<N>, const N: usize> PiecewisePreconditioner for BlockDiagonal<B, N> {
    fn apply_inverse_piece(&self, first: usize, r: &[f64], h: &mut [f64]) {
        const { assert!(PIECE.is_multiple_of(N), "no node may be cut") };
        if self.inverse.is_empty() {
            h.copy_from_slice(r);
            return;
        }
        let (r, _) = r.as_chunks::<N>();
        for ((r, h), inverse) in r.iter().zip(h.as_chunks_mut::<N>().0).zip(&self.inverse[first / N..]) {
            *h = inverse.times(r);
        }
    }
}
