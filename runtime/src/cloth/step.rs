//! One step of time.
//!
//! With k the step, springs in f (explicit) and g (implicit), the velocity changes Δv follow from
//!
//!   (M − k ∂g/∂v − k² ∂g/∂x) Δv = k (f + g + k ∂g/∂x v)            [Boxerman03, Eq. 4.11 times M, Eq. 4.13]
//!   v ← v + Δv,  x ← x + k v
//!
//! under the constraints of pins and bodies.

use super::Simulation;
use super::contact::{Contact, Contacts, Hit, SpatialHash, sweep};
use super::linear::{Connection, MpcgOptions};
use super::model::{Axial, Spring, SpringKind};
use super::simulation::{Rejection, StepReport};
use super::solve::{SolveOptions, System, constraint_impulses, solve};
use super::{environment, held::Held};
use nalgebra::Vector3;
use rayon::prelude::*;

/// Springs evaluated as one piece of work; pieces are put together in order.
const CHUNK: usize = 4096;
/// Particles below which a loop over them is not worth a second thread.
const GRAIN: usize = 1024;
/// What rounding leaves of impulses that cancel, as a fraction of them: a dozen of terms, summed in any order.
const ROUNDING: f64 = 64.0 * f64::EPSILON;

/// The linear system of a step while it is put together.
struct Assembly {
    diagonal: Vec<f64>,
    b: Vec<Vector3<f64>>,
    connections: Vec<Connection>,
    implicit: [usize; 3],
    /// The largest sum of the sizes of a particle's impulses, N s.
    largest: f64,
}

impl Simulation {
    /// Tries a step of k seconds. On rejection nothing has changed; `accept` forbids rejection for strain.
    pub(super) fn attempt(&mut self, k: f64, accept: bool) -> Result<StepReport, Rejection> {
        let mut assembly = self.assemble(k);
        let mut held = Held::new(self, k);
        held.add_kinetic_friction(self, k, &mut assembly.diagonal, &mut assembly.b);
        let system = System {
            diagonal: &assembly.diagonal,
            connections: &assembly.connections,
            b: &assembly.b,
            constraints: &held.constraints,
            z: &held.z,
        };
        let o = &self.options;
        let mpcg = MpcgOptions {
            tolerance_squared: o.tolerance * k,
            plain_residual: o.plain_residual,
            negligible: (ROUNDING * assembly.largest).powi(2),
            max_iterations: o.max_iterations,
        };
        let options = SolveOptions { preconditioner: o.preconditioner, decompose: o.decompose, mpcg };
        let mut changes = self.velocity_changes.clone();
        let solved = solve(&system, &options, &mut changes);

        let mut velocities: Vec<_> = self.velocities.iter().zip(&changes).map(|(v, dv)| v + dv).collect();
        let mut positions: Vec<_> = self.positions.iter().zip(&velocities).map(|(x, v)| x + v * k).collect();
        self.check(&positions, accept)?;

        if held.contact_count > 0 {
            let impulses = constraint_impulses(&system, &changes);
            held.react(&impulses, k, &self.bodies);
        }
        self.stop_at_bodies(k, &mut positions, &mut velocities, &mut held);
        (self.positions, self.velocities, self.velocity_changes) = (positions, velocities, changes);
        let contacts = held.contact_count;
        let sliding = held.constraints.iter().filter(|c| (1..3).contains(&c.degrees_of_freedom())).count();
        self.contacts = held.contacts;
        self.time += k;
        Ok(StepReport { step: k, solve: solved, implicit: assembly.implicit, contacts, sliding, rejected: 0 })
    }

    fn assemble(&self, k: f64) -> Assembly {
        let mut impulses = vec![Vector3::zeros(); self.model.springs.len()];
        let pieces: Vec<(Vec<Connection>, [usize; 3])> = self
            .model
            .springs
            .par_chunks(CHUNK)
            .zip(impulses.par_chunks_mut(CHUNK))
            .map(|(springs, impulses)| self.evaluate_springs(k, springs, impulses))
            .collect();
        let mut connections = Vec::with_capacity(pieces.iter().map(|p| p.0.len()).sum());
        let mut implicit = [0; 3];
        for (piece, counts) in pieces {
            connections.extend(piece);
            for (sum, n) in implicit.iter_mut().zip(counts) {
                *sum += n;
            }
        }
        let (diagonal, b, largest) = self.particle_terms(k, &impulses);
        let mut assembly = Assembly { diagonal, b, connections, implicit, largest };
        self.add_self_contact(k, &mut assembly);
        assembly
    }

    fn evaluate_springs(
        &self,
        k: f64,
        springs: &[Spring],
        impulses: &mut [Vector3<f64>],
    ) -> (Vec<Connection>, [usize; 3]) {
        let mut connections = Vec::new();
        let mut implicit = [0; 3];
        for (s, impulse) in springs.iter().zip(impulses) {
            let (i, j) = (s.i as usize, s.j as usize);
            let v = self.velocities[j] - self.velocities[i];
            let Some(axial) = s.evaluate(&(self.positions[j] - self.positions[i]), &v, self.model.damping) else {
                continue;
            };
            *impulse = axial.force * k;
            let mass = self.model.masses[i].min(self.model.masses[j]);
            if self.options.integrator.is_implicit(s.kind, s.kappa(k, mass)) {
                *impulse += axial.stiffness_times(&v) * (k * k);
                connections.push(Connection { i: s.i, j: s.j, block: axial.block(k) });
                implicit[s.kind as usize] += 1;
            }
        }
        (connections, implicit)
    }

    /// The diagonal and the right-hand side: springs, weight and air, particle by particle; and the largest sum of sizes.
    fn particle_terms(&self, k: f64, impulses: &[Vector3<f64>]) -> (Vec<f64>, Vec<Vector3<f64>>, f64) {
        let gravity = Vector3::from(self.environment.gravity);
        let air = &self.environment;
        let normals =
            if air.needs_normals() { environment::normals(&self.positions, &self.model.faces) } else { Vec::new() };
        let one = |p: usize| {
            let mass = self.model.masses[p];
            let springs = self.model.springs_at(p).iter().map(|(s, sign)| impulses[*s as usize] * *sign);
            let (internal, size) = springs.fold((Vector3::zeros(), 0.0), |(sum, size), i| (sum + i, size + i.norm()));
            let relative = air.wind_at(self.time, &self.positions[p]) - self.velocities[p];
            let normal = normals.get(p).copied().unwrap_or_default();
            let c = air.air_coefficient(self.model.areas[p], &normal, &relative);
            let (weight, drag) = (gravity * (k * mass), relative * (k * c));
            (mass + k * c, (internal + weight + drag, size + weight.norm() + drag.norm()))
        };
        let particles = (0..self.positions.len()).into_par_iter().with_min_len(GRAIN);
        let (diagonal, sums): (Vec<f64>, Vec<(Vector3<f64>, f64)>) = particles.map(one).unzip();
        let largest = sums.iter().map(|(_, size)| *size).fold(0.0, f64::max);
        (diagonal, sums.into_iter().map(|(sum, _)| sum).collect(), largest)
    }

    /// Springs between particles that are too close [Boxerman03, §3.4.2], implicit by the same rule as the others.
    fn add_self_contact(&self, k: f64, assembly: &mut Assembly) {
        let Some(contact) = self.self_contact else { return };
        let distance = contact.distance * self.model.spacing;
        let rest = &self.model.rest_positions;
        for (i, j) in SpatialHash::new(&self.positions, distance).pairs(&self.positions) {
            let (a, b) = (i as usize, j as usize);
            let x = self.positions[b] - self.positions[a];
            let length = x.norm();
            // Neighbours at rest are kept apart by bend springs: repelling them would only hinder folds.
            if length < 1e-9 * distance || (rest[b] - rest[a]).norm() < 2.0 * distance {
                continue;
            }
            let direction = x / length;
            let v = self.velocities[b] - self.velocities[a];
            let force = direction * (contact.stiffness * (length - distance)) + v * contact.damping;
            let (k_axial, c) = (contact.stiffness, contact.damping);
            let axial = Axial { force, direction, k_axial, k_transverse: 0.0, c_axial: c, c_transverse: c };
            let mut impulse = axial.force * k;
            let mass = self.model.masses[a].min(self.model.masses[b]);
            let kappa = k / mass * (k_axial * k + 2.0 * c);
            if self.options.integrator.is_implicit(SpringKind::Stretch, kappa) {
                impulse += axial.stiffness_times(&v) * (k * k);
                assembly.connections.push(Connection { i, j, block: axial.block(k) });
            }
            assembly.b[a] += impulse;
            assembly.b[b] -= impulse;
        }
    }

    /// Refuses positions that are not numbers and, unless `accept`, springs that were lengthened too much.
    fn check(&self, positions: &[Vector3<f64>], accept: bool) -> Result<(), Rejection> {
        let wild = |p: &Vector3<f64>| !(0.0..1e12).contains(&p.norm_squared());
        if positions.iter().any(wild) {
            return Err(Rejection::NotFinite);
        }
        let Some(limit) = self.options.largest_strain_change.filter(|_| !accept) else { return Ok(()) };
        let strained = |s: &Spring| {
            let length = |x: &[Vector3<f64>]| (x[s.j as usize] - x[s.i as usize]).norm();
            let after = length(positions);
            // The old length costs a second root; most springs need only the first.
            after > (1.0 + limit) * s.rest_length
                && after - length(&self.positions).max(s.rest_length) > limit * s.rest_length
        };
        let in_plane = self.model.springs.partition_point(|s| s.kind != SpringKind::Bend);
        let strained = self.model.springs[..in_plane].par_iter().with_min_len(CHUNK).any(strained);
        if strained { Err(Rejection::Strain) } else { Ok(()) }
    }

    /// Stops particles that would enter a body on its surface, and begins a contact there.
    fn stop_at_bodies(&self, k: f64, positions: &mut [Vector3<f64>], velocities: &mut [Vector3<f64>], held: &mut Held) {
        if self.bodies.is_empty() {
            return;
        }
        let particles =
            positions.par_iter_mut().zip(velocities).zip(&mut held.contacts).zip(&held.prescribed).enumerate();
        particles.with_min_len(GRAIN).filter(|(_, (_, prescribed))| !**prescribed).for_each(
            |(p, (((position, velocity), contacts), _))| self.stop_particle(k, p, position, velocity, contacts),
        );
    }

    fn stop_particle(
        &self,
        k: f64,
        p: usize,
        position: &mut Vector3<f64>,
        velocity: &mut Vector3<f64>,
        contacts: &mut Contacts,
    ) {
        // A second round where a body pushes the particle into another.
        for _ in 0..2 {
            let mut stopped = false;
            for (index, body) in self.bodies.iter().enumerate() {
                let Some(hit) = sweep(body, &self.positions[p], position, self.time, k, self.thickness) else {
                    continue;
                };
                *position = hit.position;
                let known = contacts.iter().flatten().any(|c| c.body as usize == index);
                *velocity = after_impact(velocity, &hit, if known { 0.0 } else { body.friction.kinetic });
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
