//! Energies of the system.

use super::model::{ClothModel, SpringKind};
use super::state::State;
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

    /// Of a state, with gravity in m/s². Self-contact springs are not counted.
    pub(super) fn of(model: &ClothModel, state: &State, gravity: &Vector3<f64>) -> Self {
        let mut e = Energies::default();
        for ((x, v), m) in state.positions.iter().zip(&state.velocities).zip(&model.masses) {
            e.kinetic += 0.5 * m * v.norm_squared();
            e.gravitational -= m * gravity.dot(x);
        }
        for s in &model.springs {
            let length = (state.positions[s.j as usize] - state.positions[s.i as usize]).norm();
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
