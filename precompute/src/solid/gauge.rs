//! What is held of a periodic cell, so that each equilibrium is one place and not a family.
//!
//! Nothing but the mesh resists when the cell moves as a whole, when a yarn slides along itself, and when it turns about its axis: it is
//! round and elastic, and there is no friction. For each of these motions one coordinate of one point is held, and follows the
//! large-scale deformation.

use crate::newton::{Hold, Holds};
use nalgebra::{Matrix3, Vector3};

/// What is known of a yarn for its holds.
pub(super) struct Grip {
    /// A point on its axis.
    pub(super) axis: usize,
    /// A point beside the axis, in the same section.
    pub(super) side: usize,
    /// How far it advances in a period, m; zero for one that is open.
    pub(super) turn: Vector3<f64>,
}

/// Holds for yarns with points at `x` (m).
pub(super) fn holds(grips: &[Grip], x: &[Vector3<f64>]) -> Holds {
    let mut holds = Holds::default();
    let main = grips.first().map_or(Vector3::zeros(), |g| g.turn);
    // Yarns that lead around the cell in two directions, each held along its own, hold the cell in its plane.
    let crossed = grips.iter().any(|g| g.turn.cross(&main).norm() > 1e-3 * main.norm_squared());
    for (k, grip) in grips.iter().enumerate() {
        let Some(along) = grip.turn.try_normalize(0.0) else { continue };
        let across = Vector3::z().cross(&along);
        let axes = Matrix3::from_columns(&[along, across, Vector3::z()]);
        holds.set(grip.axis, Hold { axes, held: [true, k == 0 && !crossed, k == 0] });
        // Turning moves the point beside the axis across both.
        let spin = along.cross(&(x[grip.side] - x[grip.axis]));
        if spin.norm() > 0.0 {
            holds.set(grip.side, Hold::along(&spin));
        }
    }
    holds
}
