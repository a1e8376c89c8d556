//! Heights and contact of crossings with crimp.

use crate::yarn::crimp::{CrimpLaw, Crossing, Equilibrium, Side};
use crate::yarn::model::{Weave, interlaced};
use crate::yarn::state::State;
use rayon::prelude::*;

/// The equilibrium of a crossing with crimp; none elsewhere, and where no yarn changes sides.
pub fn crimp_of(weave: &Weave, law: &CrimpLaw, state: &State, node: usize) -> Option<Equilibrium> {
    weave.kinds[node].warp_over()?;
    let side = |port: usize| {
        let (other, back) = weave.links[node][port].get()?;
        let rest = (state.arcs[other][back.slot().index()] - state.arcs[node][port / 2]).abs();
        let length = (state.positions[other] - state.positions[node]).norm();
        Some(Side { length, rest, crosses: interlaced(weave.kinds[node], weave.kinds[other]) })
    };
    Crossing { law, yarns: [[side(0), side(1)], [side(2), side(3)]] }.solve()
}

/// Updates F_n and heights of every crossing.
pub(super) fn update(weave: &Weave, law: &CrimpLaw, state: &mut State) {
    let mut compression = std::mem::take(&mut state.compression);
    let mut heights = std::mem::take(&mut state.heights);
    heights.resize(weave.node_count(), [law.radius; 2]);
    let now = &*state;
    compression.par_iter_mut().zip(&mut heights).enumerate().with_min_len(256).for_each(|(i, (force, heights))| {
        let found = crimp_of(weave, law, now, i);
        *force = found.as_ref().map_or(0.0, Equilibrium::normal_force);
        *heights = found.map_or([law.radius; 2], |found| found.heights);
    });
    (state.compression, state.heights) = (compression, heights);
}
