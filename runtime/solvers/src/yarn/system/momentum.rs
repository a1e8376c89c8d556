//! Momenta of a state.

use super::CHUNK;
use crate::yarn::blend::Blend;
use crate::yarn::kinematics::{EndVelocities, Segment, momenta};
use crate::yarn::material::Stiffness;
use crate::yarn::model::Weave;
use crate::yarn::state::State;
use nalgebra::Vector3;
use rayon::prelude::*;

/// M v of a state, kg m/s.
pub fn momenta_of(weave: &Weave, k: &Stiffness, blend: Option<&Blend>, state: &State, out: &mut [[f64; 5]]) {
    out.par_iter_mut().enumerate().with_min_len(CHUNK).for_each(|(i, out)| {
        *out = [0.0; 5];
        if let Some(blend) = blend {
            (0..3).for_each(|k| out[k] = blend.mass[i] * state.velocities[i][k]);
        }
        for (port, link) in weave.links[i].iter().enumerate() {
            let Some((n, back)) = link.get() else { continue };
            let (c, other, far) = (port / 2, back.slot().index(), port % 2 == 0);
            let ((a, sa), (b, sb)) = if far { ((n, other), (i, c)) } else { ((i, c), (n, other)) };
            if blend.is_some_and(|blend| blend.lumped[a][sa]) {
                continue;
            }
            let segment = Segment::new(state.positions[b] - state.positions[a], state.arcs[b][sb] - state.arcs[a][sa]);
            let x = |n: usize| Vector3::new(state.velocities[n][0], state.velocities[n][1], state.velocities[n][2]);
            let ends =
                EndVelocities { xa: x(a), sa: state.velocities[a][3 + sa], xb: x(b), sb: state.velocities[b][3 + sb] };
            let (p, s) = momenta(k.density * segment.rest / 6.0, &segment.slope(), &ends)[usize::from(far)];
            for k in 0..3 {
                out[k] += p[k];
            }
            out[3 + c] += s;
        }
    });
}
