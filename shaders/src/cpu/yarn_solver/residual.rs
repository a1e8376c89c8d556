//! Stage `residual`: −r of Newton's method at one node, with r as in `yarnwise-solvers`.

use super::super::vector::{combine, dot, scaled, sub};
use super::corner::corners_at;
use super::elements::{ElementInput, Stress};
use super::product::{add, masked, node as product};
use super::segment::{Ends, momentum};
use super::view::{Nodes, Value};
use crate::gpu::{NodeRows, NodeVector};

/// What the stage reads beside the input of the elements (of which it does not need anchors or compression).
pub struct Linearized<'a> {
    /// Rows of the elements.
    pub rows: &'a [NodeRows],
    /// Stresses of the elements.
    pub stress: &'a [Stress],
    /// M q̇ of the last step.
    pub momentum: &'a [NodeVector],
}

/// −r at node i, 0 where it is prescribed.
pub fn node(input: &ElementInput<'_>, linearized: &Linearized<'_>, i: usize) -> Value {
    let mut r = elements(input, linearized, i);
    let own = linearized.rows[i][7];
    r.s = [r.s[0] - own[2], r.s[1] - own[3]];
    let p: Value = linearized.momentum[i].into();
    masked(input.links[i].flags, &Value::combine(&p, 1.0, &r, -1.0))
}

/// What elements take from node i, −h F and M v, without its own friction.
pub fn elements(input: &ElementInput<'_>, linearized: &Linearized<'_>, i: usize) -> Value {
    let ElementInput { params, scalars, links, .. } = *input;
    let h = scalars.h;
    let ended = scalars.newton > 0;
    let mass = (1.0 + h * params.mass_damping) * params.density / 6.0;
    let nodes = Nodes { links, rows: linearized.rows, value: |n: usize| input.velocity_of(n) };
    // A v before Newton's method has begun; afterwards the damping of bends alone is taken from their products.
    let mut r = if ended { Value::default() } else { product(&nodes, i, mass) };
    let ratio = if ended { params.stiffness_damping / (h + params.stiffness_damping) } else { 0.0 };
    for port in 0..4 {
        let Some(n) = nodes.neighbor(i, port) else { continue };
        let slot = port / 2;
        let ends = Ends::new(i, port, n);
        let (owner, owner_slot) = ends.a;
        let sign = if ends.far { 1.0 } else { -1.0 };
        let [x, y, z, _] = linearized.rows[owner][owner_slot];
        let stress = &linearized.stress[owner];
        add(&mut r.x, [x, y, z], sign * stress[2 * owner_slot]);
        r.s[slot] += sign * stress[2 * owner_slot + 1];
        inertia(input, i, port, ends, mass, ended, &mut r);
        if let Some(bend) = nodes.bend(n.node, n.slot()) {
            let end = if port % 2 == 1 { 2 } else { 1 };
            let share = (input.weights)(n.node)[2 + n.slot()];
            let impulse = 2.0 * h * params.bend * bend.rate * share;
            let (g, b) = (impulse + ratio * bend.products[0], ratio * bend.products[1]);
            let [row_g, row_h] = bend.at(end);
            add(&mut r.x, combine(row_g, g, row_h, b), 1.0);
            let slid = (0.5 * impulse + ratio * bend.products[0]) * bend.rate;
            r.s[slot] += if end == 2 { slid } else { -slid };
        }
        for k in corners_at(n.port) {
            if let Some(corner) = nodes.corner(n.node, k) {
                let row = if n.port < 2 { corner.warp } else { corner.weft };
                add(&mut r.x, row, linearized.stress[n.node][4 + k]);
            }
        }
    }
    for slot in 0..2 {
        if let Some(bend) = nodes.bend(i, slot) {
            let impulse = 2.0 * h * params.bend * bend.rate * (input.weights)(i)[2 + slot];
            let [row_g, row_h] = bend.at(0);
            let (g, b) = (impulse + ratio * bend.products[0], ratio * bend.products[1]);
            add(&mut r.x, combine(row_g, g, row_h, b), 1.0);
        }
    }
    for k in 0..4 {
        if let Some(corner) = nodes.corner(i, k) {
            add(&mut r.x, combine(corner.warp, 1.0, corner.weft, 1.0), -linearized.stress[i][4 + k]);
        }
    }
    gravity(input, i, &mut r);
    r
}

/// M v where Newton's method has begun, and the inertia of the changing mass; M of the start of the step.
fn inertia(input: &ElementInput<'_>, i: usize, port: usize, ends: Ends, mass: f32, ended: bool, r: &mut Value) {
    let ElementInput { params, scalars, .. } = *input;
    let Ends { a: (a, slot_a), b: (b, slot_b), far } = ends;
    let Some(n) = super::view::neighbor(input.links, i, port) else { return };
    if ends.is_lumped(input.links) {
        return;
    }
    let before = input.piece(i, port, n, 0.0);
    let w = scaled(before.t, before.length / before.rest);
    let (va, vb) = (input.velocity_of(a), input.velocity_of(b));
    let (va, vb) = ((va.x, va.s[slot_a]), (vb.x, vb.s[slot_b]));
    let slot = port / 2;
    if ended {
        let (p, s) = momentum(mass * before.rest, w, va, vb, far);
        add(&mut r.x, p, 1.0);
        r.s[slot] += s;
    }
    if params.inertia == 0 {
        return;
    }
    // ∂T/∂x_b = G/ℓ, ∂T/∂s_b = (T − w·G)/ℓ, and their opposites at a.
    let m = params.density * before.rest / 6.0;
    let (ya, yb) = (combine(va.0, 1.0, w, -va.1), combine(vb.0, 1.0, w, -vb.1));
    let energy = m * (dot(ya, ya) + dot(ya, yb) + dot(yb, yb));
    let (pa, pb) = (combine(ya, 2.0, yb, 1.0), combine(ya, 1.0, yb, 2.0));
    let g = combine(pa, -m * va.1, pb, -m * vb.1);
    let factor = scalars.h / before.rest * if far { -1.0 } else { 1.0 };
    add(&mut r.x, g, factor);
    r.s[slot] += factor * (energy - dot(w, g));
}

/// Weight of half the segments around, and its pull along the yarns.
fn gravity(input: &ElementInput<'_>, i: usize, r: &mut Value) {
    let ElementInput { params, scalars, links, .. } = *input;
    let ahead = if scalars.newton > 0 { scalars.h } else { 0.0 };
    let g = [params.gravity[0], params.gravity[1], params.gravity[2]];
    let impulse = 0.5 * scalars.h * params.density;
    let mut rest = 0.0;
    for port in 0..4 {
        let Some(n) = super::view::neighbor(links, i, port) else { continue };
        if Ends::new(i, port, n).is_lumped(links) {
            continue;
        }
        let piece = input.piece(i, port, n, ahead);
        rest += piece.rest;
        // g·(x_before − x_after): both pieces point along the yarn.
        r.s[port / 2] += impulse * dot(g, scaled(piece.t, piece.length));
    }
    r.x = sub(r.x, scaled(g, impulse * rest));
}
