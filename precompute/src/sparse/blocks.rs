//! A symmetric sparse matrix of 4x4 blocks, one row and column of blocks a vertex.
//!
//! Only blocks on and above the diagonal are kept, in the order of elimination that makes the factor sparse.

use super::ordering::elimination_order;
use nalgebra::{Matrix3, Matrix4};

/// Numbers of unknowns per vertex.
pub(crate) const BLOCK: usize = 4;

/// A symmetric block matrix with a fixed pattern.
#[derive(Clone, Debug)]
pub(crate) struct BlockMatrix {
    /// Place of each vertex in the order of elimination.
    place: Vec<usize>,
    column_start: Vec<usize>,
    /// Block rows, ascending in each block column, the diagonal last.
    rows: Vec<usize>,
    values: Vec<Matrix4<f64>>,
}

impl BlockMatrix {
    /// The matrix with blocks for these pairs of vertices (in any order, repeated or not) and the diagonal; all zero.
    pub(crate) fn new(vertices: usize, pairs: impl Iterator<Item = (usize, usize)>) -> Self {
        let mut pairs: Vec<(usize, usize)> = pairs.filter(|(a, b)| a != b).map(|(a, b)| (a.min(b), a.max(b))).collect();
        pairs.sort_unstable();
        pairs.dedup();
        let place = elimination_order(vertices, &pairs);
        let mut placed: Vec<(usize, usize)> = pairs
            .iter()
            .map(|(a, b)| (place[*a].max(place[*b]), place[*a].min(place[*b])))
            .chain((0..vertices).map(|i| (i, i)))
            .collect();
        placed.sort_unstable();
        let mut column_start = vec![0; vertices + 1];
        placed.iter().for_each(|(column, _)| column_start[column + 1] += 1);
        for i in 0..vertices {
            column_start[i + 1] += column_start[i];
        }
        let rows: Vec<usize> = placed.into_iter().map(|(_, row)| row).collect();
        let values = vec![Matrix4::zeros(); rows.len()];
        BlockMatrix { place, column_start, rows, values }
    }

    /// Number of vertices.
    pub(crate) fn vertices(&self) -> usize {
        self.place.len()
    }

    /// Where the unknowns of `vertex` begin in the order of elimination.
    pub(crate) fn unknown(&self, vertex: usize) -> usize {
        BLOCK * self.place[vertex]
    }

    /// Sets all entries to zero.
    pub(crate) fn clear(&mut self) {
        self.values.fill(Matrix4::zeros());
    }

    /// The block of two vertices, if the pattern has it.
    pub(crate) fn slot(&self, i: usize, j: usize) -> Option<usize> {
        let (row, column) = (self.place[i].min(self.place[j]), self.place[i].max(self.place[j]));
        let range = self.column_start[column]..self.column_start[column + 1];
        self.rows[range.clone()].binary_search(&row).ok().map(|k| range.start + k)
    }

    /// Adds d2E / dq_i dq_j for two different unknown vectors of the same energy term; its transpose is implied.
    ///
    /// When i = j, two copies of one vertex, both are added.
    pub(crate) fn add_mixed(&mut self, slot: usize, i: usize, j: usize, block: &Matrix4<f64>) {
        let value = &mut self.values[slot];
        if i == j {
            *value += block + block.transpose();
        } else if self.place[i] < self.place[j] {
            *value += block;
        } else {
            *value += block.transpose();
        }
    }

    /// The same for a block that touches positions only.
    pub(crate) fn add_mixed_positions(&mut self, slot: usize, i: usize, j: usize, block: &Matrix3<f64>) {
        let transposed = self.place[i] > self.place[j];
        let value = &mut self.values[slot];
        for c in 0..3 {
            for r in 0..3 {
                value[(r, c)] += if transposed { block[(c, r)] } else { block[(r, c)] };
                if i == j {
                    value[(r, c)] += block[(c, r)];
                }
            }
        }
    }

    /// Adds to the diagonal block of a vertex.
    pub(crate) fn add_diagonal(&mut self, slot: usize, block: &Matrix4<f64>) {
        self.values[slot] += block;
    }

    /// Adds to the positions' part of the diagonal block of a vertex.
    pub(crate) fn add_diagonal_positions(&mut self, slot: usize, block: &Matrix3<f64>) {
        let mut part = self.values[slot].fixed_view_mut::<3, 3>(0, 0);
        part += block;
    }

    /// v^T A v for a vector over the unknowns in vertex order: what tests compare with differences of the energy.
    #[cfg(test)]
    pub(crate) fn quadratic_form(&self, v: &[f64]) -> f64 {
        let mut ordered = vec![0.0; v.len()];
        for (vertex, values) in v.chunks_exact(BLOCK).enumerate() {
            ordered[self.unknown(vertex)..][..BLOCK].copy_from_slice(values);
        }
        let part = |place: usize| nalgebra::Vector4::from_column_slice(&ordered[BLOCK * place..][..BLOCK]);
        let mut sum = 0.0;
        for column in 0..self.vertices() {
            for k in self.column_start[column]..self.column_start[column + 1] {
                let twice = if self.rows[k] == column { 1.0 } else { 2.0 };
                sum += twice * part(self.rows[k]).dot(&(self.values[k] * part(column)));
            }
        }
        sum
    }

    /// Row and column of each stored block in the order of elimination, row <= column.
    pub(crate) fn blocks(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        let column = |c: usize| self.rows[self.column_start[c]..self.column_start[c + 1]].iter().map(move |r| (*r, c));
        (0..self.vertices()).flat_map(column)
    }

    /// The blocks, in the order of [`BlockMatrix::blocks`].
    pub(crate) fn values(&self) -> &[Matrix4<f64>] {
        &self.values
    }
}
