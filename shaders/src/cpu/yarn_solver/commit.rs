//! Stage `commit`: one node moves to the end of the step.

use super::fixed::{arc, fractions, moved};
use super::view::Value;
use crate::gpu::constants::{ARC_FRACTION, POSITION_FRACTION};
use crate::gpu::{NodeArcs, NodePosition, NodeVector};

/// Position and arc coordinates after h seconds at velocity v; what is left of a unit is kept.
pub fn node(position: &NodePosition, arcs: &NodeArcs, v: &Value, h: f32, unit: f32) -> (NodePosition, NodeArcs) {
    let rest = fractions(position.fraction);
    let units = h / unit;
    let step = |c: i32, k: usize| moved(c, rest[k], v.x[k] * units, POSITION_FRACTION, 512);
    let ((x, fx), (y, fy), (z, fz)) = (step(position.x, 0), step(position.y, 1), step(position.z, 2));
    let slide = |slot: usize| {
        let (whole, fraction) = arc(arcs, slot);
        moved(whole, fraction, v.s[slot] * units, ARC_FRACTION, 32_768)
    };
    let ((u, fu), (v, fv)) = (slide(0), slide(1));
    (
        NodePosition { x, y, z, fraction: (fx & 0x3ff) | (fy & 0x3ff) << 10 | (fz & 0x3ff) << 20 },
        NodeArcs { u, v, fraction: (fu & 0xffff) | fv << 16 },
    )
}

/// The velocity at the end of the step.
pub fn velocity(start: &NodeVector, change: &Value) -> Value {
    Value::combine(&(*start).into(), 1.0, change, 1.0)
}
