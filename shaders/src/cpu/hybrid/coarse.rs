//! Stages between hybrid nodes and hybrid vertices: `restrict`, `restrict_residual`, `gather`, `dense`, `follow`; and B.

use super::super::vector::{Vec3, combine};
use super::diagonal::scaled_by;
use crate::gpu::{HybridRow, NONE, NodeDiagonal, NodeVector, RowChunk};

/// Bᵀ d of one chunk: sums at the corners of its triangle.
pub fn restrict(rows: &[HybridRow], chunk: &RowChunk, d: &[NodeVector]) -> [Vec3; 3] {
    sums(rows, chunk, |i| [d[i].x, d[i].y, d[i].z])
}

/// Bᵀ M⁻¹ r of one chunk.
pub fn restrict_residual(
    rows: &[HybridRow],
    chunk: &RowChunk,
    r: &[NodeVector],
    diagonal: &[NodeDiagonal],
) -> [Vec3; 3] {
    sums(rows, chunk, |i| scaled_by(&diagonal[i], &r[i].into()).x)
}

fn sums(rows: &[HybridRow], chunk: &RowChunk, value: impl Fn(usize) -> Vec3) -> [Vec3; 3] {
    let mut sums = [[0.0; 3]; 3];
    for row in &rows[chunk.first as usize..(chunk.first + chunk.count) as usize] {
        let value = value(row.node as usize);
        for (sum, beta) in sums.iter_mut().zip(row.beta()) {
            *sum = combine(*sum, 1.0, value, beta);
        }
    }
    sums
}

/// The sum of the corners of chunks that are hybrid vertex v; the list has where those of each of the `slaves` begin, then all of them.
pub fn gather(list: &[u32], slaves: usize, sums: &[Vec3], v: usize) -> Vec3 {
    let entries = &list[slaves + 1..][list[v] as usize..list[v + 1] as usize];
    entries.iter().fold([0.0; 3], |sum, at| combine(sum, 1.0, sums[*at as usize], 1.0))
}

/// A row of a dense matrix times a vector of hybrid vertices.
pub fn dense(row: &[f32], source: &[Vec3]) -> Vec3 {
    row.iter().zip(source).fold([0.0; 3], |sum, (m, v)| combine(sum, 1.0, *v, *m))
}

/// The same as a vector of unknowns: hybrid vertices follow hybrid nodes.
pub fn follow(row: &[f32], source: &[Vec3]) -> NodeVector {
    let [x, y, z] = dense(row, source);
    NodeVector { x, y, z, u: 0.0, v: 0.0 }
}

/// B times what hybrid vertices carry, at a row; nothing where there is none.
pub fn spread(rows: &[HybridRow], triangles: &[[u32; 3]], carried: &[Vec3], at: u32) -> Vec3 {
    if at == NONE {
        return [0.0; 3];
    }
    let row = rows[at as usize];
    let vertices = triangles[row.triangle() as usize];
    vertices.iter().zip(row.beta()).fold([0.0; 3], |sum, (v, b)| combine(sum, 1.0, carried[*v as usize], b))
}
