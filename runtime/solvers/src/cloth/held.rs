//! The constraints of one step: pins, the dragged particle, and bodies.

use super::Simulation;
use crate::contact::{Body, Contacts, Mode, react};
use crate::linear::Constraint;
use nalgebra::{Matrix2, Point3, Vector2, Vector3};

/// Part of the way to the surface that a held particle moves in a step: all of it would bounce [Boxerman03, §3.4.2].
const SURFACE_APPROACH: f64 = 0.9;

/// Below this speed, m/s, friction falls with the speed: its direction is lost in rounding.
const SLOW: f64 = 1e-3;

/// A particle is off a body when it is further from its surface than this part of the thickness.
const LOOSE: f64 = 0.5;

/// How each particle is held in a step.
pub(super) struct Held {
    /// Directions in which motion is prescribed.
    pub(super) constraints: Vec<Constraint>,
    /// Prescribed velocity changes, m/s.
    pub(super) z: Vec<Vector3<f64>>,
    /// Contacts with bodies.
    pub(super) contacts: Vec<Contacts>,
    /// Whether a pin or a finger holds the particle.
    pub(super) prescribed: Vec<bool>,
    /// Particles with contacts.
    pub(super) contact_count: usize,
    normals: Vec<[Vector3<f64>; 2]>,
}

/// A held particle relative to one body.
struct Touch {
    normal: Vector3<f64>,
    body_velocity: Vector3<f64>,
    /// Velocity along the normal that brings the particle to the surface, m/s.
    approach: f64,
}

impl Held {
    pub(super) fn new(simulation: &Simulation, k: f64) -> Self {
        let n = simulation.positions.len();
        let mut held = Held {
            constraints: vec![Constraint::Free; n],
            z: vec![Vector3::zeros(); n],
            contacts: simulation.contacts.clone(),
            prescribed: vec![false; n],
            contact_count: 0,
            normals: vec![[Vector3::zeros(); 2]; if simulation.bodies.is_empty() { 0 } else { n }],
        };
        for (p, target) in simulation.prescribed_positions(k) {
            let p = p as usize;
            held.constraints[p] = Constraint::Fixed;
            held.z[p] = (target - simulation.positions[p]) / k - simulation.velocities[p];
            held.prescribed[p] = true;
            held.contacts[p] = [None, None];
        }
        for p in 0..n {
            if held.contacts[p][0].is_some() {
                held.hold(simulation, k, p);
            }
        }
        held
    }

    /// Constrains a particle to the bodies it is on.
    fn hold(&mut self, simulation: &Simulation, k: f64, p: usize) {
        let (x, v) = (simulation.positions[p], simulation.velocities[p]);
        let mut touches = Vec::with_capacity(2);
        let mut stick = None;
        for slot in 0..2 {
            let Some(contact) = &mut self.contacts[p][slot] else { continue };
            let body = &simulation.bodies[contact.body as usize];
            match touch(body, &x, simulation.time, k, simulation.thickness) {
                None => self.contacts[p][slot] = None,
                Some(touch) => {
                    let relative = v - touch.body_velocity;
                    contact.settle(&(relative - touch.normal * relative.dot(&touch.normal)));
                    if contact.mode == Mode::Stick {
                        stick = Some(touches.len());
                    }
                    touches.push(touch);
                }
            }
        }
        if self.contacts[p][0].is_none() {
            self.contacts[p].swap(0, 1);
        }
        for (slot, touch) in touches.iter().enumerate() {
            self.normals[p][slot] = touch.normal;
            self.constraints[p] = self.constraints[p].and(&touch.normal);
        }
        if let Some(on) = stick {
            self.constraints[p] = Constraint::Fixed;
            self.z[p] = touches[on].body_velocity + touches[on].normal * touches[on].approach - v;
        } else {
            self.z[p] = normal_change(&touches, &v);
        }
        self.contact_count += usize::from(!touches.is_empty());
    }

    /// Adds kinetic friction on sliding particles: a drag k μ N / |v| on the velocity at the end of the step.
    ///
    /// Implicit like air, so that it only ever takes energy. Friction against the velocity at the start of the step feeds
    /// springs that swing from one step to the next: a sheet at rest on a slope would shiver and creep down.
    pub(super) fn add_kinetic_friction(
        &self,
        simulation: &Simulation,
        k: f64,
        diagonal: &mut [f64],
        b: &mut [Vector3<f64>],
    ) {
        if self.contact_count == 0 {
            return;
        }
        for (p, contacts) in self.contacts.iter().enumerate() {
            if !matches!(self.constraints[p], Constraint::Plane(_)) {
                continue;
            }
            let (Some(contact), None) = (&contacts[0], &contacts[1]) else { continue };
            let body = &simulation.bodies[contact.body as usize];
            let normal = self.normals[p][0];
            let relative =
                simulation.velocities[p] - point_velocity(body, &simulation.positions[p], simulation.time, k);
            let tangential = relative - normal * relative.dot(&normal);
            let drag = k * body.friction.kinetic * contact.normal_force.max(0.0) / tangential.norm().max(SLOW);
            diagonal[p] += drag;
            b[p] -= tangential * drag;
        }
    }

    /// Lets go where the constraint pulls, and lets slide where it drags too hard.
    pub(super) fn react(&mut self, impulses: &[Vector3<f64>], k: f64, bodies: &[Body]) {
        for (p, contacts) in self.contacts.iter_mut().enumerate() {
            if contacts[0].is_some() {
                react(contacts, &self.normals[p], &(impulses[p] / k), bodies);
            }
        }
    }
}

/// The particle relative to the body, or none where it has left it.
fn touch(body: &Body, x: &Vector3<f64>, time: f64, k: f64, thickness: f64) -> Option<Touch> {
    let (distance, normal) = body.distance(x, time);
    let gap = distance - thickness;
    if gap > LOOSE * thickness {
        return None;
    }
    let body_velocity = point_velocity(body, x, time, k);
    Some(Touch { normal, body_velocity, approach: -SURFACE_APPROACH * gap / k })
}

/// Mean velocity over the step of the body's point at x, m/s.
fn point_velocity(body: &Body, x: &Vector3<f64>, time: f64, k: f64) -> Vector3<f64> {
    if body.motion.keys.is_empty() {
        return Vector3::zeros();
    }
    let local = body.pose(time).inverse_transform_point(&Point3::from(*x));
    ((body.pose(time + k) * local).coords - x) / k
}

/// The velocity change that gives each touched body the normal velocity it asks for.
fn normal_change(touches: &[Touch], v: &Vector3<f64>) -> Vector3<f64> {
    let wanted = |t: &Touch| t.normal.dot(&(t.body_velocity - v)) + t.approach;
    match touches {
        [] => Vector3::zeros(),
        [t] => t.normal * wanted(t),
        [a, b, ..] => {
            let c = a.normal.dot(&b.normal);
            let gram = Matrix2::new(1.0, c, c, 1.0);
            match gram.try_inverse().filter(|_| c.abs() < 0.999) {
                Some(inverse) => {
                    let parts = inverse * Vector2::new(wanted(a), wanted(b));
                    a.normal * parts.x + b.normal * parts.y
                }
                None => a.normal * wanted(a),
            }
        }
    }
}
