//! Implicit steps in time: backward Euler as a minimum,
//!
//!   q+ = argmin 1/2h^2 |q - q0 - h v0|^2_M + U(q) + h D((q - q0) / h),   v+ = (q+ - q0) / h          [MartinGarrido18, Eq. 4]
//!
//! One iteration from q0 is the paper's linearized step, (M + h C + h^2 K) v+ = M v0 - h dU/dq; its Eq. 1 and 4 as printed subtract
//! the gradient of the dissipation by position too, and have D for C.

use super::anchors::{Anchors, Rubbing, Touch, dragged, lagged, touches};
use super::body::{Body, Friction};
use super::mass::Inertia;
use super::motion::{Dissipation, Motion};
use crate::newton::{Newton, NewtonOptions, NewtonWork, Objective};
use nalgebra::Vector3;

/// How a step is taken.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StepOptions {
    /// Length of the step, s.
    pub step: f64,
    /// One iteration: the paper's linearized step. Otherwise until forces balance.
    pub linear: bool,
    /// When they do.
    pub newton: NewtonOptions,
}

impl Default for StepOptions {
    fn default() -> Self {
        let newton = NewtonOptions { tolerance: 1e-10, rho: 0.0, ..NewtonOptions::default() };
        StepOptions { step: 1e-4, linear: false, newton }
    }
}

/// How a step went.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StepReport {
    /// Whether forces balance; always true of a linearized step with a definite matrix.
    pub converged: bool,
    /// Work done.
    pub work: NewtonWork,
}

/// A body in motion.
#[derive(Clone, Debug)]
pub struct Dynamics {
    /// The body.
    pub body: Body,
    /// Control points, m.
    pub q: Vec<Vector3<f64>>,
    /// Their velocities, m/s.
    pub v: Vec<Vector3<f64>>,
    anchors: Anchors,
}

impl Dynamics {
    /// A body at rest with control points at `q` (m).
    pub fn new(body: Body, q: Vec<Vector3<f64>>) -> Self {
        let v = vec![Vector3::zeros(); q.len()];
        Dynamics { body, q, v, anchors: Anchors::new() }
    }

    /// One step. When it does not converge, the state is as before.
    pub fn step(&mut self, options: &StepOptions) -> StepReport {
        let h = options.step;
        let body = &self.body;
        let start = body.yarns.contact_places(&body.place, &self.q);
        let mut motion = Motion::new(body);
        motion.refresh(&self.q);
        let before = touches(body, &motion.contacts, &start);
        motion.lagged = lagged(body, &before, &self.anchors, |who| Motion::offset(&body.place, who, &start));
        let target = self.q.iter().zip(&self.v).map(|(q, v)| q + v * h).collect();
        motion.inertia = Some(Inertia { kind: body.mass, density: body.line_density(), h, target });
        motion.dissipation = Some(Dissipation { h, viscous: viscous(body, &before), start });
        let lag = motion.lagged.clone();
        let mut newton = Newton::new(&mut motion, self.q.clone(), body.holds.clone(), &options.newton);
        let report = if options.linear {
            let converged = newton.linear_step();
            StepReport { converged, work: newton.minimum().work }
        } else {
            let minimum = newton.run();
            StepReport { converged: minimum.converged, work: minimum.work }
        };
        let q = newton.into_x();
        if report.converged {
            let now = touches(body, &motion.contacts, &body.yarns.contact_places(&body.place, &q));
            self.anchors = dragged(body, &lag, &now);
            self.v = q.iter().zip(&self.q).map(|(a, b)| (a - b) / h).collect();
            self.q = q;
        }
        report
    }

    /// Energy of position: elastic, contact, weight, without loads, J.
    pub fn potential_energy(&self) -> f64 {
        let mut motion = Motion::new(&self.body);
        motion.refresh(&self.q);
        motion.value(&self.q)
    }

    /// Energy of motion with lumped mass, J.
    pub fn kinetic_energy(&self) -> f64 {
        self.body.masses().iter().zip(&self.v).map(|(m, v)| 0.5 * m * v.norm_squared()).sum()
    }

    /// Sum of momenta with lumped mass, kg m/s.
    pub fn momentum(&self) -> Vector3<f64> {
        self.body.masses().iter().zip(&self.v).map(|(m, v)| v * *m).sum()
    }
}

/// The viscosities of pairs that touch, N s/m.
fn viscous(body: &Body, touches: &[Touch]) -> Vec<(Rubbing, Vector3<f64>, [f64; 2])> {
    let Friction::Viscous { tangential, normal } = body.friction else { return Vec::new() };
    let length = |i: u32| body.yarns.contact[i as usize].length;
    let area = |who: Rubbing| match who {
        Rubbing::Yarns(a, b, _) => length(a) * length(b),
        Rubbing::Obstacle(a, _) => length(a) * body.yarns.radius,
    };
    touches.iter().map(|t| (t.who, t.normal, [tangential, normal].map(|k| k * area(t.who)))).collect()
}
