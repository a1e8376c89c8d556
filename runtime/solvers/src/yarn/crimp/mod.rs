//! Crimp as an unknown of each crossing: how far warp and weft rise out of the middle plane [MartinGarrido18, §5 asks for it].
//!
//! A crossing owns two heights h_u, h_v ≥ 0 of its warp and its weft along its normal. They are in equilibrium at any time and
//! eliminated crossing by crossing, so that nodes stay the only unknowns:
//!
//! ```text
//!   E(l, ℓ) = min over h_u, h_v of  E_u(h_u) + E_v(h_v) + K R k_s (1 − δ)ⁿ for δ < 1,  h_u + h_v = 2 R δ
//!   E_u = Σ over its sides ¼ k_s ℓ (D/ℓ − 1)² + k_b θ²/(ℓ₋ + ℓ₊),  D = √(l² + 4 h²),  θ = Σ over its sides atan(2 h/l)
//! ```
//!
//! A *side* is the half of the segment of length l and rest length ℓ next to the crossing. It rises by h where the yarn changes sides of
//! the fabric up to the next crossing; where it does not, in a float, it is flat and the segment keeps the energy of
//! [`super::force::Stretch`]. In plain weave this is a truss with the two heights of each crossing. A yarn that floats on both sides
//! lies a radius high, whatever presses on it.
//!
//! By the envelope theorem the forces on nodes are the derivatives at the heights found; second derivatives are Schur complements.
//!
//! - `law`: the coefficients.
//! - `contact`: warp on weft.
//! - `passage`: one yarn at a crossing.
//! - `crossing`: both yarns, heights eliminated.
//!
//! Ours: the paper names the lack of crimp, not a cure. The turns of crimp are added to those of the middle plane as if they were
//! perpendicular to it: in yarns that alternate their products cancel from crossing to crossing.

mod contact;
mod crossing;
mod law;
mod passage;

pub use contact::CrimpContact;
pub use crossing::{Crossing, Equilibrium, OuterGradient, OuterHessian, Sensitive};
pub use law::CrimpLaw;
pub use passage::{Curvature, Passage, Side};

#[cfg(test)]
mod tests;
