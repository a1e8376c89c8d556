//! Lengths, rest lengths and directions of the segments of a period, and their derivatives.
//!
//!   d = F(s) (D + w_b − w_a),  l = |d|,  a = arg d,  ℓ = ℓ_0 + s_b − s_a
//!
//! F is the triangular root of the first fundamental form I = Fᵀ F of [Sperl21, Eq. 4]: energies do not see rotations. D is the
//! segment before any strain, w the displacements of nodes in the plane before the strain, m; s their sliding.

use super::layout::Layout;
use nalgebra::{DMatrix, DVector, Matrix2, Matrix3x2, Vector2};
use yarnwise_shared::table::strain::Strain;

/// Unknowns of a node: displacement, sliding of the warp, sliding of the weft.
pub(super) const UNKNOWNS: usize = 4;
/// Strains of a segment: l, ℓ, a.
pub(super) const STRAINS: usize = 3;

/// F and its derivatives by (sx, sa, sy).
pub(super) struct Deformation {
    gradient: Matrix2<f64>,
    by: [Matrix2<f64>; 3],
}

impl Deformation {
    pub(super) fn new(strain: &Strain<f64>) -> Self {
        let Strain { sx, sa, sy } = *strain;
        let height = (1.0 - sa * sa).max(0.0).sqrt();
        let matrix = Matrix2::new;
        Deformation {
            gradient: matrix(1.0 + sx, sa * (1.0 + sy), 0.0, height * (1.0 + sy)),
            by: [
                matrix(1.0, 0.0, 0.0, 0.0),
                matrix(0.0, 1.0 + sy, 0.0, -sa / height.max(1e-9) * (1.0 + sy)),
                matrix(0.0, sa, 0.0, height),
            ],
        }
    }
}

/// One segment under a strain.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stretched {
    /// l, m.
    pub(super) length: f64,
    /// ℓ, m.
    pub(super) rest: f64,
    /// a, radians.
    pub(super) direction: f64,
    /// D + w_b − w_a, m.
    reference: Vector2<f64>,
    /// d/l.
    tangent: Vector2<f64>,
}

/// All segments.
pub(super) struct Strains {
    deformation: Deformation,
    pub(super) segments: Vec<Stretched>,
}

impl Strains {
    /// With the unknowns q, four a node.
    pub(super) fn new(layout: &Layout, strain: &Strain<f64>, q: &DVector<f64>) -> Self {
        let deformation = Deformation::new(strain);
        let segments = layout.pieces.iter().map(|piece| {
            let [a, b] = piece.ends.map(|n| UNKNOWNS * n);
            let mut reference = Vector2::new(q[b] - q[a], q[b + 1] - q[a + 1]);
            reference[piece.slot ^ 1] += piece.spacing;
            let d = deformation.gradient * reference;
            let length = d.norm();
            Stretched {
                length,
                rest: piece.rest + (q[b + 2 + piece.slot] - q[a + 2 + piece.slot]),
                direction: d.y.atan2(d.x),
                reference,
                tangent: d / length,
            }
        });
        Strains { segments: segments.collect(), deformation }
    }

    /// Derivatives of l and a by d: rows.
    fn rows(segment: &Stretched) -> (Vector2<f64>, Vector2<f64>) {
        let t = segment.tangent;
        (t, Vector2::new(-t.y, t.x) / segment.length)
    }

    /// Σ of the second derivatives of l and a by d, times `along` and `across`.
    fn curvature(segment: &Stretched, along: f64, across: f64) -> Matrix2<f64> {
        let (t, n) = Self::rows(segment);
        n * n.transpose() * (along * segment.length)
            - (t * n.transpose() + n * t.transpose()) * (across / segment.length)
    }

    /// Derivatives of the strains by the unknowns.
    pub(super) fn by_unknowns(&self, layout: &Layout) -> DMatrix<f64> {
        let mut out = DMatrix::zeros(STRAINS * self.segments.len(), UNKNOWNS * layout.nodes());
        for (k, (piece, segment)) in layout.pieces.iter().zip(&self.segments).enumerate() {
            let (t, n) = Self::rows(segment);
            let [t, n] = [t, n].map(|row| self.deformation.gradient.transpose() * row);
            let row = STRAINS * k;
            for (node, sign) in piece.ends.into_iter().zip([-1.0, 1.0]) {
                let column = UNKNOWNS * node;
                for c in 0..2 {
                    out[(row, column + c)] += sign * t[c];
                    out[(row + 2, column + c)] += sign * n[c];
                }
                out[(row + 1, column + 2 + piece.slot)] += sign;
            }
        }
        out
    }

    /// Derivatives of the strains by (sx, sa, sy).
    pub(super) fn by_strain(&self) -> DMatrix<f64> {
        let mut out = DMatrix::zeros(STRAINS * self.segments.len(), 3);
        for (k, segment) in self.segments.iter().enumerate() {
            let (t, n) = Self::rows(segment);
            for (m, by) in self.deformation.by.iter().enumerate() {
                let change = by * segment.reference;
                out[(STRAINS * k, m)] = t.dot(&change);
                out[(STRAINS * k + 2, m)] = n.dot(&change);
            }
        }
        out
    }

    /// Adds to the second derivatives by the unknowns what the curvature of the strains gives with the stresses `g`.
    pub(super) fn add_curvature(&self, layout: &Layout, g: &DVector<f64>, out: &mut DMatrix<f64>) {
        let f = self.deformation.gradient;
        for (k, (piece, segment)) in layout.pieces.iter().zip(&self.segments).enumerate() {
            let block = f.transpose() * Self::curvature(segment, g[STRAINS * k], g[STRAINS * k + 2]) * f;
            let [a, b] = piece.ends.map(|n| UNKNOWNS * n);
            for (i, j, sign) in [(a, a, 1.0), (b, b, 1.0), (a, b, -1.0), (b, a, -1.0)] {
                let mut part = out.fixed_view_mut::<2, 2>(i, j);
                part += block * sign;
            }
        }
    }

    /// The same by (sx, sa, sy) and the unknowns: three rows.
    pub(super) fn mixed_curvature(&self, layout: &Layout, g: &DVector<f64>) -> DMatrix<f64> {
        let f = self.deformation.gradient;
        let mut out = DMatrix::zeros(3, UNKNOWNS * layout.nodes());
        for (k, (piece, segment)) in layout.pieces.iter().zip(&self.segments).enumerate() {
            let (along, across) = (g[STRAINS * k], g[STRAINS * k + 2]);
            let (t, n) = Self::rows(segment);
            let curvature = Self::curvature(segment, along, across);
            let stress = t * along + n * across;
            let mut block = Matrix3x2::zeros();
            for (m, by) in self.deformation.by.iter().enumerate() {
                let row = (curvature * by * segment.reference).transpose() * f + stress.transpose() * by;
                block.set_row(m, &row);
            }
            for (node, sign) in piece.ends.into_iter().zip([-1.0, 1.0]) {
                let mut part = out.fixed_view_mut::<3, 2>(0, UNKNOWNS * node);
                part += block * sign;
            }
        }
        out
    }
}
