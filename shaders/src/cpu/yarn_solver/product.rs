//! Stage `product`: A times a vector at one node, without a matrix.

use super::super::vector::{Vec3, combine};
use super::corner::corners_at;
use super::segment::Ends;
use super::view::{Nodes, Value};
use crate::gpu::node_flags;

/// (A x) at a node; `mass` = (1 + hα) ρ/6, kg/m.
pub fn node<V: Fn(usize) -> Value>(nodes: &Nodes<'_, V>, i: usize, mass: f32) -> Value {
    let own = (nodes.value)(i);
    let diagonal = nodes.rows[i][7];
    let mut y = Value { x: [0.0; 3], s: [diagonal[0] * own.s[0], diagonal[1] * own.s[1]] };
    for port in 0..4 {
        let Some(n) = nodes.neighbor(i, port) else { continue };
        let slot = port / 2;
        let (x, s) = nodes.segment(Ends::new(i, port, n), mass);
        add(&mut y.x, x, 1.0);
        y.s[slot] += s;
        if let Some(bend) = nodes.bend(n.node, n.slot()) {
            // Behind a plus port this node is the 2 of its neighbor's bend, otherwise the 1.
            let end = if port % 2 == 1 { 2 } else { 1 };
            let [g, h] = bend.at(end);
            add(&mut y.x, combine(g, bend.products[0], h, bend.products[1]), 1.0);
            y.s[slot] += if end == 2 { bend.rate * bend.products[0] } else { -bend.rate * bend.products[0] };
        }
        for k in corners_at(n.port) {
            if let Some(corner) = nodes.corner(n.node, k) {
                add(&mut y.x, if n.port < 2 { corner.warp } else { corner.weft }, corner.product);
            }
        }
    }
    for slot in 0..2 {
        if let Some(bend) = nodes.bend(i, slot) {
            let [g, h] = bend.at(0);
            add(&mut y.x, combine(g, bend.products[0], h, bend.products[1]), 1.0);
        }
    }
    for k in 0..4 {
        if let Some(corner) = nodes.corner(i, k) {
            add(&mut y.x, combine(corner.warp, 1.0, corner.weft, 1.0), -corner.product);
        }
    }
    y
}

pub(super) fn add(sum: &mut Vec3, v: Vec3, factor: f32) {
    *sum = combine(*sum, 1.0, v, factor);
}

/// A vector without what is prescribed.
pub fn masked(flags: u32, v: &Value) -> Value {
    let keep = |bit: u32, c: f32| if flags & bit != 0 { 0.0 } else { c };
    Value {
        x: v.x.map(|c| keep(node_flags::HELD, c)),
        s: [keep(node_flags::STUCK_U, v.s[0]), keep(node_flags::STUCK_V, v.s[1])],
    }
}

/// a·b.
pub fn dot(a: &Value, b: &Value) -> f32 {
    Value::dot(a, b)
}
