//! Cloth of yarns and triangles in motion: the state, and what a host does with it.

use super::dead_load::DeadLoad;
use super::energy::HybridEnergies;
use super::holding::{self, Handle, Holding, HybridPin};
use super::model::HybridModel;
use super::options::HybridOptions;
use super::output::WholeMesh;
use super::state::HybridState;
use super::step::{HybridStep, HybridStepReport, Prescribed, Workspace};
use super::system::{HybridFilter, ShellStep};
use crate::contact::{Body, Contacts, GripImpulse, Gripped, StepConstraints, Surroundings};
use crate::error::{Error, Result};
use crate::linear::Constraint;
use crate::pace::Pace;
use crate::yarn::crossing::{update_compression, update_normals};
use crate::yarn::material::Stiffness;
use crate::yarn::system::{Bands, NodeConstraint, StepData};
use crate::yarn::{Damping, Inertia, Rejection, carry, drag_anchors, own_filter, position_part};
use nalgebra::Vector3;

/// Steps without trouble before a short step is lengthened.
const PATIENCE: usize = 20;

/// Yarns and triangles, what they collide with, and how they are stepped.
///
/// Same input, same positions, on any number of threads.
#[derive(Clone, Debug)]
pub struct HybridSimulation {
    model: HybridModel,
    stiffness: Stiffness,
    state: HybridState,
    /// m/s².
    pub gravity: Vector3<f64>,
    /// What the cloth collides with.
    pub bodies: Vec<Body>,
    /// Distance of nodes and vertices from bodies, meters.
    pub thickness: f64,
    pub(super) holding: Holding,
    /// Forces on nodes, N.
    pub forces: Vec<(u32, Vector3<f64>)>,
    /// How to step.
    pub options: HybridOptions,
    pace: Pace,
    contacts: Vec<Contacts>,
    workspace: Workspace,
    bands: Bands,
    whole: WholeMesh,
    dead_load: Option<DeadLoad>,
}

impl HybridSimulation {
    /// Cloth at rest in its start position, with nothing around it but gravity.
    pub fn new(model: HybridModel, options: HybridOptions) -> Self {
        let bands = Bands::new(model.weave());
        let stiffness = model.weave().material.stiffness();
        let state = HybridState::at_rest(&model);
        let thickness = 2.0 * model.weave().material.radius;
        let mut simulation = HybridSimulation {
            stiffness,
            state,
            gravity: Vector3::new(0.0, -9.81, 0.0),
            bodies: Vec::new(),
            thickness,
            holding: Holding::default(),
            forces: Vec::new(),
            pace: Pace::new(options.step),
            options,
            contacts: Vec::new(),
            workspace: Workspace::default(),
            bands,
            whole: WholeMesh::new(&model),
            dead_load: None,
            model,
        };
        simulation.update_crossings();
        simulation
    }

    /// What does not change.
    pub fn model(&self) -> &HybridModel {
        &self.model
    }

    /// Where the cloth is and how it moves.
    pub fn state(&self) -> &HybridState {
        &self.state
    }

    /// Replaces the state; hybrid vertices follow their nodes, momenta their velocities.
    pub fn set_state(&mut self, state: HybridState) {
        self.state = state;
        self.state.fit(&self.model);
        carry(self.model.weave(), &self.stiffness, Some(&self.model.blend), &mut self.state.yarns);
        self.update_crossings();
    }

    /// Simulated seconds.
    pub fn time(&self) -> f64 {
        self.state.time()
    }

    /// The energies now.
    pub fn energies(&self) -> HybridEnergies {
        HybridEnergies::of(&self.model, &self.stiffness, &self.state, &self.gravity)
    }

    /// Positions of all vertices of the mesh, meters.
    pub fn mesh_positions(&self) -> Vec<Vector3<f64>> {
        self.whole.positions(&self.model, &self.state)
    }

    /// What is prescribed.
    pub fn pins(&self) -> &[HybridPin] {
        &self.holding.pins
    }

    /// Prescribes motion. Hybrid vertices cannot be held, because they follow their nodes, and there is nothing to hold under yarns.
    pub fn pin(&mut self, pin: HybridPin) -> Result<()> {
        self.holding.pin(&self.model, pin)
    }

    /// Simulated nodes and vertices of triangles alone whose place in the material plane is accepted: what to hold of a region.
    pub fn points_in(&self, inside: impl Fn([f64; 2]) -> bool) -> HybridPin {
        holding::points_in(&self.model, inside)
    }

    /// Holds nodes, and vertices of triangles alone by their number among the active ones, at positions (meters) until the next call.
    pub fn hold_at(&mut self, nodes: Vec<(u32, Vector3<f64>)>, vertices: Vec<(u32, Vector3<f64>)>) {
        self.holding.places = [nodes, vertices];
    }

    /// Drags a node or vertex toward `target` (meters) until [`HybridSimulation::let_go`].
    pub fn drag(&mut self, handle: Handle, target: Vector3<f64>) {
        self.holding.drag(&self.model, handle, target);
    }

    /// Releases what is dragged.
    pub fn let_go(&mut self) {
        self.holding.let_go();
    }

    /// The node or vertex nearest to the viewer along a ray, at most `radius` meters from it.
    pub fn pick(&self, origin: &Vector3<f64>, direction: &Vector3<f64>, radius: f64) -> Option<Handle> {
        holding::pick(&self.model, &self.state, origin, direction, radius)
    }

    /// Advances time by `duration` seconds, in as many steps as needed. What it does depends on the state alone.
    pub fn advance(&mut self, duration: f64) -> Result<Vec<HybridStepReport>> {
        self.workspace.forget();
        let end = self.time() + duration;
        let mut reports = Vec::new();
        while end - self.time() > 1e-9 * duration {
            reports.push(self.step(self.pace.share(end - self.time()))?);
        }
        Ok(reports)
    }

    /// One step of at most `h` seconds; shorter where yarns would be strained too much or Newton's method fails.
    pub fn step(&mut self, h: f64) -> Result<HybridStepReport> {
        self.update_crossings();
        if self.options.dead_load && self.dead_load.is_none() {
            self.dead_load = DeadLoad::new(&self.model, &self.stiffness, &self.bands);
        }
        let mut h = h;
        let mut rejected = 0;
        loop {
            match self.attempt(h) {
                Ok(mut report) => {
                    report.rejected = rejected;
                    self.pace.took(h, rejected, self.options.step, PATIENCE);
                    return Ok(report);
                }
                Err(_) if 0.5 * h < self.options.smallest_step => {
                    return Err(Error::StepTooSmall { time: self.time(), step: h });
                }
                Err(_) => {
                    h *= 0.5;
                    rejected += 1;
                }
            }
        }
    }

    fn update_crossings(&mut self) {
        let weave = self.model.weave();
        update_normals(weave, &mut self.state.yarns);
        update_compression(weave, &self.bands, &self.stiffness, &mut self.state.yarns);
        self.model.complete_compression(&mut self.state.yarns.compression);
    }

    fn attempt(&mut self, h: f64) -> Result<HybridStepReport, Rejection> {
        let n = self.model.weave().node_count();
        let targets = self.holding.targets(&self.model, &self.state, h);
        let around = surroundings(&self.bodies, self.thickness, self.time(), h);
        let mut filter = HybridFilter {
            nodes: own_filter(self.model.weave(), Some(&self.model.blend)),
            vertices: vec![Constraint::Free; self.model.free],
        };
        for (p, _, sliding) in &targets {
            match (*p as usize).checked_sub(n) {
                Some(vertex) => filter.vertices[vertex] = Constraint::Fixed,
                None => {
                    let c = &mut filter.nodes.nodes[*p as usize];
                    c.insert(NodeConstraint::POSITION);
                    if !sliding {
                        c.insert(NodeConstraint::U | NodeConstraint::V);
                    }
                }
            }
        }
        let mut held = self.hold(&around, &targets, &mut filter);
        let drag = held.as_mut().map_or_else(Vec::new, |held| self.friction_of_bodies(&around, held));
        let mut start = self.state.yarns.clone();
        let mut free_velocities = self.state.vertex_velocities[..self.model.free].to_vec();
        self.prescribe(&targets, &filter, held.as_ref(), h, &mut start.velocities, &mut free_velocities);
        let prescribed = Prescribed { impulses: self.impulses(h), filter, drag };
        let material = &self.model.weave().material;
        let data = StepData {
            weave: self.model.weave(),
            bands: &self.bands,
            k: &self.stiffness,
            start: &start,
            h,
            gravity: self.gravity,
            damping: Damping::Strain,
            inertia: Inertia::Momentum,
            contacts: &[],
            blend: Some(&self.model.blend),
        };
        let shell = ShellStep {
            model: &self.model,
            start: &self.state.vertices,
            velocities: &self.state.vertex_velocities,
            h,
            gravity: self.gravity,
            mass_damping: material.mass_damping,
            stiffness_damping: material.stiffness_damping,
        };
        let step = HybridStep {
            model: &self.model,
            data,
            shell,
            free_velocities: &free_velocities,
            options: &self.options,
            prescribed: &prescribed,
        };
        let mut workspace = std::mem::take(&mut self.workspace);
        // On a thread of the pool, so that its many small loops do not each wait for one.
        let tried = rayon::scope(|_| step.attempt(&mut workspace));
        let free = targets.is_empty() && held.as_ref().is_none_or(|held| held.contact_count == 0);
        self.workspace = workspace;
        let mut report = tried?;
        report.contacts = held.as_ref().map_or(0, |held| held.contact_count);
        self.take(h, &start.velocities, &free_velocities, held, free.then_some(&prescribed.impulses));
        Ok(report)
    }

    /// Impulses on the entries of the reduced vector, kg m/s.
    fn impulses(&self, h: f64) -> Vec<f64> {
        let n = self.model.weave().node_count();
        let mut out = vec![0.0; 5 * n + 3 * self.model.free];
        for (node, force) in self.forces.iter().filter(|(node, _)| (*node as usize) < n) {
            (0..3).for_each(|k| out[5 * *node as usize + k] += h * force[k]);
        }
        if let Some(load) = self.dead_load.as_ref().filter(|_| self.options.dead_load) {
            load.add_impulses(&self.model, &self.state, h, &mut out);
        }
        out
    }

    /// Nodes, then vertices of triangles alone: where they are and how they move.
    fn points(&self) -> (Vec<Vector3<f64>>, Vec<Vector3<f64>>) {
        let free = self.model.free;
        let mut positions = self.state.yarns.positions.clone();
        positions.extend_from_slice(&self.state.vertices[..free]);
        let mut velocities: Vec<_> = self.state.yarns.velocities.iter().map(position_part).collect();
        velocities.extend_from_slice(&self.state.vertex_velocities[..free]);
        (positions, velocities)
    }

    /// Constrains nodes and vertices on bodies.
    fn hold(
        &self,
        around: &Surroundings<'_>,
        targets: &[(u32, Vector3<f64>, bool)],
        filter: &mut HybridFilter,
    ) -> Option<StepConstraints> {
        if self.bodies.is_empty() {
            return None;
        }
        let (positions, velocities) = self.points();
        let mut contacts = self.contacts.clone();
        contacts.resize(positions.len(), Default::default());
        let targets: Vec<_> = targets.iter().map(|(p, target, _)| (*p, *target)).collect();
        let held = StepConstraints::new(around, &positions, &velocities, contacts, &targets);
        let n = self.model.weave().node_count();
        for (p, constraint) in held.constraints.iter().enumerate() {
            if held.prescribed[p] || *constraint == Constraint::Free {
                continue;
            }
            match p.checked_sub(n) {
                Some(vertex) => filter.vertices[vertex] = *constraint,
                None => {
                    filter.nodes.nodes[p].insert(NodeConstraint::PARTIAL);
                    filter.nodes.partial.insert(p as u32, *constraint);
                }
            }
        }
        Some(held)
    }

    /// Friction of bodies; with ω² = 9.81 m/s² over the way after which yarns slip on each other.
    fn gripped(&self) -> Gripped<impl Fn(usize) -> f64 + use<>> {
        let m = &self.model.weave().material;
        let rate = (9.81 / (m.sliding_slip * m.spacing)).sqrt();
        let mut masses = self.model.node_masses();
        masses.extend_from_slice(&self.model.vertex_masses[..self.model.free]);
        Gripped { mass: move |p: usize| masses[p], rate, gravity: self.gravity }
    }

    fn friction_of_bodies(&self, around: &Surroundings<'_>, held: &mut StepConstraints) -> Vec<GripImpulse> {
        if held.contact_count == 0 {
            return Vec::new();
        }
        let (positions, velocities) = self.points();
        held.grip(around, &positions, &velocities, &self.gripped())
    }

    /// Sets velocities that are prescribed.
    fn prescribe(
        &self,
        targets: &[(u32, Vector3<f64>, bool)],
        filter: &HybridFilter,
        held: Option<&StepConstraints>,
        h: f64,
        nodes: &mut [[f64; 5]],
        vertices: &mut [Vector3<f64>],
    ) {
        let n = nodes.len();
        for (i, v) in nodes.iter_mut().enumerate() {
            let c = filter.nodes.nodes[i];
            (3..5).filter(|k| c.fixed()[*k]).for_each(|k| v[k] = 0.0);
            if let Some(held) = held.filter(|_| c.has(NodeConstraint::PARTIAL)) {
                (0..3).for_each(|k| v[k] += held.changes[i][k]);
            }
        }
        if let Some(held) = held {
            for (vertex, v) in vertices.iter_mut().enumerate().filter(|(k, _)| filter.vertices[*k] != Constraint::Free)
            {
                *v += held.changes[n + vertex];
            }
        }
        for (p, target, _) in targets {
            match (*p as usize).checked_sub(n) {
                Some(vertex) => vertices[vertex] = (target - self.state.vertices[vertex]) / h,
                None => {
                    let velocity = (target - self.state.yarns.positions[*p as usize]) / h;
                    nodes[*p as usize][..3].copy_from_slice(velocity.as_slice());
                }
            }
        }
    }

    /// Moves on to the end of the step. `free` has the impulses of a step in which nothing held the cloth.
    fn take(
        &mut self,
        h: f64,
        nodes: &[[f64; 5]],
        vertices: &[Vector3<f64>],
        held: Option<StepConstraints>,
        free: Option<&Vec<f64>>,
    ) {
        let (before, old) = self.points();
        let sum =
            free.map(|impulses| self.momentum() + self.gravity * (h * self.mass()) + total(impulses, nodes.len()));
        let change = std::mem::take(&mut self.workspace.change);
        let (node_changes, vertex_changes) = change.split_at(5 * nodes.len());
        for (i, v) in self.state.yarns.velocities.iter_mut().enumerate() {
            *v = std::array::from_fn(|k| nodes[i][k] + node_changes[5 * i + k]);
        }
        for (i, v) in vertices.iter().enumerate() {
            self.state.vertex_velocities[i] = v + Vector3::from_column_slice(&vertex_changes[3 * i..3 * i + 3]);
        }
        self.workspace.change = change;
        self.carry();
        if let Some(sum) = sum {
            self.impose_momentum(&sum, h);
        }
        for (x, v) in self.state.yarns.positions.iter_mut().zip(&self.state.yarns.velocities) {
            *x += position_part(v) * h;
        }
        for (s, v) in self.state.yarns.arcs.iter_mut().zip(&self.state.yarns.velocities) {
            (s[0], s[1]) = (s[0] + h * v[3], s[1] + h * v[4]);
        }
        for (x, v) in self.state.vertices[..vertices.len()].iter_mut().zip(&self.state.vertex_velocities) {
            *x += v * h;
        }
        if let Some(held) = held {
            self.touch(h, held, &before, &old);
        }
        self.state.fit(&self.model);
        drag_anchors(self.model.weave(), &self.stiffness, &mut self.state.yarns);
        self.state.yarns.time += h;
    }

    fn carry(&mut self) {
        carry(self.model.weave(), &self.stiffness, Some(&self.model.blend), &mut self.state.yarns);
    }

    /// Total momentum, kg m/s: momenta of nodes as they are carried, and vertices with their mass.
    pub fn momentum(&self) -> Vector3<f64> {
        let nodes = self.state.yarns.momenta.iter().fold(Vector3::zeros(), |sum, p| sum + position_part(p));
        let vertices = self.state.vertex_velocities.iter().zip(&self.model.vertex_masses);
        vertices.fold(nodes, |sum, (v, m)| sum + v * *m)
    }

    /// Mass of the cloth, kg.
    pub fn mass(&self) -> f64 {
        self.model.masses.total
    }

    /// Gives everything the same small velocity, so that the sum of momenta is exact although the step was solved approximately.
    fn impose_momentum(&mut self, sum: &Vector3<f64>, h: f64) {
        let damped = 1.0 + h * self.model.weave().material.mass_damping;
        // Twice: the first shift is exact up to the rounding of the sums before it.
        for _ in 0..2 {
            self.state.fit(&self.model);
            let shift = (sum - self.momentum() * damped) / (damped * self.mass());
            self.state.yarns.velocities.iter_mut().for_each(|v| (0..3).for_each(|k| v[k] += shift[k]));
            self.state.vertex_velocities.iter_mut().for_each(|v| *v += shift);
            self.carry();
        }
    }

    /// What bodies did: releases, friction, and new contacts.
    fn touch(&mut self, h: f64, mut held: StepConstraints, before: &[Vector3<f64>], old: &[Vector3<f64>]) {
        let around = surroundings(&self.bodies, self.thickness, self.state.time(), h);
        let (mut positions, mut velocities) = self.points();
        let n = self.model.weave().node_count();
        if held.contact_count > 0 {
            let impulse = |p: usize| {
                let at = if p < n { 5 * p } else { 5 * n + 3 * (p - n) };
                Vector3::from_column_slice(&self.workspace.residual[at..at + 3])
            };
            let impulses: Vec<_> = (0..positions.len()).map(impulse).collect();
            held.react(&around, &impulses);
            held.drag_grips(&around, &positions, [old, &velocities], &self.gripped());
        }
        let end = velocities.clone();
        around.stop(before, &mut positions, &mut velocities, &mut held.contacts, &held.prescribed);
        let masses = self.model.node_masses();
        for (p, (new, end)) in velocities.iter().zip(&end).enumerate() {
            match p.checked_sub(n) {
                Some(vertex) => {
                    self.state.vertices[vertex] = positions[p];
                    self.state.vertex_velocities[vertex] = *new;
                }
                None => {
                    self.state.yarns.positions[p] = positions[p];
                    for k in 0..3 {
                        self.state.yarns.velocities[p][k] = new[k];
                        self.state.yarns.momenta[p][k] += masses[p] * (new[k] - end[k]);
                    }
                }
            }
        }
        self.contacts = held.contacts;
    }
}

fn surroundings(bodies: &[Body], thickness: f64, time: f64, h: f64) -> Surroundings<'_> {
    Surroundings { bodies, thickness, time, k: h, rest_speed: 0.0 }
}

/// The sum of impulses on the entries of a reduced vector.
fn total(impulses: &[f64], nodes: usize) -> Vector3<f64> {
    let (nodes, vertices) = impulses.split_at(5 * nodes);
    let nodes = nodes.as_chunks::<5>().0.iter().map(position_part);
    let vertices = vertices.as_chunks::<3>().0.iter().map(|v| Vector3::from(*v));
    nodes.chain(vertices).fold(Vector3::zeros(), |sum, v| sum + v)
}
