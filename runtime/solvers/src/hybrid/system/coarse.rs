//! A coarse correction: the motions of all triangles of the mesh, also under yarns.
//!
//!   P⁻¹ = P_lines⁻¹ + W A_c⁻¹ Wᵀ,   A_c = Wᵀ A W
//!
//! W carries every node along with the triangle that it is in at rest. R W is the identity on hybrid vertices, so that
//!
//!   A_c = A_v + Wᵀ A_p W
//!
//! needs no R: the matrix of the triangles plus what yarns give. Lines know nothing of the stiffness of triangles, nor of smooth motions across
//! yarns; this does. Ours.

use super::reduced::{HybridFilter, Unknowns};
use super::vertex_matrix::VertexMatrix;
use crate::hybrid::model::HybridModel;
use crate::hybrid::region::Class;
use crate::linear::{Constraint, Filter, Preconditioner, SparseCholesky};
use crate::yarn::system::{ElementRows, RowOperator};
use nalgebra::{DMatrix, Matrix3, Vector3};
use rayon::prelude::*;
use std::collections::BTreeSet;

/// Pieces in which the yarns' part is put together, whatever the number of threads.
const PIECES: usize = 8;

/// Weights of nodes in the motions of vertices; stays while the model does.
#[derive(Clone, Debug)]
struct Carrying {
    /// Vertices and weights of every node: active vertices first, then those under yarns.
    of_node: Vec<([u32; 3], [f64; 3])>,
    starts: Vec<u32>,
    columns: Vec<(u32, f64)>,
    vertices: usize,
}

/// The coarse correction of a model, factored for one matrix.
#[derive(Clone, Debug)]
pub(crate) struct CoarseCorrection {
    carrying: Carrying,
    /// Room for A_c.
    pattern: VertexMatrix,
    factor: Option<SparseCholesky>,
}

impl Carrying {
    fn new(model: &HybridModel) -> Self {
        let mut place = model.place_of_vertex.clone();
        let mut vertices = model.active.len();
        for (v, class) in model.region.vertices.iter().enumerate() {
            if *class == Class::Yarns {
                place[v] = Some(vertices as u32);
                vertices += 1;
            }
        }
        let of = |p: &crate::hybrid::Place| {
            let face = model.mesh.faces()[p.triangle as usize];
            (face.map(|v| place[v as usize].unwrap_or(0)), p.beta)
        };
        let of_node: Vec<([u32; 3], [f64; 3])> = model.places().iter().map(of).collect();
        let mut starts = vec![0_u32; vertices + 1];
        of_node.iter().flat_map(|(vs, _)| vs).for_each(|v| starts[*v as usize + 1] += 1);
        (0..vertices).for_each(|v| starts[v + 1] += starts[v]);
        let mut next = starts.clone();
        let mut columns = vec![(0, 0.0); 3 * of_node.len()];
        for (node, (vs, beta)) in of_node.iter().enumerate() {
            for (v, b) in vs.iter().zip(beta) {
                columns[next[*v as usize] as usize] = (node as u32, *b);
                next[*v as usize] += 1;
            }
        }
        Carrying { of_node, starts, columns, vertices }
    }

    /// The vertices that the elements of a node reach, ascending.
    fn reach(&self, operator: &RowOperator<'_, f64>, node: usize) -> Vec<u32> {
        let links = &operator.weave().links[node];
        let around = std::iter::once(node).chain(links.iter().filter_map(|l| l.node()));
        let all: BTreeSet<u32> = around.flat_map(|n| self.of_node[n].0).collect();
        all.into_iter().collect()
    }
}

impl CoarseCorrection {
    /// Room for the matrix of a model; `shell` is the triangles' part.
    pub(crate) fn new(model: &HybridModel, operator: &RowOperator<'_, f64>, shell: &VertexMatrix) -> Self {
        let carrying = Carrying::new(model);
        let reached: BTreeSet<Vec<u32>> =
            (0..operator.node_count()).map(|node| carrying.reach(operator, node)).collect();
        let shells: Vec<Vec<u32>> =
            (0..shell.row_count()).flat_map(|i| shell.row(i).map(move |(j, _)| vec![i as u32, j as u32])).collect();
        let groups = reached.iter().chain(&shells).map(|g| g.as_slice());
        let pattern = VertexMatrix::new(carrying.vertices, groups);
        CoarseCorrection { carrying, pattern, factor: None }
    }

    /// Factors the matrix of an iteration.
    pub(crate) fn update(&mut self, operator: &RowOperator<'_, f64>, shell: &VertexMatrix, filter: &HybridFilter) {
        let mut matrix = self.pattern.clone();
        matrix.add_all(shell);
        let nodes = operator.node_count();
        let piece = nodes.div_ceil(PIECES).max(1);
        let parts: Vec<VertexMatrix> = (0..PIECES)
            .into_par_iter()
            .map(|k| {
                let mut part = Part::new(&self.carrying, operator, filter, self.pattern.clone());
                (k * piece..((k + 1) * piece).min(nodes)).for_each(|node| part.add_node(node));
                part.finish()
            })
            .collect();
        parts.iter().for_each(|part| matrix.add_all(part));
        let free = filter.vertices.len();
        let held = |i: usize| if i < free { filter.vertices[i] } else { Constraint::Free };
        let mut matrix = matrix.constrained(held);
        regularize(&mut matrix);
        let entries = matrix.entries();
        let refactored = self.factor.as_mut().map(|factor| factor.refactor(|k| entries[k].2).is_ok());
        if refactored != Some(true) {
            self.factor = SparseCholesky::new(3 * self.carrying.vertices, &entries).ok();
        }
    }

    /// Adds W A_c⁻¹ Wᵀ r to y.
    fn add(&self, unknowns: Unknowns<'_>, r: &[f64], y: &mut [f64]) {
        let Some(factor) = &self.factor else { return };
        let Carrying { of_node, starts, columns, vertices } = &self.carrying;
        let (nodes, free) = unknowns.split(r);
        let gathered = (0..*vertices).into_par_iter().with_min_len(16).map(|v| {
            let mut sum = free.get(v).copied().unwrap_or_default();
            for (node, b) in &columns[starts[v] as usize..starts[v + 1] as usize] {
                let r = &nodes[*node as usize];
                (0..3).for_each(|k| sum[k] += b * r[k]);
            }
            sum
        });
        let mut c: Vec<[f64; 3]> = gathered.collect();
        factor.solve(c.as_flattened_mut());
        let (nodes, free) = unknowns.split_mut(y);
        nodes.par_iter_mut().zip(of_node).with_min_len(2048).for_each(|(y, (vs, beta))| {
            for (v, b) in vs.iter().zip(beta) {
                (0..3).for_each(|k| y[k] += b * c[*v as usize][k]);
            }
        });
        for (y, c) in free.iter_mut().zip(&c) {
            (0..3).for_each(|k| y[k] += c[k]);
        }
    }

    /// Together with another preconditioner.
    pub(crate) fn with<'a, P: Preconditioner>(
        &'a self,
        unknowns: Unknowns<'a>,
        filter: &'a HybridFilter,
        fine: P,
    ) -> WithCoarse<'a, P> {
        WithCoarse { coarse: self, unknowns, filter, fine }
    }
}

/// A vertex all of whose nodes are held has nothing of its own.
fn regularize(matrix: &mut VertexMatrix) {
    let diagonals: Vec<f64> =
        (0..matrix.row_count()).map(|i| matrix.row(i).find(|(j, _)| *j == i).map_or(0.0, |(_, b)| b.trace())).collect();
    let largest = diagonals.iter().fold(0.0_f64, |m, d| m.max(*d)).max(f64::MIN_POSITIVE);
    for (i, d) in diagonals.iter().enumerate() {
        if *d <= 1e-12 * largest {
            matrix.add(i, i, &Matrix3::from_diagonal_element(largest));
        }
    }
}

/// A part of the yarns' matrix while it is put together: nodes that reach the same vertices share a dense block.
struct Part<'a> {
    carrying: &'a Carrying,
    operator: &'a RowOperator<'a, f64>,
    filter: &'a HybridFilter,
    matrix: VertexMatrix,
    vertices: Vec<u32>,
    block: DMatrix<f64>,
    row: Vec<f64>,
}

impl<'a> Part<'a> {
    fn new(
        carrying: &'a Carrying,
        operator: &'a RowOperator<'a, f64>,
        filter: &'a HybridFilter,
        matrix: VertexMatrix,
    ) -> Self {
        Part { carrying, operator, filter, matrix, vertices: Vec::new(), block: DMatrix::zeros(0, 0), row: Vec::new() }
    }

    fn add_node(&mut self, node: usize) {
        let vertices = self.carrying.reach(self.operator, node);
        if vertices != self.vertices {
            self.flush();
            self.block = DMatrix::zeros(3 * vertices.len(), 3 * vertices.len());
            self.vertices = vertices;
        }
        let rows = ElementRows::of(self.operator, node);
        for (entries, weight) in rows.directed() {
            self.add_row(entries, weight);
        }
        for (entries, weight) in rows.isotropic() {
            for k in 0..3 {
                let axis = Vector3::ith(k, 1.0);
                let entries: Vec<(usize, Vector3<f64>)> = entries.iter().map(|(n, c)| (*n, axis * *c)).collect();
                self.add_row(&entries, weight);
            }
        }
    }

    /// Adds D (Wᵀ S row)(Wᵀ S row)ᵀ.
    fn add_row(&mut self, entries: &[(usize, Vector3<f64>)], weight: f64) {
        if weight == 0.0 {
            return;
        }
        self.row.clear();
        self.row.resize(3 * self.vertices.len(), 0.0);
        for (node, g) in entries {
            let g = self.filter.nodes.position(*node).apply(&(*g).into());
            let (vs, beta) = &self.carrying.of_node[*node];
            for (v, b) in vs.iter().zip(beta) {
                let Ok(at) = self.vertices.binary_search(v) else { continue };
                (0..3).for_each(|k| self.row[3 * at + k] += b * g[k]);
            }
        }
        for (c, mut column) in self.block.column_iter_mut().enumerate() {
            let scale = weight * self.row[c];
            if scale != 0.0 {
                column.iter_mut().zip(&self.row).for_each(|(b, r)| *b += scale * r);
            }
        }
    }

    fn flush(&mut self) {
        for (a, i) in self.vertices.iter().enumerate() {
            for (b, j) in self.vertices.iter().enumerate() {
                let block = self.block.fixed_view::<3, 3>(3 * a, 3 * b).into_owned();
                self.matrix.add(*i as usize, *j as usize, &block);
            }
        }
    }

    fn finish(mut self) -> VertexMatrix {
        self.flush();
        self.matrix
    }
}

/// A preconditioner with the coarse correction.
pub(crate) struct WithCoarse<'a, P> {
    coarse: &'a CoarseCorrection,
    unknowns: Unknowns<'a>,
    filter: &'a HybridFilter,
    fine: P,
}

impl<P: Preconditioner> Preconditioner for WithCoarse<'_, P> {
    fn apply_inverse(&self, r: &[f64], h: &mut [f64]) {
        self.fine.apply_inverse(r, h);
        self.coarse.add(self.unknowns, r, h);
        Filter::apply(self.filter, h);
    }
}
