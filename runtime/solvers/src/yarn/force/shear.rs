//! Shear at a corner: the angle φ between a warp segment and a weft segment of a crossing.
//!
//!   V = ½ k_x(F_n, φ) L ψ²,  ψ = φ − π/2                                                       [Cirio14, Eq. 11]
//!   k_x = S R² (1 + c_n F_n/F_0) (1 + c_j y³),  y = max(0, 1 − φ/φ_j) where a segment is interlaced
//!
//! The paper says that k_x grows with compression F_n and, below the jamming angle φ_j, cubically, without formulas: these
//! are ours. k is differentiated, not used as a secant, or energy would be made at the jam:
//!
//!   V' = L (k ψ + ½ k' ψ²),  V'' = L (k + 2 k' ψ + ½ k'' ψ²)
//!
//! Row: g1 = −e1/l1 at the warp neighbor, g3 = −e3/l3 at the weft neighbor, −(g1 + g3) at the crossing.

use super::super::kinematics::{Angle, Segment};
use super::super::material::{Stiffness, YarnMaterial};
use nalgebra::Vector3;
use std::f64::consts::FRAC_PI_2;

/// Coefficients of shear that all corners share.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shear {
    /// S R², N.
    pub stiffness: f64,
    /// L, meters.
    pub spacing: f64,
    /// c_n / F_0, 1/N.
    pub compression: f64,
    /// c_j.
    pub jamming: f64,
    /// φ_j, radians.
    pub jamming_angle: f64,
}

/// Stress and stiffness of one corner with respect to φ.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ShearStress {
    /// V, J.
    pub energy: f64,
    /// V', N m.
    pub moment: f64,
    /// V'', N m.
    pub stiffness: f64,
}

impl Shear {
    /// Of a material and its stiffnesses.
    pub fn new(material: &YarnMaterial, k: &Stiffness) -> Self {
        Shear {
            stiffness: k.shear,
            spacing: material.spacing,
            // Yarns without bending stiffness have no compression at rest, and none to compare with.
            compression: if k.rest_compression > 0.0 { material.shear_compression / k.rest_compression } else { 0.0 },
            jamming: material.jamming,
            jamming_angle: k.jamming_angle,
        }
    }

    /// At an angle φ of a crossing with compression F_n, N; `jams` where a segment of the corner is interlaced.
    #[inline]
    pub fn at(&self, phi: f64, compression: f64, jams: bool) -> ShearStress {
        let psi = phi - FRAC_PI_2;
        let k0 = self.stiffness * (1.0 + self.compression * compression);
        let y = if jams { (1.0 - phi / self.jamming_angle).max(0.0) } else { 0.0 };
        let c = k0 * self.jamming;
        let k = k0 + c * y * y * y;
        let k1 = -3.0 * c * y * y / self.jamming_angle;
        let k2 = 6.0 * c * y / (self.jamming_angle * self.jamming_angle);
        ShearStress {
            energy: 0.5 * k * self.spacing * psi * psi,
            moment: self.spacing * (k * psi + 0.5 * k1 * psi * psi),
            stiffness: self.spacing * (k + 2.0 * k1 * psi + 0.5 * k2 * psi * psi),
        }
    }
}

/// Gradients of the angle of a corner at its warp and weft neighbor, 1/m.
#[inline]
pub fn corner_row(angle: &Angle, warp: &Segment, weft: &Segment) -> [Vector3<f64>; 2] {
    [angle.e1 * -warp.inverse_length(), angle.e3 * -weft.inverse_length()]
}
