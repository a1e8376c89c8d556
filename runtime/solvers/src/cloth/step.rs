//! One step of time.
//!
//! With k the step, springs in f (explicit) and g (implicit), the velocity changes Δv follow from
//!
//!   (M − k ∂g/∂v − k² ∂g/∂x) Δv = k (f + g + k ∂g/∂x v)            [Boxerman03, Eq. 4.11 times M, Eq. 4.13]
//!   v ← v + Δv,  x ← x + k v
//!
//! under the constraints of pins and bodies.

use super::Simulation;
use super::model::{Axial, Spring, SpringGroup, SpringKind};
use super::simulation::{Rejection, StepReport};
use super::solve::{SolveOptions, System, constraint_impulses, solve};
use super::{environment, held::Held};
use crate::contact::{BodyPath, Contact, Contacts, Hit, SpatialHash};
use crate::linear::{BlockMatrix, Connection, MpcgOptions};
use nalgebra::Vector3;
use rayon::prelude::*;

/// Springs below which a loop over them is not worth a second thread.
const CHUNK: usize = 4096;
/// Particles below which a loop over them is not worth a second thread.
const GRAIN: usize = 1024;
/// What rounding leaves of impulses that cancel, as a fraction of them: a dozen of terms, summed in any order.
const ROUNDING: f64 = 64.0 * f64::EPSILON;

/// The linear system of a step while it is put together.
struct Assembly<'a> {
    diagonal: Vec<f64>,
    b: Vec<Vector3<f64>>,
    /// The first `connected` of them count.
    connections: &'a mut Vec<Connection>,
    connected: usize,
    implicit: [usize; 3],
    /// The largest sum of the sizes of a particle's impulses, N s.
    largest: f64,
}

/// Memory that steps use again: asking the system for it anew costs more than some steps.
#[derive(Debug, Default)]
pub(super) struct Workspace {
    impulses: Vec<Vector3<f64>>,
    connections: Vec<Connection>,
    matrix: BlockMatrix,
}

impl Clone for Workspace {
    /// Nothing in it outlives a step.
    fn clone(&self) -> Self {
        Workspace::default()
    }
}

impl Simulation {
    /// Tries a step of k seconds. On rejection nothing has changed; `accept` forbids rejection for strain.
    pub(super) fn attempt(&mut self, k: f64, accept: bool) -> Result<StepReport, Rejection> {
        let mut workspace = std::mem::take(&mut self.workspace);
        let result = self.attempt_in(&mut workspace, k, accept);
        self.workspace = workspace;
        result
    }

    fn attempt_in(&mut self, workspace: &mut Workspace, k: f64, accept: bool) -> Result<StepReport, Rejection> {
        let Workspace { impulses, connections, matrix } = workspace;
        let mut assembly = self.assemble(k, impulses, connections);
        let mut held = Held::new(self, k);
        held.add_kinetic_friction(self, k, &mut assembly.diagonal, &mut assembly.b);
        let system = System {
            diagonal: &assembly.diagonal,
            connections: &assembly.connections[..assembly.connected],
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
        let solved = solve(&system, &options, matrix, &mut changes);

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

    fn assemble<'a>(
        &self,
        k: f64,
        impulses: &mut Vec<Vector3<f64>>,
        connections: &'a mut Vec<Connection>,
    ) -> Assembly<'a> {
        let groups = self.model.groups();
        let count = self.model.springs.len();
        impulses.resize(count, Vector3::zeros());
        // Kept at full length: it is written again in every step, and only as far as needed.
        if connections.len() < count {
            connections.resize(count, Connection::default());
        }
        let mut parts = Vec::with_capacity(groups.len());
        let (mut impulses_left, mut connections_left) = (&mut impulses[..], &mut connections[..]);
        for group in groups {
            let (impulses, connections);
            (impulses, impulses_left) = impulses_left.split_at_mut(group.range.len());
            (connections, connections_left) = connections_left.split_at_mut(group.range.len());
            parts.push((group, impulses, connections));
        }
        let evaluate = |(group, impulses, connections)| self.evaluate_group(k, group, impulses, connections);
        let counts: Vec<usize> = if count < CHUNK {
            parts.into_iter().map(evaluate).collect()
        } else {
            parts.into_par_iter().map(evaluate).collect()
        };
        // Each group has filled the front of its part.
        let (mut connected, mut implicit) = (0, [0; 3]);
        for (group, filled) in groups.iter().zip(counts) {
            let start = group.range.start;
            connections.copy_within(start..start + filled, connected);
            connected += filled;
            implicit[group.kind as usize] += filled;
        }
        let (diagonal, b, largest) = self.particle_terms(k, impulses);
        let mut assembly = Assembly { diagonal, b, connections, connected, implicit, largest };
        self.add_self_contact(k, &mut assembly);
        assembly
    }

    /// Writes the impulse of each spring, and the connections of implicit ones one after the other; counts these.
    fn evaluate_group(
        &self,
        k: f64,
        group: &SpringGroup,
        impulses: &mut [Vector3<f64>],
        connections: &mut [Connection],
    ) -> usize {
        let integrator = &self.options.integrator;
        match integrator.are_implicit(group.kind, group.kappa(k)) {
            Some(false) => self.evaluate_springs(k, group, impulses, connections, |_| false),
            Some(true) => self.evaluate_springs(k, group, impulses, connections, |_| true),
            None => self.evaluate_springs(k, group, impulses, connections, |s| {
                let mass = self.model.masses[s.i as usize].min(self.model.masses[s.j as usize]);
                integrator.is_implicit(s.kind, s.kappa_mass(k), mass)
            }),
        }
    }

    #[inline]
    fn evaluate_springs(
        &self,
        k: f64,
        group: &SpringGroup,
        impulses: &mut [Vector3<f64>],
        connections: &mut [Connection],
        is_implicit: impl Fn(&Spring) -> bool,
    ) -> usize {
        let damping = self.model.damping;
        let mut filled = 0;
        for (s, impulse) in self.model.springs[group.range.clone()].iter().zip(impulses) {
            let (i, j) = (s.i as usize, s.j as usize);
            let v = self.velocities[j] - self.velocities[i];
            let Some(axial) = s.evaluate(&(self.positions[j] - self.positions[i]), &v, damping) else {
                *impulse = Vector3::zeros();
                continue;
            };
            *impulse = axial.force * k;
            if is_implicit(s) {
                *impulse += axial.stiffness_times(&v) * (k * k);
                connections[filled] = Connection { i: s.i, j: s.j, block: axial.block(k) };
                filled += 1;
            }
        }
        filled
    }

    /// The diagonal and the right-hand side: springs, weight and air, particle by particle; and the largest sum of sizes.
    fn particle_terms(&self, k: f64, impulses: &[Vector3<f64>]) -> (Vec<f64>, Vec<Vector3<f64>>, f64) {
        let gravity = Vector3::from(self.environment.gravity);
        let air = &self.environment;
        let normals =
            if air.needs_normals() { environment::normals(&self.positions, &self.model.faces) } else { Vec::new() };
        let size = |v: &Vector3<f64>| v.x.abs() + v.y.abs() + v.z.abs();
        let one = |p: usize| {
            let mass = self.model.masses[p];
            let (mut sum, mut sizes) = (Vector3::zeros(), 0.0);
            for (s, first) in self.model.springs_at(p) {
                let impulse = &impulses[s];
                if first {
                    sum += impulse
                } else {
                    sum -= impulse
                }
                sizes += size(impulse);
            }
            let relative = air.wind_at(self.time, &self.positions[p]) - self.velocities[p];
            let normal = normals.get(p).copied().unwrap_or_default();
            let c = air.air_coefficient(self.model.areas[p], &normal, &relative);
            let (weight, drag) = (gravity * (k * mass), relative * (k * c));
            (mass + k * c, sum + weight + drag, sizes + size(&weight) + size(&drag))
        };
        let n = self.positions.len();
        let (mut diagonal, mut b) = (vec![0.0; n], vec![Vector3::zeros(); n]);
        let pieces = diagonal.par_chunks_mut(GRAIN).zip(b.par_chunks_mut(GRAIN)).enumerate();
        let largest = pieces.map(|(piece, (diagonal, b))| {
            let mut largest: f64 = 0.0;
            for (offset, (diagonal, b)) in diagonal.iter_mut().zip(b).enumerate() {
                let sizes;
                (*diagonal, *b, sizes) = one(piece * GRAIN + offset);
                largest = largest.max(sizes);
            }
            largest
        });
        let largest = largest.reduce(|| 0.0, f64::max);
        (diagonal, b, largest)
    }

    /// Springs between particles that are too close [Boxerman03, §3.4.2], implicit by the same rule as the others.
    fn add_self_contact(&self, k: f64, assembly: &mut Assembly<'_>) {
        let Some(contact) = self.self_contact else { return };
        assembly.connections.truncate(assembly.connected);
        let distance = contact.distance * self.model.spacing;
        let rest = &self.model.rest_positions;
        for (i, j) in SpatialHash::new(&self.positions, distance).pairs(&self.positions) {
            let (a, b) = (i as usize, j as usize);
            let x = self.positions[b] - self.positions[a];
            let length = x.norm();
            // Neighbors at rest are kept apart by bend springs: repelling them would only hinder folds.
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
            let kappa_mass = k * (k_axial * k + 2.0 * c);
            if self.options.integrator.is_implicit(SpringKind::Stretch, kappa_mass, mass) {
                impulse += axial.stiffness_times(&v) * (k * k);
                assembly.connections.push(Connection { i, j, block: axial.block(k) });
            }
            assembly.b[a] += impulse;
            assembly.b[b] -= impulse;
        }
        assembly.connected = assembly.connections.len();
    }

    /// Refuses positions that are not numbers and, unless `accept`, springs that were lengthened too much.
    fn check(&self, positions: &[Vector3<f64>], accept: bool) -> Result<(), Rejection> {
        let wild = |p: &Vector3<f64>| !(0.0..1e12).contains(&p.norm_squared());
        if positions.iter().any(wild) {
            return Err(Rejection::NotFinite);
        }
        let Some(limit) = self.options.largest_strain_change.filter(|_| !accept) else { return Ok(()) };
        let strained = |s: &Spring| {
            let squared = |x: &[Vector3<f64>]| (x[s.j as usize] - x[s.i as usize]).norm_squared();
            let after = squared(positions);
            // Roots cost time; most springs need none.
            after > ((1.0 + limit) * s.rest_length).powi(2)
                && after.sqrt() - squared(&self.positions).sqrt().max(s.rest_length) > limit * s.rest_length
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
        let paths: Vec<BodyPath<'_>> = self.bodies.iter().map(|body| BodyPath::new(body, self.time, k)).collect();
        particles.with_min_len(GRAIN).filter(|(_, (_, prescribed))| !**prescribed).for_each(
            |(p, (((position, velocity), contacts), _))| self.stop_particle(&paths, p, position, velocity, contacts),
        );
    }

    fn stop_particle(
        &self,
        paths: &[BodyPath<'_>],
        p: usize,
        position: &mut Vector3<f64>,
        velocity: &mut Vector3<f64>,
        contacts: &mut Contacts,
    ) {
        // A second round where a body pushes the particle into another.
        for _ in 0..2 {
            let mut stopped = false;
            for (index, path) in paths.iter().enumerate() {
                let Some(hit) = path.sweep(&self.positions[p], position, self.thickness) else {
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
