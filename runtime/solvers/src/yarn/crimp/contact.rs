//! Contact of warp and weft at a crossing.
//!
//!   E = K R k_s (1 − δ)ⁿ for δ < 1, 0 above,  h_u + h_v = 2 R δ
//!
//! A power law in place of that of straight yarns: contact in a relaxed weave is conforming, and the chords of a truss are shorter
//! than the arcs of the yarns. Ours.

use super::law::CrimpLaw;

/// Contact at one sum of heights.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CrimpContact {
    /// E, J.
    pub energy: f64,
    /// F_n = −dE/d(h_u + h_v), N.
    pub force: f64,
    /// d²E/d(h_u + h_v)², N/m.
    pub stiffness: f64,
    /// d ln F_n / d ln n.
    pub by_exponent: f64,
    /// dE / d ln n, J.
    pub energy_by_exponent: f64,
}

/// Overlaps below this count as this in the stiffness, which is infinite at first touch for n < 2.
const FIRST_TOUCH: f64 = 1e-12;

impl CrimpContact {
    /// With the sum of both heights, m.
    #[inline]
    pub fn new(law: &CrimpLaw, sum: f64) -> Self {
        let CrimpLaw { stretch, contact, exponent: n, radius, .. } = *law;
        let overlap = 1.0 - sum / (2.0 * radius);
        if overlap <= 0.0 {
            return CrimpContact::default();
        }
        let energy = contact * radius * stretch * overlap.powf(n);
        let force = 0.5 * contact * stretch * n * overlap.powf(n - 1.0);
        CrimpContact {
            energy,
            force,
            stiffness: force * (n - 1.0) / (2.0 * radius * overlap.max(FIRST_TOUCH)),
            by_exponent: 1.0 + n * overlap.ln(),
            energy_by_exponent: energy * n * overlap.ln(),
        }
    }
}
