//! Bending at a node 0 between its neighbors 2 (towards smaller arc coordinates) and 1 on the same yarn.
//!
//!   V = k_b θ²/ℓ,  ℓ = s_1 − s_2,  θ between x0 − x2 and x1 − x0,  k_b in N m²                   [Cirio14, Eq. 8]
//!
//!   rows: ĝ = (∂θ/∂x; −θ/ℓ on s_1, +θ/ℓ on s_2) with g1 = −e1/l1, g2 = e3/l3, g0 = −(g1 + g2), stiffness 2 k_b/ℓ: exact
//!         h = (b/l1 on x1, b/l3 on x2, −sum on x0), stiffness (2 k_b/ℓ) (θ/2) cot(θ/2): the positive part of the rest
//!
//! At θ = 0 both rows have the same weight and bending is isotropic; without h the matrix would lack stiffness in one
//! direction and Newton's method would stall. The arc coordinate of the middle node does not enter.
//! Near θ = π the weights stay finite and V is smooth enough; yarn does not fold back on itself further.

use super::super::kinematics::{Angle, Segment};
use nalgebra::Vector3;

/// Bending at one node.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bending {
    /// V, J.
    pub energy: f64,
    /// θ, radians.
    pub angle: f64,
    /// ∂V/∂θ = 2 k_b θ/ℓ, N m.
    pub moment: f64,
    /// Gradient of θ at node 1, 1/m.
    pub g1: Vector3<f64>,
    /// Gradient of θ at node 2, 1/m.
    pub g2: Vector3<f64>,
    /// θ/ℓ, 1/m: the row ĝ has −θ/ℓ at s_1 and θ/ℓ at s_2.
    pub rate: f64,
    /// Row h at node 1, 1/m.
    pub h1: Vector3<f64>,
    /// Row h at node 2, 1/m.
    pub h2: Vector3<f64>,
    /// Stiffness of row ĝ, N m.
    pub in_plane: f64,
    /// Stiffness of row h, N m.
    pub out_of_plane: f64,
}

impl Bending {
    /// With k_b in N m²: `behind` from node 2 to 0, `ahead` from 0 to 1.
    #[inline]
    pub fn new(stiffness: f64, behind: &Segment, ahead: &Segment) -> Self {
        let angle = Angle::between(&ahead.direction, &behind.direction);
        let theta = angle.value;
        let rest = behind.rest + ahead.rest;
        let in_plane = 2.0 * stiffness / rest;
        let half = 0.5 * theta;
        // (θ/2) cot(θ/2), 1 at rest and 0 at a full fold; cot(θ/2) = (1 + cos θ)/sin θ.
        let cotangent = if half < 1e-6 { 1.0 } else { (half * (1.0 + angle.cosine) / angle.sine).max(0.0) };
        let (inverse1, inverse3) = (ahead.inverse_length(), behind.inverse_length());
        Bending {
            energy: 0.5 * in_plane * theta * theta,
            angle: theta,
            moment: in_plane * theta,
            g1: angle.e1 * -inverse1,
            g2: angle.e3 * inverse3,
            rate: theta / rest,
            h1: angle.normal * inverse1,
            h2: angle.normal * inverse3,
            in_plane,
            out_of_plane: in_plane * cotangent,
        }
    }
}
