//! The matrix of the triangles' side: blocks of 3 × 3 between active vertices.

use crate::linear::Constraint;
use nalgebra::{Matrix3, Vector3};
use rayon::prelude::*;

/// Vertices below which a product is not worth a second thread.
const GRAIN: usize = 512;

/// A symmetric matrix of 3 × 3 blocks in compressed rows, both triangles stored.
#[derive(Clone, Debug, Default)]
pub(crate) struct VertexMatrix {
    starts: Vec<u32>,
    columns: Vec<u32>,
    blocks: Vec<Matrix3<f64>>,
}

impl VertexMatrix {
    /// Zero, with room for blocks between the vertices of each group.
    pub(crate) fn new<'a>(vertices: usize, groups: impl Iterator<Item = &'a [u32]>) -> Self {
        let mut rows: Vec<Vec<u32>> = (0..vertices as u32).map(|v| vec![v]).collect();
        for group in groups {
            for a in group {
                rows[*a as usize].extend_from_slice(group);
            }
        }
        let mut starts = vec![0];
        let mut columns = Vec::new();
        for row in &mut rows {
            row.sort_unstable();
            row.dedup();
            columns.extend_from_slice(row);
            starts.push(columns.len() as u32);
        }
        let blocks = vec![Matrix3::zeros(); columns.len()];
        VertexMatrix { starts, columns, blocks }
    }

    pub(crate) fn clear(&mut self) {
        self.blocks.iter_mut().for_each(|b| *b = Matrix3::zeros());
    }

    /// Adds to the block of vertices i and j; nothing where there is no room for it.
    pub(crate) fn add(&mut self, i: usize, j: usize, block: &Matrix3<f64>) {
        let row = self.starts[i] as usize..self.starts[i + 1] as usize;
        if let Ok(at) = self.columns[row.clone()].binary_search(&(j as u32)) {
            self.blocks[row.start + at] += block;
        }
    }

    /// Adds D g gᵀ with the parts of g by vertex.
    pub(crate) fn add_row(&mut self, vertices: &[u32], g: &[Vector3<f64>], weight: f64) {
        for (i, gi) in vertices.iter().zip(g) {
            for (j, gj) in vertices.iter().zip(g) {
                self.add(*i as usize, *j as usize, &(gi * gj.transpose() * weight));
            }
        }
    }

    /// Adds another matrix of the same pattern or of a part of it.
    pub(crate) fn add_all(&mut self, other: &VertexMatrix) {
        for i in 0..other.row_count() {
            for (j, block) in other.row(i) {
                self.add(i, j, block);
            }
        }
    }

    pub(crate) fn row_count(&self) -> usize {
        self.starts.len() - 1
    }

    /// The blocks of a row, with their columns.
    pub(crate) fn row(&self, i: usize) -> impl Iterator<Item = (usize, &Matrix3<f64>)> {
        let range = self.starts[i] as usize..self.starts[i + 1] as usize;
        self.columns[range.clone()].iter().map(|c| *c as usize).zip(&self.blocks[range])
    }

    /// A x.
    pub(crate) fn product(&self, x: &[[f64; 3]], y: &mut [[f64; 3]]) {
        y.par_iter_mut().enumerate().with_min_len(GRAIN).for_each(|(i, y)| {
            let mut sum = Vector3::zeros();
            for (j, block) in self.row(i) {
                sum += block * Vector3::from(x[j]);
            }
            *y = sum.into();
        });
    }

    /// The inverses of the first blocks of the diagonal.
    pub(crate) fn inverse_blocks(&self, count: usize) -> Vec<Matrix3<f64>> {
        let of = |i: usize| {
            let block = self.row(i).find(|(j, _)| *j == i).map(|(_, b)| *b).unwrap_or_else(Matrix3::identity);
            block.try_inverse().unwrap_or_else(Matrix3::identity)
        };
        (0..count).map(of).collect()
    }

    /// The largest number on the diagonal of each block of the diagonal.
    pub(crate) fn stiffest(&self) -> Vec<f64> {
        let of = |i: usize| self.row(i).find(|(j, _)| *j == i).map_or(0.0, |(_, b)| b.diagonal().max());
        (0..self.row_count()).map(of).collect()
    }

    /// S A S + I − S, where `constraint` gives S of a vertex.
    pub(crate) fn constrained(&self, constraint: impl Fn(usize) -> Constraint) -> VertexMatrix {
        let projection = |i: usize| {
            let c = constraint(i);
            let column = |k: usize| Vector3::from(c.apply(&Vector3::ith(k, 1.0).into()));
            (c != Constraint::Free).then(|| Matrix3::from_columns(&[column(0), column(1), column(2)]))
        };
        let projections: Vec<_> = (0..self.row_count()).map(projection).collect();
        let mut out = self.clone();
        for i in 0..self.row_count() {
            for at in self.starts[i] as usize..self.starts[i + 1] as usize {
                let j = self.columns[at] as usize;
                let block = &mut out.blocks[at];
                if let Some(s) = &projections[i] {
                    *block = s * *block;
                }
                if let Some(s) = &projections[j] {
                    *block *= s;
                }
                if let (Some(s), true) = (&projections[i], i == j) {
                    *block += Matrix3::identity() - s;
                }
            }
        }
        out
    }

    /// The blocks of the lower triangle, with their rows and columns.
    pub(crate) fn lower(&self) -> Vec<(usize, usize, Matrix3<f64>)> {
        let row = |i: usize| self.row(i).filter(move |(j, _)| *j <= i).map(move |(j, block)| (i, j, *block));
        (0..self.row_count()).flat_map(row).collect()
    }
}
