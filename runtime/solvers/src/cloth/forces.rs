//! The forces on the cloth as the linear system of a step.
//!
//! With k the step, springs in f (explicit) and g (implicit), the velocity changes Δv follow from
//!
//!   (M − k ∂g/∂v − k² ∂g/∂x) Δv = k (f + g + k ∂g/∂x v)            [Boxerman03, Eq. 4.11 times M, Eq. 4.13]

use super::environment::{self, Environment};
use super::integrator::Integrator;
use super::model::{Axial, ClothModel, Spring, SpringGroup, SpringKind};
use super::self_contact::SelfContact;
use super::state::State;
use super::system::Connection;
use crate::contact::SpatialHash;
use nalgebra::Vector3;
use rayon::prelude::*;

/// Springs below which a loop over them is not worth a second thread.
pub(super) const CHUNK: usize = 4096;
/// Particles below which a loop over them is not worth a second thread.
const GRAIN: usize = 1024;

/// The linear system of a step while it is put together.
pub(super) struct Assembly<'a> {
    /// Mass and implicit drag of each particle, kg.
    pub(super) diagonal: Vec<f64>,
    /// Right-hand side, N s.
    pub(super) b: Vec<Vector3<f64>>,
    /// The first `connected` of them count.
    pub(super) connections: &'a mut Vec<Connection>,
    pub(super) connected: usize,
    /// Implicit springs by kind.
    pub(super) implicit: [usize; 3],
    /// The largest sum of the sizes of a particle's impulses, N s.
    pub(super) largest: f64,
}

/// What acts on the cloth, and which of it is implicit.
#[derive(Clone, Copy)]
pub(super) struct Forces<'a> {
    pub(super) model: &'a ClothModel,
    pub(super) environment: &'a Environment,
    pub(super) self_contact: Option<SelfContact>,
    pub(super) integrator: Integrator,
}

impl Forces<'_> {
    /// The system of a step of k seconds; `impulses` and `connections` lend their memory.
    pub(super) fn assemble<'a>(
        &self,
        state: &State,
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
        let evaluate = |(group, impulses, connections)| self.evaluate_group(state, k, group, impulses, connections);
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
        let (diagonal, b, largest) = self.particle_terms(state, k, impulses);
        let mut assembly = Assembly { diagonal, b, connections, connected, implicit, largest };
        self.add_self_contact(state, k, &mut assembly);
        assembly
    }

    /// Writes the impulse of each spring, and the connections of implicit ones one after the other; counts these.
    fn evaluate_group(
        &self,
        state: &State,
        k: f64,
        group: &SpringGroup,
        impulses: &mut [Vector3<f64>],
        connections: &mut [Connection],
    ) -> usize {
        let integrator = &self.integrator;
        match integrator.are_implicit(group.kind, group.kappa(k)) {
            Some(false) => self.evaluate_springs(state, k, group, impulses, connections, |_| false),
            Some(true) => self.evaluate_springs(state, k, group, impulses, connections, |_| true),
            None => self.evaluate_springs(state, k, group, impulses, connections, |s| {
                let mass = self.model.masses[s.i as usize].min(self.model.masses[s.j as usize]);
                integrator.is_implicit(s.kind, s.kappa_mass(k), mass)
            }),
        }
    }

    #[inline]
    fn evaluate_springs(
        &self,
        state: &State,
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
            let v = state.velocities[j] - state.velocities[i];
            let Some(axial) = s.evaluate(&(state.positions[j] - state.positions[i]), &v, damping) else {
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
    fn particle_terms(&self, state: &State, k: f64, impulses: &[Vector3<f64>]) -> (Vec<f64>, Vec<Vector3<f64>>, f64) {
        let gravity = Vector3::from(self.environment.gravity);
        let air = self.environment;
        let normals =
            if air.needs_normals() { environment::normals(&state.positions, &self.model.faces) } else { Vec::new() };
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
            let relative = air.wind_at(state.time, &state.positions[p]) - state.velocities[p];
            let normal = normals.get(p).copied().unwrap_or_default();
            let c = air.air_coefficient(self.model.areas[p], &normal, &relative);
            let (weight, drag) = (gravity * (k * mass), relative * (k * c));
            (mass + k * c, sum + weight + drag, sizes + size(&weight) + size(&drag))
        };
        let n = state.positions.len();
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
    fn add_self_contact(&self, state: &State, k: f64, assembly: &mut Assembly<'_>) {
        let Some(contact) = self.self_contact else { return };
        assembly.connections.truncate(assembly.connected);
        let distance = contact.distance * self.model.spacing;
        let rest = &self.model.rest_positions;
        for (i, j) in SpatialHash::new(&state.positions, distance).pairs(&state.positions) {
            let (a, b) = (i as usize, j as usize);
            let x = state.positions[b] - state.positions[a];
            let length = x.norm();
            // Neighbors at rest are kept apart by bend springs: repelling them would only hinder folds.
            if length < 1e-9 * distance || (rest[b] - rest[a]).norm() < 2.0 * distance {
                continue;
            }
            let direction = x / length;
            let v = state.velocities[b] - state.velocities[a];
            let force = direction * (contact.stiffness * (length - distance)) + v * contact.damping;
            let (k_axial, c) = (contact.stiffness, contact.damping);
            let axial = Axial { force, direction, k_axial, k_transverse: 0.0, c_axial: c, c_transverse: c };
            let mut impulse = axial.force * k;
            let mass = self.model.masses[a].min(self.model.masses[b]);
            let kappa_mass = k * (k_axial * k + 2.0 * c);
            if self.integrator.is_implicit(SpringKind::Stretch, kappa_mass, mass) {
                impulse += axial.stiffness_times(&v) * (k * k);
                assembly.connections.push(Connection { i, j, block: axial.block(k) });
            }
            assembly.b[a] += impulse;
            assembly.b[b] -= impulse;
        }
        assembly.connected = assembly.connections.len();
    }
}
