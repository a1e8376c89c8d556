//! The energy of a bent cell as a function of its control points.

use super::super::cell::SplineCell;
use super::super::contacts::Contacts;
use super::super::objective::{MARGIN, STEP};
use super::super::passes::passes;
use super::super::place::Place;
use super::super::search::{bounds, half_of};
use super::super::yarns::SplineEnergy;
use super::copies::CellCopies;
use crate::cell::kinematics::LargeScale;
use crate::newton::{Objective, PointMatrix, Units};
use nalgebra::Vector3;

/// The energy of a bent cell, and an even load along the normals.
pub(super) struct BentObjective<'c> {
    cell: &'c SplineCell,
    deformation: LargeScale,
    copies: CellCopies,
    /// What may touch, by the numbers of the cell.
    found: Contacts,
    /// Where the contact points and their copies were after the last step, m.
    at: Vec<Vector3<f64>>,
    /// The derivative of the mean height by each control point, and the height of the origin of space.
    weights: Vec<Vector3<f64>>,
    offset: f64,
    /// Against the fabric's back, N: its work is taken from the energy.
    pub(super) load: f64,
    pub(super) passed_through: bool,
}

impl<'c> BentObjective<'c> {
    pub(super) fn new(cell: &'c SplineCell, deformation: LargeScale) -> Self {
        let speeds: Vec<f64> =
            cell.yarns.curves.iter().flat_map(|c| std::iter::repeat_n(c.rest_speed, c.count)).collect();
        let total: f64 = speeds.iter().sum();
        let middle = Vector3::z() * cell.mean_height();
        let (mut weights, mut offset) = (Vec::new(), 0.0);
        for (x, speed) in cell.rest.iter().zip(&speeds) {
            let x = x - middle;
            let normal = deformation.rotation(&x).map_or(Vector3::z(), |r| r.column(2).into_owned());
            let weight = normal * (speed / total);
            offset -= weight.dot(&deformation.map(&x));
            weights.push(weight);
        }
        let copies = CellCopies::new(&cell.yarns, &deformation, &Contacts::default());
        BentObjective {
            cell,
            deformation,
            copies,
            found: Contacts::default(),
            at: Vec::new(),
            weights,
            offset,
            load: 0.0,
            passed_through: false,
        }
    }

    /// The derivative of the mean height by each control point.
    pub(super) fn weights(&self) -> &[Vector3<f64>] {
        &self.weights
    }

    /// By how much the yarns are higher than the surface on average, m.
    pub(super) fn height(&self, q: &[Vector3<f64>]) -> f64 {
        self.weights.iter().zip(q).map(|(w, q)| w.dot(q)).sum::<f64>() + self.offset
    }

    /// Energy by kind, J, without the load.
    pub(super) fn energy(&self, q: &[Vector3<f64>]) -> SplineEnergy {
        self.copies.yarns.energy(&Place::ALONE, &self.copies.places(q), &self.copies.contacts)
    }

    /// Where the cell's own contact points are, m.
    fn contact_places(&self, q: &[Vector3<f64>]) -> Vec<Vector3<f64>> {
        let mut y = self.copies.yarns.contact_places(&Place::ALONE, &self.copies.places(q));
        y.truncate(self.cell.yarns.contact.len());
        y
    }

    /// All pairs that may touch, of the cell and of its copies.
    fn find(&self, y: Vec<Vector3<f64>>) -> Contacts {
        let margin = MARGIN * self.cell.yarns.radius;
        let (low, high) = bounds(y.iter());
        let extent = (high - low).norm() + 2.0 * self.cell.yarns.radius + margin;
        let height = self.cell.rest.iter().map(|q| q.z.abs()).fold(0.0, f64::max);
        let within = self.deformation.periods_within(extent, height).map(|n| n.ceil() as i32);
        let around = half_of(within).filter(|shift| self.deformation.is_around(*shift));
        let copies: Vec<_> = around.map(|shift| (shift, self.deformation.image(shift))).collect();
        Contacts::among(&self.cell.yarns, y, &copies, margin)
    }
}

impl Objective for BentObjective<'_> {
    fn points(&self) -> usize {
        self.cell.yarns.point_count()
    }

    fn units(&self) -> Units {
        let (ks, r) = (self.cell.yarns.stiffness.stretch, self.cell.yarns.radius);
        Units { force: ks, stiffness: ks / r, step: STEP * r }
    }

    fn refresh(&mut self, q: &[Vector3<f64>]) -> bool {
        let all = |copies: &CellCopies| copies.yarns.contact_places(&Place::ALONE, &copies.places(q));
        let now = all(&self.copies);
        if self.at.len() == now.len() && !self.passed_through {
            self.passed_through = passes(&self.copies.yarns, &Place::ALONE, &self.copies.contacts, [&self.at, &now]);
        }
        let y = self.contact_places(q);
        let step = 3.0_f64.sqrt() * STEP * self.cell.yarns.radius;
        if !self.found.holds_for(&Place::ALONE, &y, step) {
            self.found = self.find(y);
            self.copies = CellCopies::new(&self.cell.yarns, &self.deformation, &self.found);
        }
        self.at = all(&self.copies);
        self.copies.contacts.couple(self.copies.yarns.radius, &Place::ALONE, &self.at)
    }

    fn value(&self, q: &[Vector3<f64>]) -> f64 {
        self.energy(q).total() - self.load * self.height(q)
    }

    fn couplings(&self, pair: &mut dyn FnMut(usize, usize)) {
        self.copies.couplings(pair);
    }

    fn derivatives(&self, q: &[Vector3<f64>], gradient: &mut [Vector3<f64>], matrix: &mut PointMatrix) {
        let (yarns, contacts) = (&self.copies.yarns, &self.copies.contacts);
        let places = self.copies.places(q);
        let mut forces = vec![Vector3::zeros(); places.len()];
        yarns.add_derivatives(&Place::ALONE, &places, contacts, &mut forces, &mut self.copies.folded(matrix));
        self.copies.fold(&forces, gradient);
        gradient.iter_mut().zip(&self.weights).for_each(|(g, w)| *g -= w * self.load);
    }
}
