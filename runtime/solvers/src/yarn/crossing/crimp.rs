//! Where the center lines of the two yarns of a node are.

use super::normal::from_warp_to_weft;
use crate::yarn::model::{Slot, Weave};
use crate::yarn::state::State;
use nalgebra::Vector3;

/// The center line of a yarn at a node, meters: at crossings a radius off, or the yarn's height with crimp, on the yarn's side.
#[inline]
pub fn crimped(weave: &Weave, state: &State, node: usize, slot: Slot) -> Vector3<f64> {
    let x = state.positions[node];
    match from_warp_to_weft(weave, state, node) {
        None => x,
        Some(n) => {
            let height = state.heights.get(node).map_or(weave.material.radius, |h| h[slot.index()]);
            match slot {
                Slot::U => x - n * height,
                Slot::V => x + n * height,
            }
        }
    }
}
