//! A run of yarn vertices: the kernel over its blocks, then radii, then the finished vertices.
//!
//! Positions stay in a small scratch between the two passes, so that a vertex is written once. The radius needs both
//! neighbours: the chunk computes the vertex before it and the one after it as well.

use super::kernel::{BLOCK, Block, Kernel, three};
use super::lanes::{Lanes, Portable};
use std::array::from_fn;
use yarnwise_shared::gpu::{YarnSite, YarnVertex, flags};

/// Yarn vertices of a chunk: its scratch fits the first-level cache.
pub(super) const CHUNK: usize = 512;

/// Blocks of the scratch: one for the vertex before, the chunk, one for the vertex after.
const BLOCKS: usize = CHUNK / BLOCK + 2;

type Lane = [[f32; BLOCK]; BLOCKS];

/// Number by number: the chunk's vertices from the second block on.
struct Scratch {
    position: [Lane; 3],
    twist: Lane,
    director: Lane,
    /// Rest length of the outgoing edge; 0 where there is none.
    rest: Lane,
    scale: Lane,
}

/// Computes the vertices `first..first + out.len()` of all `sites`; `portable` without special instructions.
pub(super) fn chunk(portable: bool, kernel: &Kernel, sites: &[YarnSite], first: usize, out: &mut [YarnVertex]) {
    #[cfg(target_arch = "x86_64")]
    if !portable && let Some(avx2) = super::lanes::Avx2::detect() {
        return avx2.run(
            #[inline(always)]
            || run(avx2, kernel, sites, first, out),
        );
    }
    run(Portable, kernel, sites, first, out);
}

#[inline(always)]
fn run<L: Lanes>(l: L, kernel: &Kernel, sites: &[YarnSite], first: usize, out: &mut [YarnVertex]) {
    let zero = [[0.0; BLOCK]; BLOCKS];
    let mut scratch = Scratch { position: [zero; 3], twist: zero, director: zero, rest: zero, scale: zero };
    let own = &sites[first..first + out.len()];
    let blocks = own.len().div_ceil(BLOCK);
    for i in 0..blocks {
        // A block at the end is filled up with its last vertex.
        let eight: [YarnSite; BLOCK] = match own[i * BLOCK..].first_chunk() {
            Some(eight) => *eight,
            None => from_fn(|lane| own[(i * BLOCK + lane).min(own.len() - 1)]),
        };
        scratch.put(l, i + 1, &eight, kernel.block(l, &eight));
    }
    if kernel.params.flags & flags::VOLUME != 0 {
        scratch.neighbours(l, kernel, sites, first, own.len());
    }
    let volume = kernel.params.flags & flags::VOLUME != 0;
    for (i, out) in out.chunks_mut(BLOCK).enumerate() {
        let full = l.mul(l.splat(kernel.params.radius), l.load(&scratch.scale[i + 1]));
        let radius = if volume { l.mul(full, scratch.factor(l, i + 1)) } else { full };
        scratch.write(l, i + 1, radius, out);
    }
}

impl Scratch {
    #[inline(always)]
    fn put<L: Lanes>(&mut self, l: L, i: usize, sites: &[YarnSite; BLOCK], block: Block<L::V>) {
        for k in 0..3 {
            self.position[k][i] = l.store(block.position[k]);
        }
        self.twist[i] = l.store(block.twist);
        self.director[i] = l.store(block.director);
        let rest = l.store(block.rest);
        self.rest[i] = from_fn(|lane| if sites[lane].pattern & YarnSite::LAST == 0 { rest[lane] } else { 0.0 });
        self.scale[i] = l.store(block.scale);
    }

    /// The vertices before and after the chunk.
    #[inline(always)]
    fn neighbours<L: Lanes>(&mut self, l: L, kernel: &Kernel, sites: &[YarnSite], first: usize, count: usize) {
        if first > 0 {
            let before = [sites[first - 1]; BLOCK];
            self.put(l, 0, &before, kernel.block(l, &before));
        }
        if let Some(after) = sites.get(first + count) {
            let after = [*after; BLOCK];
            let block = kernel.block(l, &after);
            // The lane behind the last vertex, whether that ends a block or not.
            let (i, lane) = ((BLOCK + count) / BLOCK, (BLOCK + count) % BLOCK);
            for k in 0..3 {
                self.position[k][i][lane] = l.store(block.position[k])[0];
            }
        }
    }

    /// The factor of the radius: the mean over the two edges, weighted by rest length, of sqrt(rest / length).
    #[inline(always)]
    fn factor<L: Lanes>(&self, l: L, i: usize) -> L::V {
        let before = i * BLOCK - 1;
        let ((r0, f0), (r1, f1)) = (self.edge(l, before), self.edge(l, before + 1));
        let weight = l.max(l.add(r0, r1), l.splat(f32::MIN_POSITIVE));
        l.div(l.fma(r0, f0, l.mul(r1, f1)), weight)
    }

    /// Rest length and radius factor of the eight edges that begin at vertex `from`.
    #[inline(always)]
    fn edge<L: Lanes>(&self, l: L, from: usize) -> (L::V, L::V) {
        let rest = eight_at(l, &self.rest, from);
        let d = three!(k => l.sub(eight_at(l, &self.position[k], from + 1), eight_at(l, &self.position[k], from)));
        let square = l.fma(d[2], d[2], l.fma(d[1], d[1], l.mul(d[0], d[0])));
        let factor = l.sqrt(l.div(rest, l.max(l.sqrt(square), l.splat(1e-20))));
        (rest, l.min(l.max(factor, l.splat(0.25)), l.splat(2.0)))
    }

    #[inline(always)]
    fn write<L: Lanes>(&self, l: L, i: usize, radius: L::V, out: &mut [YarnVertex]) {
        let [x, y, z] = three!(k => l.load(&self.position[k][i]));
        let (twist, director, zero) = (l.load(&self.twist[i]), l.load(&self.director[i]), l.splat(0.0));
        let rows = l.transpose([x, y, z, twist, director, radius, zero, zero]);
        for lane in 0..out.len().min(BLOCK) {
            let [x, y, z, twist, director, radius, ..] = l.store(rows[lane]);
            out[lane] = YarnVertex { position: [x, y, z], twist, director: director.to_bits(), radius };
        }
    }
}

/// Eight numbers from vertex `from` on.
#[inline(always)]
fn eight_at<L: Lanes>(l: L, lane: &Lane, from: usize) -> L::V {
    match lane.as_flattened()[from..].first_chunk() {
        Some(eight) => l.load(eight),
        None => l.splat(0.0),
    }
}
