//! Equilibria of a body that is moved by increments.
//!
//! Within an increment normal forces and normals of friction are updated after each search, anchors stay; when the increment is
//! accepted, pairs that slipped drag their anchors along.

use super::anchors::{Anchors, dragged, lagged, touches};
use super::body::{Body, Friction};
use super::motion::Motion;
use crate::newton::{Newton, NewtonOptions, NewtonWork};
use crate::spline::Contacts;
use nalgebra::Vector3;

/// A body and where friction holds it.
#[derive(Clone, Debug)]
pub struct QuasiStatics {
    /// The body; its loads may be changed between increments.
    pub body: Body,
    /// Control points, m. Held ones are moved by changing them.
    pub q: Vec<Vector3<f64>>,
    /// How equilibria are searched.
    pub options: NewtonOptions,
    /// How often normal forces are updated in an increment with friction.
    pub updates: usize,
    anchors: Anchors,
}

/// The equilibrium at the end of an increment.
#[derive(Clone, Debug)]
pub struct Balanced {
    /// What each control point's hold pushes with, N; next to nothing where nothing is held.
    pub reaction: Vec<Vector3<f64>>,
    /// Sum of all normal forces, N.
    pub normal_force_sum: f64,
    /// Whether forces balance.
    pub converged: bool,
    /// Norm of the unbalanced forces over ks.
    pub residual: f64,
    /// Work done.
    pub work: NewtonWork,
}

impl QuasiStatics {
    /// A body whose control points are at `q` (m).
    pub fn new(body: Body, q: Vec<Vector3<f64>>) -> Self {
        QuasiStatics { body, q, options: NewtonOptions::default(), updates: 3, anchors: Anchors::new() }
    }

    /// Where the contact points are, m.
    pub fn contact_places(&self) -> Vec<Vector3<f64>> {
        self.body.yarns.contact_places(&self.body.place, &self.q)
    }

    /// The curves that touch `curve`, once for each pair of points.
    pub fn touching_curves(&self, curve: usize) -> Vec<usize> {
        let mut motion = Motion::new(&self.body);
        crate::newton::Objective::refresh(&mut motion, &self.q);
        let mut out = Vec::new();
        motion.contacts.for_each(&self.body.yarns, &self.body.place, &self.contact_places(), |points, _, _, _| {
            let [a, b] = points.map(|i| self.body.yarns.contact[i as usize].curve);
            if a == curve || b == curve {
                out.push(if a == curve { b } else { a });
            }
        });
        out
    }

    /// The equilibrium with held control points and loads as they are now. `before` is where the control points were before held
    /// ones were moved (m).
    pub fn balance(&mut self, before: &[Vector3<f64>]) -> Balanced {
        let rubs = matches!(self.body.friction, Friction::Coulomb { .. });
        let start = self.body.yarns.contact_places(&self.body.place, before);
        let mut work = NewtonWork::default();
        let (mut lag, mut contacts) = (Vec::new(), Contacts::default());
        let mut last = None;
        for _ in 0..if rubs { self.updates.max(1) } else { 1 } {
            let mut motion = Motion::new(&self.body);
            crate::newton::Objective::refresh(&mut motion, &self.q);
            let now = touches(&self.body, &motion.contacts, &self.contact_places());
            lag = lagged(&self.body, &now, &self.anchors, |who| Motion::offset(&self.body.place, who, &start));
            motion.lagged = lag.clone();
            let mut newton =
                Newton::new(&mut motion, std::mem::take(&mut self.q), self.body.holds.clone(), &self.options);
            let minimum = newton.run();
            work += minimum.work;
            last = Some((minimum, newton.gradient().to_vec()));
            self.q = newton.into_x();
            contacts = motion.contacts;
        }
        let now = touches(&self.body, &contacts, &self.contact_places());
        self.anchors = dragged(&self.body, &lag, &now);
        let normal_force_sum = now.iter().map(|t| t.force).sum();
        let (minimum, reaction) = last.unwrap_or_else(|| unreachable!("an increment has at least one search"));
        Balanced { reaction, normal_force_sum, converged: minimum.converged, residual: minimum.residual, work }
    }
}
