//! The whole mesh from what is simulated: vertices under yarns fit the nodes around them.
//!
//!   min Σ |p_i − Σ_k β_ik v_k|² over the nodes in triangles of yarns, hybrid vertices held
//!
//! so that displacement tables and what draws triangles find a mesh without holes.

use super::model::HybridModel;
use super::region::Class;
use super::state::HybridState;
use crate::linear::SparseCholesky;
use nalgebra::Vector3;
use std::collections::BTreeMap;

/// Weight of the nearest node beside the fit: it decides where nodes say nothing.
const NEAREST: f64 = 1e-6;

/// The fit of the vertices under yarns; stays while the model does.
#[derive(Clone, Debug)]
pub(super) struct WholeMesh {
    /// Vertices under yarns, and the node nearest to each.
    vertices: Vec<(u32, u32)>,
    /// Nodes in triangles of yarns: corners of their triangles and weights.
    rows: Vec<(u32, [u32; 3], [f64; 3])>,
    /// Where each vertex of the mesh is in `vertices`.
    place: Vec<Option<u32>>,
    factor: Option<SparseCholesky<f64>>,
}

impl WholeMesh {
    pub(super) fn new(model: &HybridModel) -> Self {
        let mesh = model.mesh();
        let mut place = vec![None; mesh.positions().len()];
        let under = |v: &u32| model.region().vertices[*v as usize] == Class::Yarns;
        let under: Vec<u32> = (0..place.len() as u32).filter(under).collect();
        under.iter().enumerate().for_each(|(k, v)| place[*v as usize] = Some(k as u32));
        let in_yarns = (0..model.places().len()).filter(|n| {
            let triangle = model.places()[*n].triangle;
            model.region().triangles[triangle as usize] == Class::Yarns
        });
        let rows: Vec<_> = in_yarns
            .map(|n| {
                let p = model.places()[n];
                (n as u32, mesh.faces()[p.triangle as usize], p.beta)
            })
            .collect();
        let mut nearest = vec![(0.0, 0); under.len()];
        let mut gram = BTreeMap::new();
        for (node, face, beta) in &rows {
            for (v, b) in face.iter().zip(beta) {
                let Some(i) = place[*v as usize] else { continue };
                if *b > nearest[i as usize].0 {
                    nearest[i as usize] = (*b, *node);
                }
                for (w, c) in face.iter().zip(beta) {
                    if let Some(j) = place[*w as usize].filter(|j| *j <= i) {
                        *gram.entry((i as usize, j as usize)).or_insert(0.0) += b * c;
                    }
                }
            }
        }
        (0..under.len()).for_each(|i| *gram.entry((i, i)).or_insert(0.0) += NEAREST);
        let entries: Vec<(usize, usize, f64)> = gram.into_iter().map(|((i, j), v)| (i, j, v)).collect();
        let factor = SparseCholesky::new(under.len(), &entries).ok();
        let vertices = under.into_iter().zip(nearest).map(|(v, (_, node))| (v, node)).collect();
        WholeMesh { vertices, rows, place, factor }
    }

    /// Positions of all vertices of the mesh, meters.
    pub(super) fn positions(&self, model: &HybridModel, state: &HybridState) -> Vec<Vector3<f64>> {
        let mut out = vec![Vector3::zeros(); self.place.len()];
        model.active.iter().zip(&state.vertices).for_each(|(v, x)| out[*v as usize] = *x);
        let nodes = &state.yarns.positions;
        let Some(factor) = self.factor.as_ref().filter(|_| !nodes.is_empty()) else { return out };
        let mut right: Vec<[f64; 3]> =
            self.vertices.iter().map(|(_, node)| (nodes[*node as usize] * NEAREST).into()).collect();
        for (node, face, beta) in &self.rows {
            let mut rest = nodes[*node as usize];
            for (v, b) in face.iter().zip(beta) {
                if self.place[*v as usize].is_none() {
                    rest -= out[*v as usize] * *b;
                }
            }
            for (v, b) in face.iter().zip(beta) {
                if let Some(i) = self.place[*v as usize] {
                    (0..3).for_each(|k| right[i as usize][k] += b * rest[k]);
                }
            }
        }
        factor.solve(&mut right);
        self.vertices.iter().zip(right).for_each(|((v, _), x)| out[*v as usize] = x.into());
        out
    }
}
