//! Energies of woven yarns.

use super::blend::{Blend, ElementWeights};
use super::crossing::crimp_of;
use super::force::{Bending, ParallelContact, Shear, Stretch};
use super::kinematics::{Angle, EndVelocities, kinetic_energy};
use super::material::Stiffness;
use super::model::{Slot, Weave, interlaced};
use super::state::State;
use nalgebra::Vector3;
use serde::Serialize;

/// Energies at one time, J.
#[derive(Clone, Copy, Debug, PartialEq, Default, Serialize)]
pub struct YarnEnergies {
    /// Of motion, sliding included.
    pub kinetic: f64,
    /// Of stretched yarns.
    pub stretch: f64,
    /// Of bent yarns.
    pub bend: f64,
    /// Of sheared crossings.
    pub shear: f64,
    /// Of yarns that press on their parallel neighbors and, with crimp, on those that they cross.
    pub parallel: f64,
    /// Of weight, zero at the origin.
    pub gravitational: f64,
}

impl YarnEnergies {
    /// Stored in the yarns.
    pub fn internal(&self) -> f64 {
        self.stretch + self.bend + self.shear + self.parallel
    }

    /// All of it.
    pub fn total(&self) -> f64 {
        self.kinetic + self.internal() + self.gravitational
    }

    /// Of a state, with gravity in m/s². Springs of friction are not counted.
    pub(crate) fn of(
        weave: &Weave,
        k: &Stiffness,
        blend: Option<&Blend>,
        state: &State,
        gravity: &Vector3<f64>,
    ) -> Self {
        let mut e = YarnEnergies::default();
        for i in 0..weave.node_count() {
            e.add_node(weave, k, blend, state, gravity, i);
        }
        e
    }

    /// Adds the elements that belong to a node.
    pub(super) fn add_node(
        &mut self,
        weave: &Weave,
        k: &Stiffness,
        blend: Option<&Blend>,
        state: &State,
        gravity: &Vector3<f64>,
        i: usize,
    ) {
        let weights = blend.map_or_else(ElementWeights::default, |blend| blend.weights[i]);
        let m = &weave.material;
        let links = &weave.links[i];
        let kind = weave.kinds[i];
        let velocity = |n: usize| Vector3::new(state.velocities[n][0], state.velocities[n][1], state.velocities[n][2]);
        for slot in Slot::BOTH {
            let c = slot.index();
            let ahead = state.segment_ahead(i, c, links[slot.plus()]);
            let behind = state.segment_behind(i, c, links[slot.minus()]);
            if let (Some(segment), Some((n, back))) = (ahead, links[slot.plus()].get()) {
                let weight = f64::from(weights.segments[c]);
                if k.crimp.is_none() || !interlaced(kind, weave.kinds[n]) {
                    self.stretch += weight * Stretch::new(k.stretch, m.compression_ratio, &segment).energy;
                }
                let other = back.slot().index();
                let ends = EndVelocities {
                    xa: velocity(i),
                    sa: state.velocities[i][3 + c],
                    xb: velocity(n),
                    sb: state.velocities[n][3 + other],
                };
                if blend.is_none_or(|blend| !blend.lumped[i][c]) {
                    self.kinetic += kinetic_energy(k.density, &segment, &ends);
                    let middle = (state.positions[i] + state.positions[n]) * 0.5;
                    self.gravitational -= k.density * segment.rest * gravity.dot(&middle);
                }
                if let Some(contact) = ParallelContact::between(m, segment.rest, kind, weave.kinds[n]) {
                    self.parallel += weight * contact.energy;
                }
            }
            if let (Some(behind), Some(ahead)) = (behind, ahead) {
                self.bend += f64::from(weights.bends[c]) * Bending::new(k.bend, &behind, &ahead).energy;
            }
        }
        if let Some(blend) = blend {
            self.kinetic += 0.5 * blend.mass[i] * velocity(i).norm_squared();
            self.gravitational -= blend.mass[i] * gravity.dot(&state.positions[i]);
        }
        if let Some(crimp) = k.crimp.as_ref().and_then(|law| crimp_of(weave, law, state, i)) {
            for passage in &crimp.passages {
                self.stretch += passage.stretch;
                self.bend += passage.bend;
            }
            self.parallel += crimp.contact.energy;
        }
        if kind.is_crossing() {
            let shear = Shear::new(m, k);
            for corner in 0..4 {
                let Some(phi) = corner_angle(weave, state, i, corner) else { continue };
                let arms = [links[corner / 2], links[2 + corner % 2]];
                let jams = arms.iter().any(|a| a.node().is_some_and(|n| interlaced(kind, weave.kinds[n])));
                self.shear += f64::from(weights.corners[corner]) * shear.at(phi, state.compression[i], jams).energy;
            }
        }
    }
}

/// φ of a corner of a crossing, radians, where it has both arms.
pub(super) fn corner_angle(weave: &Weave, state: &State, i: usize, corner: usize) -> Option<f64> {
    let arm = |port: usize| {
        let n = weave.links[i][port].node()?;
        (state.positions[n] - state.positions[i]).try_normalize(1e-15)
    };
    Some(Angle::between(&arm(corner / 2)?, &arm(2 + corner % 2)?).value)
}
