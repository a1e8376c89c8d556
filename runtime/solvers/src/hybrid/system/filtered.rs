//! The filtered form of the paper, literally [Casafranca20, Eqs. 1-11]: the oracle of the reduced one.
//!
//!   p = B v + F x,   S A S Δq̇ = S b,   S = diag(I, F),   A = [[A_v + BᵀA_pB, BᵀA_p], [A_pB, A_p]],   b = (b_v + Bᵀb_p, b_p)
//!
//! Sliding is frozen at all nodes, and only vertices of triangles alone and nodes of yarns alone can be held: a pin of a hybrid node does not
//! commute with F.

use super::reduced::{Unknowns, position};
use super::vertex_matrix::VertexMatrix;
use crate::hybrid::coupling::Coupling;
use crate::linear::{Filter, Operator};
use crate::yarn::system::RowOperator;
use nalgebra::DMatrix;

/// The system over all active vertices, then all nodes; three entries each.
pub(crate) struct FilteredSystem<'a> {
    pub(crate) unknowns: Unknowns<'a>,
    pub(crate) yarns: &'a RowOperator<'a, f64>,
    pub(crate) triangles: &'a VertexMatrix,
    /// (1 + hα) M_v of active vertices, kg.
    pub(crate) vertex_mass: Vec<f64>,
    /// (1 + hα) M_p of nodes, kg.
    pub(crate) node_mass: Vec<f64>,
}

/// S of the filtered form.
pub(crate) struct FilteredFilter<'a> {
    unknowns: Unknowns<'a>,
    /// Whether an active vertex, then whether a node is held.
    held: Vec<bool>,
}

impl<'a> FilteredSystem<'a> {
    /// B and K.
    pub(crate) fn coupling(&self) -> &'a Coupling {
        &self.unknowns.model.coupling
    }

    pub(super) fn node_of_row(&self, row: usize) -> usize {
        self.unknowns.model.hybrid_nodes[row] as usize
    }

    /// Where a hybrid vertex is among the active ones.
    pub(super) fn hybrid_vertex(&self, v: usize) -> usize {
        self.unknowns.model.free + v
    }

    /// B over all active vertices and all nodes.
    pub(super) fn dense_coupling(&self) -> DMatrix<f64> {
        let mut b = DMatrix::zeros(self.node_mass.len(), self.vertex_mass.len());
        for (row, (vs, beta)) in self.coupling().rows().iter().enumerate() {
            let node = self.node_of_row(row);
            vs.iter().zip(beta).for_each(|(v, x)| b[(node, self.hybrid_vertex(*v as usize))] += x);
        }
        b
    }

    /// S without pins, one coordinate.
    pub(super) fn dense_filter(&self) -> DMatrix<f64> {
        let (nv, np) = (self.vertex_mass.len(), self.node_mass.len());
        let n = nv + np;
        let filter = FilteredFilter { unknowns: self.unknowns, held: vec![false; n] };
        let mut s = DMatrix::zeros(n, n);
        for c in 0..n {
            let mut x = vec![0.0; 3 * n];
            x[3 * c] = 1.0;
            Filter::apply(&filter, &mut x);
            (0..n).for_each(|r| s[(r, c)] = x[3 * r]);
        }
        s
    }

    /// Velocities of vertices and nodes, from (v, x).
    pub(crate) fn positions(&self, q: &[f64]) -> (Vec<[f64; 3]>, Vec<[f64; 3]>) {
        let (v, x) = q.split_at(3 * self.vertex_mass.len());
        let v: Vec<[f64; 3]> = v.as_chunks().0.to_vec();
        let mut p: Vec<[f64; 3]> = x.as_chunks().0.to_vec();
        self.add_carried(&v, &mut p);
        (v, p)
    }

    /// p += B v.
    fn add_carried(&self, v: &[[f64; 3]], p: &mut [[f64; 3]]) {
        let hybrid = &v[self.unknowns.model.free..];
        for row in 0..self.coupling().rows().len() {
            let carried = self.coupling().spread(row, hybrid);
            let p = &mut p[self.node_of_row(row)];
            (0..3).for_each(|k| p[k] += carried[k]);
        }
    }

    /// (w_v + Bᵀw_p, w_p).
    fn pull(&self, w_v: Vec<[f64; 3]>, w_p: &[[f64; 3]]) -> Vec<f64> {
        let mut v = w_v;
        let gathered = self.coupling().gather(|row| w_p[self.node_of_row(row)]);
        for (v, g) in v[self.unknowns.model.free..].iter_mut().zip(gathered) {
            (0..3).for_each(|k| v[k] += g[k]);
        }
        v.iter().chain(w_p).flatten().copied().collect()
    }

    /// b from what vertices and nodes have, kg m/s.
    pub(crate) fn right_side(&self, b_v: &[[f64; 3]], b_p: &[[f64; 5]]) -> Vec<f64> {
        let b_p: Vec<[f64; 3]> = b_p.iter().map(position).collect();
        self.pull(b_v.to_vec(), &b_p)
    }

    /// S with these vertices and nodes held.
    pub(crate) fn filter(
        &self,
        held_vertex: impl Fn(usize) -> bool,
        held_node: impl Fn(usize) -> bool,
    ) -> FilteredFilter<'a> {
        let vertices = (0..self.vertex_mass.len()).map(held_vertex);
        let held = vertices.chain((0..self.node_mass.len()).map(held_node)).collect();
        FilteredFilter { unknowns: self.unknowns, held }
    }
}

impl Operator for FilteredSystem<'_> {
    fn rows(&self) -> usize {
        self.vertex_mass.len() + self.node_mass.len()
    }

    fn apply(&self, x: &[f64], y: &mut [f64]) {
        let (v, p) = self.positions(x);
        let stuck: Vec<f64> = p.iter().flat_map(|p| [p[0], p[1], p[2], 0.0, 0.0]).collect();
        let mut w = vec![0.0; stuck.len()];
        self.yarns.apply(&stuck, &mut w);
        let w_p: Vec<[f64; 3]> = w.as_chunks::<5>().0.iter().map(position).collect();
        let mut w_v = vec![[0.0; 3]; v.len()];
        self.triangles.product(&v, &mut w_v);
        y.copy_from_slice(&self.pull(w_v, &w_p));
    }
}

impl Filter for FilteredFilter<'_> {
    fn apply(&self, v: &mut [f64]) {
        let model = self.unknowns.model;
        let (vertices, nodes) = v.split_at_mut(3 * model.active.len());
        let nodes = nodes.as_chunks_mut::<3>().0;
        let mut hybrid: Vec<[f64; 3]> = model.hybrid_nodes.iter().map(|n| nodes[*n as usize]).collect();
        model.coupling.filter(&mut hybrid);
        model.hybrid_nodes.iter().zip(hybrid).for_each(|(n, x)| nodes[*n as usize] = x);
        let all = vertices.as_chunks_mut::<3>().0.iter_mut().chain(nodes);
        all.zip(&self.held).filter(|(_, held)| **held).for_each(|(v, _)| *v = [0.0; 3]);
    }
}
