//! Block-diagonal preconditioners.

use super::{Constraint, Preconditioner, Sym3};

/// Which matrix approximates the constrained problem's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PreconditionerKind {
    /// P = I.
    None,
    /// `A-Block`: P = C, the 3×3 diagonal blocks of A. A poor choice where particles slide [Boxerman03, Fig. 5.7].
    BlockDiagonal,
    /// `CP`: P = S C + (I − S) [Boxerman03, Eq. 5.4].
    #[default]
    Constrained,
}

/// The inverse blocks of a block-diagonal P; empty for the identity.
#[derive(Clone, Debug, Default)]
pub struct BlockPreconditioner {
    inverse: Vec<Sym3>,
}

impl BlockPreconditioner {
    /// From the diagonal blocks of A and the constraint of each row.
    ///
    /// A block that is not positive definite, which rounding may do to extreme stiffness ratios, is replaced by the
    /// identity: a preconditioner may be rough, not singular.
    pub fn new(kind: PreconditionerKind, diagonal: &[Sym3], constraints: &[Constraint]) -> Self {
        let invert = |c: Sym3| c.inverse().unwrap_or(Sym3::scaled_identity(1.0));
        let inverse = match kind {
            PreconditionerKind::None => Vec::new(),
            PreconditionerKind::BlockDiagonal => diagonal.iter().map(|c| invert(*c)).collect(),
            PreconditionerKind::Constrained => {
                diagonal.iter().zip(constraints).map(|(c, s)| invert(s.constrain(c))).collect()
            }
        };
        BlockPreconditioner { inverse }
    }
}

impl Preconditioner for BlockPreconditioner {
    fn apply_inverse(&self, first: usize, r: &[f64], h: &mut [f64]) {
        if self.inverse.is_empty() {
            h.copy_from_slice(r);
            return;
        }
        let (r, _) = r.as_chunks::<3>();
        for ((r, h), inverse) in r.iter().zip(h.as_chunks_mut::<3>().0).zip(&self.inverse[first / 3..]) {
            *h = inverse.mul(r);
        }
    }
}
