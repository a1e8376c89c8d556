//! Stage `blocks`: the inverse of one node's block, S C S + I − S.

use super::super::vector::{Vec3, combine, dot, scaled};
use super::corner::corners_at;
use super::segment::Ends;
use super::view::{Nodes, Value};
use crate::gpu::{BLOCK_WORDS, node_flags};

/// A symmetric matrix of 5 × 5, the lower triangle by rows.
type Block = [f32; BLOCK_WORDS];

/// Where a row begins in the triangle.
fn at(row: usize, column: usize) -> usize {
    row * (row + 1) / 2 + column
}

/// Adds D row rowᵀ with a row that has entries at x and in one slot.
fn add(block: &mut Block, x: Vec3, slot: usize, s: f32, weight: f32) {
    for r in 0..3 {
        for c in 0..=r {
            block[at(r, c)] += weight * x[r] * x[c];
        }
        block[at(3 + slot, r)] += weight * s * x[r];
    }
    block[at(3 + slot, 3 + slot)] += weight * s * s;
}

/// The inverse of node i's block; `mass` = (1 + hα) ρ/6, kg/m.
pub fn node<V: Fn(usize) -> Value>(nodes: &Nodes<'_, V>, i: usize, mass: f32) -> Block {
    let mut block = Block::default();
    for port in 0..4 {
        let Some(n) = nodes.neighbor(i, port) else { continue };
        let slot = port / 2;
        segment(nodes, Ends::new(i, port, n), slot, mass, &mut block);
        if let Some(bend) = nodes.bend(n.node, n.slot()) {
            let end = if port % 2 == 1 { 2 } else { 1 };
            let [g, h] = bend.at(end);
            add(&mut block, g, slot, if end == 2 { bend.rate } else { -bend.rate }, bend.weights[0]);
            add(&mut block, h, slot, 0.0, bend.weights[1]);
        }
        for k in corners_at(n.port) {
            if let Some(corner) = nodes.corner(n.node, k) {
                add(&mut block, if n.port < 2 { corner.warp } else { corner.weft }, 0, 0.0, corner.weight);
            }
        }
    }
    for slot in 0..2 {
        if let Some(bend) = nodes.bend(i, slot) {
            let [g, h] = bend.at(0);
            add(&mut block, g, slot, 0.0, bend.weights[0]);
            add(&mut block, h, slot, 0.0, bend.weights[1]);
        }
        block[at(3 + slot, 3 + slot)] += nodes.rows[i][7][slot];
    }
    for k in 0..4 {
        if let Some(corner) = nodes.corner(i, k) {
            add(&mut block, combine(corner.warp, -1.0, corner.weft, -1.0), 0, 0.0, corner.weight);
        }
    }
    constrain(nodes.links[i].flags, &mut block);
    inverse(&block)
}

fn segment<V: Fn(usize) -> Value>(nodes: &Nodes<'_, V>, ends: Ends, slot: usize, mass: f32, block: &mut Block) {
    let (a, slot_a) = ends.a;
    let [x, y, z, inverse] = nodes.rows[a][slot_a];
    let [along, across, coupling, sliding] = nodes.rows[a][2 + slot_a];
    let rest = nodes.rows[a][4 + slot_a][3];
    let t = [x, y, z];
    let w = scaled(t, 1.0 / (inverse * rest));
    let m = 2.0 * mass * rest;
    for r in 0..3 {
        for c in 0..=r {
            block[at(r, c)] += along * t[r] * t[c];
        }
        block[at(r, r)] += across + m;
        block[at(3 + slot, r)] += coupling * t[r] - m * w[r];
    }
    block[at(3 + slot, 3 + slot)] += sliding + m * dot(w, w);
}

/// What is prescribed is replaced by rows of the identity.
fn constrain(flags: u32, block: &mut Block) {
    for r in 0..5 {
        for c in 0..=r {
            if fixed(flags, r) || fixed(flags, c) {
                block[at(r, c)] = if r == c { 1.0 } else { 0.0 };
            }
        }
    }
}

fn fixed(flags: u32, entry: usize) -> bool {
    let bit = [node_flags::HELD, node_flags::STUCK_U, node_flags::STUCK_V][entry.saturating_sub(2)];
    flags & bit != 0
}

/// By Cholesky's factors; a block that rounding has made indefinite is replaced by its diagonal.
fn inverse(block: &Block) -> Block {
    // C = L Lᵀ, then L⁻¹, then L⁻ᵀ L⁻¹.
    let mut l = *block;
    for r in 0..5 {
        for c in 0..=r {
            let mut sum = l[at(r, c)];
            for k in 0..c {
                sum -= l[at(r, k)] * l[at(c, k)];
            }
            if r == c {
                if sum.is_nan() || sum <= 0.0 {
                    return diagonal(block);
                }
                l[at(r, r)] = 1.0 / sum.sqrt();
            } else {
                l[at(r, c)] = sum * l[at(c, c)];
            }
        }
    }
    for r in 1..5 {
        for c in 0..r {
            let mut sum = l[at(r, c)] * l[at(c, c)];
            for k in c + 1..r {
                sum += l[at(r, k)] * l[at(k, c)];
            }
            l[at(r, c)] = -sum * l[at(r, r)];
        }
    }
    let mut out = Block::default();
    for r in 0..5 {
        for c in 0..=r {
            for k in r..5 {
                out[at(r, c)] += l[at(k, r)] * l[at(k, c)];
            }
        }
    }
    out
}

fn diagonal(block: &Block) -> Block {
    let mut out = Block::default();
    for r in 0..5 {
        let d = block[at(r, r)];
        out[at(r, r)] = if d > 0.0 { 1.0 / d } else { 1.0 };
    }
    out
}
