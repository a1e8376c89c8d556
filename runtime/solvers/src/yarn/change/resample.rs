//! Plain nodes of loose pieces: put in where a piece is longer than 2 L, removed where a crossing overtakes them.

use super::fabric::{Fabric, Place};
use super::pull_out::{straighten, touched, way_through};
use super::{LONG, SHORT};
use crate::yarn::model::{Family, NodeKind, Slot};

/// Puts plain nodes into the segment ahead of a place until no piece is longer than 2 L; returns how many.
pub(super) fn insert(fabric: &mut Fabric<'_>, a: Place) -> usize {
    let [_, Some(b)] = fabric.neighbors(a) else { return 0 };
    let long = fabric.arc(b) - fabric.arc(a) > LONG * fabric.weave.material.spacing;
    if !long {
        return 0;
    }
    let middle = split(fabric, a, b);
    1 + insert(fabric, a) + insert(fabric, middle)
}

/// Puts a plain node into the middle of the segment from a to b: x on the chord, s the mean, the velocity of the yarn there. The
/// velocity of all yarn stays as it is, and so do energy of motion and momentum.
pub(super) fn split(fabric: &mut Fabric<'_>, a: Place, b: Place) -> Place {
    let before = fabric.before(&[a.node, b.node]);
    let w = fabric.slope(a, b);
    let velocity = (fabric.material_velocity(a, &w) + fabric.material_velocity(b, &w)) * 0.5;
    let x = (fabric.state.positions[a.node] + fabric.state.positions[b.node]) * 0.5;
    let s = 0.5 * (fabric.arc(a) + fabric.arc(b));
    let yarn = fabric.yarn(a);
    let slot = if fabric.weave.yarns[yarn as usize].family == Family::Weft { Slot::V } else { Slot::U };
    charge(fabric, a, b, -1.0);
    let middle = fabric.add_node(yarn, slot, NodeKind::Plain, [x, velocity], s);
    for (a, b) in [(a, middle), (middle, b)] {
        fabric.connect(a, b);
        charge(fabric, a, b, 1.0);
    }
    fabric.account(&before, &[middle.node]);
    middle
}

/// Adds `scale` times the momentum of a segment to what its ends carry.
fn charge(fabric: &mut Fabric<'_>, a: Place, b: Place, scale: f64) {
    let [pa, pb] = fabric.segment_momenta(a, b);
    fabric.carry(a, scale, pa);
    fabric.carry(b, scale, pb);
}

/// Removes a plain node that has a neighbor nearer than 0.3 L; nodes that pins name stay.
pub(super) fn remove(fabric: &mut Fabric<'_>, p: Place) -> bool {
    let [Some(a), Some(b)] = fabric.neighbors(p) else { return false };
    let least = SHORT * fabric.weave.material.spacing;
    let near = fabric.arc(p) - fabric.arc(a) < least || fabric.arc(b) - fabric.arc(p) < least;
    let stays = fabric.weave.kinds[p.node] != NodeKind::Plain || fabric.held.contains(&(p.node as u32));
    if !near || stays {
        return false;
    }
    let before = fabric.before(&touched(fabric, p));
    let way = way_through(fabric, p);
    fabric.unthread(p);
    fabric.remove_node(p.node);
    for (end, inner) in [(a, b), (b, a)] {
        straighten(fabric, end, inner, way);
    }
    fabric.account(&before, &[]);
    true
}
