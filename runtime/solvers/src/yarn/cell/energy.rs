//! Energies of the strains of a period.

use super::layout::Layout;
use super::model::{CellModel, CellParameter};
use super::strains::{STRAINS, Strains};
use crate::yarn::crimp::{CrimpLaw, Crossing, Curvature, Equilibrium, Passage, Side};
use crate::yarn::force::{ParallelContact, Shear, Stretch};
use crate::yarn::kinematics::Segment;
use nalgebra::{DMatrix, DVector, Vector3};
use std::f64::consts::PI;

/// Energies of a period, J.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Sums {
    pub(super) stretch: f64,
    pub(super) bend: f64,
    /// Of warps on wefts.
    pub(super) contact: f64,
    /// Its derivative by ln n.
    pub(super) contact_by_exponent: f64,
    pub(super) shear: f64,
    pub(super) parallel: f64,
}

impl Sums {
    pub(super) fn total(&self) -> f64 {
        self.stretch + self.bend + self.contact + self.shear + self.parallel
    }
}

/// Energies of a period under a strain, and what its crossings do.
pub(super) struct Energy<'a> {
    model: &'a CellModel,
    law: CrimpLaw,
    layout: &'a Layout,
    strains: &'a Strains,
    pub(super) sums: Sums,
    /// Crossings with crimp where a yarn rises.
    pub(super) crossings: Vec<Option<Equilibrium>>,
    /// Whether all heights were found.
    pub(super) settled: bool,
}

/// Derivatives of all energies by the strains.
pub(super) struct Derivatives {
    pub(super) gradient: DVector<f64>,
    pub(super) hessian: DMatrix<f64>,
}

/// Where l, ℓ, a of a segment are among the strains.
fn at(segment: usize) -> usize {
    STRAINS * segment
}

/// What bends in the plane at a node: its turn and the rest length around it.
struct Turn {
    angle: f64,
    span: f64,
}

impl<'a> Energy<'a> {
    pub(super) fn new(model: &'a CellModel, layout: &'a Layout, strains: &'a Strains) -> Self {
        let law = model.law();
        let mut out =
            Energy { model, law, layout, strains, sums: Sums::default(), crossings: Vec::new(), settled: true };
        out.crossings = (0..layout.nodes()).map(|i| out.crossing(i)).collect();
        out.add_crossings();
        for k in 0..layout.pieces.len() {
            if !out.crimps(k) {
                out.sums.stretch += out.stretch(k).energy;
            }
            out.sums.parallel += out.parallel(k).energy;
        }
        for i in 0..layout.nodes() {
            for slot in 0..2 {
                let Turn { angle, span } = out.turn(i, slot);
                out.sums.bend += model.bend * angle * angle / span;
            }
            for corner in 0..4 {
                out.sums.shear += out.corner(i, corner).1.energy;
            }
        }
        out
    }

    fn add_crossings(&mut self) {
        for crossing in self.crossings.iter().flatten() {
            self.settled &= crossing.converged;
            for Passage { stretch, bend, .. } in &crossing.passages {
                self.sums.stretch += stretch;
                self.sums.bend += bend;
            }
            self.sums.contact += crossing.contact.energy;
            self.sums.contact_by_exponent += crossing.contact.energy_by_exponent;
        }
    }

    /// Whether the crossings at its ends have the stretch of a segment.
    fn crimps(&self, k: usize) -> bool {
        self.model.crimped && self.layout.pieces[k].interlaced
    }

    fn crossing(&self, i: usize) -> Option<Equilibrium> {
        if !self.model.crimped {
            return None;
        }
        let side = |k: usize| {
            let s = &self.strains.segments[k];
            Some(Side { length: s.length, rest: s.rest, crosses: self.layout.pieces[k].interlaced })
        };
        let [a, b, c, d] = self.layout.around[i].map(side);
        Crossing { law: &self.law, yarns: [[a, b], [c, d]] }.solve()
    }

    fn stretch(&self, k: usize) -> Stretch {
        let s = &self.strains.segments[k];
        Stretch::new(self.model.stretch, 1.0, &Segment { rest: s.rest, length: s.length, direction: Vector3::x() })
    }

    fn parallel(&self, k: usize) -> ParallelContact {
        let piece = &self.layout.pieces[k];
        // Yarns that are woven closer than they are thick do not push each other at rest.
        let thickness = (if piece.interlaced { 4.0 } else { 2.0 } * self.model.radius).min(piece.spacing);
        ParallelContact::new(self.model.parallel, thickness, self.strains.segments[k].rest)
    }

    fn turn(&self, i: usize, slot: usize) -> Turn {
        let [behind, ahead] = [0, 1].map(|side| &self.strains.segments[self.layout.around[i][2 * slot + side]]);
        Turn { angle: wrapped(ahead.direction - behind.direction), span: behind.rest + ahead.rest }
    }

    /// Segments of warp and weft at a corner, its energy, and dφ by the direction of the warp.
    fn corner(&self, i: usize, corner: usize) -> ([usize; 2], crate::yarn::force::ShearStress, f64) {
        let ports = [corner / 2, 2 + corner % 2];
        let segments = ports.map(|port| self.layout.around[i][port]);
        let arm = |k: usize| {
            let away = if ports[k] % 2 == 1 { 0.0 } else { PI };
            self.strains.segments[segments[k]].direction + away
        };
        let angle = wrapped(arm(0) - arm(1));
        let jams = segments.iter().any(|k| self.layout.pieces[*k].interlaced);
        let [ax, ay] = self.model.spacing;
        let shear = Shear {
            stiffness: self.model.shear,
            spacing: 0.5 * (ax + ay),
            compression: 0.0,
            jamming: self.model.jamming,
            jamming_angle: 2.0 * (2.0 * self.model.radius / (ax + ay)).min(1.0).asin(),
        };
        (segments, shear.at(angle.abs(), 0.0, jams), angle.signum())
    }

    /// Calls `f` with strains and rows of all bends in the plane: 2 k_b/S, their turn, and (strain, entry of ĝ).
    fn each_turn(&self, mut f: impl FnMut(f64, f64, [(usize, f64); 4])) {
        for i in 0..self.layout.nodes() {
            for slot in 0..2 {
                let Turn { angle, span } = self.turn(i, slot);
                let [behind, ahead] = [0, 1].map(|side| at(self.layout.around[i][2 * slot + side]));
                let rate = -angle / span;
                let row = [(behind + 2, -1.0), (ahead + 2, 1.0), (behind + 1, rate), (ahead + 1, rate)];
                f(2.0 * self.model.bend / span, angle, row);
            }
        }
    }

    /// Adds stresses of bends in the plane.
    fn add_turns(&self, out: &mut DVector<f64>) {
        self.each_turn(|stiffness, angle, row| {
            let moment = stiffness * angle;
            for (k, (strain, entry)) in row.into_iter().enumerate() {
                // V = k_b θ²/S: by a rest length half of what the row has.
                out[strain] += moment * entry * if k < 2 { 1.0 } else { 0.5 };
            }
        });
    }

    fn add_corners(&self, out: &mut DVector<f64>) {
        for i in 0..self.layout.nodes() {
            for corner in 0..4 {
                let ([warp, weft], stress, sign) = self.corner(i, corner);
                out[at(warp) + 2] += sign * stress.moment;
                out[at(weft) + 2] -= sign * stress.moment;
            }
        }
    }

    /// Where the outer variables of a crossing are among the strains.
    fn outer(&self, i: usize) -> [usize; 8] {
        let around = self.layout.around[i];
        std::array::from_fn(|k| at(around[k / 2]) + k % 2)
    }

    /// Stresses and stiffnesses by the strains.
    pub(super) fn derivatives(&self) -> Derivatives {
        let n = STRAINS * self.layout.pieces.len();
        let mut gradient = DVector::zeros(n);
        let mut hessian = DMatrix::zeros(n, n);
        for (i, crossing) in self.crossings.iter().enumerate() {
            let Some(crossing) = crossing else { continue };
            let (places, g, h) = (self.outer(i), crossing.gradient(), crossing.hessian(Curvature::Exact));
            for (a, p) in places.into_iter().enumerate() {
                gradient[p] += g[a];
                places.into_iter().enumerate().for_each(|(b, q)| hessian[(p, q)] += h[(a, b)]);
            }
        }
        for k in 0..self.layout.pieces.len() {
            let (l, rest) = (at(k), at(k) + 1);
            if !self.crimps(k) {
                let s = self.stretch(k);
                gradient[l] += s.tension;
                gradient[rest] += s.sliding;
                hessian[(l, l)] += s.along;
                hessian[(l, rest)] += s.coupling;
                hessian[(rest, l)] += s.coupling;
                hessian[(rest, rest)] += s.sliding_stiffness;
            }
            let p = self.parallel(k);
            gradient[rest] += p.sliding;
            hessian[(rest, rest)] += p.stiffness;
        }
        self.add_turns(&mut gradient);
        self.each_turn(|stiffness, _, row| {
            for (p, a) in row {
                row.into_iter().for_each(|(q, b)| hessian[(p, q)] += stiffness * a * b);
            }
        });
        self.add_corners(&mut gradient);
        for i in 0..self.layout.nodes() {
            for corner in 0..4 {
                let ([warp, weft], stress, _) = self.corner(i, corner);
                let (u, v) = (at(warp) + 2, at(weft) + 2);
                for (p, q, sign) in [(u, u, 1.0), (v, v, 1.0), (u, v, -1.0), (v, u, -1.0)] {
                    hessian[(p, q)] += sign * stress.stiffness;
                }
            }
        }
        Derivatives { gradient, hessian }
    }

    /// How stresses and heights change with ln of a parameter at constant unknowns, and the energy, J.
    pub(super) fn by_parameter(&self, parameter: CellParameter, stiffness: &DMatrix<f64>) -> ByParameter {
        let n = STRAINS * self.layout.pieces.len();
        let mut out =
            ByParameter { energy: 0.0, gradient: DVector::zeros(n), heights: vec![[0.0; 2]; self.layout.nodes()] };
        let of = match parameter {
            CellParameter::Stretch => {
                out.energy = self.sums.stretch + self.sums.contact;
                for k in (0..self.layout.pieces.len()).filter(|k| !self.crimps(*k)) {
                    let s = self.stretch(k);
                    out.gradient[at(k)] += s.tension;
                    out.gradient[at(k) + 1] += s.sliding;
                }
                Equilibrium::by_stretch
            }
            CellParameter::Bend => {
                out.energy = self.sums.bend;
                self.add_turns(&mut out.gradient);
                Equilibrium::by_bend
            }
            CellParameter::Contact => {
                out.energy = self.sums.contact;
                Equilibrium::by_contact
            }
            CellParameter::Exponent => {
                out.energy = self.sums.contact_by_exponent;
                Equilibrium::by_exponent
            }
            CellParameter::Shear => {
                out.energy = self.sums.shear;
                self.add_corners(&mut out.gradient);
                return out;
            }
            CellParameter::RestLength(family) => return self.by_rest_length(family, stiffness, out),
        };
        for (i, crossing) in self.crossings.iter().enumerate() {
            let Some(change) = crossing.as_ref().map(of) else { continue };
            self.outer(i).into_iter().enumerate().for_each(|(a, p)| out.gradient[p] += change.gradient[a]);
            out.heights[i] = change.heights;
        }
        out
    }

    fn by_rest_length(&self, family: usize, stiffness: &DMatrix<f64>, mut out: ByParameter) -> ByParameter {
        let mut change = DVector::zeros(out.gradient.len());
        for (k, piece) in self.layout.pieces.iter().enumerate() {
            if piece.family() == family && (piece.interlaced || !self.model.crimped) {
                change[at(k) + 1] = piece.rest;
            }
        }
        out.energy = self.derivatives().gradient.dot(&change);
        out.gradient = stiffness * &change;
        self.add_heights(&change, &mut out.heights);
        out
    }

    /// Adds the change of the heights with a change of the strains.
    pub(super) fn add_heights(&self, change: &DVector<f64>, heights: &mut [[f64; 2]]) {
        for (i, crossing) in self.crossings.iter().enumerate() {
            let Some(crossing) = crossing else { continue };
            let (by, places) = (crossing.heights_by_outer(), self.outer(i));
            for (k, height) in heights[i].iter_mut().enumerate() {
                *height += (0..8).map(|a| by[(k, a)] * change[places[a]]).sum::<f64>();
            }
        }
    }
}

/// Changes with ln of a parameter at constant unknowns.
pub(super) struct ByParameter {
    /// J.
    pub(super) energy: f64,
    /// Of the stresses.
    pub(super) gradient: DVector<f64>,
    /// Of the heights of warp and weft at each node, m.
    pub(super) heights: Vec<[f64; 2]>,
}

/// An angle between −π and π.
fn wrapped(angle: f64) -> f64 {
    angle - 2.0 * PI * (angle / (2.0 * PI)).round()
}
