//! Energies of cloth of yarns and triangles.

use super::model::{HybridModel, Shell};
use super::state::HybridState;
use crate::yarn::YarnEnergies;
use crate::yarn::material::Stiffness;
use nalgebra::Vector3;
use serde::Serialize;

/// Energies at one time, J, each with its weight.
#[derive(Clone, Copy, Debug, PartialEq, Default, Serialize)]
pub struct HybridEnergies {
    /// Of the yarns.
    pub yarns: YarnEnergies,
    /// Of moving vertices.
    pub vertex_kinetic: f64,
    /// Stored in triangles in their plane, or in springs.
    pub membrane: f64,
    /// Stored in hinges.
    pub hinges: f64,
    /// Of the weight of vertices, zero at the origin.
    pub vertex_gravitational: f64,
}

impl HybridEnergies {
    /// Stored in the cloth.
    pub fn internal(&self) -> f64 {
        self.yarns.internal() + self.membrane + self.hinges
    }

    /// Of motion.
    pub fn kinetic(&self) -> f64 {
        self.yarns.kinetic + self.vertex_kinetic
    }

    /// All of it.
    pub fn total(&self) -> f64 {
        self.kinetic() + self.internal() + self.yarns.gravitational + self.vertex_gravitational
    }

    pub(super) fn of(model: &HybridModel, k: &Stiffness, state: &HybridState, gravity: &Vector3<f64>) -> Self {
        let mut e = HybridEnergies {
            yarns: YarnEnergies::of(model.weave(), k, Some(&model.blend), &state.yarns, gravity),
            ..Default::default()
        };
        for ((mass, x), v) in model.vertex_masses.iter().zip(&state.vertices).zip(&state.vertex_velocities) {
            e.vertex_kinetic += 0.5 * mass * v.norm_squared();
            e.vertex_gravitational -= mass * gravity.dot(x);
        }
        match &model.shell {
            Shell::Membrane { membrane, triangles, hinges } => {
                for (t, weight) in triangles {
                    let f = t.deformation(t.corners.map(|c| state.vertices[c as usize]));
                    e.membrane += weight * t.area * membrane.energy(&f);
                }
                e.hinges = hinges.iter().map(|h| h.bend(h.corners.map(|c| state.vertices[c as usize])).energy).sum();
            }
            Shell::Springs(springs) => e.membrane = springs.energy(&state.vertices),
        }
        e
    }
}
