//! The constraints of one step: prescribed particles, and bodies that hold particles.

use super::friction::react;
use super::{Body, Contacts, Mode, Surroundings};
use crate::linear::Constraint;
use nalgebra::{Matrix2, Point3, Vector2, Vector3};

/// Part of the way to the surface that a held particle moves in a step: all of it would bounce [Boxerman03, §3.4.2].
const SURFACE_APPROACH: f64 = 0.9;

/// Below this speed, m/s, friction falls with the speed: its direction is lost in rounding.
const SLOW: f64 = 1e-3;

/// A particle is off a body when it is further from its surface than this part of the thickness.
const LOOSE: f64 = 0.5;

/// How each particle is constrained in a step.
pub(crate) struct StepConstraints {
    /// Directions in which motion is prescribed.
    pub(crate) constraints: Vec<Constraint>,
    /// Prescribed velocity changes, m/s.
    pub(crate) changes: Vec<Vector3<f64>>,
    /// Contacts with bodies.
    pub(crate) contacts: Vec<Contacts>,
    /// Whether the motion of the particle is prescribed.
    pub(crate) prescribed: Vec<bool>,
    /// Particles with contacts.
    pub(crate) contact_count: usize,
    pub(super) normals: Vec<[Vector3<f64>; 2]>,
}

/// A particle relative to one body that it is on.
struct Touch {
    normal: Vector3<f64>,
    body_velocity: Vector3<f64>,
    /// Velocity along the normal that brings the particle to the surface, m/s.
    approach: f64,
}

impl StepConstraints {
    /// For particles with the contacts of the last step; `targets` are the particles whose position at the end of the step
    /// is prescribed, meters.
    pub(crate) fn new(
        around: &Surroundings<'_>,
        positions: &[Vector3<f64>],
        velocities: &[Vector3<f64>],
        contacts: Vec<Contacts>,
        targets: &[(u32, Vector3<f64>)],
    ) -> Self {
        let n = positions.len();
        let mut step = StepConstraints {
            constraints: vec![Constraint::Free; n],
            changes: vec![Vector3::zeros(); n],
            contacts,
            prescribed: vec![false; n],
            contact_count: 0,
            normals: vec![[Vector3::zeros(); 2]; if around.bodies.is_empty() { 0 } else { n }],
        };
        for (p, target) in targets {
            let p = *p as usize;
            step.constraints[p] = Constraint::Fixed;
            step.changes[p] = (target - positions[p]) / around.k - velocities[p];
            step.prescribed[p] = true;
            step.contacts[p] = [None, None];
        }
        for p in 0..n {
            if step.contacts[p][0].is_some() {
                step.constrain(around, p, &positions[p], &velocities[p]);
            }
        }
        step
    }

    /// Constrains a particle to the bodies it is on.
    fn constrain(&mut self, around: &Surroundings<'_>, p: usize, x: &Vector3<f64>, v: &Vector3<f64>) {
        let mut touches = Vec::with_capacity(2);
        let mut stick = None;
        for slot in 0..2 {
            let Some(contact) = &mut self.contacts[p][slot] else { continue };
            let body = &around.bodies[contact.body as usize];
            match touch(around, body, x) {
                None => self.contacts[p][slot] = None,
                Some(touch) => {
                    let relative = v - touch.body_velocity;
                    contact.settle(&(relative - touch.normal * relative.dot(&touch.normal)), around.rest_speed);
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
            self.changes[p] = touches[on].body_velocity + touches[on].normal * touches[on].approach - v;
        } else {
            self.changes[p] = normal_change(&touches, v);
        }
        self.contact_count += usize::from(!touches.is_empty());
    }

    /// Adds kinetic friction on sliding particles: a drag k μ N / |v| on the velocity at the end of the step.
    ///
    /// Implicit like air, so that it only ever takes energy. Friction against the velocity at the start of the step feeds
    /// springs that swing from one step to the next: a sheet at rest on a slope would shiver and creep down.
    pub(crate) fn add_kinetic_friction(
        &self,
        around: &Surroundings<'_>,
        positions: &[Vector3<f64>],
        velocities: &[Vector3<f64>],
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
            let body = &around.bodies[contact.body as usize];
            let normal = self.normals[p][0];
            let relative = velocities[p] - point_velocity(around, body, &positions[p]);
            let tangential = relative - normal * relative.dot(&normal);
            let drag = around.k * body.friction.kinetic * contact.normal_force.max(0.0) / tangential.norm().max(SLOW);
            diagonal[p] += drag;
            b[p] -= tangential * drag;
        }
    }

    /// Releases particles that the constraint would pull, and lets those slide that it drags too hard.
    /// `impulses` are those of the constraints, N s.
    pub(crate) fn react(&mut self, around: &Surroundings<'_>, impulses: &[Vector3<f64>]) {
        for (p, contacts) in self.contacts.iter_mut().enumerate() {
            if contacts[0].is_some() {
                react(contacts, &self.normals[p], &(impulses[p] / around.k), around.bodies);
            }
        }
    }
}

/// The particle relative to the body, or none where it has left it.
fn touch(around: &Surroundings<'_>, body: &Body, x: &Vector3<f64>) -> Option<Touch> {
    let (distance, normal) = body.distance(x, around.time);
    let gap = distance - around.thickness;
    if gap > LOOSE * around.thickness {
        return None;
    }
    let body_velocity = point_velocity(around, body, x);
    Some(Touch { normal, body_velocity, approach: -SURFACE_APPROACH * gap / around.k })
}

/// Mean velocity over the step of the body's point at x, m/s.
fn point_velocity(around: &Surroundings<'_>, body: &Body, x: &Vector3<f64>) -> Vector3<f64> {
    let Surroundings { time, k, .. } = *around;
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
