//! Stages `reset` and `pins`: the change of velocity that a step starts with.

use super::super::vector::{Vec3, scaled};
use super::fixed::difference;
use crate::gpu::{NodePosition, NodeVector, PinTarget, node_flags};

/// Zero, but what is prescribed: yarns that do not slide come to rest.
pub fn node(flags: u32, velocity: &NodeVector) -> NodeVector {
    let stop = |bit: u32, v: f32| if flags & bit != 0 { -v } else { 0.0 };
    let NodeVector { x, y, z, u, v } = *velocity;
    let held = |c: f32| stop(node_flags::HELD, c);
    NodeVector { x: held(x), y: held(y), z: held(z), u: stop(node_flags::STUCK_U, u), v: stop(node_flags::STUCK_V, v) }
}

/// The change of a pinned node's velocity with which it reaches its target in the `left` seconds of the frame.
pub fn pin(pin: &PinTarget, position: &NodePosition, velocity: &NodeVector, left: f32, unit: f32) -> Vec3 {
    let [x, y, z] = pin.goal;
    let way = difference(position, &NodePosition { x, y, z, fraction: 0 }, unit);
    let v = scaled(way, 1.0 / left);
    [v[0] - velocity.x, v[1] - velocity.y, v[2] - velocity.z]
}
