//! A yarn leaves a crossing.
//!
//! Where the outermost crossing of a yarn is nearer to its end than 0.3 L and still moves out, the end takes the crossing's
//! place in the yarn. The other yarn keeps the node as a plain one, or loses it where it has less than 1.9 L on both sides together and is
//! straight. Friction and corners go with the crossing.
//!
//! Differs from the specification, which puts the end where the crossing was: a piece of 1.3 L would then be as long as one of 1 L,
//! under a compression of 0.4 N. The end stays, but for the kink that goes: the length of yarn in space stays as it is.

use super::SHORT;
use super::fabric::{Fabric, Place};
use crate::yarn::model::{NodeKind, Slot};
use nalgebra::Vector3;

/// A yarn does without a node that has less than this many spacings on both sides together: less than 2, from which it would get one
/// again.
const DISPENSABLE: f64 = 1.9;

/// A removed node may shorten the way of its yarn by this part.
const STRAIGHT: f64 = 1e-3;

/// Takes the yarn at `p` out of its crossing, if it is still about to leave.
pub(super) fn leave(fabric: &mut Fabric<'_>, p: Place) -> bool {
    let is_end = |q: Option<Place>| q.is_some_and(|q| fabric.weave.kinds[q.node] == NodeKind::End);
    let [Some(a), Some(b)] = fabric.neighbors(p) else { return false };
    let out = |l: f64, end: Place, inner: Place| (l < SHORT * fabric.weave.material.spacing).then_some((end, inner));
    let leaving = if !fabric.weave.kinds[p.node].is_crossing() {
        None
    } else if is_end(Some(a)) && p.sliding(fabric.state) < 0.0 {
        out(fabric.arc(p) - fabric.arc(a), a, b)
    } else if is_end(Some(b)) && p.sliding(fabric.state) > 0.0 {
        out(fabric.arc(b) - fabric.arc(p), b, a)
    } else {
        None
    };
    let Some((end, inner)) = leaving else { return false };
    let before = fabric.before(&touched(fabric, p));
    let way = way_through(fabric, p);
    fabric.unthread(p);
    straighten(fabric, end, inner, way);
    lose_crossing(fabric, p);
    fabric.account(&before, &[]);
    true
}

/// The nodes of all elements around a node and its neighbors.
pub(super) fn touched(fabric: &Fabric<'_>, p: Place) -> Vec<usize> {
    let links = fabric.weave.links[p.node];
    std::iter::once(p.node).chain(links.iter().filter_map(|l| l.node())).collect()
}

/// Length in space of the two segments at a place, meters.
pub(super) fn way_through(fabric: &Fabric<'_>, p: Place) -> f64 {
    let x = |q: Place| fabric.state.positions[q.node];
    fabric.neighbors(p).iter().flatten().map(|q| (x(*q) - x(p)).norm()).sum()
}

/// Moves a free end outward, so that a piece whose kink is gone keeps its length in space.
pub(super) fn straighten(fabric: &mut Fabric<'_>, end: Place, inner: Place, way: f64) {
    let free = fabric.weave.kinds[end.node] == NodeKind::End && !fabric.held.contains(&(end.node as u32));
    let x = fabric.state.positions[inner.node];
    let direction = (fabric.state.positions[end.node] - x).try_normalize(1e-12);
    if let (true, Some(direction)) = (free, direction) {
        fabric.state.positions[end.node] = x + direction * way;
    }
}

/// After one yarn has left a node: what becomes of it on the other yarn, if there is one.
pub(super) fn lose_crossing(fabric: &mut Fabric<'_>, left: Place) {
    let slot = if left.slot == Slot::U { Slot::V } else { Slot::U };
    let other = Place { node: left.node, slot };
    let held = fabric.held.contains(&(left.node as u32));
    fabric.state.compression[left.node] = 0.0;
    match fabric.neighbors(other) {
        [None, None] if fabric.weave.kinds[left.node] != NodeKind::Gone => fabric.remove_node(left.node),
        [Some(a), Some(b)] if !held && dispensable(fabric, a, other, b) => {
            fabric.unthread(other);
            fabric.remove_node(left.node);
        }
        [Some(_), Some(_)] => {
            fabric.stop_sliding(other);
            fabric.weave.kinds[left.node] = NodeKind::Plain;
        }
        _ => fabric.weave.kinds[left.node] = NodeKind::End,
    }
}

/// Whether a yarn does as well without a node: it has less than 1.9 L on both sides together and is straight.
fn dispensable(fabric: &Fabric<'_>, a: Place, p: Place, b: Place) -> bool {
    let chord: Vector3<f64> = fabric.state.positions[b.node] - fabric.state.positions[a.node];
    let way = way_through(fabric, p);
    let short = fabric.arc(b) - fabric.arc(a) < DISPENSABLE * fabric.weave.material.spacing;
    short && way - chord.norm() <= STRAIGHT * way
}
