//! Block-sparse symmetric matrices of particle systems.

use super::vector::PARALLEL;
use super::{Operator, Sym3};
use rayon::prelude::*;
use std::ops::Range;

/// A pair of particles that a force couples: adds B to both diagonal blocks and −B to both off-diagonal blocks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Connection {
    /// One particle.
    pub i: u32,
    /// The other.
    pub j: u32,
    /// B, positive semi-definite.
    pub block: Sym3,
}

/// A symmetric matrix of 3×3 blocks in compressed rows, both triangles stored so that rows can be taken one by one.
#[derive(Clone, Debug, Default)]
pub struct BlockMatrix {
    diagonal: Vec<Sym3>,
    row_start: Vec<u32>,
    column: Vec<u32>,
    block: Vec<Sym3>,
}

impl BlockMatrix {
    /// The matrix diag(`diagonal`) + Σ connections, with rows renumbered by `row_of_particle`.
    ///
    /// `diagonal` is given per row. A particle whose row is `None` is known: its row and column are left out, but its
    /// connections still add to the diagonal of its neighbours.
    pub fn assemble(
        diagonal: impl Iterator<Item = f64>,
        connections: &[Connection],
        row_of_particle: &[Option<u32>],
    ) -> Self {
        let mut diagonal: Vec<Sym3> = diagonal.map(Sym3::scaled_identity).collect();
        let rows = diagonal.len();
        let mut row_start = vec![0_u32; rows + 1];
        let row = |particle: u32| row_of_particle[particle as usize].map(|r| r as usize);
        for c in connections {
            let (ri, rj) = (row(c.i), row(c.j));
            for r in [ri, rj].into_iter().flatten() {
                diagonal[r] += c.block;
            }
            if let (Some(ri), Some(rj)) = (ri, rj) {
                row_start[ri + 1] += 1;
                row_start[rj + 1] += 1;
            }
        }
        for r in 0..rows {
            row_start[r + 1] += row_start[r];
        }
        let entries = row_start[rows] as usize;
        let (mut column, mut block) = (vec![0_u32; entries], vec![Sym3::default(); entries]);
        let mut next = row_start.clone();
        for c in connections {
            if let (Some(ri), Some(rj)) = (row(c.i), row(c.j)) {
                for (from, to) in [(ri, rj), (rj, ri)] {
                    let at = next[from] as usize;
                    column[at] = to as u32;
                    block[at] = -c.block;
                    next[from] += 1;
                }
            }
        }
        BlockMatrix { diagonal, row_start, column, block }
    }

    /// The rows in `range`, which no row outside is coupled with.
    pub fn rows(&self, range: Range<usize>) -> BlockRows<'_> {
        BlockRows { matrix: self, range }
    }

    /// Number of block rows.
    pub fn len(&self) -> usize {
        self.diagonal.len()
    }

    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.diagonal.is_empty()
    }

    /// Number of off-diagonal blocks.
    pub fn off_diagonal_blocks(&self) -> usize {
        self.block.len()
    }

    /// The diagonal block of a row.
    pub fn diagonal(&self, row: usize) -> Sym3 {
        self.diagonal[row]
    }
}

/// Some rows of a [`BlockMatrix`] as a matrix of their own.
#[derive(Clone, Debug)]
pub struct BlockRows<'a> {
    matrix: &'a BlockMatrix,
    range: Range<usize>,
}

impl BlockRows<'_> {
    fn row(&self, local: usize, x: &[[f64; 3]]) -> [f64; 3] {
        let m = self.matrix;
        let row = self.range.start + local;
        let mut y = m.diagonal[row].mul(&x[local]);
        let entries = m.row_start[row] as usize..m.row_start[row + 1] as usize;
        for (column, block) in m.column[entries.clone()].iter().zip(&m.block[entries]) {
            let product = block.mul(&x[*column as usize - self.range.start]);
            for k in 0..3 {
                y[k] += product[k];
            }
        }
        y
    }

    /// The diagonal blocks.
    pub fn diagonal(&self) -> &[Sym3] {
        &self.matrix.diagonal[self.range.clone()]
    }
}

impl Operator for BlockRows<'_> {
    fn rows(&self) -> usize {
        self.range.len()
    }

    fn apply(&self, x: &[f64], y: &mut [f64]) {
        let (x, _) = x.as_chunks::<3>();
        let parallel = y.len() >= PARALLEL;
        let (y, _) = y.as_chunks_mut::<3>();
        if parallel {
            y.par_iter_mut().with_min_len(1024).enumerate().for_each(|(i, y)| *y = self.row(i, x));
        } else {
            for (i, y) in y.iter_mut().enumerate() {
                *y = self.row(i, x);
            }
        }
    }
}
