//! F_n.

use super::crimp::crimped;
use super::heights;
use super::normal::from_warp_to_weft;
use crate::yarn::force::{Bending, Stretch};
use crate::yarn::kinematics::Segment;
use crate::yarn::material::Stiffness;
use crate::yarn::model::{NodeKind, Port, Slot, Weave};
use crate::yarn::state::State;
use crate::yarn::system::{Band, Bands};
use nalgebra::Vector3;
use rayon::prelude::*;

/// Updates F_n of every crossing, N. The normals must be those of the state.
pub fn update_compression(weave: &Weave, bands: &Bands, k: &Stiffness, state: &mut State) {
    if let Some(law) = &k.crimp {
        return heights::update(weave, law, state);
    }
    let mut compression = std::mem::take(&mut state.compression);
    let now = &*state;
    if weave.kinds.contains(&NodeKind::Plain) {
        compression.par_iter_mut().enumerate().with_min_len(512).for_each(|(i, f)| *f = alone(weave, k, now, i));
    } else {
        bands.for_each(&mut compression, |band, out| by_shares(weave, k, now, band, out));
    }
    state.compression = compression;
}

/// F_n of one crossing, from the five nodes of each yarn around it.
fn alone(weave: &Weave, k: &Stiffness, state: &State, i: usize) -> f64 {
    let Some(n) = from_warp_to_weft(weave, state, i) else { return 0.0 };
    let [warp, weft] = Slot::BOTH.map(|slot| Around::new(weave, k, state, i, slot).force(k));
    (0.5 * n.dot(&(warp - weft))).max(0.0)
}

/// What the bends of a node do to it and to its neighbors.
#[derive(Clone, Copy, Default)]
struct BendShares {
    /// n·(F(u) − F(v)) of its own bends and of tension, N.
    own: f64,
    /// On the neighbors behind the ports, N.
    ports: [Vector3<f64>; 4],
}

/// F_n of the crossings of a band: the same as [`alone`], with every bend computed once. There must be no plain nodes.
fn by_shares(weave: &Weave, k: &Stiffness, state: &State, band: &Band, out: &mut [f64]) {
    let mut shares = vec![BendShares::default(); band.len()];
    for (local, share) in shares.iter_mut().enumerate() {
        if let Some(i) = band.global(local) {
            *share = bend_shares(weave, k, state, i);
        }
    }
    for (local, f) in out.iter_mut().enumerate() {
        *f = 0.0;
        let Some(n) = from_warp_to_weft(weave, state, band.first + local) else { continue };
        let mut sum = shares[local].own;
        for port in 0..4 {
            let link = band.link(local, port);
            let force = n.dot(&shares[link.node()].ports[link.back()]);
            sum += if port < 2 { force } else { -force };
        }
        *f = (0.5 * sum).max(0.0);
    }
}

fn bend_shares(weave: &Weave, k: &Stiffness, state: &State, i: usize) -> BendShares {
    let mut shares = BendShares::default();
    let n = from_warp_to_weft(weave, state, i);
    for slot in Slot::BOTH {
        let here = crimped(weave, state, i, slot);
        let mut own = Vector3::zeros();
        // Crimped directions and rest lengths toward smaller and larger arc coordinates.
        let sides = [slot.minus(), slot.plus()].map(|port| {
            let (neighbor, back) = weave.links[i][port].get()?;
            let there = back.slot();
            let rest = (state.arcs[neighbor][there.index()] - state.arcs[i][slot.index()]).abs();
            let way = crimped(weave, state, neighbor, there) - here;
            let flat = Segment::new(state.positions[neighbor] - state.positions[i], rest);
            if let Some(direction) = way.try_normalize(1e-15) {
                own += direction * Stretch::new(k.stretch, 1.0, &flat).tension.max(0.0);
            }
            Some((way, rest))
        });
        if let [Some((back, behind_rest)), Some((way, ahead_rest))] = sides {
            let b = Bending::new(k.bend, &Segment::new(-back, behind_rest), &Segment::new(way, ahead_rest));
            own += (b.g1 + b.g2) * b.moment;
            shares.ports[slot.minus()] = b.g2 * -b.moment;
            shares.ports[slot.plus()] = b.g1 * -b.moment;
        }
        if let Some(n) = n {
            shares.own += if slot == Slot::U { n.dot(&own) } else { -n.dot(&own) };
        }
    }
    shares
}

/// A stretch of yarn through up to five nodes: two behind a node, itself, two ahead; crimped points and uncrimped rest lengths.
pub(crate) struct Around {
    pub(crate) points: [Option<Vector3<f64>>; 5],
    /// Meters.
    pub(crate) rest: [f64; 4],
    /// Tensions of the segments next to the node, N.
    pub(crate) tension: [f64; 2],
}

impl Around {
    fn new(weave: &Weave, k: &Stiffness, state: &State, node: usize, slot: Slot) -> Self {
        let mut around = Around {
            points: [None, None, Some(crimped(weave, state, node, slot)), None, None],
            rest: [0.0; 4],
            tension: [0.0; 2],
        };
        for (ahead, side) in [(false, -1_isize), (true, 1)] {
            let (mut here, mut here_slot) = (node, slot);
            for distance in 1..=2_isize {
                let port = if ahead { here_slot.plus() } else { here_slot.minus() };
                let Some(neighbor) = weave.links[here][port].get() else { break };
                let (next, back) = past_plain(weave, neighbor, ahead);
                let next_slot = back.slot();
                let difference = state.arcs[next][next_slot.index()] - state.arcs[here][here_slot.index()];
                let at = |offset: isize| (2 + offset) as usize;
                around.points[at(side * distance)] = Some(crimped(weave, state, next, next_slot));
                around.rest[if ahead { at(distance - 1) } else { at(-distance) }] = difference.abs();
                if distance == 1 {
                    let (near, near_slot) = (neighbor.0, neighbor.1.slot().index());
                    let rest = state.arcs[near][near_slot] - state.arcs[here][here_slot.index()];
                    let segment = Segment::new(state.positions[near] - state.positions[here], rest.abs());
                    around.tension[usize::from(ahead)] = Stretch::new(k.stretch, 1.0, &segment).tension.max(0.0);
                }
                (here, here_slot) = (next, next_slot);
            }
        }
        around
    }

    /// The bend at point `center`, where both neighbors are there.
    fn bend(&self, k: &Stiffness, center: usize) -> Option<Bending> {
        let [a, b, c] = [self.points[center - 1]?, self.points[center]?, self.points[center + 1]?];
        let behind = Segment::new(b - a, self.rest[center - 1]);
        let ahead = Segment::new(c - b, self.rest[center]);
        Some(Bending::new(k.bend, &behind, &ahead))
    }

    /// F_s + F_b of the yarn at the node, N: the forces of its three bends that touch the node, and of its two segments.
    pub(crate) fn force(&self, k: &Stiffness) -> Vector3<f64> {
        let mut force = Vector3::zeros();
        if let Some(b) = self.bend(k, 1) {
            force -= b.g1 * b.moment;
        }
        if let Some(b) = self.bend(k, 2) {
            force += (b.g1 + b.g2) * b.moment;
        }
        if let Some(b) = self.bend(k, 3) {
            force -= b.g2 * b.moment;
        }
        let here = self.points[2].unwrap_or_default();
        for (neighbor, tension) in [(self.points[1], self.tension[0]), (self.points[3], self.tension[1])] {
            if let Some(direction) = neighbor.and_then(|p| (p - here).try_normalize(1e-15)) {
                force += direction * tension;
            }
        }
        force
    }
}

/// The next node along a yarn that is no plain one, from a neighbor on. Plain nodes have no crimp: taken as points of the middle
/// plane they would press a yarn that slides by against its crossing.
fn past_plain(weave: &Weave, neighbor: (usize, Port), ahead: bool) -> (usize, Port) {
    let (mut node, mut back) = neighbor;
    while weave.kinds[node] == NodeKind::Plain {
        let slot = back.slot();
        let port = if ahead { slot.plus() } else { slot.minus() };
        let Some(further) = weave.links[node][port].get() else { break };
        (node, back) = further;
    }
    (node, back)
}
