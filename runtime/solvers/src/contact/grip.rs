//! Friction of a particle on a body as a spring that slips.
//!
//! A spring along the surface ties the particle at x to a point a of the body, its anchor [Cirio14, §5]
//!
//!   F = −k e,  e = x − a along the surface,   |F| ≤ μ N,   k = m ω²
//!
//! at the end of the step, e = e_n + h v. Where it would be too long with the velocity that is expected, k is less in the ratio that makes |F| = μ N:
//! a spring in any case, so that friction takes energy only and turns nothing back. While the particle slips, ṽ = v_n + h v̇ is expected with v̇
//! of the last step, else v_n. Where e is longer than μ N / k at the end, the anchor is dragged along until it is not: the return map that
//! friction between yarns has. A spring that holds is damped critically besides, −2 m ω ė, so that a load that comes at once does not stretch it
//! further than one that comes slowly.
//!
//! Nothing counts as at rest below some speed, so a particle stays on any slope with a tangent less than μ and leaves any other.
//! Friction at rest holds it until it slips, kinetic friction from then on, until the spring slackens. N is that of the last step.

use super::friction::Grip;
use super::{StepConstraints, Surroundings};
use crate::linear::Constraint;
use nalgebra::{Point3, Vector3};

/// What friction knows of the particles.
pub(crate) struct Gripped<M> {
    /// Mass of a particle, kg.
    pub(crate) mass: M,
    /// ω, 1/s.
    pub(crate) rate: f64,
    /// m/s²; the weight is N before the first step on a body has shown it.
    pub(crate) gravity: Vector3<f64>,
}

/// Friction on a particle in a step: an impulse (N s), and what is taken from it per velocity at the end (kg).
pub(crate) type GripImpulse = (u32, f64, [f64; 3]);

/// A vector along a surface.
fn along(v: Vector3<f64>, normal: &Vector3<f64>) -> Vector3<f64> {
    v - normal * normal.dot(&v)
}

impl StepConstraints {
    /// Friction of the particles that are on one body each.
    pub(crate) fn grip(
        &mut self,
        around: &Surroundings<'_>,
        positions: &[Vector3<f64>],
        velocities: &[Vector3<f64>],
        gripped: &Gripped<impl Fn(usize) -> f64>,
    ) -> Vec<GripImpulse> {
        let h = around.k;
        let mut impulses = Vec::new();
        for (p, contacts) in self.contacts.iter_mut().enumerate() {
            let ([Some(contact), None], Constraint::Plane(_)) = (contacts, &self.constraints[p]) else { continue };
            let (body, normal) = (&around.bodies[contact.body as usize], self.normals[p][0]);
            let (x, v, mass) = (positions[p], velocities[p], (gripped.mass)(p));
            let weight = -mass * gripped.gravity.dot(&normal).min(0.0);
            let pressure = if contact.normal_force > 0.0 { contact.normal_force } else { weight };
            let [start, end] = [around.time, around.time + h].map(|time| body.pose(time));
            let grip = contact.grip.get_or_insert_with(|| Grip {
                anchor: start.inverse_transform_point(&Point3::from(x)),
                acceleration: Vector3::zeros(),
                slipping: false,
            });
            let still = along(x - (end * grip.anchor).coords, &normal);
            let carried = along(end * grip.anchor - start * grip.anchor, &normal) / h;
            let expected = along(if grip.slipping { v + grip.acceleration * h } else { v }, &normal);
            let mut k = mass * gripped.rate.powi(2);
            let mut damping = 2.0 * mass * gripped.rate;
            let force = k * (still + expected * h).norm();
            let limit = grip.friction(body) * pressure;
            if force > limit {
                (k, damping) = (k * limit / force, 0.0);
            }
            let coefficient = h * (h * k + damping);
            // The velocity along the normal is prescribed; the spring does not feel it.
            let prescribed = normal * normal.dot(&(v + self.changes[p]));
            let impulse = prescribed * coefficient + (carried * damping - still * k) * h;
            impulses.push((p as u32, coefficient, impulse.into()));
        }
        impulses
    }

    /// Drags anchors along after a step that ended at `positions`, with velocities before and after it and N of that step.
    pub(crate) fn drag_grips(
        &mut self,
        around: &Surroundings<'_>,
        positions: &[Vector3<f64>],
        velocities: [&[Vector3<f64>]; 2],
        gripped: &Gripped<impl Fn(usize) -> f64>,
    ) {
        for (p, contacts) in self.contacts.iter_mut().enumerate() {
            let [Some(contact), None] = contacts else { continue };
            let Some(grip) = &mut contact.grip else { continue };
            let (body, normal) = (&around.bodies[contact.body as usize], &self.normals[p][0]);
            let pose = body.pose(around.time + around.k);
            grip.acceleration = along(velocities[1][p] - velocities[0][p], normal) / around.k;
            let e = along(positions[p] - (pose * grip.anchor).coords, normal);
            let k = (gripped.mass)(p) * gripped.rate.powi(2);
            let longest = |friction: f64| friction * contact.normal_force / k;
            grip.slipping = e.norm() > longest(grip.friction(body));
            if grip.slipping {
                let anchor = positions[p] - e * (longest(body.friction.kinetic) / e.norm());
                grip.anchor = pose.inverse_transform_point(&Point3::from(anchor));
            }
        }
    }
}
