//! Contact of cloth with itself.

use serde::{Deserialize, Serialize};

/// Contact of cloth with itself: particles closer than a distance push each other apart [Boxerman03, §3.4.2].
///
/// The damping is on the whole velocity difference, which stands for kinetic friction. Layers that meet fast, or with
/// the particles of one over the middles of the other's cells, may still pass each other: the distance has to be above
/// 0.71 for the second, at the price of a wider gap between layers.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SelfContact {
    /// Distance at which particles begin to push, as a part of the mesh spacing; 0.6 in the thesis.
    pub distance: f64,
    /// Stiffness, N/m.
    pub stiffness: f64,
    /// Damping, N s/m.
    pub damping: f64,
}

impl Default for SelfContact {
    fn default() -> Self {
        SelfContact { distance: 0.6, stiffness: 200.0, damping: 0.01 }
    }
}
