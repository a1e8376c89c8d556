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

use super::reduced::{GRAIN, HybridFilter, Unknowns, pieces};
use super::vertex_matrix::VertexMatrix;
use crate::hybrid::model::HybridModel;
use crate::hybrid::region::Class;
use crate::linear::{Constraint, Preconditioner, SparseCholesky};
use crate::yarn::model::Weave;
use crate::yarn::system::{ElementRows, RowOperator};
use nalgebra::{DMatrix, Matrix3, Vector3};
use rayon::prelude::*;
use std::collections::BTreeMap;

/// Weights of nodes in the motions of vertices; stays while the model does.
#[derive(Clone, Debug)]
struct Carrying {
    /// Vertices and weights of every node: active vertices first, then those under yarns.
    of_node: Vec<([u32; 3], [f64; 3])>,
    starts: Vec<u32>,
    columns: Vec<(u32, f64)>,
    vertices: usize,
}

/// Nodes whose elements reach the same vertices, ascending.
#[derive(Clone, Debug)]
struct Group {
    vertices: Vec<u32>,
    nodes: Vec<u32>,
}

/// The coarse correction of a model, factored for one matrix.
#[derive(Clone, Debug)]
pub(crate) struct CoarseCorrection {
    carrying: Carrying,
    groups: Vec<Group>,
    /// Room for A_c.
    pattern: VertexMatrix,
    factor: Option<SparseCholesky<Matrix3<f64>>>,
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

    /// Nodes by the vertices that their elements reach.
    fn groups(&self, weave: &Weave) -> Vec<Group> {
        let mut groups: BTreeMap<Vec<u32>, Vec<u32>> = BTreeMap::new();
        for (node, links) in weave.links.iter().enumerate() {
            let around = std::iter::once(node).chain(links.iter().filter_map(|l| l.node()));
            let mut vertices: Vec<u32> = around.flat_map(|n| self.of_node[n].0).collect();
            vertices.sort_unstable();
            vertices.dedup();
            groups.entry(vertices).or_default().push(node as u32);
        }
        groups.into_iter().map(|(vertices, nodes)| Group { vertices, nodes }).collect()
    }
}

impl CoarseCorrection {
    /// Room for the matrix of a model; `shell` is the triangles' part.
    pub(crate) fn new(model: &HybridModel, operator: &RowOperator<'_, f64>, shell: &VertexMatrix) -> Self {
        let carrying = Carrying::new(model);
        let groups = carrying.groups(operator.weave());
        let shells: Vec<Vec<u32>> =
            (0..shell.row_count()).flat_map(|i| shell.row(i).map(move |(j, _)| vec![i as u32, j as u32])).collect();
        let reached = groups.iter().map(|g| &g.vertices).chain(&shells).map(|g| g.as_slice());
        let pattern = VertexMatrix::new(carrying.vertices, reached);
        CoarseCorrection { carrying, groups, pattern, factor: None }
    }

    /// Factors the matrix of an iteration.
    pub(crate) fn update(&mut self, operator: &RowOperator<'_, f64>, shell: &VertexMatrix, filter: &HybridFilter) {
        let mut matrix = self.pattern.clone();
        matrix.add_all(shell);
        let of = |group: &Group| {
            let mut block = GroupBlock::new(&self.carrying, filter, &group.vertices);
            group.nodes.iter().for_each(|node| block.add(&ElementRows::of(operator, *node as usize)));
            block.finish()
        };
        let blocks: Vec<DMatrix<f64>> = self.groups.par_iter().with_min_len(8).map(of).collect();
        for (group, block) in self.groups.iter().zip(&blocks) {
            for (a, i) in group.vertices.iter().enumerate() {
                for (b, j) in group.vertices.iter().enumerate() {
                    matrix.add(*i as usize, *j as usize, &block.fixed_view::<3, 3>(3 * a, 3 * b).into_owned());
                }
            }
        }
        let free = filter.vertices.len();
        let held = |i: usize| if i < free { filter.vertices[i] } else { Constraint::Free };
        let mut matrix = matrix.constrained(held);
        regularize(&mut matrix);
        let entries = matrix.lower();
        let refactored = self.factor.as_mut().map(|factor| factor.refactor(|k| entries[k].2).is_ok());
        if refactored != Some(true) {
            self.factor = SparseCholesky::new(self.carrying.vertices, &entries).ok();
        }
    }

    /// A_c⁻¹ Wᵀ r.
    fn solve(&self, unknowns: Unknowns<'_>, r: &[f64]) -> Vec<[f64; 3]> {
        let Some(factor) = &self.factor else { return Vec::new() };
        let Carrying { starts, columns, vertices, .. } = &self.carrying;
        let (nodes, free) = unknowns.split(r);
        let gathered = (0..*vertices).into_par_iter().with_min_len(pieces(*vertices, nodes.len())).map(|v| {
            let mut sum = free.get(v).copied().unwrap_or_default();
            for (node, b) in &columns[starts[v] as usize..starts[v + 1] as usize] {
                let r = &nodes[*node as usize];
                (0..3).for_each(|k| sum[k] += b * r[k]);
            }
            sum
        });
        let mut c: Vec<[f64; 3]> = gathered.collect();
        factor.solve(&mut c);
        c
    }

    /// Adds W c to y.
    fn add_carried(&self, unknowns: Unknowns<'_>, c: &[[f64; 3]], y: &mut [f64]) {
        if c.is_empty() {
            return;
        }
        let (nodes, free) = unknowns.split_mut(y);
        nodes.par_iter_mut().zip(&self.carrying.of_node).with_min_len(GRAIN).for_each(|(y, (vs, beta))| {
            for (v, b) in vs.iter().zip(beta) {
                (0..3).for_each(|k| y[k] += b * c[*v as usize][k]);
            }
        });
        for (y, c) in free.iter_mut().zip(c) {
            (0..3).for_each(|k| y[k] += c[k]);
        }
    }

    /// Together with another preconditioner.
    pub(crate) fn with<'a, P: Preconditioner>(&'a self, unknowns: Unknowns<'a>, fine: P) -> WithCoarse<'a, P> {
        WithCoarse { coarse: self, unknowns, fine }
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

/// What the nodes of a group give, while it is put together.
struct GroupBlock<'a> {
    carrying: &'a Carrying,
    filter: &'a HybridFilter,
    vertices: &'a [u32],
    block: DMatrix<f64>,
    /// What is the same in all directions.
    isotropic: DMatrix<f64>,
    row: Vec<f64>,
}

impl<'a> GroupBlock<'a> {
    fn new(carrying: &'a Carrying, filter: &'a HybridFilter, vertices: &'a [u32]) -> Self {
        let n = vertices.len();
        let (block, isotropic) = (DMatrix::zeros(3 * n, 3 * n), DMatrix::zeros(n, n));
        GroupBlock { carrying, filter, vertices, block, isotropic, row: Vec::with_capacity(3 * n) }
    }

    fn add(&mut self, rows: &ElementRows) {
        for (entries, weight) in rows.directed() {
            self.add_directed(entries, weight);
        }
        for (entries, weight) in rows.isotropic() {
            if entries.iter().all(|(node, _)| self.filter.nodes.position(*node) == Constraint::Free) {
                self.add_isotropic(entries, weight);
                continue;
            }
            for k in 0..3 {
                let axis = Vector3::ith(k, 1.0);
                let entries: Vec<(usize, Vector3<f64>)> = entries.iter().map(|(n, c)| (*n, axis * *c)).collect();
                self.add_directed(&entries, weight);
            }
        }
    }

    /// Where vertices that carry a node are in the group, with their weights.
    fn carriers(&self, node: usize) -> impl Iterator<Item = (usize, f64)> + use<'a> {
        let (vertices, (vs, beta)) = (self.vertices, &self.carrying.of_node[node]);
        vs.iter().zip(beta).filter_map(move |(v, b)| vertices.iter().position(|w| w == v).map(|at| (at, *b)))
    }

    /// Adds D (Wᵀ S row)(Wᵀ S row)ᵀ.
    fn add_directed(&mut self, entries: &[(usize, Vector3<f64>)], weight: f64) {
        self.row.clear();
        self.row.resize(3 * self.vertices.len(), 0.0);
        for (node, g) in entries {
            let g = self.filter.nodes.position(*node).apply(&(*g).into());
            for (at, b) in self.carriers(*node) {
                (0..3).for_each(|k| self.row[3 * at + k] += b * g[k]);
            }
        }
        add_product(&mut self.block, &self.row, weight);
    }

    /// The same of a row with the same number in all directions.
    fn add_isotropic(&mut self, entries: &[(usize, f64)], weight: f64) {
        self.row.clear();
        self.row.resize(self.vertices.len(), 0.0);
        for (node, c) in entries {
            for (at, b) in self.carriers(*node) {
                self.row[at] += b * c;
            }
        }
        add_product(&mut self.isotropic, &self.row, weight);
    }

    fn finish(mut self) -> DMatrix<f64> {
        for (r, c) in (0..self.vertices.len()).flat_map(|r| (0..self.vertices.len()).map(move |c| (r, c))) {
            (0..3).for_each(|k| self.block[(3 * r + k, 3 * c + k)] += self.isotropic[(r, c)]);
        }
        self.block
    }
}

/// A += D g gᵀ.
fn add_product(a: &mut DMatrix<f64>, g: &[f64], weight: f64) {
    for (mut column, c) in a.column_iter_mut().zip(g) {
        let scale = weight * c;
        if scale != 0.0 {
            column.iter_mut().zip(g).for_each(|(a, r)| *a += scale * r);
        }
    }
}

/// A preconditioner with the coarse correction.
pub(crate) struct WithCoarse<'a, P> {
    coarse: &'a CoarseCorrection,
    unknowns: Unknowns<'a>,
    fine: P,
}

impl<P: Preconditioner> Preconditioner for WithCoarse<'_, P> {
    fn apply_inverse(&self, r: &[f64], h: &mut [f64]) {
        let ((), c) = rayon::join(|| self.fine.apply_inverse(r, h), || self.coarse.solve(self.unknowns, r));
        self.coarse.add_carried(self.unknowns, &c, h);
    }
}
