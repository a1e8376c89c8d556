//! Stage `check`: whether a step leaves one node where it can be.

use super::elements::ElementInput;
use super::view::neighbor;
use crate::gpu::constants::{LARGEST_SHORTENING, LARGEST_SPEED, SHORTEST};
use crate::gpu::fault;

/// The worst of what [`fault`] names at node i.
pub fn node(input: &ElementInput<'_>, i: usize) -> u32 {
    if !is_placed(input, i) {
        return fault::NOT_FINITE;
    }
    let mut worst = fault::NONE;
    for slot in 0..2 {
        let Some(n) = neighbor(input.links, i, 2 * slot + 1) else { continue };
        let piece = input.piece(i, 2 * slot + 1, n, input.scalars.h);
        let (before, after) = (piece.rest_before, piece.rest);
        // A piece that is short already may stay so, or grow.
        let short = after < SHORTEST * input.params.spacing && after < before;
        if after < LARGEST_SHORTENING * before || short {
            worst = fault::CROWDED;
        }
    }
    worst
}

/// Whether a node's velocity is finite and it stays in the range of fixed point.
pub fn is_placed(input: &ElementInput<'_>, i: usize) -> bool {
    let velocity = input.velocity_of(i);
    velocity.words().iter().all(|v| is_finite(*v) && v.abs() < LARGEST_SPEED) && !leaves(input, i)
}

/// Seen in its bits, because compilers may assume that there is no NaN.
fn is_finite(v: f32) -> bool {
    v.to_bits() & 0x7f80_0000 != 0x7f80_0000
}

/// Whether the node would leave the range of fixed point.
fn leaves(input: &ElementInput<'_>, i: usize) -> bool {
    let p = &input.positions[i];
    let v = input.velocity_of(i);
    let units = input.scalars.h / input.params.unit;
    let end = |c: i32, v: f32| (c as f32 + v * units).abs() >= RANGE;
    end(p.x, v.x[0]) || end(p.y, v.x[1]) || end(p.z, v.x[2])
}

/// Largest coordinate in units: 2³¹ less a little.
use crate::gpu::constants::FIXED_RANGE as RANGE;
