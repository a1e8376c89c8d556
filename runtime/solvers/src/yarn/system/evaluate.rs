//! The elements of a state: rows, stiffnesses, stresses.

use super::CHUNK;
use super::rows::{BendRow, CornerRow, Rows, SegmentRow, Stress};
use crate::linear::Scalar;
use crate::yarn::force::{Bending, ParallelContact, Shear, Stretch, StretchDamping, corner_row};
use crate::yarn::friction::AnchorFriction;
use crate::yarn::kinematics::{Angle, EndVelocities, Segment, kinetic_gradient};
use crate::yarn::material::Stiffness;
use crate::yarn::model::{NodeKind, Slot, Weave, interlaced};
use crate::yarn::options::{Damping, Inertia};
use crate::yarn::self_contact::SheetContact;
use crate::yarn::state::State;
use nalgebra::Vector3;
use rayon::prelude::*;

/// What a step depends on but does not change.
#[derive(Clone, Copy)]
pub struct StepData<'a> {
    /// Yarns.
    pub weave: &'a Weave,
    /// Coefficients of the forces.
    pub k: &'a Stiffness,
    /// At the start of the step, with its compression.
    pub start: &'a State,
    /// Length of the step, seconds.
    pub h: f64,
    /// m/s².
    pub gravity: Vector3<f64>,
    /// What is damped.
    pub damping: Damping,
    /// Inertia of the changing mass.
    pub inertia: Inertia,
    /// Where the cloth is near to itself.
    pub contacts: &'a [SheetContact],
}

/// Where elements are evaluated, and the velocity at the end of the step as it is known so far.
#[derive(Clone, Copy)]
pub enum Evaluation<'a> {
    /// At the start of the step, linearized: no damping in the stresses, the product A v has it.
    Start(&'a [[f64; 5]]),
    /// At q_n + h v.
    End(&'a [[f64; 5]]),
}

/// A node: position, arc coordinates, velocity.
#[derive(Clone, Copy)]
struct Node {
    x: Vector3<f64>,
    s: [f64; 2],
    v: [f64; 5],
}

impl Node {
    fn velocity(&self) -> Vector3<f64> {
        Vector3::new(self.v[0], self.v[1], self.v[2])
    }
}

/// A node's neighbor: its number, its slot of the shared yarn, and itself.
struct Neighbor {
    index: usize,
    slot: usize,
    node: Node,
}

impl StepData<'_> {
    /// Evaluates the elements of every node.
    pub fn evaluate<T: Scalar>(&self, at: Evaluation<'_>, rows: &mut Rows<T>, stress: &mut Vec<Stress<T>>) {
        let n = self.weave.node_count();
        rows.resize(n);
        stress.resize(n, Stress::default());
        rows.contacts.update(n, self.contacts.iter().map(|contact| self.push(contact, at)));
        let Rows { segments, bends, corners, sliding, .. } = rows;
        let nodes = segments
            .par_chunks_mut(CHUNK)
            .zip(bends.par_chunks_mut(CHUNK))
            .zip(corners.par_chunks_mut(CHUNK))
            .zip(sliding.par_chunks_mut(CHUNK))
            .zip(stress.par_chunks_mut(CHUNK));
        nodes.enumerate().for_each(|(chunk, ((((segments, bends), corners), sliding), stress))| {
            for k in 0..segments.len() {
                let element = NodeElements { data: self, at, i: chunk * CHUNK + k };
                element.evaluate(&mut segments[k], &mut bends[k], &mut corners[k], &mut sliding[k], &mut stress[k]);
            }
        });
    }
}

impl StepData<'_> {
    /// D and stress of a contact of the cloth with itself.
    fn push(&self, contact: &SheetContact, at: Evaluation<'_>) -> (SheetContact, f64, f64) {
        let StepData { weave, k, start, h, .. } = *self;
        let mut gap = contact.gap(|i| start.positions[i]);
        if let Evaluation::End(v) = at {
            gap += h * contact.gap(|i| Vector3::new(v[i][0], v[i][1], v[i][2]));
        }
        let depth = weave.material.contact_distance() - gap;
        if depth <= 0.0 {
            return (*contact, 0.0, 0.0);
        }
        let stiffness = k.stretch / (10.0 * weave.material.spacing);
        (*contact, h * h * stiffness, -h * stiffness * depth)
    }
}

/// The elements that belong to node i.
struct NodeElements<'a> {
    data: &'a StepData<'a>,
    at: Evaluation<'a>,
    i: usize,
}

impl NodeElements<'_> {
    /// A node where elements are evaluated.
    #[inline]
    fn node(&self, i: usize) -> Node {
        let start = self.data.start;
        let (x, s) = (start.positions[i], start.arcs[i]);
        match self.at {
            Evaluation::Start(v) => Node { x, s, v: v[i] },
            Evaluation::End(v) => {
                let (v, h) = (v[i], self.data.h);
                Node { x: x + Vector3::new(v[0], v[1], v[2]) * h, s: [s[0] + h * v[3], s[1] + h * v[4]], v }
            }
        }
    }

    /// Whether stresses contain the damping of the velocity.
    #[inline]
    fn damped(&self) -> bool {
        matches!(self.at, Evaluation::End(_))
    }

    #[inline]
    fn neighbor(&self, port: usize) -> Option<Neighbor> {
        let (index, back) = self.data.weave.links[self.i][port].get()?;
        Some(Neighbor { index, slot: back.slot().index(), node: self.node(index) })
    }

    #[inline]
    fn evaluate<T: Scalar>(
        &self,
        segments: &mut [SegmentRow<T>; 2],
        bends: &mut [BendRow<T>; 2],
        corners: &mut [CornerRow<T>; 4],
        sliding: &mut [T; 2],
        stress: &mut Stress<T>,
    ) {
        let here = self.node(self.i);
        let kind = self.data.weave.kinds[self.i];
        let neighbors: [Option<Neighbor>; 4] = std::array::from_fn(|port| self.neighbor(port));
        // Directions point along the yarn: from the minus neighbor to here, from here to the plus neighbor.
        let pieces: [Option<Segment>; 4] = std::array::from_fn(|port| {
            let n = neighbors[port].as_ref()?;
            let (d, rest) = (n.node.x - here.x, n.node.s[n.slot] - here.s[port / 2]);
            Some(if port % 2 == 1 { Segment::new(d, rest) } else { Segment::new(-d, -rest) })
        });
        for slot in Slot::BOTH {
            let c = slot.index();
            (segments[c], stress.segments[c]) = match (&pieces[slot.plus()], &neighbors[slot.plus()]) {
                (Some(segment), Some(next)) => self.segment(c, segment, &here, next, kind),
                _ => Default::default(),
            };
            (bends[c], stress.bends[c]) = match (&pieces[slot.minus()], &pieces[slot.plus()]) {
                (Some(behind), Some(ahead)) => {
                    let ends = [slot.minus(), slot.plus()].map(|p| neighbors[p].as_ref());
                    self.bend(behind, ahead, &here, ends)
                }
                _ => Default::default(),
            };
        }
        let shear = Shear::new(&self.data.weave.material, self.data.k);
        for k in 0..4 {
            let (warp, weft) = (k / 2, 2 + k % 2);
            let parts = (&pieces[warp], &pieces[weft], &neighbors[warp], &neighbors[weft]);
            (corners[k], stress.corners[k]) = match parts {
                (Some(u), Some(v), Some(warp_end), Some(weft_end)) if kind.is_crossing() => {
                    self.corner(k, &shear, [u, v], &here, [warp_end, weft_end], kind)
                }
                _ => Default::default(),
            };
        }
        *sliding = self.sliding(&here, kind, &pieces).map(T::from_f64);
    }

    /// Stretch with its damping, parallel contact, inertia of sliding.
    #[inline]
    fn segment<T: Scalar>(
        &self,
        slot: usize,
        segment: &Segment,
        here: &Node,
        next: &Neighbor,
        kind: NodeKind,
    ) -> (SegmentRow<T>, ([T; 3], T)) {
        let StepData { weave, k, start, h, damping, inertia, .. } = *self.data;
        let material = &weave.material;
        let next_kind = weave.kinds[next.index];
        let before = match self.at {
            Evaluation::Start(_) => *segment,
            Evaluation::End(_) => {
                let rest = start.arcs[next.index][next.slot] - start.arcs[self.i][slot];
                Segment::new(start.positions[next.index] - start.positions[self.i], rest)
            }
        };
        let mut stretch = Stretch::new(k.stretch, material.compression_ratio, segment);
        let beta = material.stiffness_damping;
        let velocity = EndVelocities {
            xa: here.velocity(),
            sa: here.v[3 + slot],
            xb: next.node.velocity(),
            sb: next.node.v[3 + next.slot],
        };
        let mut force = Vector3::zeros();
        let mut sliding_force = 0.0;
        if beta > 0.0 {
            match damping {
                Damping::Strain => {
                    StretchDamping::new(beta, k.stretch, h, &before, segment).add_to(&mut stretch);
                }
                Damping::Lagged => {
                    let lagged = Stretch::new(k.stretch, material.compression_ratio, &before);
                    if self.damped() {
                        let (t, dx) = (before.direction, velocity.xb - velocity.xa);
                        let (along, ds) = (t.dot(&dx), velocity.sb - velocity.sa);
                        let axial = (lagged.along - lagged.across) * along + lagged.coupling * ds;
                        force += (t * axial + dx * lagged.across) * (h * beta);
                        sliding_force += h * beta * (lagged.coupling * along + lagged.sliding_stiffness * ds);
                    }
                    let more = beta / h;
                    stretch.along += more * lagged.along;
                    stretch.coupling += more * lagged.coupling;
                    stretch.sliding_stiffness += more * lagged.sliding_stiffness;
                    stretch.across += more * lagged.across;
                }
            }
        }
        force += segment.direction * (h * stretch.tension);
        sliding_force += h * stretch.sliding;
        if let Some(contact) = ParallelContact::between(material, segment.rest, kind, next_kind) {
            sliding_force += h * contact.sliding;
            stretch.sliding_stiffness += contact.stiffness;
        }
        if inertia == Inertia::Momentum {
            let (gx, gs) = kinetic_gradient(k.density, &before, &velocity);
            force -= gx * h;
            sliding_force -= h * gs;
        }
        let c = |v: f64| T::from_f64(h * h * v);
        let vector = |v: &Vector3<f64>| [v.x, v.y, v.z].map(T::from_f64);
        let row = SegmentRow {
            direction: vector(&segment.direction),
            along: c(stretch.along - stretch.across),
            across: c(stretch.across),
            coupling: c(stretch.coupling),
            sliding: c(stretch.sliding_stiffness),
            mass: T::from_f64((1.0 + h * material.mass_damping) * k.density * before.rest / 6.0),
            slope: vector(&before.slope()),
        };
        (row, (vector(&force), T::from_f64(sliding_force)))
    }

    #[inline]
    fn bend<T: Scalar>(
        &self,
        behind: &Segment,
        ahead: &Segment,
        here: &Node,
        ends: [Option<&Neighbor>; 2],
    ) -> (BendRow<T>, [T; 3]) {
        let StepData { weave, k, h, .. } = *self.data;
        let b = Bending::new(k.bend, behind, ahead);
        let damping = h * weave.material.stiffness_damping;
        let mut stress = [h * b.moment, 0.0, 0.5 * h * b.moment * b.rate];
        if self.damped()
            && let [Some(two), Some(one)] = ends
        {
            let (v0, v1, v2) = (here.velocity(), one.node.velocity(), two.node.velocity());
            let (s1, s2) = (one.node.v[3 + one.slot], two.node.v[3 + two.slot]);
            let along_g = b.g1.dot(&(v1 - v0)) + b.g2.dot(&(v2 - v0)) + b.rate * (s2 - s1);
            let along_h = b.h1.dot(&(v1 - v0)) + b.h2.dot(&(v2 - v0));
            stress[0] += damping * b.in_plane * along_g;
            stress[1] += damping * b.out_of_plane * along_h;
            stress[2] += damping * b.in_plane * along_g * b.rate;
        }
        let weight = |d: f64| T::from_f64((h * h + damping) * d);
        let vector = |v: &Vector3<f64>| [v.x, v.y, v.z].map(T::from_f64);
        let row = BendRow {
            g1: vector(&b.g1),
            g2: vector(&b.g2),
            rate: T::from_f64(b.rate),
            h1: vector(&b.h1),
            h2: vector(&b.h2),
            in_plane: weight(b.in_plane),
            out_of_plane: weight(b.out_of_plane),
        };
        (row, stress.map(T::from_f64))
    }

    /// Shear with jamming, and shear friction.
    #[inline]
    fn corner<T: Scalar>(
        &self,
        corner: usize,
        shear: &Shear,
        [u, v]: [&Segment; 2],
        here: &Node,
        ends: [&Neighbor; 2],
        kind: NodeKind,
    ) -> (CornerRow<T>, T) {
        let StepData { weave, k, start, h, .. } = *self.data;
        // Both point away from the crossing.
        let t1 = if corner / 2 == 1 { u.direction } else { -u.direction };
        let t3 = if corner % 2 == 1 { v.direction } else { -v.direction };
        let angle = Angle::between(&t1, &t3);
        let jams = ends.iter().any(|end| interlaced(kind, weave.kinds[end.index]));
        let compression = start.compression[self.i];
        let elastic = shear.at(angle.value, compression, jams);
        let limit = k.turning_friction * compression;
        let anchor = f64::from(start.corner_anchors[self.i][corner]);
        let friction = AnchorFriction::new(k.turning, limit, angle.value - anchor);
        let [g1, g3] = corner_row(&angle, u, v);
        let damping = h * weave.material.stiffness_damping;
        let mut stress = h * (elastic.moment - friction.force);
        if self.damped() {
            let v0 = here.velocity();
            let [v1, v3] = ends.map(|end| end.node.velocity() - v0);
            stress += damping * elastic.stiffness * (g1.dot(&v1) + g3.dot(&v3));
        }
        let vector = |v: &Vector3<f64>| [v.x, v.y, v.z].map(T::from_f64);
        let weight = h * h * (elastic.stiffness + friction.tangent) + damping * elastic.stiffness;
        (CornerRow { g1: vector(&g1), g3: vector(&g3), weight: T::from_f64(weight) }, T::from_f64(stress))
    }

    /// Diagonal of the arc coordinates: sliding friction, or 1 where no element of the slot fills the row.
    #[inline]
    fn sliding(&self, here: &Node, kind: NodeKind, pieces: &[Option<Segment>; 4]) -> [f64; 2] {
        let StepData { weave, k, start, h, .. } = *self.data;
        std::array::from_fn(|c| {
            let empty = pieces[2 * c].is_none() && pieces[2 * c + 1].is_none();
            if empty {
                1.0
            } else if kind.is_crossing() {
                let limit = weave.material.friction * start.compression[self.i];
                let friction = AnchorFriction::new(k.sliding, limit, here.s[c] - start.sliding_anchors[self.i][c]);
                h * h * friction.tangent + h * k.sliding_damping
            } else {
                0.0
            }
        })
    }
}
