//! Segments: stiffness and mass of one, times a vector.

use super::super::vector::{Vec3, combine, dot, scaled, sub};
use super::view::{Neighbor, Nodes, Value};
use crate::gpu::{NodeLinks, node_flags};

/// Both ends of a segment: (node, slot), in the direction of its arc coordinate.
#[derive(Clone, Copy)]
pub(super) struct Ends {
    pub(super) a: (usize, usize),
    pub(super) b: (usize, usize),
    /// Whether the node that asks is b.
    pub(super) far: bool,
}

impl Ends {
    /// Whether the mass of the segment is at its nodes.
    pub(super) fn is_lumped(&self, links: &[NodeLinks]) -> bool {
        links[self.a.0].flags & (node_flags::LUMPED_U << self.a.1) != 0
    }

    /// The segment behind a port of a node.
    pub(super) fn new(node: usize, port: usize, neighbor: Neighbor) -> Self {
        let (here, there) = ((node, port / 2), (neighbor.node, neighbor.slot()));
        if port % 2 == 1 { Ends { a: here, b: there, far: false } } else { Ends { a: there, b: here, far: true } }
    }
}

/// What a segment gives to one of its ends: at x, and in its slot.
pub(super) type Share = (Vec3, f32);

/// P of one end: m (2 y_here + y_other), and −w·P, with y = ẋ − ṡ w.
pub(super) fn momentum(m: f32, w: Vec3, a: (Vec3, f32), b: (Vec3, f32), far: bool) -> Share {
    let (ya, yb) = (combine(a.0, 1.0, w, -a.1), combine(b.0, 1.0, w, -b.1));
    let p = scaled(if far { combine(ya, 1.0, yb, 2.0) } else { combine(ya, 2.0, yb, 1.0) }, m);
    (p, -dot(w, p))
}

impl<V: Fn(usize) -> Value> Nodes<'_, V> {
    /// Product with a segment's stiffness and mass, at one of its ends; `mass` = (1 + hα) ρ/6.
    pub(super) fn segment(&self, ends: Ends, mass: f32) -> Share {
        let Ends { a: (a, slot_a), b: (b, slot_b), far } = ends;
        let [x, y, z, inverse] = self.rows[a][slot_a];
        let [along, across, coupling, sliding] = self.rows[a][2 + slot_a];
        let rest = self.rows[a][4 + slot_a][3];
        let t = [x, y, z];
        let (va, vb) = ((self.value)(a), (self.value)(b));
        let (d, sigma) = (sub(vb.x, va.x), vb.s[slot_b] - va.s[slot_a]);
        let stretched = dot(t, d);
        let axial = along * stretched + coupling * sigma;
        let force = combine(t, axial, d, across);
        let slid = coupling * stretched + sliding * sigma;
        let sign = if far { 1.0 } else { -1.0 };
        // Where there is no rest length, the mass is at the nodes.
        if rest == 0.0 {
            return (scaled(force, sign), sign * slid);
        }
        let w = scaled(t, 1.0 / (inverse * rest));
        let (p, s) = momentum(mass * rest, w, (va.x, va.s[slot_a]), (vb.x, vb.s[slot_b]), far);
        (combine(force, sign, p, 1.0), sign * slid + s)
    }
}
