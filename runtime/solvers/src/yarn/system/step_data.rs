//! What a step is computed from.

use super::bands::Bands;
use crate::linear::Scalar;
use crate::yarn::blend::{Blend, ElementWeights};
use crate::yarn::material::Stiffness;
use crate::yarn::model::Weave;
use crate::yarn::options::{Damping, Inertia};
use crate::yarn::self_contact::SheetContact;
use crate::yarn::state::State;
use nalgebra::Vector3;

/// What a step depends on but does not change.
#[derive(Clone, Copy)]
pub struct StepData<'a> {
    /// Yarns.
    pub weave: &'a Weave,
    /// Bands of their nodes.
    pub bands: &'a Bands,
    /// Coefficients of the forces.
    pub k: &'a Stiffness,
    /// At the start of the step, with its compression.
    pub start: &'a State,
    /// Length of the step, seconds.
    pub h: f64,
    /// m/s².
    pub gravity: Vector3<f64>,
    /// What is damped.
    pub damping: Damping,
    /// Inertia of the changing mass.
    pub inertia: Inertia,
    /// Where the cloth is near to itself.
    pub contacts: &'a [SheetContact],
    /// Weights and lumped masses, where yarns share their cloth with triangles.
    pub blend: Option<&'a Blend>,
}

impl StepData<'_> {
    /// Weights of the elements of a node.
    #[inline]
    pub(super) fn weights(&self, node: usize) -> ElementWeights {
        self.blend.map_or_else(ElementWeights::default, |blend| blend.weights[node])
    }

    /// Whether the segment ahead of a node has no mass of its own.
    #[inline]
    pub(super) fn is_lumped(&self, node: usize, slot: usize) -> bool {
        self.blend.is_some_and(|blend| blend.lumped[node][slot])
    }

    /// (1 + hα) m of the mass that is at each node alone, kg; nothing where there is none.
    pub fn lumped_diagonal(&self) -> impl Iterator<Item = f64> + '_ {
        let factor = 1.0 + self.h * self.weave.material.mass_damping;
        self.blend.into_iter().flat_map(move |blend| blend.mass.iter().map(move |m| factor * m))
    }
}

/// Where elements are evaluated.
#[derive(Clone, Copy)]
pub enum Evaluation<'a, T> {
    /// At the start of the step, with everything linearized in v, which is that of the start.
    Start,
    /// At q_n + h v, where v is the velocity of the start and this change of it, m/s.
    End(&'a [[T; 5]]),
}

impl<T: Scalar> Evaluation<'_, T> {
    /// v of a node, m/s.
    #[inline(always)]
    pub fn velocity(&self, start: &State, node: usize) -> [f64; 5] {
        let v = start.velocities[node];
        match self {
            Evaluation::Start => v,
            Evaluation::End(change) => std::array::from_fn(|k| v[k] + change[node][k].to_f64()),
        }
    }
}
