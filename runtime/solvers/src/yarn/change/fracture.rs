//! Yarns break, or are cut.
//!
//! A segment is cut in its middle into two ends at the same place, half its yarn each, with the velocity of the yarn there: momentum,
//! length and energy stay, and the two parts draw back in the steps that follow.

use super::SHORT;
use super::fabric::{Fabric, Place};
use super::pull_out::{lose_crossing, touched};
use super::resample::split;
use crate::yarn::model::NodeKind;
use nalgebra::Vector3;

/// Cuts the segment ahead of a place in its middle; returns the two yarns. Pieces shorter than 0.3 L are not cut further.
pub(super) fn cut_ahead(fabric: &mut Fabric<'_>, a: Place) -> Option<[u32; 2]> {
    let b = fabric.neighbors(a)[1]?;
    let short = fabric.arc(b) - fabric.arc(a) < SHORT * fabric.weave.material.spacing;
    if short {
        return None;
    }
    let middle = split(fabric, a, b);
    cut_at(fabric, middle)
}

/// Cuts the yarn at a node: it leaves the node with two ends, or one where it ends there on a seam. Returns the yarns of both sides.
pub(super) fn cut_at(fabric: &mut Fabric<'_>, p: Place) -> Option<[u32; 2]> {
    let [behind, ahead] = fabric.neighbors(p);
    let held = fabric.weave.kinds[p.node] == NodeKind::Plain && fabric.held.contains(&(p.node as u32));
    if held || fabric.weave.kinds[p.node] == NodeKind::End || (behind, ahead) == (None, None) {
        return None;
    }
    let before = fabric.before(&touched(fabric, p));
    let whole = fabric.yarn_momentum(p);
    let shares = shares(fabric, p, whole);
    let ends = [behind, ahead].map(|n| n.map(|n| end_at(fabric, p, n)));
    fabric.carry(p, -1.0, whole);
    fabric.clear(p);
    for (end, share) in ends.iter().zip(shares) {
        if let Some(end) = end {
            fabric.carry(*end, 1.0, share);
        }
    }
    if let (Some(a), Some(end)) = (behind, ends[0]) {
        fabric.connect(a, end);
    }
    if let (Some(b), Some(end)) = (ahead, ends[1]) {
        fabric.connect(end, b);
    }
    lose_crossing(fabric, p);
    let added: Vec<_> = ends.iter().flatten().map(|p| p.node).collect();
    let yarns = name_parts(fabric, ends);
    fabric.account(&before, &added);
    Some(yarns)
}

/// An end in place of `p`, for the side where `neighbor` is; not yet connected.
fn end_at(fabric: &mut Fabric<'_>, p: Place, neighbor: Place) -> Place {
    let velocity: Vector3<f64> = fabric.material_velocity(p, &fabric.slope(p, neighbor));
    let at = [fabric.state.positions[p.node], velocity];
    let (yarn, s) = (fabric.yarn(p), fabric.arc(p));
    fabric.add_node(yarn, p.slot, NodeKind::End, at, s)
}

/// The momentum of a node in two parts, those of the segments behind and ahead; what is carried beyond M q̇ goes half and half.
fn shares(fabric: &Fabric<'_>, p: Place, whole: [f64; 4]) -> [[f64; 4]; 2] {
    match fabric.neighbors(p) {
        [Some(a), Some(b)] => {
            let (own_a, own_b) = (fabric.segment_momenta(a, p)[1], fabric.segment_momenta(p, b)[0]);
            let first: [f64; 4] = std::array::from_fn(|k| 0.5 * (whole[k] + own_a[k] - own_b[k]));
            [first, std::array::from_fn(|k| whole[k] - first[k])]
        }
        _ => [whole; 2],
    }
}

/// The part ahead becomes a yarn of its own, where there is one behind.
fn name_parts(fabric: &mut Fabric<'_>, ends: [Option<Place>; 2]) -> [u32; 2] {
    match ends {
        [Some(a), Some(b)] => [fabric.yarn(a), fabric.split_yarn(b)],
        [None, Some(b)] => {
            let yarn = fabric.yarn(b);
            let first = &mut fabric.weave.yarns[yarn as usize];
            (first.first, first.slot) = (b.node as u32, b.slot);
            [yarn; 2]
        }
        [Some(a), None] => [fabric.yarn(a); 2],
        [None, None] => [0; 2],
    }
}
