//! A triangle of cloth and its deformation gradient.
//!
//!   F = Σ_k v_k ∇N_kᵀ (3×2),  δF = Σ_k δv_k ∇N_kᵀ,  f_k = −A P ∇N_k,  P = ∂ψ/∂F                       [Casafranca20, §4.1]
//!
//! N_k are the linear functions of the corners in the material plane. ψ is an energy per rest area, J/m², so that P is in N/m.

use super::membrane::{Gradient, Tangent};
use crate::{Error, Result};
use nalgebra::{Vector2, Vector3, Vector6};

/// A triangle at rest.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Triangle {
    /// Its vertices.
    pub corners: [u32; 3],
    /// A: rest area, m².
    pub area: f64,
    /// ∇N_k in the material plane, 1/m.
    pub gradients: [[f64; 2]; 3],
}

impl Triangle {
    /// From the corners' UVs, meters: u along the wefts, v along the warps. `number` (counted from 1) and `origin` are for
    /// messages.
    pub fn new(corners: [u32; 3], uvs: [[f64; 2]; 3], number: usize, origin: &str) -> Result<Self> {
        let [x0, x1, x2] = uvs.map(Vector2::from);
        let (a, b) = (x1 - x0, x2 - x0);
        let double_area = a.perp(&b);
        let longest = a.norm_squared().max(b.norm_squared()).max((b - a).norm_squared());
        // Also refuses NaN.
        if !(double_area.abs() > 2e-6 * longest && double_area.abs() > 2e-18 && longest.is_finite()) {
            let problem = format!("triangle {number} has no area in the UV plane: unwrap the mesh, with UVs in meters");
            return Err(Error::invalid(origin, problem));
        }
        let n1 = [b.y / double_area, -b.x / double_area];
        let n2 = [-a.y / double_area, a.x / double_area];
        let n0 = [-(n1[0] + n2[0]), -(n1[1] + n2[1])];
        Ok(Triangle { corners, area: 0.5 * double_area.abs(), gradients: [n0, n1, n2] })
    }

    /// F of corners at these positions (meters), or δF of their changes.
    #[inline]
    pub fn deformation(&self, corners: [Vector3<f64>; 3]) -> Gradient {
        let mut f = Gradient::zeros();
        for (x, [nu, nv]) in corners.iter().zip(&self.gradients) {
            f.column_mut(0).axpy(*nu, x, 1.0);
            f.column_mut(1).axpy(*nv, x, 1.0);
        }
        f
    }

    /// Forces on the corners from P in N/m, N.
    #[inline]
    pub fn forces(&self, stress: &Gradient) -> [Vector3<f64>; 3] {
        self.gradients.map(|[nu, nv]| (stress.column(0) * nu + stress.column(1) * nv) * -self.area)
    }

    /// −∂f/∂v times changes of the corners (meters), N: positive semi-definite where the tangent is.
    #[inline]
    pub fn product(&self, tangent: &Tangent, change: [Vector3<f64>; 3]) -> [Vector3<f64>; 3] {
        let change = Vector6::from_column_slice(self.deformation(change).as_slice());
        let stress = Gradient::from_column_slice((tangent * change).as_slice());
        self.forces(&stress).map(|f| -f)
    }

    /// Length of the edge opposite to corner k, meters: 2 A |∇N_k|.
    pub fn edge_length(&self, k: usize) -> f64 {
        2.0 * self.area * self.gradients[k][0].hypot(self.gradients[k][1])
    }

    /// Unit normal of the edge opposite to corner k, in the material plane, toward the corner.
    pub fn edge_normal(&self, k: usize) -> [f64; 2] {
        let [nu, nv] = self.gradients[k];
        let inverse = nu.hypot(nv).recip();
        [nu * inverse, nv * inverse]
    }

    /// From corner i to corner j in the material plane, meters.
    pub fn edge(&self, i: usize, j: usize) -> [f64; 2] {
        // x_1 − x_0 and x_2 − x_0 are the columns of the inverse of (∇N_1, ∇N_2)ᵀ.
        let ([a, b], [c, d]) = (self.gradients[1], self.gradients[2]);
        let determinant = a * d - b * c;
        let from_first = [[0.0, 0.0], [d / determinant, -c / determinant], [-b / determinant, a / determinant]];
        [from_first[j][0] - from_first[i][0], from_first[j][1] - from_first[i][1]]
    }
}
