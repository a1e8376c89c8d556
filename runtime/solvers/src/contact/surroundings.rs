//! What particles may run into during one step, and where they are stopped.

use super::{Body, BodyPath, Contact, Contacts, Hit};
use nalgebra::Vector3;
use rayon::prelude::*;

/// Particles below which a loop over them is not worth a second thread.
const GRAIN: usize = 1024;

/// The bodies around some particles, over one step.
#[derive(Clone, Copy)]
pub(crate) struct Surroundings<'a> {
    /// What particles collide with.
    pub(crate) bodies: &'a [Body],
    /// Distance that particles keep from bodies, meters.
    pub(crate) thickness: f64,
    /// Start of the step, seconds.
    pub(crate) time: f64,
    /// Length of the step, seconds.
    pub(crate) k: f64,
    /// Relative tangential speed below which a particle comes to rest on a body, m/s; 0 for particles whose friction is a spring.
    pub(crate) rest_speed: f64,
}

impl Surroundings<'_> {
    /// Stops particles that would enter a body on its surface, and begins a contact there. `before` are their positions at
    /// the start of the step; those at its end, the velocities and contacts are changed. Prescribed particles pass.
    pub(crate) fn stop(
        &self,
        before: &[Vector3<f64>],
        positions: &mut [Vector3<f64>],
        velocities: &mut [Vector3<f64>],
        contacts: &mut [Contacts],
        prescribed: &[bool],
    ) {
        if self.bodies.is_empty() {
            return;
        }
        let particles = positions.par_iter_mut().zip(velocities).zip(contacts).zip(prescribed).enumerate();
        let paths: Vec<BodyPath<'_>> = self.bodies.iter().map(|body| BodyPath::new(body, self.time, self.k)).collect();
        particles.with_min_len(GRAIN).filter(|(_, (_, prescribed))| !**prescribed).for_each(
            |(p, (((position, velocity), contacts), _))| {
                self.stop_particle(&paths, &before[p], position, velocity, contacts);
            },
        );
    }

    fn stop_particle(
        &self,
        paths: &[BodyPath<'_>],
        before: &Vector3<f64>,
        position: &mut Vector3<f64>,
        velocity: &mut Vector3<f64>,
        contacts: &mut Contacts,
    ) {
        // A second round where a body pushes the particle into another.
        for _ in 0..2 {
            let mut stopped = false;
            for (index, path) in paths.iter().enumerate() {
                let Some(hit) = path.sweep(before, position, self.thickness) else {
                    continue;
                };
                *position = hit.position;
                let known = contacts.iter().flatten().any(|c| c.body as usize == index);
                *velocity = after_impact(velocity, &hit, if known { 0.0 } else { path.body.friction.kinetic });
                if !known && let Some(free) = contacts.iter_mut().find(|c| c.is_none()) {
                    *free = Some(Contact::new(index));
                }
                stopped = true;
            }
            if !stopped || self.bodies.len() == 1 {
                break;
            }
        }
    }
}

/// The velocity after an impact without bounce, slowed by friction along the surface.
fn after_impact(velocity: &Vector3<f64>, hit: &Hit, friction: f64) -> Vector3<f64> {
    let relative = velocity - hit.body_velocity;
    let into = relative.dot(&hit.normal);
    if into >= 0.0 {
        return *velocity;
    }
    let tangential = relative - hit.normal * into;
    let speed = tangential.norm();
    let kept = if speed > 0.0 { (1.0 + friction * into / speed).max(0.0) } else { 0.0 };
    hit.body_velocity + tangential * kept
}
