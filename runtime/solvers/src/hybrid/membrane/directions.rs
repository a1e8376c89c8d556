//! F seen along the yarns: their stretches and their angle, with derivatives.
//!
//!   l_u = |F_u|,  l_v = |F_v|,  φ = angle of F_u and F_v
//!
//! With stresses σ_u, μ, σ_v of an energy ψ(l_u, φ, l_v) its geometric stiffness σ_u ∇²l_u + μ ∇²φ + σ_v ∇²l_v falls apart
//! into three 2×2 blocks, in the words of [`Angle`]:
//!
//!   column u, along (t1, e1):  [0, μ/l_u²; ·, σ_u/l_u],  column v, along (t3, e3): the same with v
//!   out of plane, along b:     [σ_u/l_u + μ cot φ/l_u², −μ/(sin φ l_u l_v); ·, σ_v/l_v + μ cot φ/l_v²]
//!
//! Their positive parts need no eigenvectors.

use super::{Gradient, Tangent};
use crate::yarn::force::corner_row;
use crate::yarn::kinematics::{Angle, Segment};
use nalgebra::{Matrix3, SMatrix, Vector3};
use yarnwise_shared::table::strain::Sym2;

/// Stretches and angle of the yarns of a uniform F.
pub(super) struct Directions {
    /// Along F_u and F_v, with rest length 1.
    pub(super) sides: [Segment; 2],
    /// From F_u to F_v.
    pub(super) angle: Angle,
}

/// ∂ψ/∂(l_u, φ, l_v), N/m.
pub(super) type Stresses = Vector3<f64>;

impl Directions {
    pub(super) fn new(f: &Gradient) -> Self {
        let sides = [0, 1].map(|k| Segment::new(f.column(k).into(), 1.0));
        Directions { angle: Angle::between(&sides[0].direction, &sides[1].direction), sides }
    }

    /// (l_u, φ, l_v).
    fn strains(&self) -> Vector3<f64> {
        Vector3::new(self.sides[0].length, self.angle.value, self.sides[1].length)
    }

    /// P, N/m.
    pub(super) fn stress(&self, stresses: &Stresses) -> Gradient {
        let [u, v] = &self.sides;
        let [g1, g3] = corner_row(&self.angle, u, v);
        let [along_u, turn, along_v] = (*stresses).into();
        Gradient::from_columns(&[u.direction * along_u + g1 * turn, v.direction * along_v + g3 * turn])
    }

    /// Of a stiffness in (l_u, φ, l_v) that has no negative eigenvalue, N/m, with the positive geometric part of `stresses`.
    fn tangent(&self, stiffness: &Matrix3<f64>, stresses: &Stresses) -> Tangent {
        let [u, v] = &self.sides;
        let [g1, g3] = corner_row(&self.angle, u, v);
        let mut rows = SMatrix::<f64, 3, 6>::zeros();
        for k in 0..3 {
            rows[(0, k)] = u.direction[k];
            (rows[(1, k)], rows[(1, 3 + k)]) = (g1[k], g3[k]);
            rows[(2, 3 + k)] = v.direction[k];
        }
        let mut tangent = rows.transpose() * stiffness * rows;
        self.add_geometric(stresses, &mut tangent);
        // Rounding must not make it unsymmetric: Krylov methods would notice.
        (tangent + tangent.transpose()) * 0.5
    }

    fn add_geometric(&self, stresses: &Stresses, tangent: &mut Tangent) {
        let [along_u, turn, along_v] = (*stresses).into();
        let Angle { sine, cosine, normal, e1, e3, .. } = self.angle;
        let [iu, iv] = [0, 1].map(|k| self.sides[k].inverse_length());
        for (k, across, along, inverse) in [(0, e1, along_u, iu), (1, e3, along_v, iv)] {
            let block = Sym2::new(0.0, turn * inverse * inverse, along * inverse).clamp_eigenvalues(0.0);
            let t = self.sides[k].direction;
            let mixed = t * across.transpose();
            let sum = t * t.transpose() * block.xx
                + (mixed + mixed.transpose()) * block.xy
                + across * across.transpose() * block.yy;
            add(tangent, k, k, &sum);
        }
        let cotangent = cosine / sine;
        let out = Sym2::new(
            along_u * iu + turn * cotangent * iu * iu,
            -turn * iu * iv / sine,
            along_v * iv + turn * cotangent * iv * iv,
        );
        let out = out.clamp_eigenvalues(0.0);
        let across = normal * normal.transpose();
        for (i, j, factor) in [(0, 0, out.xx), (0, 1, out.xy), (1, 0, out.xy), (1, 1, out.yy)] {
            add(tangent, i, j, &(across * factor));
        }
    }
}

/// ψ(l_u, φ, l_v) of a law up to second order.
pub(super) struct SecondOrder {
    pub(super) directions: Directions,
    /// In (l_u, φ, l_v), without negative eigenvalues, N/m.
    pub(super) stiffness: Matrix3<f64>,
    pub(super) stresses: Stresses,
}

impl SecondOrder {
    /// Symmetric positive semi-definite, N/m.
    pub(super) fn tangent(&self) -> Tangent {
        self.directions.tangent(&self.stiffness, &self.stresses)
    }

    /// The part of the tangent that rigid rotation does not feel, N/m.
    pub(super) fn material_tangent(&self) -> Tangent {
        self.directions.tangent(&self.stiffness, &Stresses::zeros())
    }

    /// What resists a change of strain to `end` with the stiffness of this state: P, N/m, and its symmetric positive semi-definite tangent.
    pub(super) fn damping(&self, end: &Directions) -> (Gradient, Tangent) {
        let change = end.strains() - self.directions.strains();
        let stresses = self.stiffness * change;
        (end.stress(&stresses), end.tangent(&self.stiffness, &stresses))
    }

    /// P = T + S: of stretch and of shear, N/m.
    pub(super) fn stress_parts(&self) -> [Gradient; 2] {
        let [u, turn, v] = self.stresses.into();
        [self.directions.stress(&Stresses::new(u, 0.0, v)), self.directions.stress(&Stresses::new(0.0, turn, 0.0))]
    }
}

fn add(tangent: &mut Tangent, i: usize, j: usize, block: &Matrix3<f64>) {
    let mut part = tangent.fixed_view_mut::<3, 3>(3 * i, 3 * j);
    part += block;
}
