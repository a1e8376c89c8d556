//! The reduced form: A = A_p + Eᵀ A_v E.

use super::vertex_matrix::VertexMatrix;
use crate::hybrid::coupling::Coupling;
use crate::hybrid::model::HybridModel;
use crate::linear::{Constraint, Filter, Operator};
use crate::yarn::system::{NodeFilter, RowOperator};
use rayon::prelude::*;

/// Nodes below which a loop over them is not worth a second thread.
pub(super) const GRAIN: usize = 1024;

/// How many of some lists a thread takes at least, where they have this many entries together.
pub(super) fn pieces(lists: usize, entries: usize) -> usize {
    (lists * GRAIN).div_ceil(entries.max(1)).max(1)
}

/// How vectors are cut: five entries of each node, then three of each vertex of triangles alone.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Unknowns<'a> {
    pub(crate) model: &'a HybridModel,
}

impl<'a> Unknowns<'a> {
    pub(crate) fn node_count(&self) -> usize {
        self.model.row_of_node.len()
    }

    /// Entries of a vector.
    pub(crate) fn len(&self) -> usize {
        5 * self.node_count() + 3 * self.model.free
    }

    pub(crate) fn split<'v>(&self, x: &'v [f64]) -> (&'v [[f64; 5]], &'v [[f64; 3]]) {
        let (nodes, vertices) = x.split_at(5 * self.node_count());
        (nodes.as_chunks().0, vertices.as_chunks().0)
    }

    pub(crate) fn split_mut<'v>(&self, x: &'v mut [f64]) -> (&'v mut [[f64; 5]], &'v mut [[f64; 3]]) {
        let (nodes, vertices) = x.split_at_mut(5 * self.node_count());
        (nodes.as_chunks_mut().0, vertices.as_chunks_mut().0)
    }

    fn coupling(&self) -> &'a Coupling {
        &self.model.coupling
    }

    /// E x: all active vertices.
    pub(crate) fn vertices(&self, x: &[f64]) -> Vec<[f64; 3]> {
        let (nodes, free) = self.split(x);
        let mut out = free.to_vec();
        out.extend(self.coupling().fit(|row| position(&nodes[self.model.hybrid_nodes[row] as usize])));
        out
    }

    /// y += Eᵀ w.
    pub(crate) fn add_transposed(&self, w: &[[f64; 3]], y: &mut [f64]) {
        let (nodes, free) = self.split_mut(y);
        let (own, hybrid) = w.split_at(self.model.free);
        for (y, w) in free.iter_mut().zip(own) {
            (0..3).for_each(|k| y[k] += w[k]);
        }
        let mut pulled = hybrid.to_vec();
        self.coupling().solve(&mut pulled);
        self.add_spread(&pulled, 1.0, nodes);
    }

    /// y += scale B λ on the hybrid nodes.
    pub(crate) fn add_spread(&self, lambda: &[[f64; 3]], scale: f64, nodes: &mut [[f64; 5]]) {
        if lambda.is_empty() {
            return;
        }
        let (coupling, rows) = (self.coupling(), &self.model.row_of_node);
        nodes.par_iter_mut().zip(rows).with_min_len(GRAIN).for_each(|(y, row)| {
            let Some(row) = row else { return };
            let carried = coupling.spread(*row as usize, lambda);
            (0..3).for_each(|k| y[k] += scale * carried[k]);
        });
    }
}

/// The first three entries.
pub(super) fn position(x: &[f64; 5]) -> [f64; 3] {
    [x[0], x[1], x[2]]
}

/// A of one Newton iteration.
pub(crate) struct ReducedOperator<'a> {
    pub(crate) unknowns: Unknowns<'a>,
    pub(crate) yarns: &'a RowOperator<'a, f64>,
    pub(crate) triangles: &'a VertexMatrix,
}

impl Operator for ReducedOperator<'_> {
    fn rows(&self) -> usize {
        self.unknowns.node_count() + self.unknowns.model.free
    }

    fn apply(&self, x: &[f64], y: &mut [f64]) {
        let nodes = 5 * self.unknowns.node_count();
        let (of_nodes, of_vertices) = y.split_at_mut(nodes);
        let yarns = || {
            if nodes > 0 {
                self.yarns.apply(&x[..nodes], of_nodes);
            }
        };
        let triangles = || {
            let v = self.unknowns.vertices(x);
            let mut w = vec![[0.0; 3]; v.len()];
            self.triangles.product(&v, &mut w);
            let free = self.unknowns.model.free;
            of_vertices.copy_from_slice(w[..free].as_flattened());
            let mut pulled = w.split_off(free);
            self.unknowns.coupling().solve(&mut pulled);
            pulled
        };
        let ((), pulled) = rayon::join(yarns, triangles);
        self.unknowns.add_spread(&pulled, 1.0, of_nodes.as_chunks_mut().0);
    }
}

/// S: what is prescribed at nodes and at vertices of triangles alone.
#[derive(Clone, Debug, Default)]
pub(crate) struct HybridFilter {
    pub(crate) nodes: NodeFilter,
    pub(crate) vertices: Vec<Constraint>,
}

impl Filter for HybridFilter {
    fn apply(&self, v: &mut [f64]) {
        let nodes = 5 * self.nodes.nodes.len();
        Filter::apply(&self.nodes, &mut v[..nodes]);
        for (v, c) in v[nodes..].as_chunks_mut::<3>().0.iter_mut().zip(&self.vertices) {
            if *c != Constraint::Free {
                *v = c.apply(v);
            }
        }
    }
}
