//! Stages of points around the solve: `reset`, `pins`, `finish`, `check`, `settle`, `commit`, `output`.

use super::super::vector::{Vec3, combine, scaled};
use super::super::yarn_solver::elements::ElementInput;
use super::super::yarn_solver::fixed::difference;
use super::super::yarn_solver::view::neighbor;
use super::super::yarn_solver::{Value, check as yarn_check, commit as yarn_commit, settle as yarn_settle};
use super::diagonal::{kept, lumped_mass};
use crate::gpu::{HybridParams, NodeAnchors, NodeArcs, NodeDiagonal, NodePosition, NodeVector, PinTarget, fault};

/// The change of velocity that a step starts with, and the velocity then.
pub fn reset(diagonal: &NodeDiagonal, velocity: &NodeVector) -> (Value, Value) {
    let v: Value = (*velocity).into();
    let free = kept(diagonal, &v);
    (Value::combine(&free, 1.0, &v, -1.0), free)
}

/// The velocity with which a pinned point reaches its target in the `left` seconds of the frame, and how it differs from its own.
pub fn pins(pin: &PinTarget, position: &NodePosition, velocity: &NodeVector, left: f32, unit: f32) -> [Vec3; 2] {
    let [x, y, z] = pin.goal;
    let way = difference(position, &NodePosition { x, y, z, fraction: 0 }, unit);
    let speed = scaled(way, 1.0 / left);
    [speed, [speed[0] - velocity.x, speed[1] - velocity.y, speed[2] - velocity.z]]
}

/// The velocity at the end of the step.
pub fn finish(velocity: &NodeVector, change: &Value) -> Value {
    Value::combine(&(*velocity).into(), 1.0, change, 1.0)
}

/// The worst of what [`fault`] names at point i; nodes come first.
pub fn check(input: &ElementInput<'_>, hybrid: &HybridParams, i: usize) -> u32 {
    let mut worst = fault::NONE;
    if i < input.links.len() {
        worst = yarn_check::node(input, i);
        for port in [1, 3] {
            let Some(n) = neighbor(input.links, i, port) else { continue };
            let piece = input.piece(i, port, n, input.scalars.h);
            if piece.longer.abs() > hybrid.strain_change * piece.rest_before {
                worst = worst.max(fault::CROWDED);
            }
        }
    } else if !yarn_check::is_placed(input, i) {
        worst = fault::NOT_FINITE;
    }
    worst
}

/// Momentum and anchors of node i after the step.
pub fn settle(
    input: &ElementInput<'_>,
    hybrid: &HybridParams,
    diagonal: &NodeDiagonal,
    i: usize,
) -> (NodeVector, NodeAnchors) {
    let mut sum: Value = yarn_settle::momentum_of(input, i).into();
    let mass = lumped_mass(hybrid, input.links[i].flags, diagonal);
    sum.x = combine(sum.x, 1.0, input.velocity_of(i).x, mass);
    (sum.into(), yarn_settle::anchors_of(input, i))
}

/// Position and arc coordinates after h seconds at velocity v.
pub fn commit(position: &NodePosition, arcs: &NodeArcs, v: &Value, h: f32, unit: f32) -> (NodePosition, NodeArcs) {
    yarn_commit::node(position, arcs, v, h, unit)
}

/// Meters from the origin of fixed point.
pub fn output(position: &NodePosition, unit: f32) -> Vec3 {
    difference(&NodePosition::default(), position, unit)
}
