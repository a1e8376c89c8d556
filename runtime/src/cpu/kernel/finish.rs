//! Step 5: radii and finished vertices.
//!
//! An edge has the factor sqrt(rest length / length), a vertex the mean over its two edges weighted by rest length.

use super::scratch::Lane;
use super::{BLOCK, Kernel, Scratch, three};
use crate::cpu::lanes::Lanes;
use yarnwise_shaders::gpu::constants::{MAX_THICKENING, MIN_THINNING};
use yarnwise_shaders::gpu::{YarnVertex, flags};

/// Numbers of a finished vertex.
const NUMBERS: usize = size_of::<YarnVertex>() / 4;

impl Kernel<'_> {
    /// Writes `count` vertices from `own` of the run on. It may also write, for whole blocks, to those of `out` behind
    /// them, which the next run will finish.
    #[inline(always)]
    pub(super) fn finish<L: Lanes>(&self, l: L, s: &mut Scratch, own: usize, count: usize, out: &mut [YarnVertex]) {
        let volume = self.params.flags & flags::VOLUME != 0;
        if volume {
            for j in 0..(own + count).div_ceil(BLOCK).min(super::scratch::BLOCKS) {
                s.factor[j] = l.store(edge_factor(l, s, j * BLOCK));
            }
        }
        let numbers: &mut [f32] = bytemuck::must_cast_slice_mut(out);
        for i in (0..count).step_by(BLOCK) {
            let at = own + i;
            let full = l.mul(l.splat(self.params.radius), eight_at(l, &s.scale, at));
            let radius = if volume { l.mul(full, vertex_factor(l, s, at)) } else { full };
            let rows = l.transpose([
                eight_at(l, &s.position[0], at),
                eight_at(l, &s.position[1], at),
                eight_at(l, &s.position[2], at),
                eight_at(l, &s.twist, at),
                eight_at(l, &s.packed, at),
                radius,
                radius,
                radius,
            ]);
            write(l, rows, &mut numbers[NUMBERS * i..]);
        }
    }
}

/// Eight rows of eight, of which six are wanted: each row overwrites the excess of the one before.
#[inline(always)]
fn write<L: Lanes>(l: L, rows: [L::V; BLOCK], out: &mut [f32]) {
    if let Some(out) = out.first_chunk_mut::<{ NUMBERS * BLOCK + 2 }>() {
        for lane in 0..BLOCK {
            out[NUMBERS * lane..NUMBERS * lane + BLOCK].copy_from_slice(&l.store(rows[lane]));
        }
    } else {
        for (row, out) in rows.iter().zip(out.chunks_exact_mut(NUMBERS)) {
            out.copy_from_slice(&l.store(*row)[..NUMBERS]);
        }
    }
}

/// The factors of the eight edges that begin at vertex `from`, between 1/4 and 2.
#[inline(always)]
fn edge_factor<L: Lanes>(l: L, s: &Scratch, from: usize) -> L::V {
    let rest = eight_at(l, &s.rest, from);
    let d = three!(k => l.sub(eight_at(l, &s.position[k], from + 1), eight_at(l, &s.position[k], from)));
    let square = l.max(super::dot(l, d, d), l.splat(f32::MIN_POSITIVE));
    let factor = l.sqrt(l.mul(rest, l.rsqrt(square)));
    l.min(l.max(factor, l.splat(MIN_THINNING)), l.splat(MAX_THICKENING))
}

/// The factors of the eight vertices from `at` on. A vertex has no edge before it where the rest length there is zero.
#[inline(always)]
fn vertex_factor<L: Lanes>(l: L, s: &Scratch, at: usize) -> L::V {
    let (r1, f1) = (eight_at(l, &s.rest, at), eight_at(l, &s.factor, at));
    let (r0, f0) = (eight_before(l, &s.rest, at), eight_before(l, &s.factor, at));
    let weight = l.max(l.add(r0, r1), l.splat(f32::MIN_POSITIVE));
    l.div(l.fma(r0, f0, l.mul(r1, f1)), weight)
}

/// Eight numbers from vertex `from` of the run on.
#[inline(always)]
fn eight_at<L: Lanes>(l: L, lane: &Lane, from: usize) -> L::V {
    match lane.as_flattened()[from..].first_chunk() {
        Some(eight) => l.load(eight),
        None => l.splat(0.0),
    }
}

/// Eight numbers from the vertex before `at` on; zero before the first.
#[inline(always)]
fn eight_before<L: Lanes>(l: L, lane: &Lane, at: usize) -> L::V {
    if at > 0 {
        return eight_at(l, lane, at - 1);
    }
    let [first, ..] = lane;
    l.load(&[0.0, first[0], first[1], first[2], first[3], first[4], first[5], first[6]])
}
