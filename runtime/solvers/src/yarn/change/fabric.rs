//! Nodes and links that change together with everything kept for each node.

use crate::contact::Contacts;
use crate::yarn::energy::{YarnEnergies, corner_angle};
use crate::yarn::kinematics::{EndVelocities, momenta};
use crate::yarn::material::Stiffness;
use crate::yarn::model::{Link, NodeKind, Slot, Weave, Yarn};
use crate::yarn::state::State;
use nalgebra::Vector3;
use std::collections::BTreeSet;
use std::f32::consts::FRAC_PI_2;

/// A yarn at a node.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::yarn) struct Place {
    /// The node.
    pub(in crate::yarn) node: usize,
    /// Its slot of the yarn.
    pub(in crate::yarn) slot: Slot,
}

impl Place {
    /// ṡ, m/s.
    pub(super) fn sliding(self, state: &State) -> f64 {
        state.velocities[self.node][3 + self.slot.index()]
    }
}

/// Everything that is kept for each node.
pub(in crate::yarn) struct Fabric<'a> {
    pub(in crate::yarn) weave: &'a mut Weave,
    pub(in crate::yarn) state: &'a mut State,
    pub(in crate::yarn) contacts: &'a mut Vec<Contacts>,
    pub(in crate::yarn) k: &'a Stiffness,
    pub(in crate::yarn) gravity: Vector3<f64>,
    /// Numbers of removed nodes.
    pub(in crate::yarn) free: &'a mut Vec<u32>,
    /// Nodes that pins name: they stay.
    pub(in crate::yarn) held: BTreeSet<u32>,
    /// Energy that the changes added, J.
    pub(in crate::yarn) energy: f64,
}

/// What a change must leave as it is, or account for.
pub(super) struct Before {
    nodes: BTreeSet<usize>,
    energy: f64,
    corners: Vec<(usize, [Option<f64>; 4])>,
}

impl Fabric<'_> {
    /// s at a place, meters.
    pub(super) fn arc(&self, p: Place) -> f64 {
        self.state.arcs[p.node][p.slot.index()]
    }

    /// The neighbors behind and ahead.
    pub(super) fn neighbors(&self, p: Place) -> [Option<Place>; 2] {
        [p.slot.minus(), p.slot.plus()].map(|port| {
            let (node, back) = self.weave.links[p.node][port].get()?;
            Some(Place { node, slot: back.slot() })
        })
    }

    /// The yarn at a place.
    pub(super) fn yarn(&self, p: Place) -> u32 {
        self.weave.yarns_of[p.node][p.slot.index()]
    }

    /// ẋ, m/s.
    fn velocity(&self, node: usize) -> Vector3<f64> {
        Vector3::from_iterator(self.state.velocities[node][..3].iter().copied())
    }

    /// Slope w between two places of a yarn.
    pub(super) fn slope(&self, a: Place, b: Place) -> Vector3<f64> {
        (self.state.positions[b.node] - self.state.positions[a.node]) / (self.arc(b) - self.arc(a))
    }

    /// Velocity of the yarn at a place where its slope is w: y = ẋ − ṡ w, m/s [Cirio14, Eq. 2].
    pub(super) fn material_velocity(&self, p: Place, w: &Vector3<f64>) -> Vector3<f64> {
        self.velocity(p.node) - w * p.sliding(self.state)
    }

    /// Makes the node a point of its yarn in `p.slot`: it moves as the yarn does and slides no more.
    pub(super) fn stop_sliding(&mut self, p: Place) {
        let [behind, ahead] = self.neighbors(p).map(|n| n.unwrap_or(p));
        if behind != ahead {
            let y = self.material_velocity(p, &self.slope(behind, ahead));
            self.state.velocities[p.node] = [y.x, y.y, y.z, 0.0, 0.0];
        }
    }

    /// A new node of a yarn at arc coordinate s, with a velocity in m/s. It takes the number of a removed one where there is one.
    pub(super) fn add_node(&mut self, yarn: u32, slot: Slot, kind: NodeKind, at: [Vector3<f64>; 2], s: f64) -> Place {
        let unheld = self.free.iter().rposition(|n| !self.held.contains(n));
        let node = match unheld {
            Some(k) => self.free.remove(k) as usize,
            None => self.append(),
        };
        let [x, v] = at;
        let arcs = if slot == Slot::U { [s, 0.0] } else { [0.0, s] };
        let mut yarns = [Weave::NO_YARN; 2];
        yarns[slot.index()] = yarn;
        let Self { weave, state, .. } = self;
        (weave.positions[node], weave.arcs[node], weave.kinds[node], weave.yarns_of[node]) = (x, arcs, kind, yarns);
        (state.positions[node], state.arcs[node], state.sliding_anchors[node]) = (x, arcs, arcs);
        state.velocities[node] = [v.x, v.y, v.z, 0.0, 0.0];
        state.corner_anchors[node] = [FRAC_PI_2; 4];
        Place { node, slot }
    }

    fn append(&mut self) -> usize {
        let Self { weave, state, .. } = self;
        weave.positions.push(Vector3::zeros());
        weave.arcs.push([0.0; 2]);
        weave.links.push([Link::NONE; 4]);
        weave.kinds.push(NodeKind::Gone);
        weave.yarns_of.push([Weave::NO_YARN; 2]);
        state.positions.push(Vector3::zeros());
        state.arcs.push([0.0; 2]);
        state.velocities.push([0.0; 5]);
        state.momenta.push([0.0; 5]);
        state.sliding_anchors.push([0.0; 2]);
        state.corner_anchors.push([FRAC_PI_2; 4]);
        state.normals.push(Vector3::z());
        state.compression.push(0.0);
        weave.positions.len() - 1
    }

    /// Removes a node that no yarn reaches any more.
    pub(super) fn remove_node(&mut self, node: usize) {
        debug_assert!(self.weave.links[node].iter().all(|l| *l == Link::NONE));
        self.weave.kinds[node] = NodeKind::Gone;
        self.state.velocities[node] = [0.0; 5];
        self.state.momenta[node] = [0.0; 5];
        self.state.compression[node] = 0.0;
        if let Some(contacts) = self.contacts.get_mut(node) {
            *contacts = Contacts::default();
        }
        self.free.push(node as u32);
    }

    /// Makes a and b neighbors, a first.
    pub(super) fn connect(&mut self, a: Place, b: Place) {
        self.weave.links[a.node][a.slot.plus()] = Link::to(b.node, b.slot.minus());
        self.weave.links[b.node][b.slot.minus()] = Link::to(a.node, a.slot.plus());
    }

    /// Empties a slot of a node; its neighbors must be connected otherwise.
    pub(super) fn clear(&mut self, p: Place) {
        let c = p.slot.index();
        self.weave.links[p.node][p.slot.minus()] = Link::NONE;
        self.weave.links[p.node][p.slot.plus()] = Link::NONE;
        self.weave.yarns_of[p.node][c] = Weave::NO_YARN;
        self.state.arcs[p.node][c] = 0.0;
        self.state.velocities[p.node][3 + c] = 0.0;
        self.state.momenta[p.node][3 + c] = 0.0;
    }

    /// M q̇ of the segment from a to b, for a and for b: kg m/s.
    pub(super) fn segment_momenta(&self, a: Place, b: Place) -> [[f64; 4]; 2] {
        let rest = self.arc(b) - self.arc(a);
        let ends = EndVelocities {
            xa: self.velocity(a.node),
            sa: a.sliding(self.state),
            xb: self.velocity(b.node),
            sb: b.sliding(self.state),
        };
        momenta(self.k.density * rest / 6.0, &self.slope(a, b), &ends).map(|(p, s)| [p.x, p.y, p.z, s])
    }

    /// Adds `scale` times a momentum (x, y, z, s) to what a node carries.
    pub(super) fn carry(&mut self, p: Place, scale: f64, momentum: [f64; 4]) {
        let own = &mut self.state.momenta[p.node];
        (0..3).for_each(|k| own[k] += scale * momentum[k]);
        own[3 + p.slot.index()] += scale * momentum[3];
    }

    /// The part of a node's momentum that it carries for the yarn at `p`: all of it where it has no other, else M q̇ of its two
    /// segments.
    pub(super) fn yarn_momentum(&self, p: Place) -> [f64; 4] {
        let other = if p.slot == Slot::U { Slot::V } else { Slot::U };
        let alone = self.neighbors(Place { slot: other, ..p }) == [None; 2];
        if alone {
            let own = self.state.momenta[p.node];
            return [own[0], own[1], own[2], own[3 + p.slot.index()]];
        }
        let [behind, ahead] = self.neighbors(p);
        let behind = behind.map_or([0.0; 4], |a| self.segment_momenta(a, p)[1]);
        let ahead = ahead.map_or([0.0; 4], |b| self.segment_momenta(p, b)[0]);
        std::array::from_fn(|k| behind[k] + ahead[k])
    }

    /// Takes the yarn at `p` off the node: its neighbors a and b are joined and take its momentum by N_a, N_b, which is what the
    /// longer segment's own shape functions give them.
    pub(super) fn unthread(&mut self, p: Place) -> bool {
        let [Some(a), Some(b)] = self.neighbors(p) else { return false };
        let part = (self.arc(p) - self.arc(a)) / (self.arc(b) - self.arc(a));
        let share = self.yarn_momentum(p);
        self.carry(p, -1.0, share);
        self.carry(a, 1.0 - part, share);
        self.carry(b, part, share);
        self.connect(a, b);
        self.clear(p);
        true
    }

    /// Gives the nodes of the yarn from `first` on to a new yarn.
    pub(super) fn split_yarn(&mut self, first: Place) -> u32 {
        let old = self.weave.yarns[self.yarn(first) as usize];
        let new = self.weave.yarns.len() as u32;
        self.weave.yarns.push(Yarn { first: first.node as u32, slot: first.slot, ..old });
        let mut next = Some(first);
        while let Some(p) = next {
            self.weave.yarns_of[p.node][p.slot.index()] = new;
            next = self.neighbors(p)[1];
        }
        new
    }

    /// Notes energy and angles around nodes that are about to change.
    pub(super) fn before(&self, touched: &[usize]) -> Before {
        let nodes = self.around(touched);
        let corners = nodes.iter().filter(|n| self.weave.kinds[**n].is_crossing()).map(|n| (*n, self.corners(*n)));
        Before { energy: self.energy_of(&nodes), corners: corners.collect(), nodes }
    }

    /// Accounts for a change: energy is added up, and anchors of corners follow where an arm has another neighbor now, so that
    /// their friction stays as it is.
    pub(super) fn account(&mut self, before: &Before, added: &[usize]) {
        for (node, old) in &before.corners {
            let now = self.corners(*node);
            for (k, (now, old)) in now.iter().zip(old).enumerate() {
                if let (Some(now), Some(old)) = (now, old) {
                    self.state.corner_anchors[*node][k] += (now - old) as f32;
                }
            }
        }
        let mut nodes = before.nodes.clone();
        nodes.extend(self.around(added));
        self.energy += self.energy_of(&nodes) - before.energy;
    }

    fn corners(&self, node: usize) -> [Option<f64>; 4] {
        std::array::from_fn(|corner| corner_angle(self.weave, self.state, node, corner))
    }

    /// Nodes and their neighbors: the owners of every element that the nodes take part in.
    fn around(&self, nodes: &[usize]) -> BTreeSet<usize> {
        let neighbors = nodes.iter().flat_map(|n| self.weave.links[*n].iter().filter_map(|l| l.node()));
        nodes.iter().copied().chain(neighbors).collect()
    }

    fn energy_of(&self, nodes: &BTreeSet<usize>) -> f64 {
        let mut sum = YarnEnergies::default();
        for n in nodes {
            sum.add_node(self.weave, self.k, None, self.state, &self.gravity, *n);
        }
        sum.total()
    }
}
