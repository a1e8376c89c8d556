//! Stage `settle`: momentum and anchors of one node at the end of a step.

use super::super::vector::scaled;
use super::angle::Angle;
use super::elements::ElementInput;
use super::segment::{Ends, momentum};
use super::view::{Value, neighbor};
use crate::gpu::{NodeAnchors, NodeVector, node_flags};

/// M v of node i, with M of the start of the step.
pub fn momentum_of(input: &ElementInput<'_>, i: usize) -> NodeVector {
    let mut sum = Value::default();
    for port in 0..4 {
        let Some(n) = neighbor(input.links, i, port) else { continue };
        let ends = Ends::new(i, port, n);
        if ends.is_lumped(input.links) {
            continue;
        }
        let Ends { a: (a, slot_a), b: (b, slot_b), far } = ends;
        let before = input.piece(i, port, n, 0.0);
        let w = scaled(before.t, before.length / before.rest);
        let (va, vb) = (input.velocity_of(a), input.velocity_of(b));
        let mass = input.params.density * before.rest / 6.0;
        let (p, s) = momentum(mass, w, (va.x, va.s[slot_a]), (vb.x, vb.s[slot_b]), far);
        super::product::add(&mut sum.x, p, 1.0);
        sum.s[port / 2] += s;
    }
    sum.into()
}

/// The anchors of node i after the step.
pub fn anchors_of(input: &ElementInput<'_>, i: usize) -> NodeAnchors {
    let mut anchors = input.anchors[i];
    if input.links[i].flags & node_flags::CROSSING == 0 {
        return anchors;
    }
    let (params, h) = (input.params, input.scalars.h);
    let force = input.compression[i];
    let slid = input.velocity_of(i).s;
    for slot in 0..2 {
        let reach = reach(params.friction * force, params.sliding);
        anchors.offsets[slot] = (anchors.offsets[slot] + h * slid[slot]).clamp(-reach, reach);
    }
    let away = |port: usize| {
        let piece = input.piece(i, port, neighbor(input.links, i, port)?, h);
        Some(scaled(piece.t, if port % 2 == 1 { 1.0 } else { -1.0 }))
    };
    let reach = reach(params.turning_friction * force, params.turning);
    for k in 0..4 {
        let (Some(t1), Some(t3)) = (away(k / 2), away(2 + k % 2)) else { continue };
        let phi = Angle::between(t1, t3).value();
        anchors.corners[k] = phi - (phi - anchors.corners[k]).clamp(-reach, reach);
    }
    anchors
}

/// The offset at which friction slips and drags its anchor.
fn reach(limit: f32, stiffness: f32) -> f32 {
    if stiffness > 0.0 { limit / stiffness } else { 0.0 }
}
