//! A point's own mass.

use super::super::vector::scaled;
use super::super::yarn_solver::Value;
use crate::gpu::{HybridParams, NodeDiagonal, node_flags};

/// A vector without what is prescribed.
pub fn kept(diagonal: &NodeDiagonal, v: &Value) -> Value {
    let x = if diagonal.x > 0.0 { v.x } else { [0.0; 3] };
    let keep = |inverse: f32, s: f32| if inverse > 0.0 { s } else { 0.0 };
    Value { x, s: [keep(diagonal.u, v.s[0]), keep(diagonal.v, v.s[1])] }
}

/// M⁻¹ r, where a point's own mass is all of M.
pub fn scaled_by(diagonal: &NodeDiagonal, r: &Value) -> Value {
    Value { x: scaled(r.x, diagonal.x.max(0.0)), s: [r.s[0] * diagonal.u, r.s[1] * diagonal.v] }
}

/// Mass that is at a node alone, kg: its diagonal has that of segments at rest with it.
pub fn lumped_mass(params: &HybridParams, flags: u32, diagonal: &NodeDiagonal) -> f32 {
    let heavy = (flags / node_flags::HEAVY) & 7;
    1.0 / diagonal.x.abs() - heavy as f32 * params.heavy_mass
}
