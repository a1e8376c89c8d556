//! Qᵀ A Q.

use super::lattice::Lattice;
use super::matrix::CoarseMatrix;
use super::pattern::Pattern;
use super::vector::CoarseBlock;
use crate::linear::Scalar;
use crate::yarn::model::Weave;
use crate::yarn::system::filter::{NodeConstraint, NodeFilter};
use crate::yarn::system::rows::Rows;
use nalgebra::{Matrix3, Vector3};
use rayon::prelude::*;
use std::sync::Arc;

/// Cells whose contributions are held at a time.
const WAVE: usize = 4096;

/// Of the matrix of a step, S A S, for the first lattice: every cell adds up what the elements of its nodes contribute.
pub(super) fn first<T: Scalar>(
    lattice: &Lattice,
    pattern: &Arc<Pattern>,
    weave: &Weave,
    rows: &Rows<T>,
    filter: &NodeFilter,
) -> CoarseMatrix<T> {
    let mut blocks = vec![[[T::ZERO; 3]; 3]; pattern.columns.len()];
    for wave in (0..lattice.cell_count()).step_by(WAVE) {
        let cells = wave..lattice.cell_count().min(wave + WAVE);
        let parts: Vec<CellSum> = cells
            .into_par_iter()
            .with_min_len(16)
            .map(|cell| {
                let mut sum = CellSum::default();
                for i in lattice.in_cell(cell) {
                    FineElements { lattice, weave, filter, i: *i as usize }.add(rows, &mut sum);
                }
                sum
            })
            .collect();
        parts.iter().for_each(|part| part.add_to(pattern, &mut blocks));
    }
    CoarseMatrix::new(pattern, blocks)
}

/// Of the matrix of a finer lattice.
pub(super) fn further<T: Scalar>(
    lattice: &Lattice,
    pattern: &Arc<Pattern>,
    finer: &CoarseMatrix<T>,
) -> CoarseMatrix<T> {
    let row = |p: usize| {
        let (first, end) = (pattern.starts[p] as usize, pattern.starts[p + 1] as usize);
        let mut out = vec![[[0.0_f64; 3]; 3]; end - first];
        for cell in lattice.cells_around(p) {
            for i in lattice.in_cell(cell) {
                let i = *i as usize;
                let Some((_, own)) = lattice.parents(i).find(|(q, _)| *q as usize == p) else { continue };
                for (k, block) in finer.row(i) {
                    for (q, weight) in lattice.parents(k as usize) {
                        let Some(at) = pattern.find(p as u32, q) else { continue };
                        let weight = f64::from(own * weight);
                        (0..9).for_each(|e| out[at - first][e / 3][e % 3] += weight * block[e / 3][e % 3].to_f64());
                    }
                }
            }
        }
        out
    };
    let rows: Vec<Vec<CoarseBlock<f64>>> = (0..lattice.count()).into_par_iter().with_min_len(16).map(row).collect();
    let mut blocks = Vec::with_capacity(pattern.columns.len());
    blocks.extend(rows.iter().flatten().map(|block| block.map(|row| row.map(T::from_f64))));
    CoarseMatrix::new(pattern, blocks)
}

/// Blocks between the few lattice nodes that the elements of a cell move.
#[derive(Default)]
struct CellSum {
    nodes: Vec<u32>,
    /// Lower triangle by rows.
    blocks: Vec<Matrix3<f64>>,
}

impl CellSum {
    fn slot(&mut self, node: u32) -> usize {
        if let Some(k) = self.nodes.iter().position(|n| *n == node) {
            return k;
        }
        self.nodes.push(node);
        self.blocks.resize(self.nodes.len() * (self.nodes.len() + 1) / 2, Matrix3::zeros());
        self.nodes.len() - 1
    }

    /// Adds weight · row rowᵀ.
    fn add_row(&mut self, row: &CoarseRow, weight: f64) {
        for (k, (p, a)) in row.entries[..row.count].iter().enumerate() {
            for (q, b) in &row.entries[..=k] {
                let block = &mut self.blocks[triangle(*p, *q)];
                if p >= q {
                    *block += a * (b * weight).transpose();
                } else {
                    *block += b * (a * weight).transpose();
                }
            }
        }
    }

    /// Adds a multiple of the identity between the parents of two nodes, and its transpose where they differ.
    fn add_scalar(&mut self, a: &Parents, b: &Parents, weight: f64) {
        for (p, wa) in a.iter() {
            for (q, wb) in b.iter() {
                let value = Matrix3::from_diagonal_element(weight * wa * wb);
                if p >= q {
                    self.blocks[triangle(p, q)] += value;
                }
                if q >= p {
                    self.blocks[triangle(q, p)] += value;
                }
            }
        }
    }

    fn add_to<T: Scalar>(&self, pattern: &Pattern, blocks: &mut [CoarseBlock<T>]) {
        for (p, row) in self.nodes.iter().enumerate() {
            for (q, column) in self.nodes[..=p].iter().enumerate() {
                let m = &self.blocks[triangle(p, q)];
                let mut add = |at: Option<usize>, m: &Matrix3<f64>| {
                    let Some(at) = at else { return };
                    (0..9).for_each(|e| blocks[at][e / 3][e % 3] += T::from_f64(m[(e / 3, e % 3)]));
                };
                add(pattern.find(*row, *column), m);
                if p != q {
                    add(pattern.find(*column, *row), &m.transpose());
                }
            }
        }
    }
}

/// Place in a lower triangle by rows.
fn triangle(p: usize, q: usize) -> usize {
    let (p, q) = (p.max(q), p.min(q));
    p * (p + 1) / 2 + q
}

/// What a node hangs on, by the slots of a cell.
struct Parents {
    entries: [(usize, f64); 4],
    count: usize,
}

impl Parents {
    fn iter(&self) -> impl Iterator<Item = (usize, f64)> + '_ {
        self.entries[..self.count].iter().copied()
    }
}

/// A row of an element: a vector for each lattice node that it moves.
struct CoarseRow {
    entries: [(usize, Vector3<f64>); 12],
    count: usize,
}

impl CoarseRow {
    fn new(nodes: [(&Parents, Vector3<f64>); 3]) -> Self {
        let mut row = CoarseRow { entries: [(0, Vector3::zeros()); 12], count: 0 };
        for (parents, v) in nodes {
            for (slot, weight) in parents.iter() {
                let known = row.entries[..row.count].iter_mut().find(|(s, _)| *s == slot);
                match known {
                    Some((_, sum)) => *sum += v * weight,
                    None => {
                        row.entries[row.count] = (slot, v * weight);
                        row.count += 1;
                    }
                }
            }
        }
        row
    }
}

/// The elements of one fine node.
struct FineElements<'a> {
    lattice: &'a Lattice,
    weave: &'a Weave,
    filter: &'a NodeFilter,
    i: usize,
}

impl FineElements<'_> {
    fn parents(&self, node: usize, sum: &mut CellSum) -> Parents {
        let mut parents = Parents { entries: [(0, 0.0); 4], count: 0 };
        for (p, weight) in self.lattice.parents(node) {
            parents.entries[parents.count] = (sum.slot(p), f64::from(weight));
            parents.count += 1;
        }
        parents
    }

    /// v without what is prescribed at a node.
    fn free(&self, node: usize, v: Vector3<f64>) -> Vector3<f64> {
        let c = self.filter.nodes[node];
        if !c.has(NodeConstraint::POSITION) && !c.has(NodeConstraint::PARTIAL) {
            return v;
        }
        Vector3::from(self.filter.position(node).apply(&v.into()))
    }

    fn add<T: Scalar>(&self, rows: &Rows<T>, sum: &mut CellSum) {
        let (i, links) = (self.i, &self.weave.links[self.i]);
        let here = self.parents(i, sum);
        let around: [Option<(usize, Parents)>; 4] =
            std::array::from_fn(|port| links[port].node().map(|n| (n, self.parents(n, sum))));
        let held = |node: usize| self.filter.nodes[node] != NodeConstraint::default();
        let mut add = |[one, two]: [&(usize, Parents); 2], r1: Vector3<f64>, r2: Vector3<f64>, weight: f64| {
            let (r0, r1, r2) = (self.free(i, -(r1 + r2)), self.free(one.0, r1), self.free(two.0, r2));
            sum.add_row(&CoarseRow::new([(&here, r0), (&one.1, r1), (&two.1, r2)]), weight);
        };
        for slot in 0..2 {
            let [behind, ahead] = [2 * slot, 2 * slot + 1].map(|port| around[port].as_ref());
            if let (Some(two), Some(one)) = (behind, ahead)
                && let Some(b) = rows.bend(self.weave, i, slot)
            {
                add([one, two], b.g1, b.g2, b.in_plane);
                add([one, two], b.h1, b.h2, b.out_of_plane);
            }
            if let Some(next) = ahead {
                let row = rows.segment(i, slot);
                add([next, next], row.direction * 0.5, row.direction * 0.5, row.along);
            }
        }
        for corner in 0..4 {
            if let (Some(warp), Some(weft)) = (&around[corner / 2], &around[2 + corner % 2])
                && let Some(c) = rows.corner(self.weave, i, corner)
            {
                add([warp, weft], c.g1, c.g3, c.weight);
            }
        }
        let drag = rows.drag.get(i).map_or(0.0, |drag| drag.to_f64());
        self.add_isotropic(&here, &here, [i, i], drag, held, sum);
        for slot in 0..2 {
            let Some((n, there)) = &around[2 * slot + 1] else { continue };
            let row = rows.segment(i, slot);
            let (own, other) = (row.across + 2.0 * row.mass, row.mass - row.across);
            self.add_isotropic(&here, &here, [i, i], own, held, sum);
            self.add_isotropic(there, there, [*n, *n], own, held, sum);
            self.add_isotropic(&here, there, [i, *n], other, held, sum);
        }
    }

    /// Adds w S_a S_b between the parents of two nodes (both ways where they differ).
    fn add_isotropic(
        &self,
        a: &Parents,
        b: &Parents,
        [i, j]: [usize; 2],
        w: f64,
        held: impl Fn(usize) -> bool,
        sum: &mut CellSum,
    ) {
        if w == 0.0 {
            return;
        }
        if !held(i) && !held(j) {
            if i == j {
                // Once for every pair: the lower triangle has each of them once.
                for (p, wa) in a.iter() {
                    for (q, wb) in b.iter().filter(|(q, _)| *q <= p) {
                        sum.blocks[triangle(p, q)] += Matrix3::from_diagonal_element(w * wa * wb);
                    }
                }
            } else {
                sum.add_scalar(a, b, w);
            }
            return;
        }
        let s = |node: usize| Matrix3::from_columns(&[0, 1, 2].map(|k| self.free(node, Vector3::ith(k, 1.0))));
        let block = s(i) * s(j) * w;
        for (p, wa) in a.iter() {
            for (q, wb) in b.iter() {
                let value = block * (wa * wb);
                if i == j {
                    if p >= q {
                        sum.blocks[triangle(p, q)] += value;
                    }
                    continue;
                }
                if p >= q {
                    sum.blocks[triangle(p, q)] += value;
                }
                if q >= p {
                    sum.blocks[triangle(q, p)] += value.transpose();
                }
            }
        }
    }
}
