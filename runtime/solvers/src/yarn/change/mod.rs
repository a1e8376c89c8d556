//! Changes of topology between steps. [Cirio14, §8] names resampling and says no more; the rules are ours:
//!
//! - A yarn pulled past its end leaves the crossing (`pull_out`).
//! - Loose pieces longer than 2 L get plain nodes, plain nodes that a crossing overtakes go (`resample`).
//! - Yarns break above the material's strength, and are cut by users (`fracture`).
//!
//! The arc coordinates of ends never change, so the length of a yarn is exact. The sum of carried momenta is the same before and
//! after a change: what a removed node carries is given to its neighbors by the shape functions N_a, N_b. What elastic and kinetic
//! energy changes is reported.
//!
//! Removed nodes keep their number (`NodeKind::Gone`, no links) and new nodes take it again: numbers that pins, scenes and hosts
//! hold stay right, and a change costs what it touches, not a renumbering of everything. Nodes that a pin names are never removed.
//!
//! What changes is found by one parallel pass over all nodes, in the order of nodes, and done one after the other: the number of
//! threads changes no bit.

mod fabric;
mod fracture;
mod pull_out;
mod resample;

pub(super) use fabric::{Fabric, Place};

use super::force::Stretch;
use super::material::Stiffness;
use super::model::{NodeKind, Slot, Weave};
use super::state::State;
use rayon::prelude::*;
use serde::Serialize;
use std::collections::BTreeMap;

/// A piece of yarn shorter than this part of the spacing is too stiff to keep.
pub(super) const SHORT: f64 = 0.3;

/// A piece of yarn longer than this many spacings gets a plain node; without the rounding of a flat sheet.
pub(super) const LONG: f64 = 2.0 * (1.0 + 1e-9);

/// Steps for which a yarn that broke does not break again.
const RELAXATION: u64 = 10;

/// What has happened to yarns so far.
#[derive(Clone, Copy, Debug, PartialEq, Default, Serialize)]
pub struct YarnChanges {
    /// Crossings that a yarn left at its end.
    pub left_crossings: usize,
    /// Plain nodes that were put into long pieces.
    pub inserted_nodes: usize,
    /// Plain nodes that were overtaken.
    pub removed_nodes: usize,
    /// Yarns that broke.
    pub breaks: usize,
    /// Yarns that were cut by a user.
    pub cuts: usize,
    /// Energy after the changes minus energy before, all of them together, J: kinetic, elastic and of weight. Where friction
    /// limits change, its springs are not counted.
    pub energy: f64,
}

impl YarnChanges {
    /// Number of changes.
    pub fn count(&self) -> usize {
        self.left_crossings + self.inserted_nodes + self.removed_nodes + self.breaks + self.cuts
    }
}

/// What changes between steps have to remember.
#[derive(Clone, Debug, Default)]
pub(super) struct Changer {
    /// So far.
    pub(super) total: YarnChanges,
    /// Numbers of removed nodes.
    pub(super) free: Vec<u32>,
    /// The step from which a yarn that broke may break again.
    relaxed_at: BTreeMap<u32, u64>,
    /// Steps so far.
    steps: u64,
}

/// What a node's yarn ahead asks for.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Need {
    /// The crossing is left by the yarn in its slot.
    Leave,
    /// The plain node goes.
    Remove,
    /// The segment ahead gets a plain node.
    Insert,
    /// The segment ahead breaks; its tension, N.
    Break(f64),
}

impl Changer {
    /// What the state after a step asks for: nearly always nothing.
    pub(super) fn look(&mut self, weave: &Weave, k: &Stiffness, state: &State) -> Needs {
        self.steps += 1;
        let nodes = (0..weave.node_count()).into_par_iter().with_min_len(4096);
        let found =
            nodes.flat_map_iter(|i| Slot::BOTH.into_iter().filter_map(move |slot| need(weave, k, state, i, slot)));
        Needs(found.collect())
    }

    /// Does what was found. Every need is looked at again, since a change before may have met it.
    pub(super) fn apply(&mut self, needs: &Needs, fabric: &mut Fabric<'_>) {
        for (place, need) in &needs.0 {
            match need {
                Need::Leave => self.total.left_crossings += usize::from(pull_out::leave(fabric, *place)),
                Need::Remove => self.total.removed_nodes += usize::from(resample::remove(fabric, *place)),
                Need::Insert => self.total.inserted_nodes += resample::insert(fabric, *place),
                Need::Break(_) => {}
            }
        }
        for place in self.breaking(needs, fabric.weave) {
            if let Some([before, after]) = fracture::cut_ahead(fabric, place) {
                self.total.breaks += 1;
                for yarn in [before, after] {
                    self.relaxed_at.insert(yarn, self.steps + RELAXATION);
                }
            }
        }
    }

    /// Cuts the yarn at a node, or the segment ahead of it; whether that was possible.
    pub(super) fn cut(&mut self, fabric: &mut Fabric<'_>, place: Place, ahead: bool) -> bool {
        let cut = if ahead { fracture::cut_ahead(fabric, place) } else { fracture::cut_at(fabric, place) };
        self.total.cuts += usize::from(cut.is_some());
        cut.is_some()
    }

    /// Where yarns break: each at its highest tension, and not while it relaxes.
    fn breaking(&mut self, needs: &Needs, weave: &Weave) -> Vec<Place> {
        self.relaxed_at.retain(|_, step| *step > self.steps);
        let mut highest: BTreeMap<u32, (f64, Place)> = BTreeMap::new();
        for (place, need) in &needs.0 {
            let Need::Break(tension) = need else { continue };
            let yarn = weave.yarns_of[place.node][place.slot.index()];
            if self.relaxed_at.contains_key(&yarn) {
                continue;
            }
            let entry = highest.entry(yarn).or_insert((*tension, *place));
            if *tension > entry.0 {
                *entry = (*tension, *place);
            }
        }
        highest.into_values().map(|(_, place)| place).collect()
    }
}

/// What a state asks for, in the order of nodes.
#[derive(Debug)]
pub(super) struct Needs(Vec<(Place, Need)>);

impl Needs {
    /// Whether nothing is asked for.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// What the segment ahead of a node asks for.
#[inline]
fn need(weave: &Weave, k: &Stiffness, state: &State, node: usize, slot: Slot) -> Option<(Place, Need)> {
    let (next, back) = weave.links[node][slot.plus()].get()?;
    let here = Place { node, slot };
    let there = Place { node: next, slot: back.slot() };
    let spacing = weave.material.spacing;
    let rest = state.arcs[next][there.slot.index()] - state.arcs[node][slot.index()];
    if rest < SHORT * spacing {
        return match (weave.kinds[node], weave.kinds[next]) {
            (NodeKind::Plain, _) => Some((here, Need::Remove)),
            (_, NodeKind::Plain) => Some((there, Need::Remove)),
            (NodeKind::End, NodeKind::Crossing { .. }) if there.sliding(state) < 0.0 => Some((there, Need::Leave)),
            (NodeKind::Crossing { .. }, NodeKind::End) if here.sliding(state) > 0.0 => Some((here, Need::Leave)),
            _ => None,
        };
    }
    if rest > LONG * spacing {
        return Some((here, Need::Insert));
    }
    let strength = weave.material.strength?;
    let segment = state.segment_ahead(node, slot.index(), weave.links[node][slot.plus()])?;
    let tension = Stretch::new(k.stretch, 1.0, &segment).tension;
    (tension > strength).then_some((here, Need::Break(tension)))
}
