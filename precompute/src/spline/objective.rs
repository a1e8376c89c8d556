//! The energy of a cell in the plane as a function of its control points.

use super::contacts::Contacts;
use super::passes::passes;
use super::place::Place;
use super::yarns::Yarns;
use crate::newton::{Objective, PointMatrix, Units};
use nalgebra::Vector3;

/// No coordinate of a control point moves by more than this in a step, in radii.
pub(super) const STEP: f64 = 0.1;

/// Lists of what may touch reach this much further than a diameter, in radii.
pub(super) const MARGIN: f64 = 0.8;

/// The energy of a cell as a function of its control points.
pub(super) struct CellObjective<'y> {
    pub(super) yarns: &'y Yarns,
    pub(super) place: Place,
    pub(super) contacts: Contacts,
    /// Where the contact points were after the last step, m.
    at: Vec<Vector3<f64>>,
    pub(super) passed_through: bool,
}

impl<'y> CellObjective<'y> {
    pub(super) fn new(yarns: &'y Yarns, place: Place) -> Self {
        CellObjective { yarns, place, contacts: Contacts::default(), at: Vec::new(), passed_through: false }
    }
}

impl Objective for CellObjective<'_> {
    fn points(&self) -> usize {
        self.yarns.point_count()
    }

    fn units(&self) -> Units {
        let (ks, r) = (self.yarns.stiffness.stretch, self.yarns.radius);
        Units { force: ks, stiffness: ks / r, step: STEP * r }
    }

    fn refresh(&mut self, q: &[Vector3<f64>]) -> bool {
        let y = self.yarns.contact_places(&self.place, q);
        if !self.at.is_empty() && !self.passed_through {
            self.passed_through = passes(self.yarns, &self.place, &self.contacts, [&self.at, &y]);
        }
        let step = 3.0_f64.sqrt() * STEP * self.yarns.radius;
        if !self.contacts.holds_for(&self.place, &y, step) {
            self.contacts = Contacts::find(self.yarns, &self.place, y.clone(), MARGIN * self.yarns.radius);
        }
        let changed = self.contacts.couple(self.yarns.radius, &self.place, &y);
        self.at = y;
        changed
    }

    fn value(&self, q: &[Vector3<f64>]) -> f64 {
        self.yarns.energy(&self.place, q, &self.contacts).total()
    }

    fn couplings(&self, pair: &mut dyn FnMut(usize, usize)) {
        self.yarns.couplings(&self.contacts, pair);
    }

    fn derivatives(&self, q: &[Vector3<f64>], gradient: &mut [Vector3<f64>], matrix: &mut PointMatrix) {
        self.yarns.add_derivatives(&self.place, q, &self.contacts, gradient, matrix);
    }
}
