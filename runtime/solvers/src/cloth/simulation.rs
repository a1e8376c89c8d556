//! Cloth in motion: the state, and what a host does with it.

use super::energy::Energies;
use super::environment::Environment;
use super::forces::Forces;
use super::model::ClothModel;
use super::options::ClothOptions;
use super::self_contact::SelfContact;
use super::state::State;
use super::step::{Rejection, StepReport, Stepper, Workspace};
use crate::contact::Body;
use crate::error::Error;
use crate::grab::{follow, nearest_on_ray};
use crate::motion::Motion;
use crate::pace::Pace;
use nalgebra::{Point3, Vector3};

/// Particles that follow a prescribed motion from where they start.
#[derive(Clone, Debug)]
pub struct Pin {
    /// Which particles.
    pub particles: Vec<u32>,
    /// How they move.
    pub motion: Motion,
    /// When they are released, seconds; never where none.
    pub until: Option<f64>,
}

/// Cloth, what it collides with, and how it is stepped.
///
/// Same input, same positions, on any number of threads.
#[derive(Clone, Debug)]
pub struct Simulation {
    model: ClothModel,
    state: State,
    pace: Pace,
    /// Gravity and air.
    pub environment: Environment,
    /// What the cloth collides with.
    pub bodies: Vec<Body>,
    /// Distance that the cloth keeps from bodies, meters.
    pub thickness: f64,
    /// Contact of the cloth with itself.
    pub self_contact: Option<SelfContact>,
    /// Particles with prescribed motion.
    pub pins: Vec<Pin>,
    /// How to step.
    pub options: ClothOptions,
    dragged: Option<(u32, Vector3<f64>)>,
    workspace: Workspace,
}

/// Fastest that a dragged particle follows, m/s.
const DRAG_SPEED: f64 = 5.0;

/// Steps without trouble before a short step is lengthened.
const PATIENCE: usize = 8;

impl Simulation {
    /// Cloth at rest, in its start position, with nothing around it but gravity.
    pub fn new(model: ClothModel, options: ClothOptions) -> Self {
        Simulation {
            state: State::at_rest(model.rest_positions.clone()),
            pace: Pace::new(options.step),
            environment: Environment::default(),
            bodies: Vec::new(),
            thickness: 0.2 * model.spacing,
            self_contact: None,
            pins: Vec::new(),
            options,
            dragged: None,
            workspace: Workspace::default(),
            model,
        }
    }

    /// Masses, springs and faces.
    pub fn model(&self) -> &ClothModel {
        &self.model
    }

    /// Positions, meters.
    pub fn positions(&self) -> &[Vector3<f64>] {
        &self.state.positions
    }

    /// Velocities, m/s.
    pub fn velocities(&self) -> &[Vector3<f64>] {
        &self.state.velocities
    }

    /// Positions, meters, in the form that clips and the runtime take.
    pub fn positions_f32(&self) -> impl Iterator<Item = [f32; 3]> {
        self.state.positions.iter().map(|p| [p.x as f32, p.y as f32, p.z as f32])
    }

    /// Sets positions and velocities, for a start other than rest.
    ///
    /// # Panics
    /// Where there are not as many as particles.
    pub fn set_state(&mut self, positions: &[Vector3<f64>], velocities: &[Vector3<f64>]) {
        self.state.positions.copy_from_slice(positions);
        self.state.velocities.copy_from_slice(velocities);
    }

    /// Simulated seconds since the start.
    pub fn time(&self) -> f64 {
        self.state.time
    }

    /// The energies now. Self-contact springs are not counted.
    pub fn energies(&self) -> Energies {
        Energies::of(&self.model, &self.state, &Vector3::from(self.environment.gravity))
    }

    /// Drags a particle toward `target` (meters) until [`Simulation::let_go`]; it is held as if by fingers.
    pub fn drag(&mut self, particle: usize, target: Vector3<f64>) {
        self.dragged = (particle < self.state.positions.len()).then_some((particle as u32, target));
    }

    /// Lets the dragged particle go.
    pub fn let_go(&mut self) {
        self.dragged = None;
    }

    /// The particle nearest to a ray, for picking: its distance from the ray is at most `radius` meters.
    pub fn pick(&self, origin: &Vector3<f64>, direction: &Vector3<f64>, radius: f64) -> Option<usize> {
        nearest_on_ray(self.state.positions.iter().enumerate(), origin, direction, radius)
    }

    /// Advances time by `duration` seconds, in as many steps as needed.
    ///
    /// Fails where the motion leaves the range of numbers even with the smallest step.
    pub fn advance(&mut self, duration: f64) -> Result<Vec<StepReport>, Error> {
        let end = self.state.time + duration;
        let mut reports = Vec::new();
        while end - self.state.time > 1e-9 * duration {
            reports.push(self.step(self.pace.share(end - self.state.time))?);
        }
        Ok(reports)
    }

    /// One step of at most `k` seconds; shorter where the cloth would be strained too much.
    pub fn step(&mut self, k: f64) -> Result<StepReport, Error> {
        let mut k = k;
        let mut rejected = 0;
        loop {
            let last = 0.5 * k < self.options.smallest_step;
            match self.attempt(k, last) {
                Ok(mut report) => {
                    report.rejected = rejected;
                    self.pace.took(k, rejected, self.options.step, PATIENCE);
                    return Ok(report);
                }
                Err(Rejection::NotFinite) if last => return Err(Error::NotFinite { time: self.state.time }),
                Err(Rejection::NotFinite | Rejection::Strain) => {
                    k *= 0.5;
                    rejected += 1;
                }
            }
        }
    }

    fn attempt(&mut self, k: f64, accept: bool) -> Result<StepReport, Rejection> {
        let targets = self.prescribed_positions(k);
        let forces = Forces {
            model: &self.model,
            environment: &self.environment,
            self_contact: self.self_contact,
            integrator: self.options.integrator,
        };
        let stepper = Stepper { forces, bodies: &self.bodies, thickness: self.thickness, options: &self.options };
        stepper.attempt(&mut self.state, &mut self.workspace, &targets, k, accept)
    }

    /// Where each particle with prescribed motion is to be at `time + k`.
    fn prescribed_positions(&self, k: f64) -> Vec<(u32, Vector3<f64>)> {
        let time = self.state.time + k;
        let mut targets = Vec::new();
        for pin in self.pins.iter().filter(|p| p.until.is_none_or(|until| time <= until)) {
            let pose = pin.motion.pose(time);
            let start = &self.model.rest_positions;
            targets.extend(pin.particles.iter().map(|p| (*p, (pose * Point3::from(start[*p as usize])).coords)));
        }
        if let Some((particle, target)) = self.dragged {
            targets.push((particle, follow(self.state.positions[particle as usize], &target, DRAG_SPEED * k)));
        }
        targets
    }
}
