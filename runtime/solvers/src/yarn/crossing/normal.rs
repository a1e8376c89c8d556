//! Front normals of crossings.

use crate::yarn::model::Weave;
use crate::yarn::state::State;
use nalgebra::Vector3;
use rayon::prelude::*;

/// Below this part of the product of the spans, warp and weft are parallel and the last normal stays.
const PARALLEL: f64 = 1e-3;

/// Updates the front normal of every crossing.
pub fn update_normals(weave: &Weave, state: &mut State) {
    let State { positions, normals, .. } = state;
    normals.par_iter_mut().enumerate().with_min_len(1024).for_each(|(i, normal)| {
        if !weave.kinds[i].is_crossing() {
            return;
        }
        let at = |port: usize| positions[weave.links[i][port].node().unwrap_or(i)];
        let (warp, weft) = (at(1) - at(0), at(3) - at(2));
        let cross = weft.cross(&warp);
        let length = cross.norm();
        if length > PARALLEL * warp.norm() * weft.norm() {
            *normal = cross / length;
        }
    });
}

/// n of a crossing, from the warp to the weft, or none elsewhere.
#[inline]
pub(super) fn from_warp_to_weft(weave: &Weave, state: &State, node: usize) -> Option<Vector3<f64>> {
    let over = weave.kinds[node].warp_over()?;
    let front = state.normals[node];
    Some(if over { -front } else { front })
}
