//! The block-sparse symmetric matrix of particles joined by springs.

use super::AxialBlock;
use crate::linear::{PiecewiseOperator, Sym3};
use std::ops::Range;

/// A pair of particles that a force couples: adds B to both diagonal blocks and −B to both off-diagonal blocks.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub(crate) struct Connection {
    /// One particle.
    pub(crate) i: u32,
    /// The other.
    pub(crate) j: u32,
    /// B, positive semi-definite.
    pub(crate) block: AxialBlock,
}

/// An off-diagonal entry −B.
#[derive(Clone, Copy, Debug, Default)]
struct Entry {
    column: u32,
    block: AxialBlock,
}

/// A symmetric matrix of 3×3 blocks in compressed rows, both triangles stored so that rows can be taken one by one.
#[derive(Clone, Debug, Default)]
pub(crate) struct BlockMatrix {
    diagonal: Vec<Sym3>,
    /// Where the entries of a row end; a row begins where the one before ends.
    row_end: Vec<u32>,
    entries: Vec<Entry>,
}

impl BlockMatrix {
    /// Becomes diag(`diagonal`) + Σ connections, with rows renumbered by `row_of_particle`, in the memory it has.
    ///
    /// `diagonal` is given per row. A particle whose row is `None` is known: its row and column are left out, but its
    /// connections still add to the diagonal of its neighbors.
    pub(crate) fn assemble(
        &mut self,
        diagonal: impl Iterator<Item = f64>,
        connections: &[Connection],
        row_of_particle: &[Option<u32>],
    ) {
        let BlockMatrix { diagonal: blocks, row_end, entries } = self;
        blocks.clear();
        blocks.extend(diagonal.map(Sym3::scaled_identity));
        let rows = blocks.len();
        row_end.clear();
        row_end.resize(rows, 0);
        let row = |particle: u32| row_of_particle[particle as usize].map(|r| r as usize);
        for c in connections {
            let (ri, rj) = (row(c.i), row(c.j));
            let block = c.block.to_sym3();
            for r in [ri, rj].into_iter().flatten() {
                blocks[r] += block;
            }
            if let (Some(ri), Some(rj)) = (ri, rj) {
                row_end[ri] += 1;
                row_end[rj] += 1;
            }
        }
        // First where rows begin; filling them moves each to where it ends.
        let mut count = 0;
        for end in row_end.iter_mut() {
            count += std::mem::replace(end, count);
        }
        entries.resize(count as usize, Entry::default());
        for c in connections {
            if let (Some(ri), Some(rj)) = (row(c.i), row(c.j)) {
                for (from, to) in [(ri, rj), (rj, ri)] {
                    entries[row_end[from] as usize] = Entry { column: to as u32, block: c.block };
                    row_end[from] += 1;
                }
            }
        }
    }

    /// The rows in `range`, which no row outside is coupled with.
    pub(crate) fn rows(&self, range: Range<usize>) -> BlockRows<'_> {
        BlockRows { matrix: self, range }
    }

    /// Number of off-diagonal blocks.
    pub(crate) fn off_diagonal_blocks(&self) -> usize {
        self.entries.len()
    }

    /// The diagonal block of a row.
    pub(crate) fn diagonal(&self, row: usize) -> Sym3 {
        self.diagonal[row]
    }
}

/// Some rows of a [`BlockMatrix`] as a matrix of their own.
#[derive(Clone, Debug)]
pub(crate) struct BlockRows<'a> {
    matrix: &'a BlockMatrix,
    range: Range<usize>,
}

impl BlockRows<'_> {
    /// The diagonal blocks.
    pub(crate) fn diagonal(&self) -> &[Sym3] {
        &self.matrix.diagonal[self.range.clone()]
    }
}

impl PiecewiseOperator for BlockRows<'_> {
    fn rows(&self) -> usize {
        self.range.len()
    }

    fn apply_piece(&self, x: &[f64], first: usize, y: &mut [f64]) {
        let m = self.matrix;
        let (x, _) = x.as_chunks::<3>();
        let first = first / 3;
        let offset = self.range.start;
        let mut begin = (offset + first).checked_sub(1).map_or(0, |before| m.row_end[before]) as usize;
        for (local, y) in (first..).zip(y.as_chunks_mut::<3>().0) {
            let row = offset + local;
            let end = m.row_end[row] as usize;
            let mut sum = m.diagonal[row].mul(&x[local]);
            for entry in &m.entries[begin..end] {
                let product = entry.block.mul(&x[entry.column as usize - offset]);
                for k in 0..3 {
                    sum[k] -= product[k];
                }
            }
            *y = sum;
            begin = end;
        }
    }
}
