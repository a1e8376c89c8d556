//! What holds a particle to a body, and when it is released.

use super::Body;
use nalgebra::{Matrix2, Point3, Vector2, Vector3};

/// Relative tangential speed below which a particle of cloth comes to rest on a body, m/s.
pub(crate) const REST_SPEED: f64 = 0.02;

/// Steps for which a particle that broke away slides before it may come to rest again; without it, it would stick
/// every other step.
const SLIDING_STEPS: u8 = 6;

/// How a particle is held.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Mode {
    /// At rest on the body, all directions prescribed.
    Stick,
    /// The normal direction prescribed; may not stick for this number of steps.
    Slide(u8),
}

/// Where a particle is tied to a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Grip {
    /// In the frame of the body, m.
    pub(crate) anchor: Point3<f64>,
    /// Along the surface in the last step, m/s².
    pub(crate) acceleration: Vector3<f64>,
    /// Whether the anchor was dragged in the last step.
    pub(crate) slipping: bool,
}

#[cfg(feature = "yarn-level")]
impl Grip {
    /// μ now.
    pub(super) fn friction(&self, body: &Body) -> f64 {
        if self.slipping { body.friction.kinetic } else { body.friction.at_rest }
    }
}

/// A particle on a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Contact {
    /// Which body.
    pub(crate) body: u32,
    /// How it is held.
    pub(crate) mode: Mode,
    /// Force of the constraint along the normal in the last step, N.
    pub(crate) normal_force: f64,
    /// Where it is tied to the body, for particles whose friction is a spring.
    pub(crate) grip: Option<Grip>,
}

/// The bodies that a particle is on: two, as in a corner, are enough; a third one only stops it.
pub(crate) type Contacts = [Option<Contact>; 2];

impl Contact {
    /// A contact that has just begun.
    pub(crate) fn new(body: usize) -> Self {
        Contact { body: body as u32, mode: Mode::Slide(0), normal_force: 0.0, grip: None }
    }

    /// Comes to rest where the relative tangential velocity is small, below `rest_speed` m/s.
    pub(crate) fn settle(&mut self, tangential: &Vector3<f64>, rest_speed: f64) {
        self.mode = match self.mode {
            Mode::Slide(0) if tangential.norm() < rest_speed => Mode::Stick,
            Mode::Slide(n) => Mode::Slide(n.saturating_sub(1)),
            Mode::Stick => Mode::Stick,
        };
    }

    /// Whether the contact lasts, given the force of its constraint; breaks away where friction is too weak.
    fn react(&mut self, normal_force: f64, tangential_force: f64, body: &Body) -> bool {
        self.normal_force = normal_force;
        if self.mode == Mode::Stick && tangential_force > body.friction.at_rest * normal_force {
            self.mode = Mode::Slide(SLIDING_STEPS);
        }
        normal_force > 0.0
    }
}

/// Updates the contacts of a particle by the force of its constraints, N. `normals` belong to the contacts.
pub(crate) fn react(contacts: &mut Contacts, normals: &[Vector3<f64>; 2], force: &Vector3<f64>, bodies: &[Body]) {
    match contacts {
        [Some(a), Some(b)] => {
            // force = α n₁ + β n₂ + rest, in the least-squares sense.
            let c = normals[0].dot(&normals[1]);
            let rhs = Vector2::new(normals[0].dot(force), normals[1].dot(force));
            let parts = Matrix2::new(1.0, c, c, 1.0).try_inverse().map_or(rhs, |inverse| inverse * rhs);
            let rest = (force - normals[0] * parts.x - normals[1] * parts.y).norm();
            let keep_a = a.react(parts.x, rest, &bodies[a.body as usize]);
            let keep_b = b.react(parts.y, rest, &bodies[b.body as usize]);
            contacts[1].take_if(|_| !keep_b);
            contacts[0].take_if(|_| !keep_a);
        }
        [Some(a), None] => {
            let normal = normals[0].dot(force);
            let tangential = (force - normals[0] * normal).norm();
            let keep = a.react(normal, tangential, &bodies[a.body as usize]);
            contacts[0].take_if(|_| !keep);
        }
        _ => {}
    }
    if contacts[0].is_none() {
        contacts.swap(0, 1);
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Friction, Shape};
    use super::*;

    fn floor() -> Body {
        Body::at(Shape::Plane, Vector3::zeros(), Friction { at_rest: 0.5, kinetic: 0.3 })
    }

    fn after(mode: Mode, force: [f64; 3]) -> Option<Contact> {
        let mut contacts = [Some(Contact { mode, ..Contact::new(0) }), None];
        react(&mut contacts, &[Vector3::y(), Vector3::zeros()], &Vector3::from(force), &[floor()]);
        contacts[0]
    }

    #[test]
    fn a_constraint_that_pulls_lets_go() {
        assert_eq!(after(Mode::Stick, [0.0, -1.0, 0.0]), None);
        assert_eq!(after(Mode::Stick, [0.0, 1.0, 0.0]).unwrap().normal_force, 1.0);
    }

    #[test]
    fn friction_holds_up_to_its_cone() {
        assert_eq!(after(Mode::Stick, [0.4, 1.0, 0.0]).unwrap().mode, Mode::Stick);
        assert_eq!(after(Mode::Stick, [0.6, 1.0, 0.0]).unwrap().mode, Mode::Slide(SLIDING_STEPS));
        let mut contact = Contact { mode: Mode::Slide(2), ..Contact::new(0) };
        let mut steps = 0;
        while contact.mode != Mode::Stick {
            contact.settle(&Vector3::zeros(), REST_SPEED);
            steps += 1;
        }
        assert_eq!(steps, 3);
    }

    #[test]
    fn of_two_contacts_the_one_that_pulls_lets_go() {
        let mut contacts = [Some(Contact::new(0)), Some(Contact::new(1))];
        let normals = [Vector3::y(), Vector3::x()];
        react(&mut contacts, &normals, &Vector3::new(2.0, -1.0, 0.0), &[floor(), floor()]);
        assert_eq!(contacts.map(|c| c.map(|c| c.body)), [Some(1), None]);
    }
}
