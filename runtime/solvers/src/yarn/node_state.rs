//! What steps do node by node, in yarns alone and in yarns that share their cloth with triangles.

use super::blend::Blend;
use super::energy::corner_angle;
use super::friction::dragged;
use super::material::Stiffness;
use super::model::{Slot, Weave};
use super::state::State;
use super::system::{NodeConstraint, NodeFilter};
use nalgebra::Vector3;
use rayon::prelude::*;

/// What kinds of nodes prescribe: only crossings slide.
pub(crate) fn own_filter(weave: &Weave, blend: Option<&Blend>) -> NodeFilter {
    let frozen = |i: usize| blend.is_some_and(|blend| blend.frozen[i]);
    let slides = |i: usize| {
        let mut c = NodeConstraint::default();
        if !weave.kinds[i].is_crossing() || frozen(i) {
            c.insert(NodeConstraint::U | NodeConstraint::V);
        }
        for slot in Slot::BOTH {
            // The end of a yarn on a crossing has nowhere to slide to.
            let [minus, plus] = [slot.minus(), slot.plus()].map(|p| weave.links[i][p].node());
            if minus.is_none() || plus.is_none() {
                c.insert(if slot == Slot::U { NodeConstraint::U } else { NodeConstraint::V });
            }
        }
        if weave.links[i].iter().all(|l| l.node().is_none()) {
            c.insert(NodeConstraint::POSITION);
        }
        c
    };
    NodeFilter { nodes: (0..weave.node_count()).map(slides).collect(), partial: Default::default() }
}

/// Friction that was used up drags its anchors along.
pub(crate) fn drag_anchors(weave: &Weave, k: &Stiffness, state: &mut State) {
    let mut sliding = std::mem::take(&mut state.sliding_anchors);
    let mut corners = std::mem::take(&mut state.corner_anchors);
    let now = &*state;
    sliding.par_iter_mut().zip(&mut corners).enumerate().with_min_len(1024).for_each(|(i, (anchors, corners))| {
        if !weave.kinds[i].is_crossing() {
            return;
        }
        let compression = now.compression[i];
        for c in 0..2 {
            anchors[c] = dragged(k.sliding, weave.material.friction * compression, now.arcs[i][c], anchors[c]);
        }
        for (corner, anchor) in corners.iter_mut().enumerate() {
            if let Some(phi) = corner_angle(weave, now, i, corner) {
                *anchor = dragged(k.turning, k.turning_friction * compression, phi, f64::from(*anchor)) as f32;
            }
        }
    });
    state.sliding_anchors = sliding;
    state.corner_anchors = corners;
}

/// The part of a node's velocity that is one of its position.
pub(crate) fn position_part(v: &[f64; 5]) -> Vector3<f64> {
    Vector3::new(v[0], v[1], v[2])
}

/// Half the mass of the segments around a node, kg.
pub(crate) fn lumped_mass(weave: &Weave, k: &Stiffness, arcs: &[[f64; 2]], i: usize) -> f64 {
    let length = |port: usize| {
        let Some((n, back)) = weave.links[i][port].get() else { return 0.0 };
        (arcs[n][back.slot().index()] - arcs[i][port / 2]).abs()
    };
    0.5 * k.density * (0..4).map(length).sum::<f64>()
}
