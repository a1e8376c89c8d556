//! Contact of neighboring parallel yarns: two crossings of a yarn cannot come nearer than the yarns between are thick.
//!
//!   V = ½ k_c L (ℓ − D)² where ℓ < D,  D = 4R on an interlaced segment, 2R in a float,  k_c in Pa    [Cirio14, Eq. 13]
//!
//! It sees arc length, not distance.

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
    /// With k_c L in N/m, between two crossings with `rest` meters of yarn between them and yarns of radius R.
    #[inline]
    pub fn new(stiffness: f64, radius: f64, rest: f64, interlaced: bool) -> Self {
        let thickness = if interlaced { 4.0 } else { 2.0 } * radius * (1.0 - ROUNDING);
        let overlap = rest - thickness;
        if overlap < 0.0 {
            ParallelContact { energy: 0.5 * stiffness * overlap * overlap, sliding: stiffness * overlap, stiffness }
        } else {
            ParallelContact::default()
        }
    }
}
