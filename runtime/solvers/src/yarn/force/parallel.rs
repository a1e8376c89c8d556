//! Contact of neighboring parallel yarns: two crossings of a yarn cannot come nearer than the yarns between are thick.
//!
//!   V = ½ k_c L (ℓ − D)² where ℓ < D,  D = 4R on an interlaced segment, 2R in a float,  k_c in Pa    [Cirio14, Eq. 13]
//!
//! It sees arc length, not distance. A seam has a yarn of its own: the crossings beside it keep D = 2R from it, or what the layout
//! leaves between them, 0.3 L, where that is less. A plain node goes where a crossing comes nearer than 0.3 L; one that a pin holds stays, and keeps 0.2 L.

use crate::yarn::material::YarnMaterial;
use crate::yarn::model::{NodeKind, interlaced};

/// Stress and stiffness with respect to ℓ.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct ParallelContact {
    /// V, J.
    pub energy: f64,
    /// ∂V/∂ℓ, N, not positive.
    pub sliding: f64,
    /// ∂²V/∂ℓ², N/m.
    pub stiffness: f64,
}

/// Rounding of rest lengths must not switch contact on where D = L, as in the tank top.
const ROUNDING: f64 = 1e-9;

impl ParallelContact {
    /// Between two nodes of a yarn with `rest` meters of it between them; none where nothing lies across the yarn at one of them.
    #[inline]
    pub fn between(m: &YarnMaterial, rest: f64, a: NodeKind, b: NodeKind) -> Option<Self> {
        let thickness = match (a, b) {
            _ if interlaced(a, b) => 4.0 * m.radius,
            (NodeKind::Crossing { .. }, NodeKind::Crossing { .. }) => 2.0 * m.radius,
            (NodeKind::Crossing { .. }, NodeKind::Seam) | (NodeKind::Seam, NodeKind::Crossing { .. }) => {
                (2.0 * m.radius).min(0.3 * m.spacing)
            }
            (NodeKind::Crossing { .. }, NodeKind::Plain) | (NodeKind::Plain, NodeKind::Crossing { .. }) => {
                (2.0 * m.radius).min(0.2 * m.spacing)
            }
            _ => return None,
        };
        Some(ParallelContact::new(m.parallel_contact * m.spacing, thickness, rest))
    }

    /// With k_c L in N/m, D and ℓ in meters.
    #[inline]
    pub fn new(stiffness: f64, thickness: f64, rest: f64) -> Self {
        let overlap = rest - thickness * (1.0 - ROUNDING);
        if overlap < 0.0 {
            ParallelContact { energy: 0.5 * stiffness * overlap * overlap, sliding: stiffness * overlap, stiffness }
        } else {
            ParallelContact::default()
        }
    }
}
