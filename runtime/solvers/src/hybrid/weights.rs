//! Weights of elements: α at their centers [Casafranca20, §5.1].

use super::locate::Place;
use super::region::{Class, Region};
use super::registration::Registration;
use crate::yarn::ElementWeights;
use crate::yarn::model::Weave;

/// The least weight of an element of simulated yarns; below it, its matrix would have nothing to hold a node.
const LEAST_WEIGHT: f64 = 0.01;

/// ω of an element of yarns, from α at its center. Elements on the border to triangles have α = 0 and keep the least weight: without any
/// stiffness their nodes would be free.
pub(super) fn yarn_weight(alpha: f64) -> f64 {
    alpha.clamp(LEAST_WEIGHT, 1.0)
}

/// 1 − ω of an element of triangles, from α at its center: exactly what yarns leave.
pub(super) fn triangle_weight(alpha: f64) -> f64 {
    if alpha <= 0.0 { 1.0 } else { 1.0 - yarn_weight(alpha) }
}

/// α in the material plane.
pub(super) struct Field<'a> {
    pub(super) registration: &'a Registration,
    pub(super) region: &'a Region,
    pub(super) faces: &'a [[u32; 3]],
}

impl Field<'_> {
    /// At a point of an island, near a place.
    pub(super) fn at(&self, island: u32, uv: [f64; 2], near: &Place) -> f64 {
        let place = self.registration.place_near(island, uv, near, self.region);
        self.region.alpha_in(&self.faces[place.triangle as usize], &place.beta)
    }

    /// Weights of the elements that belong to each node.
    pub(super) fn element_weights(&self) -> Vec<ElementWeights> {
        (0..self.registration.places.len()).map(|i| self.of_node(i)).collect()
    }

    fn of_node(&self, i: usize) -> ElementWeights {
        let Registration { weave, uvs, places, islands, classes, .. } = self.registration;
        let neighbor = |port: usize| weave.links[i][port].node();
        let around = std::iter::once(i).chain((0..4).filter_map(neighbor));
        if around.clone().all(|n| classes[n] == Class::Yarns) && around.clone().all(|n| self.at_node(n) >= 1.0) {
            return ElementWeights::default();
        }
        let weight = |nodes: &[usize]| {
            let mean = |k: usize| nodes.iter().map(|n| uvs[*n][k]).sum::<f64>() / nodes.len() as f64;
            yarn_weight(self.at(islands[i], [mean(0), mean(1)], &places[i])) as f32
        };
        let pair = |port: usize| neighbor(port).map_or(1.0, |n| weight(&[i, n]));
        let three = |a: usize, b: usize| match (neighbor(a), neighbor(b)) {
            (Some(a), Some(b)) => weight(&[i, a, b]),
            _ => 1.0,
        };
        ElementWeights {
            segments: [pair(1), pair(3)],
            bends: [three(0, 1), three(2, 3)],
            corners: std::array::from_fn(|corner| three(corner / 2, 2 + corner % 2)),
        }
    }

    fn at_node(&self, n: usize) -> f64 {
        let Registration { uvs, places, islands, .. } = self.registration;
        self.at(islands[n], uvs[n], &places[n])
    }
}

/// Whether yarn may slide at a node: only where it is yarns alone, and not next to anything else's border.
pub(super) fn frozen(weave: &Weave, classes: &[Class], sliding: bool) -> Vec<bool> {
    (0..weave.node_count()).map(|i| !sliding || classes[i] != Class::Yarns).collect()
}
