//! What scene files of all solvers share: bodies, ends, output, and how numbers are checked.

mod bodies;
pub(crate) mod check;
mod output;

pub use bodies::{BodySpec, Rotation, ShapeSpec};
pub use output::Output;

use nalgebra::Vector3;
use serde::{Deserialize, Serialize};

/// Largest scene file, bytes.
pub(crate) const MAX_BYTES: u64 = 16 << 20;

/// One end of a direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum End {
    /// Where it begins.
    First,
    /// Where it ends.
    Last,
}

impl End {
    /// The number of the thing at this end of `count` things.
    pub(crate) fn index(self, count: usize) -> usize {
        match self {
            End::First => 0,
            End::Last => count - 1,
        }
    }
}

/// Height of the ripples of a start position, from −1 to 1, at a place given as parts of the sheet's longer side: waves in
/// three directions that have no symmetry in common.
pub(crate) fn ripple(a: f64, b: f64) -> f64 {
    ((17.0 * a + 5.0 * b).sin() + (11.0 * b - 9.0 * a + 1.0).sin() + (23.0 * b + 7.0 * a + 2.0).sin()) / 3.0
}

/// Whether a point is inside a box, both ends included, meters.
pub(crate) fn is_inside(p: &Vector3<f64>, low: &[f64; 3], high: &[f64; 3]) -> bool {
    (0..3).all(|k| (low[k]..=high[k]).contains(&p[k]))
}

pub(crate) fn x_axis() -> [f64; 3] {
    [1.0, 0.0, 0.0]
}
