//! Stages of conjugate gradients: `start`, `update`, `direction`.

use super::super::vector::{Vec3, sub};
use super::super::yarn_solver::Value;
use super::coarse::spread;
use super::diagonal::{kept, scaled_by};
use crate::gpu::{HybridRow, NodeDiagonal};

/// B times what hybrid vertices carry.
#[derive(Clone, Copy)]
pub struct Spread<'a> {
    /// B.
    pub rows: &'a [HybridRow],
    /// Hybrid vertices of the hybrid triangles.
    pub triangles: &'a [[u32; 3]],
    /// By hybrid vertex.
    pub carried: &'a [Vec3],
}

impl Spread<'_> {
    fn at(&self, diagonal: &NodeDiagonal) -> Vec3 {
        spread(self.rows, self.triangles, self.carried, diagonal.row)
    }
}

/// The residual of the reduced unknowns, b_p + B K⁻¹ b_v, and its rᵀM⁻¹r and rᵀr.
pub fn start(diagonal: &NodeDiagonal, b: &Spread<'_>, r: &Value) -> (Value, [f32; 2]) {
    let shares = Value { x: b.at(diagonal), s: [0.0; 2] };
    let r = kept(diagonal, &Value::combine(r, 1.0, &shares, 1.0));
    (r, [Value::dot(&r, &scaled_by(diagonal, &r)), Value::dot(&r, &r)])
}

/// x += α d, r −= α (w + B e); rᵀM⁻¹r and rᵀr.
pub fn update(
    diagonal: &NodeDiagonal,
    b: &Spread<'_>,
    alpha: f32,
    x: &Value,
    r: &Value,
    d: &Value,
    w: &Value,
) -> (Value, Value, [f32; 2]) {
    let shares = Value { x: b.at(diagonal), s: [0.0; 2] };
    let y = Value::combine(w, 1.0, &shares, 1.0);
    let r = kept(diagonal, &Value::combine(r, 1.0, &y, -alpha));
    let sums = [Value::dot(&r, &scaled_by(diagonal, &r)), Value::dot(&r, &r)];
    (Value::combine(x, 1.0, d, alpha), r, sums)
}

/// d = M⁻¹ (r − B λ) + β d.
pub fn direction(diagonal: &NodeDiagonal, b: &Spread<'_>, beta: f32, r: &Value, d: &Value) -> Value {
    let rest = Value { x: sub(r.x, b.at(diagonal)), s: r.s };
    let y = scaled_by(diagonal, &rest);
    if beta == 0.0 { y } else { Value::combine(&y, 1.0, d, beta) }
}
