//! Energies of the system.

use super::Simulation;
use super::model::SpringKind;
use nalgebra::Vector3;

/// Energies at one time, J.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct Energies {
    /// Of motion.
    pub kinetic: f64,
    /// In stretch springs.
    pub stretch: f64,
    /// In shear springs.
    pub shear: f64,
    /// In bend springs.
    pub bend: f64,
    /// Of weight, zero at the origin.
    pub gravitational: f64,
}

impl Energies {
    /// In all springs.
    pub fn internal(&self) -> f64 {
        self.stretch + self.shear + self.bend
    }

    /// All of it.
    pub fn total(&self) -> f64 {
        self.kinetic + self.internal() + self.gravitational
    }
}

impl Simulation {
    /// The energies now. Self-contact springs are not counted.
    pub fn energies(&self) -> Energies {
        let mut e = Energies::default();
        let gravity = Vector3::from(self.environment.gravity);
        for ((x, v), m) in self.positions().iter().zip(self.velocities()).zip(&self.model().masses) {
            e.kinetic += 0.5 * m * v.norm_squared();
            e.gravitational -= m * gravity.dot(x);
        }
        for s in &self.model().springs {
            let length = (self.positions()[s.j as usize] - self.positions()[s.i as usize]).norm();
            let sum = match s.kind {
                SpringKind::Stretch => &mut e.stretch,
                SpringKind::Shear => &mut e.shear,
                SpringKind::Bend => &mut e.bend,
            };
            *sum += s.energy(length);
        }
        e
    }
}
