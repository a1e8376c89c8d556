//! Woven yarns in motion: the state, and what a host does with it.

use super::blend::Blend;
use super::carry::{FreeMomentum, carry};
use super::change::{Changer, Fabric, Place, YarnChanges};
use super::crossing::{update_compression, update_normals};
use super::energy::YarnEnergies;
use super::guard::Rejection;
use super::material::Stiffness;
use super::model::{LatticePlace, NodeKind, Slot, Weave, places};
use super::node_state::{drag_anchors, lumped_mass, own_filter, position_part};
use super::options::{Inertia, YarnOptions};
use super::self_contact::{ContactSurface, SheetContact, detect};
use super::state::State;
use super::step::{Prescribed, Workspace, YarnStepReport, attempt};
use super::system::{Bands, NodeConstraint, NodeFilter, StepData};
use crate::contact::{Body, Contacts, GripImpulse, Gripped, StepConstraints, Surroundings};
use crate::error::Error;
use crate::grab::follow;
use crate::linear::Constraint;
use crate::motion::Motion;
use crate::pace::Pace;
use nalgebra::{Point3, Vector3};
use rayon::prelude::*;

/// Nodes that follow a prescribed motion from where they start.
#[derive(Clone, Debug)]
pub struct YarnPin {
    /// Which nodes.
    pub nodes: Vec<u32>,
    /// How they move.
    pub motion: Motion,
    /// When they are released, seconds; never where none.
    pub until: Option<f64>,
    /// Whether yarns may slide through held crossings.
    pub sliding: bool,
}

impl YarnPin {
    /// Holds nodes where they are.
    pub fn still(nodes: Vec<u32>) -> Self {
        YarnPin { nodes, motion: Motion::default(), until: None, sliding: false }
    }
}

/// Nodes that are led straight to their targets, and when they arrive, seconds.
#[derive(Clone, Debug, Default)]
struct Guided {
    targets: Vec<(u32, Vector3<f64>)>,
    arrival: f64,
}

impl Guided {
    /// The part of the way to the targets that is made in the step from `time` to `time + h`.
    fn part(&self, time: f64, h: f64) -> f64 {
        // Rounding of a sum of steps must not leave a sliver of the way.
        let left = self.arrival - time;
        if left <= h * (1.0 + 1e-9) { 1.0 } else { h / left }
    }
}

/// Velocities that prescribed ones took the place of, by node, m/s.
type Replaced = Vec<(u32, [f64; 5])>;

/// The force with which a pin holds a node.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reaction {
    /// Which node.
    pub node: u32,
    /// N, mean over the last step.
    pub force: Vector3<f64>,
}

/// Woven yarns, what they collide with, and how they are stepped.
///
/// Same input, same positions, on any number of threads.
#[derive(Clone, Debug)]
pub struct YarnSimulation {
    weave: Weave,
    stiffness: Stiffness,
    state: State,
    pace: Pace,
    /// m/s².
    pub gravity: Vector3<f64>,
    /// What the yarns collide with.
    pub bodies: Vec<Body>,
    /// Distance of nodes from bodies, meters.
    pub thickness: f64,
    /// Nodes with prescribed motion.
    pub pins: Vec<YarnPin>,
    /// Forces on nodes, N.
    pub forces: Vec<(u32, Vector3<f64>)>,
    /// How to step.
    pub options: YarnOptions,
    /// Fastest that a dragged node follows, m/s.
    pub drag_speed: f64,
    dragged: Option<(u32, Vector3<f64>)>,
    guided: Guided,
    contacts: Vec<Contacts>,
    workspace: Workspace,
    last_step: f64,
    self_contacts: Vec<SheetContact>,
    /// Where nodes are in their panels, while links stay as they are.
    places: Vec<LatticePlace>,
    /// How nodes are cut for threads, while links stay as they are.
    bands: Bands,
    changer: Changer,
    blend: Option<Blend>,
}

/// What steps remember of earlier ones beside the state.
#[derive(Clone, Copy, Debug)]
pub(super) struct StepControl {
    pub(super) pace: Pace,
    pub(super) last_step: f64,
}

/// Fastest that a dragged node follows by default, m/s.
const DRAG_SPEED: f64 = 2.0;

/// Steps without trouble before a short step is lengthened.
const PATIENCE: usize = 8;

impl YarnSimulation {
    /// Yarns at rest in their start position, with nothing around them but gravity.
    pub fn new(weave: Weave, options: YarnOptions) -> Self {
        let mut state = State::at_rest(&weave);
        let stiffness = weave.material.stiffness();
        let bands = Bands::new(&weave);
        update_normals(&weave, &mut state);
        update_compression(&weave, &bands, &stiffness, &mut state);
        YarnSimulation {
            stiffness,
            state,
            pace: Pace::new(options.step),
            gravity: Vector3::new(0.0, -9.81, 0.0),
            bodies: Vec::new(),
            thickness: 2.0 * weave.material.radius,
            pins: Vec::new(),
            forces: Vec::new(),
            options,
            drag_speed: DRAG_SPEED,
            dragged: None,
            guided: Guided::default(),
            contacts: Vec::new(),
            workspace: Workspace::default(),
            last_step: 0.0,
            self_contacts: Vec::new(),
            places: Vec::new(),
            bands,
            changer: Changer::default(),
            blend: None,
            weave,
        }
    }

    /// Nodes and links as they are now; positions and arc coordinates as they were at the start.
    pub fn weave(&self) -> &Weave {
        &self.weave
    }

    /// The coefficients of the forces.
    pub fn stiffness(&self) -> &Stiffness {
        &self.stiffness
    }

    /// Where the yarns are and how they move.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// Replaces the state. Momenta follow from velocities in the next step.
    pub fn set_state(&mut self, state: State) {
        self.state = state;
        self.refresh_momenta();
        update_normals(&self.weave, &mut self.state);
        update_compression(&self.weave, &self.bands, &self.stiffness, &mut self.state);
    }

    /// Gives elements weights and puts mass at nodes. Yarns are not changed from then on: topology stays.
    ///
    /// # Panics
    /// Where there are not as many entries as nodes, and for yarns with crimp: their crossings have no weights.
    pub fn set_blend(&mut self, blend: Blend) {
        let n = self.weave.node_count();
        assert!(
            blend.weights.len() == n && blend.mass.len() == n && blend.lumped.len() == n && blend.frozen.len() == n
        );
        assert!(self.stiffness.crimp.is_none(), "yarns with crimp cannot be blended");
        self.options.changes = false;
        self.blend = Some(blend);
        self.refresh_momenta();
    }

    /// Contacts with bodies (one a node, or none at all) and the control of steps, for a checkpoint.
    pub(super) fn step_memory(&self) -> (&[Contacts], StepControl) {
        (&self.contacts, StepControl { pace: self.pace, last_step: self.last_step })
    }

    /// Puts everything where a checkpoint says.
    pub(super) fn resume(&mut self, weave: Weave, state: State, contacts: Vec<Contacts>, control: StepControl) {
        (self.weave, self.state, self.contacts) = (weave, state, contacts);
        (self.pace, self.last_step) = (control.pace, control.last_step);
        self.workspace.links_changed();
        self.bands = Bands::new(&self.weave);
        self.dragged = None;
    }

    /// Simulated seconds.
    pub fn time(&self) -> f64 {
        self.state.time
    }

    /// The energies now.
    pub fn energies(&self) -> YarnEnergies {
        YarnEnergies::of(&self.weave, &self.stiffness, self.blend.as_ref(), &self.state, &self.gravity)
    }

    /// The forces of pins and guides in the last step.
    pub fn reactions(&self) -> Vec<Reaction> {
        let guided = self.guided.targets.iter().map(|(node, _)| *node);
        let nodes = self.pins.iter().flat_map(|p| p.nodes.iter().copied()).chain(guided);
        let force = |node: u32| {
            let impulse = self.workspace.impulse(node)?;
            Some(Reaction { node, force: impulse / self.last_step })
        };
        nodes.filter_map(force).collect()
    }

    /// Drags a node toward `target` (meters) until [`YarnSimulation::let_go`]; it is held as if by fingers.
    pub fn drag(&mut self, node: usize, target: Vector3<f64>) {
        let there = self.weave.kinds.get(node).is_some_and(|kind| *kind != NodeKind::Gone);
        self.dragged = there.then_some((node as u32, target));
    }

    /// Releases the dragged node.
    pub fn let_go(&mut self) {
        self.dragged = None;
    }

    /// Leads nodes straight to targets (meters) that they reach at the time `arrival` (seconds), and holds them there, without sliding,
    /// until the next call; an empty list releases them. For motions that no [`YarnPin`] has, such as the sides of a shear frame.
    pub fn guide(&mut self, targets: Vec<(u32, Vector3<f64>)>, arrival: f64) {
        self.guided = Guided { targets, arrival };
    }

    /// What has happened to yarns so far.
    pub fn changes(&self) -> &YarnChanges {
        &self.changer.total
    }

    /// Cuts the yarn in `slot` at a node: it leaves the node with two free ends.
    pub fn cut_node(&mut self, node: usize, slot: Slot) -> Result<(), Error> {
        self.cut(Place { node, slot }, false)
    }

    /// Cuts the yarn in `slot` between a node and the next one along the yarn.
    pub fn cut_segment(&mut self, node: usize, slot: Slot) -> Result<(), Error> {
        self.cut(Place { node, slot }, true)
    }

    fn cut(&mut self, place: Place, ahead: bool) -> Result<(), Error> {
        let there = place.node < self.weave.node_count();
        if there && self.change(|changer, fabric| changer.cut(fabric, place, ahead)) {
            return Ok(());
        }
        let Place { node, slot } = place;
        Err(Error::invalid(
            "cut",
            format!(
                "node {node} has no yarn to cut in slot {slot:?}: take a node inside a yarn that no pin holds, or a segment of at least 0.3 of the spacing"
            ),
        ))
    }

    /// Changes nodes and links.
    fn change<T>(&mut self, what: impl FnOnce(&mut Changer, &mut Fabric<'_>) -> T) -> T {
        let mut free = std::mem::take(&mut self.changer.free);
        let held = self.pins.iter().flat_map(|p| &p.nodes).copied().chain(self.dragged.map(|(node, _)| node)).collect();
        let mut fabric = Fabric {
            weave: &mut self.weave,
            state: &mut self.state,
            contacts: &mut self.contacts,
            k: &self.stiffness,
            gravity: self.gravity,
            free: &mut free,
            held,
            energy: 0.0,
        };
        let done = what(&mut self.changer, &mut fabric);
        self.changer.total.energy += fabric.energy;
        self.changer.free = free;
        self.workspace.links_changed();
        self.bands = Bands::new(&self.weave);
        self.places.clear();
        debug_assert_eq!(self.weave.inconsistency(&self.state.arcs), None);
        done
    }

    /// Makes the changes of topology that the state asks for and returns how many; steps do so where the options say it.
    pub fn update_topology(&mut self) -> usize {
        let needs = self.changer.look(&self.weave, &self.stiffness, &self.state);
        if needs.is_empty() {
            return 0;
        }
        let before = self.changer.total.count();
        self.change(|changer, fabric| changer.apply(&needs, fabric));
        self.changer.total.count() - before
    }

    /// Advances time by `duration` seconds, in as many steps as needed. What it does depends on the state alone: a simulation that is
    /// resumed from a state is the one that was interrupted.
    pub fn advance(&mut self, duration: f64) -> Result<Vec<YarnStepReport>, Error> {
        self.workspace.forget();
        let end = self.state.time + duration;
        let mut reports = Vec::new();
        while end - self.state.time > 1e-9 * duration {
            reports.push(self.step(self.pace.share(end - self.state.time))?);
        }
        Ok(reports)
    }

    /// One step of at most `h` seconds; shorter where nodes would come too near to each other or Newton's method fails.
    pub fn step(&mut self, h: f64) -> Result<YarnStepReport, Error> {
        if let Some(problem) = self.options.fault_with(&self.weave.material) {
            return Err(Error::invalid("solver", problem));
        }
        update_normals(&self.weave, &mut self.state);
        update_compression(&self.weave, &self.bands, &self.stiffness, &mut self.state);
        self.find_self_contacts();
        let mut h = h;
        let mut rejected = 0;
        loop {
            match self.attempt(h) {
                Ok(mut report) => {
                    report.rejected = rejected;
                    report.changes = if self.options.changes { self.update_topology() } else { 0 };
                    self.pace.took(h, rejected, self.options.step, PATIENCE);
                    return Ok(report);
                }
                Err(_) if 0.5 * h < self.options.smallest_step => {
                    return Err(Error::StepTooSmall { time: self.state.time, step: h });
                }
                Err(_) => {
                    h *= 0.5;
                    rejected += 1;
                }
            }
        }
    }

    /// Finds where the cloth may touch itself during the step.
    fn find_self_contacts(&mut self) {
        self.self_contacts.clear();
        if !self.options.self_contact {
            return;
        }
        if self.places.len() != self.weave.node_count() {
            self.places = places(&self.weave);
        }
        let thickness = self.weave.material.contact_distance();
        let surface = ContactSurface { weave: &self.weave, state: &self.state, places: &self.places };
        self.self_contacts = detect(&surface, thickness, thickness + 2.0 * self.weave.material.radius);
    }

    fn attempt(&mut self, h: f64) -> Result<YarnStepReport, Rejection> {
        let targets = self.prescribed_positions(h);
        let mut filter = own_filter(&self.weave, self.blend.as_ref());
        for (node, _, sliding) in &targets {
            let c = &mut filter.nodes[*node as usize];
            c.insert(NodeConstraint::POSITION);
            if !sliding {
                c.insert(NodeConstraint::U | NodeConstraint::V);
            }
        }
        let around = surroundings(&self.bodies, self.thickness, self.state.time, h);
        let mut held = self.hold(&around, &targets, &mut filter);
        let drag = held.as_mut().map_or_else(Vec::new, |held| self.friction_of_bodies(&around, held));
        let replaced = self.prescribe(&targets, &filter, held.as_ref(), h);
        let data = StepData {
            weave: &self.weave,
            bands: &self.bands,
            k: &self.stiffness,
            start: &self.state,
            h,
            gravity: self.gravity,
            damping: self.options.damping,
            inertia: self.options.inertia,
            contacts: &self.self_contacts,
            blend: self.blend.as_ref(),
        };
        let forces = self.forces.iter().filter(|(node, _)| (*node as usize) < self.weave.node_count());
        let impulses = forces.map(|(node, force)| (*node, (force * h).into())).collect();
        let prescribed = Prescribed { filter, drag, impulses };
        // On a thread of the pool, so that its many small loops do not each wait for one.
        let tried = rayon::scope(|_| attempt(&data, &self.options, &prescribed, &mut self.workspace));
        let free = self.options.inertia == Inertia::Momentum && prescribed.is_free(&self.weave) && self.blend.is_none();
        if tried.is_err() {
            replaced.iter().for_each(|(i, v)| self.state.velocities[*i as usize] = *v);
        }
        let mut report = tried?;
        report.self_contacts = self.self_contacts.len();
        report.contacts = held.as_ref().map_or(0, |h| h.contact_count);
        self.take(free, h, held.as_mut().map(|held| (held, replaced)));
        Ok(report)
    }

    /// Sets velocities that are prescribed, and returns those that were there, by node.
    fn prescribe(
        &mut self,
        targets: &[(u32, Vector3<f64>, bool)],
        filter: &NodeFilter,
        held: Option<&StepConstraints>,
        h: f64,
    ) -> Replaced {
        let State { positions, velocities, .. } = &mut self.state;
        let constrained = velocities.iter().zip(&filter.nodes).enumerate();
        let replaced = constrained.filter(|(_, (_, c))| **c != NodeConstraint::default());
        let replaced: Vec<_> = replaced.map(|(i, (v, _))| (i as u32, *v)).collect();
        for (i, _) in &replaced {
            let v = &mut velocities[*i as usize];
            let fixed = filter.nodes[*i as usize].fixed();
            (3..5).filter(|k| fixed[*k]).for_each(|k| v[k] = 0.0);
            if filter.nodes[*i as usize].has(NodeConstraint::PARTIAL)
                && let Some(held) = held
            {
                (0..3).for_each(|k| v[k] += held.changes[*i as usize][k]);
            }
        }
        for (node, target, _) in targets {
            let velocity = (target - positions[*node as usize]) / h;
            velocities[*node as usize][..3].copy_from_slice(velocity.as_slice());
        }
        replaced
    }

    /// Constrains nodes on bodies.
    fn hold(
        &self,
        around: &Surroundings<'_>,
        targets: &[(u32, Vector3<f64>, bool)],
        filter: &mut NodeFilter,
    ) -> Option<StepConstraints> {
        if self.bodies.is_empty() {
            return None;
        }
        let mut contacts = self.contacts.clone();
        contacts.resize(self.weave.node_count(), Default::default());
        let velocities: Vec<_> = self.state.velocities.iter().map(position_part).collect();
        let targets: Vec<_> = targets.iter().map(|(node, target, _)| (*node, *target)).collect();
        let held = StepConstraints::new(around, &self.state.positions, &velocities, contacts, &targets);
        for (i, constraint) in held.constraints.iter().enumerate() {
            if held.prescribed[i] || *constraint == Constraint::Free {
                continue;
            }
            filter.nodes[i].insert(NodeConstraint::PARTIAL);
            filter.partial.insert(i as u32, *constraint);
        }
        Some(held)
    }

    /// Friction of bodies.
    fn friction_of_bodies(&self, around: &Surroundings<'_>, held: &mut StepConstraints) -> Vec<GripImpulse> {
        let velocities: Vec<_> = self.state.velocities.iter().map(position_part).collect();
        let gripped = gripped(&self.weave, &self.stiffness, &self.state.arcs, self.gravity);
        held.grip(around, &self.state.positions, &velocities, &gripped)
    }

    /// Moves on to the end of the step, with what bodies hold and the velocities that were replaced by prescribed ones.
    fn take(&mut self, free: bool, h: f64, held: Option<(&mut StepConstraints, Replaced)>) {
        // Nodes on bodies: where they were, and how fast before anything was prescribed.
        let before = held.as_ref().map(|(_, replaced)| {
            let mut velocities: Vec<_> = self.state.velocities.iter().map(position_part).collect();
            replaced.iter().for_each(|(i, v)| velocities[*i as usize] = position_part(v));
            (self.state.positions.clone(), velocities)
        });
        let (weave, k) = (&self.weave, &self.stiffness);
        let state = &mut self.state;
        let exact = free.then(|| FreeMomentum::after(weave, k, state, h, &self.gravity));
        let (workspace, precision) = (&self.workspace, self.options.precision);
        state.velocities.par_iter_mut().enumerate().with_min_len(4096).for_each(|(i, v)| {
            let change = workspace.change(precision, i);
            (0..5).for_each(|k| v[k] += change[k]);
        });
        carry(weave, k, self.blend.as_ref(), state);
        if let Some(exact) = exact {
            exact.impose(weave, k, state);
        }
        let moved = state.positions.par_iter_mut().zip(&mut state.arcs).zip(&state.velocities).with_min_len(4096);
        moved.for_each(|((x, s), v)| {
            *x += position_part(v) * h;
            s[0] += h * v[3];
            s[1] += h * v[4];
        });
        if let (Some((held, _)), Some((before, old))) = (held, before) {
            let around = surroundings(&self.bodies, self.thickness, state.time, h);
            if held.contact_count > 0 {
                let impulse = |i: usize| self.workspace.impulse(i as u32).unwrap_or_default();
                let impulses: Vec<_> = (0..self.weave.node_count()).map(impulse).collect();
                held.react(&around, &impulses);
                let end: Vec<_> = state.velocities.iter().map(position_part).collect();
                let gripped = gripped(&self.weave, &self.stiffness, &state.arcs, self.gravity);
                held.drag_grips(&around, &state.positions, [&old, &end], &gripped);
            }
            let mut velocities: Vec<_> = state.velocities.iter().map(position_part).collect();
            let old = velocities.clone();
            around.stop(&before, &mut state.positions, &mut velocities, &mut held.contacts, &held.prescribed);
            for (i, (new, old)) in velocities.iter().zip(&old).enumerate() {
                if new != old {
                    // A stopped node loses what its velocity loses, times the mass it has alone.
                    let mass = lumped_mass(&self.weave, &self.stiffness, &state.arcs, i);
                    for k in 0..3 {
                        state.velocities[i][k] = new[k];
                        state.momenta[i][k] += mass * (new[k] - old[k]);
                    }
                }
            }
            self.contacts = std::mem::take(&mut held.contacts);
        }
        drag_anchors(&self.weave, &self.stiffness, &mut self.state);
        self.state.time += h;
        self.last_step = h;
    }

    /// p = M v of the state.
    fn refresh_momenta(&mut self) {
        carry(&self.weave, &self.stiffness, self.blend.as_ref(), &mut self.state);
    }

    /// Where each node with prescribed motion is to be at `time + h`, and whether yarns may slide there.
    fn prescribed_positions(&self, h: f64) -> Vec<(u32, Vector3<f64>, bool)> {
        let time = self.state.time + h;
        let mut targets = Vec::new();
        for pin in self.pins.iter().filter(|p| p.until.is_none_or(|until| time <= until)) {
            let pose = pin.motion.pose(time);
            let start = &self.weave.positions;
            let place = |p: &u32| (pose * Point3::from(start[*p as usize])).coords;
            targets.extend(pin.nodes.iter().map(|p| (*p, place(p), pin.sliding)));
        }
        let part = self.guided.part(self.state.time, h);
        targets.extend(self.guided.targets.iter().map(|(node, target)| {
            let here = self.state.positions[*node as usize];
            (*node, here + (target - here) * part, false)
        }));
        if let Some((node, target)) = self.dragged {
            let here = self.state.positions[node as usize];
            targets.push((node, follow(here, &target, self.drag_speed * h), false));
        }
        targets
    }
}

/// What nodes may run into.
fn surroundings(bodies: &[Body], thickness: f64, time: f64, h: f64) -> Surroundings<'_> {
    Surroundings { bodies, thickness, time, k: h, rest_speed: 0.0 }
}

/// Friction of nodes on bodies. With ω² = 9.81 m/s² over the way after which yarns slip on each other, a node that only its weight presses
/// on slips after μ times that way.
fn gripped<'a>(
    weave: &'a Weave,
    k: &'a Stiffness,
    arcs: &'a [[f64; 2]],
    gravity: Vector3<f64>,
) -> Gripped<impl Fn(usize) -> f64 + 'a> {
    let m = &weave.material;
    let rate = (9.81 / (m.sliding_slip * m.spacing)).sqrt();
    Gripped { mass: move |i| lumped_mass(weave, k, arcs, i), rate, gravity }
}
