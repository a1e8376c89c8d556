//! Stage `elements`: rows and stresses of the elements that belong to one node.
//!
//! Where Newton's method has begun, elements are those of q_n + h v with v = velocity + x; before, those of q_n.

use super::super::vector::{Vec3, combine, dot, scaled};
use super::angle::Angle;
use super::fixed::{arc_difference, difference};
use super::view::{Neighbor, Value, neighbor};
use crate::gpu::constants::{COLLAPSED, CONTACT_ROUNDING, FOLDED, PI, SMALL_ANGLE};
use crate::gpu::{
    NodeAnchors, NodeArcs, NodeLinks, NodePosition, NodeRows, NodeVector, YarnSolverParams, YarnSolverScalars,
    node_flags,
};

/// What the stage reads.
pub struct ElementInput<'a> {
    /// Constants.
    pub params: &'a YarnSolverParams,
    /// The step.
    pub scalars: &'a YarnSolverScalars,
    /// By node.
    pub positions: &'a [NodePosition],
    /// By node.
    pub arcs: &'a [NodeArcs],
    /// By node.
    pub links: &'a [NodeLinks],
    /// At the start of the step.
    pub velocity: &'a [NodeVector],
    /// Change of the velocity in this step, by node.
    pub change: &'a dyn Fn(usize) -> Value,
    /// F_n, N.
    pub compression: &'a [f32],
    /// By node.
    pub anchors: &'a [NodeAnchors],
    /// The part of elements that yarns have.
    pub weights: &'a dyn Fn(usize) -> Weights,
}

/// Parts of the elements of a node that yarns have: segments ahead, bends, corners. All of them where triangles share nothing.
pub type Weights = [f32; 8];

/// Yarns alone.
pub fn whole(_: usize) -> Weights {
    [1.0; 8]
}

/// h times stresses: tension and sliding of the segments ahead, moments of the corners.
pub type Stress = [f32; 8];

/// A segment now and at the start of the step.
#[derive(Clone, Copy)]
pub(in crate::cpu) struct Piece {
    pub(super) t: Vec3,
    pub(super) length: f32,
    pub(super) rest: f32,
    /// At the start of the step.
    pub(in crate::cpu) rest_before: f32,
    /// l − l_n, without cancellation.
    pub(in crate::cpu) longer: f32,
    /// ℓ − ℓ_n.
    pub(super) slid: f32,
}

impl ElementInput<'_> {
    /// The velocity at the end of the step, as it is known so far.
    pub(in crate::cpu) fn velocity_of(&self, i: usize) -> Value {
        Value::combine(&self.velocity[i].into(), 1.0, &(self.change)(i), 1.0)
    }

    /// The segment behind a port, in the direction of the arc coordinate; `ahead` seconds of motion are added.
    pub(in crate::cpu) fn piece(&self, i: usize, port: usize, n: Neighbor, ahead: f32) -> Piece {
        let (slot, unit) = (port / 2, self.params.unit);
        let sign = if port % 2 == 1 { 1.0 } else { -1.0 };
        let before = scaled(difference(&self.positions[i], &self.positions[n.node], unit), sign);
        let rest_before = sign * arc_difference(&self.arcs[i], slot, &self.arcs[n.node], n.slot(), unit);
        let mut moved = [0.0; 3];
        let mut slid = 0.0;
        if ahead > 0.0 {
            let (here, there) = (self.velocity_of(i), self.velocity_of(n.node));
            moved = scaled(combine(there.x, 1.0, here.x, -1.0), sign * ahead);
            slid = sign * ahead * (there.s[n.slot()] - here.s[slot]);
        }
        let d = combine(before, 1.0, moved, 1.0);
        let (length, length_before) = (dot(d, d).sqrt(), dot(before, before).sqrt());
        let rest = rest_before + slid;
        let directed = length > COLLAPSED * rest.abs();
        let t = if directed { scaled(d, 1.0 / length) } else { [1.0, 0.0, 0.0] };
        let sum = length + length_before;
        let longer = if sum > 0.0 { dot(moved, combine(d, 1.0, before, 1.0)) / sum } else { 0.0 };
        Piece { t, length, rest, rest_before, longer, slid }
    }
}

/// The elements of node i.
pub fn node(input: &ElementInput<'_>, i: usize) -> (NodeRows, Stress) {
    let ElementInput { params, scalars, links, .. } = *input;
    let ended = scalars.newton > 0;
    let ahead = if ended { scalars.h } else { 0.0 };
    let neighbors: [Option<Neighbor>; 4] = std::array::from_fn(|port| neighbor(links, i, port));
    let pieces: [Option<Piece>; 4] =
        std::array::from_fn(|port| neighbors[port].map(|n| input.piece(i, port, n, ahead)));
    let flags = links[i].flags;
    let mut rows = NodeRows::default();
    let mut stress = Stress::default();
    let shares = (input.weights)(i);
    for slot in 0..2 {
        if let (Some(piece), Some(n)) = (&pieces[2 * slot + 1], neighbors[2 * slot + 1]) {
            let thickness = thickness(params, flags, links[n.node].flags);
            segment(params, scalars.h, piece, thickness, slot, &mut rows, &mut stress);
            rows[2 + slot] = rows[2 + slot].map(|k| k * shares[slot]);
            (stress[2 * slot], stress[2 * slot + 1]) =
                (stress[2 * slot] * shares[slot], stress[2 * slot + 1] * shares[slot]);
            if flags & (node_flags::LUMPED_U << slot) != 0 {
                rows[4 + slot][3] = 0.0;
            }
        }
        if let (Some(behind), Some(front)) = (&pieces[2 * slot], &pieces[2 * slot + 1]) {
            let [in_plane, out_of_plane, rate] = bend(params, scalars.h, behind, front);
            let share = shares[2 + slot];
            rows[4 + slot][..3].copy_from_slice(&[share * in_plane, share * out_of_plane, rate]);
        }
    }
    let crossing = flags & node_flags::CROSSING != 0;
    if crossing {
        for k in 0..4 {
            let (warp, weft) = (k / 2, 2 + k % 2);
            let (Some(u), Some(v)) = (&pieces[warp], &pieces[weft]) else { continue };
            let (Some(one), Some(three)) = (neighbors[warp], neighbors[weft]) else { continue };
            let jams = interlaced(flags, links[one.node].flags) || interlaced(flags, links[three.node].flags);
            let (weight, moment) = corner(input, i, k, [u, v], [one, three], jams, ended);
            (rows[6][k], stress[4 + k]) = (weight * shares[4 + k], moment * shares[4 + k]);
        }
    }
    for slot in 0..2 {
        let alone = neighbors[2 * slot].is_none() && neighbors[2 * slot + 1].is_none();
        (rows[7][slot], rows[7][2 + slot]) = sliding(input, i, slot, alone, crossing, ended);
    }
    (rows, stress)
}

/// Whether the yarn changes sides between two crossings.
fn interlaced(a: u32, b: u32) -> bool {
    let crossings = a & b & node_flags::CROSSING != 0;
    crossings && (a ^ b) & node_flags::WARP_OVER != 0
}

/// What lies across a yarn between two nodes, meters; 0 where nothing does.
fn thickness(params: &YarnSolverParams, a: u32, b: u32) -> f32 {
    let (radius, spacing) = (params.radius, params.spacing);
    let one = (a | b) & node_flags::CROSSING != 0;
    if interlaced(a, b) {
        4.0 * radius
    } else if a & b & node_flags::CROSSING != 0 {
        2.0 * radius
    } else if one && (a | b) & node_flags::SEAM != 0 {
        (2.0 * radius).min(0.3 * spacing)
    } else if one && (a | b) & node_flags::PLAIN != 0 {
        (2.0 * radius).min(0.2 * spacing)
    } else {
        0.0
    }
}

/// Stretch with its damping, parallel contact.
fn segment(
    params: &YarnSolverParams,
    h: f32,
    piece: &Piece,
    thickness: f32,
    slot: usize,
    rows: &mut NodeRows,
    stress: &mut Stress,
) {
    let Piece { t, length, rest, rest_before, longer, slid } = *piece;
    let strain = (length - rest) / rest;
    let lambda = length / rest;
    let k = if strain < 0.0 { params.stretch * params.compression_ratio } else { params.stretch };
    let mut tension = k * strain;
    let mut sliding = -0.5 * tension * (2.0 + strain);
    let mut along = k / rest;
    let mut coupling = -along * lambda;
    let mut sliding_stiffness = along * lambda * lambda;
    let across = if strain > 0.0 { tension / length } else { 0.0 };
    let damping = params.stiffness_damping * params.stretch / h;
    let root = 1.0 / rest.sqrt();
    let (by_length, by_rest) = (root, -(1.0 + 0.5 * strain) * root);
    let root_before = 1.0 / rest_before.sqrt();
    let length_before = length - longer;
    // e − e_n of the measure e = (l − ℓ)/√ℓ, without cancellation.
    let roots = -slid * root * root_before / (1.0 / root + 1.0 / root_before);
    let change = (longer - slid) * root + (length_before - rest_before) * roots;
    tension += damping * change * by_length;
    sliding += damping * change * by_rest;
    along += damping * by_length * by_length;
    coupling += damping * by_length * by_rest;
    sliding_stiffness += damping * by_rest * by_rest;
    let overlap = rest - thickness * (1.0 - CONTACT_ROUNDING);
    if overlap < 0.0 {
        sliding += params.parallel * overlap;
        sliding_stiffness += params.parallel;
    }
    let c = h * h;
    rows[slot] = [t[0], t[1], t[2], 1.0 / length.max(FOLDED * rest)];
    rows[2 + slot] = [c * (along - across), c * across, c * coupling, c * sliding_stiffness];
    rows[4 + slot][3] = rest_before;
    stress[2 * slot] = h * tension;
    stress[2 * slot + 1] = h * sliding;
}

/// Weights in the plane and out of it, and θ/ℓ.
fn bend(params: &YarnSolverParams, h: f32, behind: &Piece, front: &Piece) -> [f32; 3] {
    let theta = Angle::between(front.t, behind.t).value();
    let rest = behind.rest + front.rest;
    let stiffness = 2.0 * params.bend / rest;
    let half = 0.5 * theta;
    let cotangent = if half < SMALL_ANGLE { 1.0 } else { (half * half.cos() / half.sin()).max(0.0) };
    let weight = (h * h + h * params.stiffness_damping) * stiffness;
    [weight, weight * cotangent, theta / rest]
}

/// Weight and h times the moment of a corner: shear with jamming and its damping, shear friction.
fn corner(
    input: &ElementInput<'_>,
    i: usize,
    k: usize,
    [u, v]: [&Piece; 2],
    [one, three]: [Neighbor; 2],
    jams: bool,
    ended: bool,
) -> (f32, f32) {
    let ElementInput { params, scalars, .. } = *input;
    let h = scalars.h;
    let t1 = scaled(u.t, if k / 2 == 1 { 1.0 } else { -1.0 });
    let t3 = scaled(v.t, if k % 2 == 1 { 1.0 } else { -1.0 });
    let angle = Angle::between(t1, t3);
    let phi = angle.value();
    let force = input.compression[i];
    let k0 = params.shear * (1.0 + params.shear_compression * force);
    let (moment, stiffness) = shear(params, phi, k0, jams);
    let (friction, tangent) =
        anchored(params.turning, params.turning_friction * force, phi - input.anchors[i].corners[k]);
    let damping = h * params.stiffness_damping;
    let mut stress = h * (moment - friction);
    if ended {
        let here = input.velocity_of(i).x;
        let inverse = |p: &Piece| 1.0 / p.length.max(FOLDED * p.rest);
        let d1 = combine(input.velocity_of(one.node).x, 1.0, here, -1.0);
        let d3 = combine(input.velocity_of(three.node).x, 1.0, here, -1.0);
        stress += damping * stiffness * (-inverse(u) * dot(angle.e1, d1) - inverse(v) * dot(angle.e3, d3));
    }
    (h * h * (stiffness + tangent) + damping * stiffness, stress)
}

/// Moment and stiffness of a corner of stiffness k0 at φ; `jams` where a segment of it is interlaced.
pub(in crate::cpu) fn shear(params: &YarnSolverParams, phi: f32, k0: f32, jams: bool) -> (f32, f32) {
    let psi = phi - 0.5 * PI;
    let y = if jams { (1.0 - phi / params.jamming_angle).max(0.0) } else { 0.0 };
    let c = k0 * params.jamming;
    let kx = k0 + c * y * y * y;
    let k1 = -3.0 * c * y * y / params.jamming_angle;
    let k2 = 6.0 * c * y / (params.jamming_angle * params.jamming_angle);
    let moment = params.spacing * (kx * psi + 0.5 * k1 * psi * psi);
    (moment, params.spacing * (kx + 2.0 * k1 * psi + 0.5 * k2 * psi * psi))
}

/// Force and tangent of friction at an offset from its anchor.
pub(super) fn anchored(stiffness: f32, limit: f32, offset: f32) -> (f32, f32) {
    let trial = -stiffness * offset;
    if trial.abs() <= limit { (trial, stiffness) } else { (trial.clamp(-limit, limit), 0.0) }
}

/// Diagonal of an arc coordinate, and h times its friction.
fn sliding(input: &ElementInput<'_>, i: usize, slot: usize, alone: bool, crossing: bool, ended: bool) -> (f32, f32) {
    let ElementInput { params, scalars, .. } = *input;
    if alone {
        return (1.0, 0.0);
    }
    if !crossing {
        return (0.0, 0.0);
    }
    let h = scalars.h;
    let velocity = input.velocity_of(i).s[slot];
    let offset = input.anchors[i].offsets[slot] + if ended { h * velocity } else { 0.0 };
    let (force, tangent) = anchored(params.sliding, params.friction * input.compression[i], offset);
    let damping = if ended { h * params.sliding_damping * velocity } else { 0.0 };
    (h * h * tangent + h * params.sliding_damping, h * force - damping)
}
