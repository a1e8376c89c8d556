//! Orthotropic St. Venant-Kirchhoff membrane, its axes along the yarns.
//!
//!   ψ = ½ C11 E11² + C12 E11 E22 + ½ C22 E22² + 2 C66 E12²,  E = ½ (FᵀF − I),  P = F S,  S = ∂ψ/∂E     [Casafranca20, §4.1]
//!
//!   δP = F (C : sym(FᵀδF)) + δF S⁺, with S⁺ the positive part of S
//!
//! Differs from the paper, which does not say whether its membrane is isotropic: no isotropic one fits a weave, whose stretch
//! is hundreds of times stiffer than its shear. Exact where S has no negative eigenvalue. In strong compression (E11 near −⅓)
//! the force drops, as it does in every St. Venant-Kirchhoff membrane.

use super::{Gradient, Tangent};
use nalgebra::{Matrix3, SMatrix, SymmetricEigen};
use yarnwise_shared::table::strain::Sym2;

/// Coefficients of the membrane, N/m.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StVenantKirchhoff {
    /// Along u.
    pub c11: f64,
    /// Along v.
    pub c22: f64,
    /// Between the two.
    pub c12: f64,
    /// Shear.
    pub c66: f64,
}

impl StVenantKirchhoff {
    /// ψ, J/m².
    pub fn energy(&self, f: &Gradient) -> f64 {
        let e = strain(f);
        0.5 * (self.c11 * e.xx * e.xx + self.c22 * e.yy * e.yy) + self.c12 * e.xx * e.yy + 2.0 * self.c66 * e.xy * e.xy
    }

    /// P, N/m.
    pub fn stress(&self, f: &Gradient) -> Gradient {
        first_stress(f, &self.second_stress(&strain(f)))
    }

    /// What resists a change of strain: P, N/m, and its tangent.
    pub fn damping(&self, start: &Gradient, end: &Gradient) -> (Gradient, Tangent) {
        let [a, b] = [strain(start), strain(end)];
        let s = self.second_stress(&Sym2::new(b.xx - a.xx, b.xy - a.xy, b.yy - a.yy));
        (first_stress(end, &s), self.with_tension(end, &s))
    }

    /// S, N/m.
    fn second_stress(&self, e: &Sym2<f64>) -> Sym2<f64> {
        let (xx, yy) = (self.c11 * e.xx + self.c12 * e.yy, self.c12 * e.xx + self.c22 * e.yy);
        Sym2::new(xx, 2.0 * self.c66 * e.xy, yy)
    }

    /// P = T + S: of stretch and of shear, N/m.
    pub fn stress_parts(&self, f: &Gradient) -> [Gradient; 2] {
        let s = self.second_stress(&strain(f));
        let (u, v) = (f.column(0), f.column(1));
        [Gradient::from_columns(&[u * s.xx, v * s.yy]), Gradient::from_columns(&[v * s.xy, u * s.xy])]
    }

    /// The part of the tangent that rigid rotation does not feel, N/m.
    pub fn material_tangent(&self, f: &Gradient) -> Tangent {
        // Rows: δE11, δE22, 2 δE12.
        let mut rows = SMatrix::<f64, 3, 6>::zeros();
        for k in 0..3 {
            let (u, v) = (f[(k, 0)], f[(k, 1)]);
            rows[(0, k)] = u;
            rows[(1, 3 + k)] = v;
            (rows[(2, k)], rows[(2, 3 + k)]) = (v, u);
        }
        rows.transpose() * self.positive() * rows
    }

    /// Symmetric positive semi-definite, N/m.
    pub fn tangent(&self, f: &Gradient) -> Tangent {
        self.with_tension(f, &self.second_stress(&strain(f)))
    }

    /// The tangent under a stress S.
    fn with_tension(&self, f: &Gradient, s: &Sym2<f64>) -> Tangent {
        let mut tangent = self.material_tangent(f);
        let s = s.clamp_eigenvalues(0.0);
        for k in 0..3 {
            tangent[(k, k)] += s.xx;
            tangent[(3 + k, 3 + k)] += s.yy;
            tangent[(k, 3 + k)] += s.xy;
            tangent[(3 + k, k)] += s.xy;
        }
        tangent
    }

    /// C for (E11, E22, 2 E12), without its negative part: a C12 beyond √(C11 C22) would have one.
    fn positive(&self) -> Matrix3<f64> {
        let s = Sym2::new(self.c11, self.c12, self.c22).clamp_eigenvalues(0.0);
        Matrix3::new(s.xx, s.xy, 0.0, s.xy, s.yy, 0.0, 0.0, 0.0, self.c66.max(0.0))
    }
}

/// P = F S.
fn first_stress(f: &Gradient, s: &Sym2<f64>) -> Gradient {
    let (u, v) = (f.column(0), f.column(1));
    Gradient::from_columns(&[u * s.xx + v * s.xy, u * s.xy + v * s.yy])
}

/// E.
fn strain(f: &Gradient) -> Sym2<f64> {
    let (u, v) = (f.column(0), f.column(1));
    Sym2::new(0.5 * (u.norm_squared() - 1.0), 0.5 * u.dot(&v), 0.5 * (v.norm_squared() - 1.0))
}

/// A symmetric 3×3 matrix without its negative eigenvalues.
pub(super) fn positive_part(m: &Matrix3<f64>) -> Matrix3<f64> {
    let SymmetricEigen { eigenvectors, eigenvalues } = SymmetricEigen::new(*m);
    eigenvectors * Matrix3::from_diagonal(&eigenvalues.map(|l| l.max(0.0))) * eigenvectors.transpose()
}
