//! Momentum carried from step to step: p ← M v, with the mass of the start of the step.

use super::blend::Blend;
use super::material::Stiffness;
use super::model::{NodeKind, Weave};
use super::state::State;
use super::system::momenta_of;
use nalgebra::Vector3;

/// Sets the momenta of a state from its velocities, before it moves.
pub(crate) fn carry(weave: &Weave, k: &Stiffness, blend: Option<&Blend>, state: &mut State) {
    let mut momenta = std::mem::take(&mut state.momenta);
    momenta.resize(weave.node_count(), [0.0; 5]);
    momenta_of(weave, k, blend, state, &mut momenta);
    state.momenta = momenta;
}

/// Momentum that yarns which nothing holds have at the end of a step: known exactly, although the step was solved approximately.
#[derive(Clone, Copy, Debug)]
pub(super) struct FreeMomentum {
    /// kg m/s, damped.
    sum: Vector3<f64>,
    /// 1 + hα.
    damped: f64,
    /// kg.
    mass: f64,
}

impl FreeMomentum {
    /// At the end of a step of h seconds from a state.
    pub(super) fn after(weave: &Weave, k: &Stiffness, state: &State, h: f64, gravity: &Vector3<f64>) -> Self {
        let mass = total_mass(weave, k, &state.arcs);
        let damped = 1.0 + h * weave.material.mass_damping;
        FreeMomentum { sum: sum(&state.momenta) + gravity * (h * mass), damped, mass }
    }

    /// Gives all nodes the same small velocity, so that the sum of momenta is exact.
    pub(super) fn impose(&self, weave: &Weave, k: &Stiffness, state: &mut State) {
        // Twice: the first shift is exact up to the rounding of the sums before it.
        for _ in 0..2 {
            let shift = (self.sum - sum(&state.momenta) * self.damped) / (self.damped * self.mass);
            let present = state.velocities.iter_mut().zip(&weave.kinds).filter(|(_, kind)| **kind != NodeKind::Gone);
            present.for_each(|(v, _)| (0..3).for_each(|c| v[c] += shift[c]));
            carry(weave, k, None, state);
        }
    }
}

fn sum(momenta: &[[f64; 5]]) -> Vector3<f64> {
    momenta.iter().fold(Vector3::zeros(), |sum, p| sum + Vector3::new(p[0], p[1], p[2]))
}

/// Mass of all yarns, kg.
fn total_mass(weave: &Weave, k: &Stiffness, arcs: &[[f64; 2]]) -> f64 {
    let length = |i: usize, c: usize| {
        weave.links[i][2 * c + 1].get().map_or(0.0, |(n, back)| arcs[n][back.slot().index()] - arcs[i][c])
    };
    k.density * (0..weave.node_count()).map(|i| length(i, 0) + length(i, 1)).sum::<f64>()
}
