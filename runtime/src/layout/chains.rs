//! From copies of pattern vertices to yarns: cut, follow, drop what is too short, compact.

use super::Yarns;
use super::pattern::Rectangle;
use super::tile::Tiling;
use rayon::prelude::*;
use yarnwise_shaders::cpu::walk::walk;
use yarnwise_shaders::gpu::{FaceChart, NONE, YarnSite};

/// How far from its end a walk along a segment may arrive, in barycentrics.
const REACHED: f32 = 1e-2;

pub(super) struct Chains<'a> {
    pub(super) tiling: &'a Tiling,
    pub(super) pattern: &'a Rectangle,
    /// The pattern's scale on this island.
    pub(super) scale: f64,
    /// Yarns shorter than this many radii are dropped.
    pub(super) min_length: f64,
}

impl Chains<'_> {
    /// Appends the yarns of this island.
    pub(super) fn collect(&self, charts: &[FaceChart], yarns: &mut Yarns) {
        let next = self.edges(charts);
        let mut has_previous = vec![false; next.len()];
        for to in next.iter().filter(|to| **to != NONE) {
            has_previous[*to as usize] = true;
        }
        for start in 0..next.len() {
            if next[start] != NONE && !has_previous[start] {
                self.follow(&next, start as u32, yarns);
            }
        }
        self.rings(&next, &has_previous, yarns);
        yarns.tiled += next.len();
        yarns.live += self.tiling.faces.iter().filter(|f| **f != NONE).count();
    }

    /// The copy that each copy's edge leads to; [`NONE`] where either end is off the mesh or the edge leaves the cloth.
    fn edges(&self, charts: &[FaceChart]) -> Vec<u32> {
        let n = self.pattern.positions.len();
        let mut next = vec![NONE; self.tiling.faces.len()];
        next.par_chunks_mut(n).enumerate().for_each(|(cell, next)| {
            for v in 0..n {
                next[v] = self.edge(charts, cell, v).unwrap_or(NONE);
            }
        });
        next
    }

    fn edge(&self, charts: &[FaceChart], cell: usize, v: usize) -> Option<u32> {
        let n = self.pattern.positions.len();
        let from = cell * n + v;
        let (to, shift) = self.pattern.edges[v];
        let face = self.tiling.faces[from];
        if face == NONE {
            return None;
        }
        let target = self.tiling.shifted(cell, shift)?;
        let to = target as usize * n + to as usize;
        let end = self.tiling.faces[to];
        let whole = end == face || (end != NONE && self.stays_on_cloth(charts, to, face));
        whole.then_some(to as u32)
    }

    /// Whether the end of an edge is reached from the face of its beginning without leaving the island's triangles:
    /// an edge must not jump over a slit or a notch.
    fn stays_on_cloth(&self, charts: &[FaceChart], to: usize, from: u32) -> bool {
        let end = self.tiling.faces[to];
        let [b, c] = self.tiling.barycentrics[to];
        let (chart, first) = (&charts[end as usize], &charts[from as usize]);
        let [e1x, e1y, e2x, e2y] = chart.edges;
        let x = e1x * b + e2x * c + (chart.origin[0] - first.origin[0]);
        let y = e1y * b + e2y * c + (chart.origin[1] - first.origin[1]);
        let [i11, i12, i21, i22] = first.inverse;
        let (face, b, c) = walk(charts, from, i11 * x + i12 * y, i21 * x + i22 * y);
        face == end || b.min(c).min(1.0 - b - c) > -REACHED
    }

    /// Appends the yarn that begins at `start`, unless it is too short.
    fn follow(&self, next: &[u32], start: u32, yarns: &mut Yarns) {
        let first = yarns.sites.len();
        let mut at = start;
        let mut arc = 0.0;
        loop {
            arc = self.push(at, arc, yarns);
            match next[at as usize] {
                NONE => break,
                // Back at the beginning: the first vertex again ends a closed yarn.
                to if to == start => {
                    self.push(to, arc, yarns);
                    break;
                }
                to => at = to,
            }
        }
        self.finish(first, next[at as usize] != NONE, yarns);
    }

    /// Appends a vertex at rest arc length `arc`; gives that of the next one.
    fn push(&self, at: u32, arc: f64, yarns: &mut Yarns) -> f64 {
        let n = self.pattern.positions.len() as u32;
        let (vertex, [b, c]) = (at % n, self.tiling.barycentrics[at as usize]);
        yarns.sites.push(YarnSite { b, c, face: self.tiling.faces[at as usize], pattern: vertex });
        yarns.arcs.push((arc * self.scale) as f32);
        arc + self.pattern.rest_lengths[vertex as usize]
    }

    fn finish(&self, first: usize, closed: bool, yarns: &mut Yarns) {
        yarns.finish(first, closed, self.min_length * self.pattern.radius * self.scale);
    }

    /// Closed yarns have no beginning: any remaining vertex on a ring of the pattern begins one.
    fn rings(&self, next: &[u32], has_previous: &[bool], yarns: &mut Yarns) {
        let n = self.pattern.positions.len();
        if !self.pattern.ring.contains(&true) {
            return;
        }
        let mut seen = vec![false; next.len()];
        for start in 0..next.len() {
            if !self.pattern.ring[start % n] || !has_previous[start] || seen[start] {
                continue;
            }
            let mut at = start;
            let closed = loop {
                seen[at] = true;
                match next[at] {
                    NONE => break false,
                    to if to as usize == start => break true,
                    to if seen[to as usize] => break false,
                    to => at = to as usize,
                }
            };
            if closed {
                self.follow(next, start as u32, yarns);
            }
        }
    }
}
