//! One step of time: the linear system of the forces, solved under the constraints of pins and bodies; then
//!
//!   v ← v + Δv,  x ← x + k v                                                             [Boxerman03, Eq. 4.13]

use super::forces::{CHUNK, Forces};
use super::model::{Spring, SpringKind};
use super::options::ClothOptions;
use super::state::State;
use super::system::{BlockMatrix, Connection, System, SystemOptions, SystemReport, constraint_impulses, solve};
use crate::contact::{Body, REST_SPEED, StepConstraints, Surroundings};
use crate::linear::StoppingRule;
use nalgebra::Vector3;
use rayon::prelude::*;

/// What rounding leaves of impulses that cancel, as a fraction of them: a dozen terms, summed in any order.
const ROUNDING: f64 = 64.0 * f64::EPSILON;

/// What a step took.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct StepReport {
    /// Seconds.
    pub step: f64,
    /// The linear solve.
    pub solve: SystemReport,
    /// Implicit springs by kind: stretch, shear, bend.
    pub implicit: [usize; 3],
    /// Particles held by bodies.
    pub contacts: usize,
    /// Particles with one or two free directions: those that slide.
    pub sliding: usize,
    /// Attempts that were taken back before.
    pub rejected: usize,
}

/// Why an attempt was taken back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rejection {
    /// A spring was lengthened too much.
    Strain,
    /// A position or velocity is non-finite.
    NotFinite,
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

/// What a step depends on but does not change.
#[derive(Clone, Copy)]
pub(super) struct Stepper<'a> {
    pub(super) forces: Forces<'a>,
    pub(super) bodies: &'a [Body],
    /// Distance kept from bodies, meters.
    pub(super) thickness: f64,
    pub(super) options: &'a ClothOptions,
}

impl Stepper<'_> {
    /// Tries a step of k seconds in which `targets` move to prescribed positions. On rejection nothing has changed;
    /// `accept` forbids rejection for strain.
    pub(super) fn attempt(
        &self,
        state: &mut State,
        workspace: &mut Workspace,
        targets: &[(u32, Vector3<f64>)],
        k: f64,
        accept: bool,
    ) -> Result<StepReport, Rejection> {
        let Workspace { impulses, connections, matrix } = workspace;
        let mut assembly = self.forces.assemble(state, k, impulses, connections);
        let (bodies, thickness, time) = (self.bodies, self.thickness, state.time);
        let around = Surroundings { bodies, thickness, time, k, rest_speed: REST_SPEED };
        let (x, v) = (&state.positions, &state.velocities);
        let mut held = StepConstraints::new(&around, x, v, state.contacts.clone(), targets);
        held.add_kinetic_friction(&around, x, v, &mut assembly.diagonal, &mut assembly.b);
        let system = System {
            diagonal: &assembly.diagonal,
            connections: &assembly.connections[..assembly.connected],
            b: &assembly.b,
            constraints: &held.constraints,
            z: &held.changes,
        };
        let mut changes = state.velocity_changes.clone();
        let solved = solve(&system, &self.system_options(k, assembly.largest), matrix, &mut changes);

        let mut velocities: Vec<_> = v.iter().zip(&changes).map(|(v, dv)| v + dv).collect();
        let mut positions: Vec<_> = x.iter().zip(&velocities).map(|(x, v)| x + v * k).collect();
        self.check(x, &positions, accept)?;

        if held.contact_count > 0 {
            let impulses = constraint_impulses(&system, &changes);
            held.react(&around, &impulses);
        }
        around.stop(x, &mut positions, &mut velocities, &mut held.contacts, &held.prescribed);
        let contacts = held.contact_count;
        let sliding = held.constraints.iter().filter(|c| (1..3).contains(&c.degrees_of_freedom())).count();
        let time = state.time + k;
        *state = State { positions, velocities, velocity_changes: changes, contacts: held.contacts, time };
        Ok(StepReport { step: k, solve: solved, implicit: assembly.implicit, contacts, sliding, rejected: 0 })
    }

    /// How the system of a step is solved; `largest` is the largest sum of the sizes of a particle's impulses, N s.
    fn system_options(&self, k: f64, largest: f64) -> SystemOptions {
        let o = self.options;
        let rule = StoppingRule {
            tolerance_squared: o.tolerance * k,
            plain_residual: o.plain_residual,
            negligible: (ROUNDING * largest).powi(2),
            max_iterations: o.max_iterations,
        };
        SystemOptions { preconditioner: o.preconditioner, decompose: o.decompose, rule }
    }

    /// Refuses non-finite positions and, unless `accept`, springs that were lengthened too much since `before`.
    fn check(&self, before: &[Vector3<f64>], positions: &[Vector3<f64>], accept: bool) -> Result<(), Rejection> {
        let in_range = |p: &Vector3<f64>| (0.0..1e12).contains(&p.norm_squared());
        if !positions.iter().all(in_range) {
            return Err(Rejection::NotFinite);
        }
        let Some(limit) = self.options.largest_strain_change.filter(|_| !accept) else { return Ok(()) };
        let springs = &self.forces.model.springs;
        let strained = |s: &Spring| {
            let squared = |x: &[Vector3<f64>]| (x[s.j as usize] - x[s.i as usize]).norm_squared();
            let after = squared(positions);
            // Roots cost time; most springs need none.
            after > ((1.0 + limit) * s.rest_length).powi(2)
                && after.sqrt() - squared(before).sqrt().max(s.rest_length) > limit * s.rest_length
        };
        let in_plane = springs.partition_point(|s| s.kind != SpringKind::Bend);
        let strained = springs[..in_plane].par_iter().with_min_len(CHUNK).any(strained);
        if strained { Err(Rejection::Strain) } else { Ok(()) }
    }
}
