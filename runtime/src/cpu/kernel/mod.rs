//! Stages `yarns` and `radius` for a run of yarn vertices, eight at a time.
//!
//! One vertex is a long chain of operations that wait for each other: forms, clamp, strains, table, barycentrics, surface,
//! normal, director. A run therefore takes one step of the chain after the other for all its blocks of eight, so that the
//! processor finds independent work within its window, and keeps intermediate values in a [`Scratch`] that fits the
//! first-level cache:
//!
//! 1. `strain`: sites and pattern records, I(h).
//! 2. `clamp` and `cells`: strains, cells and weights of the table.
//! 3. `displace`: the table, barycentrics after the displacement, and the way to the triangle that holds them.
//! 4. `surface`, `offset` and `turn`: position, normal and director in the world.
//! 5. `finish`: the radius, which needs both neighbors, and the finished vertices.
//!
//! Where all lanes do the same arithmetic a vector holds one number of eight vertices; where each vertex reads rows of its
//! own it holds eight numbers of one vertex, and a transposition changes from one to the other. Neighbors on a yarn mostly
//! lie on the same triangle: a block on one triangle reads each coefficient once and transposes nothing.
//!
//! The plain stages are in `yarnwise_shaders::cpu`, the oracle.

mod axis;
mod displace;
mod finish;
mod place;
mod scratch;
mod strain;
mod table;

pub(super) use axis::Axis;
pub(super) use scratch::{RUN, Scratch};
pub(super) use table::PairTable;

use super::lanes::{Lanes, Portable};
use std::array::from_fn;
use yarnwise_shaders::gpu::{FaceChart, Patch, PatternVertex, YarnParams, YarnSite, YarnVertex, flags};

/// An array of three, or of eight, from an expression of its index.
///
/// Not closures: code in a closure would not be compiled for the vector instructions, each of which would become a call.
macro_rules! three {
    ($k:ident => $value:expr) => {
        [
            {
                let $k = 0;
                $value
            },
            {
                let $k = 1;
                $value
            },
            {
                let $k = 2;
                $value
            },
        ]
    };
}
macro_rules! eight {
    ($zero:expr, $i:ident => $value:expr) => {{
        let mut all = [$zero; 8];
        for $i in 0..8 {
            all[$i] = $value;
        }
        all
    }};
}
use {eight, three};

/// Lanes of a block.
const BLOCK: usize = 8;

/// What the kernel reads.
#[derive(Clone, Copy)]
pub(super) struct Kernel<'a> {
    pub(super) params: &'a YarnParams,
    pub(super) axes: &'a [Axis; 3],
    pub(super) pattern: &'a [PatternVertex],
    pub(super) table: &'a PairTable,
    pub(super) patches: &'a [Patch],
    pub(super) charts: &'a [FaceChart],
}

impl Kernel<'_> {
    /// Computes the vertices `first..first + out.len()` of all `sites`; `portable` without special instructions.
    pub(super) fn vertices(
        &self,
        portable: bool,
        scratch: &mut Scratch,
        sites: &[YarnSite],
        first: usize,
        out: &mut [YarnVertex],
    ) {
        #[cfg(target_arch = "x86_64")]
        if !portable && let Some(avx2) = super::lanes::Avx2::detect() {
            return avx2.run(
                #[inline(always)]
                || self.runs(avx2, scratch, sites, first, out),
            );
        }
        self.runs(Portable, scratch, sites, first, out);
    }

    /// A run also computes the vertices before and after its own: the radius needs their positions.
    #[inline(always)]
    fn runs<L: Lanes>(&self, l: L, s: &mut Scratch, sites: &[YarnSite], first: usize, out: &mut [YarnVertex]) {
        for i in (0..out.len()).step_by(RUN - 2) {
            let (own, count) = (first + i, (out.len() - i).min(RUN - 2));
            let begin = own.saturating_sub(1);
            let end = sites.len().min(own + count + 1);
            self.run(l, s, &sites[begin..end]);
            self.finish(l, s, own - begin, count, &mut out[i..]);
        }
    }

    /// All steps but the last for the vertices at `sites`.
    #[inline(always)]
    fn run<L: Lanes>(&self, l: L, s: &mut Scratch, sites: &[YarnSite]) {
        let blocks = sites.len().div_ceil(BLOCK).min(scratch::BLOCKS);
        for j in 0..blocks {
            // A block at the end is filled up with the last vertex.
            match sites[j * BLOCK..].first_chunk() {
                Some(eight) => self.strain(l, s, j, eight),
                None => self.strain(l, s, j, &from_fn(|i| sites[(j * BLOCK + i).min(sites.len() - 1)])),
            }
        }
        if self.params.displacement != 0.0 {
            if self.params.min_eigenvalue > 0.0 {
                for j in 0..blocks {
                    self.clamp(l, s, j);
                }
            }
            for j in 0..blocks {
                self.cells(l, s, j);
            }
            for j in 0..blocks {
                self.displace(l, s, j);
            }
            if self.params.flags & flags::FOLLOW != 0 {
                for j in 0..blocks {
                    self.find_outside(l, s, j);
                }
                self.follow(s);
            }
        }
        for j in 0..blocks {
            self.surface(l, s, j);
        }
        for j in 0..blocks {
            self.offset(l, s, j);
        }
        for j in 0..blocks {
            self.turn(l, s, j);
        }
    }
}

/// Rows of a [`Patch`], in pairs: where the polynomials of position and normal, of both forms, of the gradient begin.
mod row {
    pub(super) const POSITION_NORMAL: usize = 0;
    pub(super) const FORMS: usize = 3;
    pub(super) const GRADIENT: usize = 6;
}

/// A patch as rows of eight.
#[inline(always)]
fn rows(patch: &Patch) -> &[[f32; 8]; 11] {
    bytemuck::must_cast_ref(patch)
}

/// Whether all lanes are on one triangle.
#[inline(always)]
fn uniform(faces: &[u32; BLOCK]) -> bool {
    let mut differ = 0;
    for i in 1..BLOCK {
        differ |= faces[i] ^ faces[0];
    }
    differ == 0
}

/// The polynomials r0 + b r1 + c r2 of three rows from `row` on, all lanes on one patch: number by number.
#[inline(always)]
fn linear_uniform<L: Lanes>(l: L, patch: &Patch, row: usize, b: L::V, c: L::V) -> [L::V; BLOCK] {
    let rows = rows(patch);
    eight!(b, k => {
        let constant = l.fma(l.splat(rows[row + 1][k]), b, l.splat(rows[row][k]));
        l.fma(l.splat(rows[row + 2][k]), c, constant)
    })
}

/// The same for one vertex of its own patch: its eight numbers.
#[inline(always)]
fn linear<L: Lanes>(l: L, patch: &Patch, row: usize, b: f32, c: f32) -> L::V {
    let rows = rows(patch);
    let constant = l.fma(l.load(&rows[row + 1]), l.splat(b), l.load(&rows[row]));
    l.fma(l.load(&rows[row + 2]), l.splat(c), constant)
}

#[inline(always)]
fn dot<L: Lanes>(l: L, a: [L::V; 3], b: [L::V; 3]) -> L::V {
    l.fma(a[2], b[2], l.fma(a[1], b[1], l.mul(a[0], b[0])))
}

#[inline(always)]
fn cross<L: Lanes>(l: L, a: [L::V; 3], b: [L::V; 3]) -> [L::V; 3] {
    three!(k => {
        let (i, j) = ((k + 1) % 3, (k + 2) % 3);
        l.fnma(a[j], b[i], l.mul(a[i], b[j]))
    })
}
