//! What is minimized: elastic energy, contact, loads, gravity, friction and, in time, inertia.

use super::anchors::{Lagged, Rubbing};
use super::body::{Body, Friction};
use super::friction;
use super::mass::Inertia;
use crate::newton::{Objective, PointMatrix, Units};
use crate::spline::{Contacts, Place};
use nalgebra::{Matrix3, Vector3};

/// No coordinate of a control point moves by more than this in a step of a search, in radii.
const STEP: f64 = 0.1;

/// Lists of what may touch reach this much further than a diameter, in radii.
const MARGIN: f64 = 0.8;

/// What the dissipation of a step in time needs.
pub(super) struct Dissipation {
    /// The length of the step, s.
    pub(super) h: f64,
    /// Where the contact points were at its start, m.
    pub(super) start: Vec<Vector3<f64>>,
    /// Pairs with normal and viscosities (N s/m), for [`Friction::Viscous`].
    pub(super) viscous: Vec<(Rubbing, Vector3<f64>, [f64; 2])>,
}

/// The energy of a body as a function of its control points.
pub(super) struct Motion<'b> {
    pub(super) body: &'b Body,
    pub(super) contacts: Contacts,
    pub(super) lagged: Vec<Lagged>,
    pub(super) inertia: Option<Inertia>,
    pub(super) dissipation: Option<Dissipation>,
    /// Slip after which friction is used up, m.
    pub(super) slip: f64,
}

impl<'b> Motion<'b> {
    pub(super) fn new(body: &'b Body) -> Self {
        let slip = if let Friction::Coulomb { slip, .. } = body.friction { slip } else { 0.0 };
        Motion { body, contacts: Contacts::default(), lagged: Vec::new(), inertia: None, dissipation: None, slip }
    }

    fn places(&self, q: &[Vector3<f64>]) -> Vec<Vector3<f64>> {
        self.body.yarns.contact_places(&self.body.place, q)
    }

    /// How far the points of a pair are from each other, or where the point is that touches an obstacle, m.
    pub(super) fn offset(place: &Place, who: Rubbing, y: &[Vector3<f64>]) -> Vector3<f64> {
        match who {
            Rubbing::Yarns(a, b, shift) => y[a as usize] - y[b as usize] - place.translation(shift),
            Rubbing::Obstacle(a, _) => y[a as usize],
        }
    }

    /// Adds a force and a stiffness of a pair's offset.
    fn add_pair(
        &self,
        who: Rubbing,
        force: &Vector3<f64>,
        h: &Matrix3<f64>,
        g: &mut [Vector3<f64>],
        m: &mut PointMatrix,
    ) {
        let station = |i: u32| &self.body.yarns.contact[i as usize].station;
        match who {
            Rubbing::Obstacle(a, _) => {
                station(a).add_value(force, g);
                station(a).add_stiffness(h, m);
            }
            Rubbing::Yarns(a, b, _) => {
                station(a).add_value(force, g);
                station(b).add_value(&-force, g);
                station(a).add_stiffness(h, m);
                station(b).add_stiffness(h, m);
                station(a).add_mixed(station(b), &-h, m);
            }
        }
    }

    /// Value of what dissipates.
    fn dissipated(&self, y: &[Vector3<f64>]) -> f64 {
        let place = &self.body.place;
        let rubbed: f64 = self.lagged.iter().map(|l| l.value(self.slip, &Motion::offset(place, l.who, y))).sum();
        let Some(d) = &self.dissipation else { return rubbed };
        let pair = |(who, n, k): &(Rubbing, Vector3<f64>, [f64; 2])| {
            let moved = Motion::offset(place, *who, y) - Motion::offset(place, *who, &d.start);
            friction::viscous(*k, d.h, n, &moved).0
        };
        let drag: f64 = y
            .iter()
            .zip(&d.start)
            .zip(&self.body.yarns.contact)
            .map(|((y, s), p)| p.length * (y - s).norm_squared())
            .sum();
        rubbed + d.viscous.iter().map(pair).sum::<f64>() + 0.5 * self.body.damping / d.h * drag
    }

    fn add_dissipation(&self, y: &[Vector3<f64>], g: &mut [Vector3<f64>], m: &mut PointMatrix) {
        let place = &self.body.place;
        for l in &self.lagged {
            let offset = Motion::offset(place, l.who, y);
            self.add_pair(l.who, &l.gradient(self.slip, &offset), &l.hessian(self.slip, &offset), g, m);
        }
        let Some(d) = &self.dissipation else { return };
        for (who, n, k) in &d.viscous {
            let moved = Motion::offset(place, *who, y) - Motion::offset(place, *who, &d.start);
            let (_, force, stiffness) = friction::viscous(*k, d.h, n, &moved);
            self.add_pair(*who, &force, &stiffness, g, m);
        }
        if self.body.damping > 0.0 {
            for (i, p) in self.body.yarns.contact.iter().enumerate() {
                let factor = self.body.damping / d.h * p.length;
                p.station.add_value(&((y[i] - d.start[i]) * factor), g);
                p.station.add_stiffness(&Matrix3::from_diagonal_element(factor), m);
            }
        }
    }

    /// Loads and weight: constant forces on the control points.
    fn for_each_load(&self, mut each: impl FnMut(usize, Vector3<f64>)) {
        self.body.loads.iter().for_each(|(i, f)| each(*i, *f));
        if self.body.gravity != Vector3::zeros() {
            self.body.masses().into_iter().enumerate().for_each(|(i, m)| each(i, self.body.gravity * m));
        }
    }
}

impl Objective for Motion<'_> {
    fn points(&self) -> usize {
        self.body.yarns.point_count()
    }

    fn units(&self) -> Units {
        let (ks, r) = (self.body.yarns.stiffness.stretch, self.body.yarns.radius);
        Units { force: ks, stiffness: ks / r, step: STEP * r }
    }

    fn refresh(&mut self, q: &[Vector3<f64>]) -> bool {
        let y = self.places(q);
        let r = self.body.yarns.radius;
        if !self.contacts.holds_for(&self.body.place, &y, 3.0_f64.sqrt() * STEP * r) {
            self.contacts = Contacts::find(&self.body.yarns, &self.body.place, y.clone(), MARGIN * r);
        }
        self.contacts.couple(self.body.yarns.radius, &self.body.place, &y)
    }

    fn value(&self, q: &[Vector3<f64>]) -> f64 {
        let body = self.body;
        let y = self.places(q);
        let mut energy = body.yarns.energy(&body.place, q, &self.contacts).total() + self.dissipated(&y);
        for obstacle in &body.obstacles {
            let at = |(p, y): (&crate::spline::ContactPoint, _)| obstacle.value(p.length, body.yarns.radius, y);
            energy += body.yarns.contact.iter().zip(&y).map(at).sum::<f64>();
        }
        self.for_each_load(|i, f| energy -= f.dot(&q[i]));
        energy + self.inertia.as_ref().map_or(0.0, |i| i.value(&body.yarns, q))
    }

    fn couplings(&self, pair: &mut dyn FnMut(usize, usize)) {
        self.body.yarns.couplings(&self.contacts, pair);
        for who in
            self.lagged.iter().map(|l| l.who).chain(self.dissipation.iter().flat_map(|d| d.viscous.iter().map(|v| v.0)))
        {
            if let Rubbing::Yarns(a, b, _) = who {
                let point = |i: u32| self.body.yarns.contact[i as usize].station.point;
                point(a).iter().for_each(|i| point(b).iter().for_each(|j| pair(*i as usize, *j as usize)));
            }
        }
    }

    fn derivatives(&self, q: &[Vector3<f64>], gradient: &mut [Vector3<f64>], matrix: &mut PointMatrix) {
        let body = self.body;
        body.yarns.add_derivatives(&body.place, q, &self.contacts, gradient, matrix);
        let y = self.places(q);
        for obstacle in &body.obstacles {
            for (p, y) in body.yarns.contact.iter().zip(&y) {
                p.station.add_value(&obstacle.gradient(p.length, body.yarns.radius, y), gradient);
                p.station.add_stiffness(&obstacle.hessian(p.length, body.yarns.radius, y), matrix);
            }
        }
        self.add_dissipation(&y, gradient, matrix);
        self.for_each_load(|i, f| gradient[i] -= f);
        if let Some(inertia) = &self.inertia {
            inertia.derivatives(&body.yarns, q, gradient, matrix);
        }
    }
}
