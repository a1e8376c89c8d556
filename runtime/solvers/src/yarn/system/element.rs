//! The elements that belong to one node.

use super::crimp_rows::CrimpRow;
use super::rows::coefficient;
use super::shares::{SHARES, port_share};
use super::step_data::{Evaluation, StepData};
use crate::linear::Scalar;
use crate::yarn::crimp::Side;
use crate::yarn::force::{Bending, ParallelContact, Shear, Stretch, StretchDamping, corner_row};
use crate::yarn::friction::AnchorFriction;
use crate::yarn::kinematics::{Angle, EndVelocities, Segment, kinetic_gradient, momenta};
use crate::yarn::model::{NodeKind, Slot, interlaced};
use crate::yarn::options::{Damping, Inertia};
use nalgebra::Vector3;

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
#[derive(Clone, Copy)]
struct Neighbor {
    index: usize,
    slot: usize,
    node: Node,
}

impl Neighbor {
    /// Velocity of its arc coordinate of the shared yarn.
    fn sliding(&self) -> f64 {
        self.node.v[3 + self.slot]
    }
}

/// Rows and shares of the elements of a node.
pub(super) struct Elements {
    /// h times what the elements take from the node and its neighbors, −h F, and M v: see `shares`.
    pub(super) shares: [f64; SHARES],
    /// t and 1/l ahead, by slot.
    pub(super) directions: [f64; 8],
    /// See [`coefficient`].
    pub(super) coefficients: [f64; coefficient::COUNT],
}

impl Elements {
    fn give(&mut self, port: usize, x: &Vector3<f64>, s: f64) {
        let at = port_share(port);
        (0..3).for_each(|k| self.shares[at + k] += x[k]);
        self.shares[at + 3] += s;
    }

    fn keep(&mut self, x: &Vector3<f64>) {
        (0..3).for_each(|k| self.shares[k] += x[k]);
    }
}

/// Node i of an evaluation.
pub(super) struct NodeElements<'a> {
    data: &'a StepData<'a>,
    /// Crossings with crimp.
    crimps: Option<&'a [Option<CrimpRow>]>,
    /// Whether forces are linearized at the start of the step, with all of A v in them.
    linearized: bool,
    i: usize,
    kind: NodeKind,
    here: Node,
    neighbors: [Option<Neighbor>; 4],
    /// Segments by port. They point along the yarn: from the minus neighbor to here, from here to the plus neighbor.
    pieces: [Option<Segment>; 4],
    /// The same at the start of the step.
    before: [Option<Segment>; 4],
}

impl<'a> NodeElements<'a> {
    #[inline]
    pub(super) fn new<T: Scalar>(
        data: &'a StepData<'a>,
        at: Evaluation<'_, T>,
        crimps: Option<&'a [Option<CrimpRow>]>,
        i: usize,
    ) -> Self {
        let start = data.start;
        let ended = matches!(at, Evaluation::End(_));
        let node = |i: usize| {
            let (mut x, mut s, v, h) = (start.positions[i], start.arcs[i], at.velocity(start, i), data.h);
            if ended {
                x += Vector3::new(v[0], v[1], v[2]) * h;
                s = [s[0] + h * v[3], s[1] + h * v[4]];
            }
            Node { x, s, v }
        };
        let here = node(i);
        let neighbors: [Option<Neighbor>; 4] = std::array::from_fn(|port| {
            let (index, back) = data.weave.links[i][port].get()?;
            Some(Neighbor { index, slot: back.slot().index(), node: node(index) })
        });
        let piece = |port: usize, d: Vector3<f64>, rest: f64| {
            if port % 2 == 1 { Segment::new(d, rest) } else { Segment::new(-d, -rest) }
        };
        let pieces: [Option<Segment>; 4] = std::array::from_fn(|port| {
            let n = neighbors[port].as_ref()?;
            Some(piece(port, n.node.x - here.x, n.node.s[n.slot] - here.s[port / 2]))
        });
        // Segments behind are needed for damping by rows of the start alone.
        let all = data.damping == Damping::Lagged;
        let before = std::array::from_fn(|port| {
            if !ended || (port % 2 == 0 && !all) {
                return pieces[port];
            }
            let n = neighbors[port].as_ref()?;
            let rest = start.arcs[n.index][n.slot] - start.arcs[i][port / 2];
            Some(piece(port, start.positions[n.index] - start.positions[i], rest))
        });
        NodeElements { data, crimps, linearized: !ended, i, kind: data.weave.kinds[i], here, neighbors, pieces, before }
    }

    /// The sides of both yarns of a crossing.
    pub(super) fn sides(&self) -> [[Option<Side>; 2]; 2] {
        let side = |port: usize| {
            let (piece, other) = (self.pieces[port].as_ref()?, self.neighbors[port].as_ref()?);
            let crosses = interlaced(self.kind, self.data.weave.kinds[other.index]);
            Some(Side { length: piece.length, rest: piece.rest, crosses })
        };
        [[side(0), side(1)], [side(2), side(3)]]
    }

    /// The stretch of a segment whose yarn changes sides between two crossings with crimp: what each of them has of it.
    fn crimped(&self, slot: Slot, segment: &Segment, next: &Neighbor) -> Option<Stretch> {
        let crimps = self.crimps?;
        if !interlaced(self.kind, self.data.weave.kinds[next.index]) {
            return None;
        }
        let ends = [(self.i, slot.plus()), (next.index, 2 * next.slot)];
        let mut out = Stretch::default();
        for (node, port) in ends {
            let Some(row) = &crimps[node] else { continue };
            let [along, coupling, sliding] = row.own(port);
            out.tension += row.gradient[2 * port];
            out.sliding += row.gradient[2 * port + 1];
            out.along += along;
            out.coupling += coupling;
            out.sliding_stiffness += sliding;
        }
        out.across = out.tension.max(0.0) / segment.length.max(f64::MIN_POSITIVE);
        Some(out)
    }

    /// Whether damping has rows of the start of the step that are not those of the elements.
    #[inline]
    fn lagged(&self) -> bool {
        self.data.damping == Damping::Lagged && !self.linearized
    }

    #[inline]
    pub(super) fn evaluate(&self) -> Elements {
        let mut out = Elements {
            shares: [0.0; SHARES],
            // What is not there points along x and has length 1: finite, and without weight.
            directions: [1.0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 1.0],
            coefficients: [0.0; coefficient::COUNT],
        };
        for slot in Slot::BOTH {
            if let (Some(segment), Some(next)) = (&self.pieces[slot.plus()], &self.neighbors[slot.plus()]) {
                self.segment(slot, segment, next, &mut out);
                if let (Some(behind), Some(last)) = (&self.pieces[slot.minus()], &self.neighbors[slot.minus()]) {
                    self.bend(slot, behind, segment, [last, next], &mut out);
                }
            }
            self.own_forces(slot, &mut out);
        }
        if self.kind.is_crossing() {
            let shear = Shear::new(&self.data.weave.material, self.data.k);
            for corner in 0..4 {
                let (warp, weft) = (corner / 2, 2 + corner % 2);
                if let (Some(warp), Some(weft)) = (&self.neighbors[warp], &self.neighbors[weft]) {
                    self.corner(corner, &shear, [warp, weft], &mut out);
                }
            }
        }
        self.lumped_mass(&mut out);
        for k in 0..5 {
            out.shares[k] -= self.data.start.momenta[self.i][k];
        }
        out
    }

    /// Inertia and weight of what is at the node alone.
    #[inline]
    fn lumped_mass(&self, out: &mut Elements) {
        let Some(blend) = self.data.blend else { return };
        let StepData { weave, h, gravity, .. } = *self.data;
        let mass = blend.mass[self.i];
        let damped = (1.0 + h * weave.material.mass_damping) * mass;
        out.keep(&(self.here.velocity() * damped - gravity * (h * mass)));
    }

    /// Stretch with its damping, parallel contact, mass, inertia of sliding.
    #[inline]
    fn segment(&self, slot: Slot, segment: &Segment, next: &Neighbor, out: &mut Elements) {
        let StepData { weave, k, h, damping, inertia, .. } = *self.data;
        let material = &weave.material;
        let c = slot.index();
        let before = self.before[slot.plus()].as_ref().unwrap_or(segment);
        let v = EndVelocities {
            xa: self.here.velocity(),
            sa: self.here.v[3 + c],
            xb: next.node.velocity(),
            sb: next.sliding(),
        };
        let (dx, ds) = (v.xb - v.xa, v.sb - v.sa);
        let mut stretch = self
            .crimped(slot, segment, next)
            .unwrap_or_else(|| Stretch::new(k.stretch, material.compression_ratio, segment));
        let beta = material.stiffness_damping;
        let mut force = Vector3::zeros();
        let mut sliding = 0.0;
        if beta > 0.0 {
            match damping {
                Damping::Strain => StretchDamping::new(beta, k.stretch, h, before, segment).add_to(&mut stretch),
                Damping::Lagged => {
                    let lagged = Stretch::new(k.stretch, material.compression_ratio, before);
                    if self.lagged() {
                        let (f, s) = lagged.product(&before.direction, &dx, ds);
                        force += f * (h * beta);
                        sliding += s * (h * beta);
                    }
                    let more = beta / h;
                    stretch.along += more * lagged.along;
                    stretch.coupling += more * lagged.coupling;
                    stretch.sliding_stiffness += more * lagged.sliding_stiffness;
                    stretch.across += more * lagged.across;
                }
            }
        }
        let weight = f64::from(self.data.weights(self.i).segments[c]);
        force += segment.direction * (h * stretch.tension);
        sliding += h * stretch.sliding;
        if let Some(contact) = ParallelContact::between(material, segment.rest, self.kind, weave.kinds[next.index]) {
            sliding += h * contact.sliding;
            stretch.sliding_stiffness += contact.stiffness;
        }
        if self.linearized {
            let (f, s) = stretch.product(&segment.direction, &dx, ds);
            force += f * (h * h);
            sliding += s * (h * h);
        }
        force *= weight;
        sliding *= weight;
        let lumped = self.data.is_lumped(self.i, c);
        if inertia == Inertia::Momentum && !lumped {
            let (gx, gs) = kinetic_gradient(k.density, before, &v);
            force -= gx * h;
            sliding -= h * gs;
        }
        let own_length = if lumped { 0.0 } else { before.rest };
        let mass = (1.0 + h * material.mass_damping) * k.density * own_length / 6.0;
        let [(pa, sa), (pb, sb)] = momenta(mass, &before.slope(), &v);
        out.keep(&(pa - force));
        out.shares[3 + c] += sa - sliding;
        out.give(slot.plus(), &(pb + force), sb + sliding);
        let direction = segment.direction;
        out.directions[4 * c..4 * c + 4].copy_from_slice(&[
            direction.x,
            direction.y,
            direction.z,
            segment.inverse_length(),
        ]);
        let values = [stretch.along - stretch.across, stretch.across, stretch.coupling, stretch.sliding_stiffness]
            .map(|d| h * h * weight * d);
        let at = coefficient::SEGMENT * c;
        out.coefficients[at..at + 4].copy_from_slice(&values);
        out.coefficients[at + 4] = own_length;
    }

    #[inline]
    fn bend(&self, slot: Slot, behind: &Segment, ahead: &Segment, [two, one]: [&Neighbor; 2], out: &mut Elements) {
        let StepData { weave, k, h, .. } = *self.data;
        let (minus, plus) = (slot.minus(), slot.plus());
        let stiffness = k.bend * f64::from(self.data.weights(self.i).bends[slot.index()]);
        let b = Bending::new(stiffness, behind, ahead);
        let damping = h * weave.material.stiffness_damping;
        let v0 = self.here.velocity();
        let (d1, d2, ds) = (one.node.velocity() - v0, two.node.velocity() - v0, two.sliding() - one.sliding());
        // g and h times D (row·v), and s_2.
        let mut give = |b: &Bending, weight: f64, moment: f64| {
            let g = weight * b.in_plane * (b.g1.dot(&d1) + b.g2.dot(&d2) + b.rate * ds);
            let along_h = weight * b.out_of_plane * (b.h1.dot(&d1) + b.h2.dot(&d2));
            let (f1, f2) = (b.g1 * (moment + g) + b.h1 * along_h, b.g2 * (moment + g) + b.h2 * along_h);
            let s = (0.5 * moment + g) * b.rate;
            out.give(plus, &f1, -s);
            out.give(minus, &f2, s);
            out.keep(&-(f1 + f2));
        };
        let moment = h * b.moment;
        if self.linearized {
            give(&b, h * h + damping, moment);
        } else if !self.lagged() {
            give(&b, damping, moment);
        } else {
            give(&b, 0.0, moment);
            if let (Some(behind), Some(ahead)) = (&self.before[minus], &self.before[plus]) {
                give(&Bending::new(stiffness, behind, ahead), damping, 0.0);
            }
        }
        let weight = h * h + damping;
        let at = coefficient::BENDS + coefficient::BEND * slot.index();
        out.coefficients[at..at + 3].copy_from_slice(&[weight * b.in_plane, weight * b.out_of_plane, b.rate]);
    }

    /// Shear with jamming, and shear friction.
    #[inline]
    fn corner(&self, corner: usize, shear: &Shear, ends: [&Neighbor; 2], out: &mut Elements) {
        let StepData { weave, k, start, h, .. } = *self.data;
        let (warp, weft) = (corner / 2, 2 + corner % 2);
        // Both point away from the crossing.
        let arms = |pieces: &[Option<Segment>; 4]| {
            let (u, v) = (pieces[warp]?, pieces[weft]?);
            let t1 = if warp % 2 == 1 { u.direction } else { -u.direction };
            let t3 = if weft % 2 == 1 { v.direction } else { -v.direction };
            let angle = Angle::between(&t1, &t3);
            Some((angle.value, corner_row(&angle, &u, &v)))
        };
        let Some((phi, row)) = arms(&self.pieces) else { return };
        let jams = ends.iter().any(|end| interlaced(self.kind, weave.kinds[end.index]));
        let compression = start.compression[self.i];
        let elastic = shear.at(phi, compression, jams);
        let limit = k.turning_friction * compression;
        let friction = AnchorFriction::new(k.turning, limit, phi - f64::from(start.corner_anchors[self.i][corner]));
        let damping = h * weave.material.stiffness_damping;
        let v0 = self.here.velocity();
        let [d1, d3] = ends.map(|end| end.node.velocity() - v0);
        let mut give = |[g1, g3]: &[Vector3<f64>; 2], stress: f64, weight: f64| {
            let p = stress + weight * (g1.dot(&d1) + g3.dot(&d3));
            let (f1, f3) = (g1 * p, g3 * p);
            out.give(warp, &f1, 0.0);
            out.give(weft, &f3, 0.0);
            out.keep(&-(f1 + f3));
        };
        let share = f64::from(self.data.weights(self.i).corners[corner]);
        let stress = share * h * (elastic.moment - friction.force);
        let damping = share * damping;
        let weight = share * h * h * (elastic.stiffness + friction.tangent) + damping * elastic.stiffness;
        if self.linearized {
            give(&row, stress, weight);
        } else if !self.lagged() {
            give(&row, stress, damping * elastic.stiffness);
        } else {
            give(&row, stress, 0.0);
            if let Some((phi, row)) = arms(&self.before) {
                give(&row, 0.0, damping * shear.at(phi, compression, jams).stiffness);
            }
        }
        out.coefficients[coefficient::CORNERS + corner] = weight;
    }

    /// Gravity and sliding friction of one yarn.
    ///
    ///   F_x = ½ ρ g Σ ℓ over its segments,  F_s = ½ ρ g·(x_before − x_after): free of the origin
    ///
    /// [Cirio14, Eq. 6] has gravity with the other sign.
    #[inline]
    fn own_forces(&self, slot: Slot, out: &mut Elements) {
        let StepData { weave, k, start, h, gravity, .. } = *self.data;
        let c = slot.index();
        let [behind, ahead] = [slot.minus(), slot.plus()].map(|port| &self.neighbors[port]);
        if behind.is_none() && ahead.is_none() {
            // Nothing else fills the row.
            out.coefficients[coefficient::DIAGONAL + c] = 1.0;
            out.shares[3 + c] += if self.linearized { self.here.v[3 + c] } else { 0.0 };
            return;
        }
        // A segment without mass of its own has no weight either.
        let heavy = |n: &&Neighbor, plus: bool| {
            let (owner, slot) = if plus { (self.i, c) } else { (n.index, n.slot) };
            !self.data.is_lumped(owner, slot)
        };
        let end = |n: &Option<Neighbor>, plus: bool| {
            let n = n.as_ref().filter(|n| heavy(n, plus));
            n.map_or((self.here.x, self.here.s[c]), |n| (n.node.x, n.node.s[n.slot]))
        };
        let ((x_before, s_before), (x_after, s_after)) = (end(behind, false), end(ahead, true));
        out.keep(&(gravity * (-0.5 * h * k.density * (s_after - s_before))));
        out.shares[3 + c] -= 0.5 * h * k.density * gravity.dot(&(x_before - x_after));
        if self.kind.is_crossing() {
            let limit = weave.material.friction * start.compression[self.i];
            let offset = self.here.s[c] - start.sliding_anchors[self.i][c];
            let friction = AnchorFriction::new(k.sliding, limit, offset);
            let diagonal = h * h * friction.tangent + h * k.sliding_damping;
            let damping = if self.linearized { diagonal } else { h * k.sliding_damping };
            out.shares[3 + c] += damping * self.here.v[3 + c] - h * friction.force;
            out.coefficients[coefficient::DIAGONAL + c] = diagonal;
        }
    }
}
