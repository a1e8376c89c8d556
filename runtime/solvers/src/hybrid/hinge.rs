//! Discrete shells: bending as the angle at an edge.
//!
//!   V = k_e (3 e²/(A₁ + A₂)) (θ − θ̄)²,  θ the angle between the normals                              [Grinspun03]
//!
//! e = rest length of the edge (m), A = rest areas (m²), k_e = bending stiffness (N m), θ̄ = rest angle (rad).
//! Corners 0 and 1 are the edge, 2 and 3 are opposite to it. With n₁ = (x₀ − x₂) × (x₁ − x₂), n₂ = (x₁ − x₃) × (x₀ − x₃):
//!
//!   θ = atan2((n₁ × n₂)·ê, n₁·n₂),  ∂θ/∂x₂ = −|e| n₁/|n₁|²,  ∂θ/∂x₃ = −|e| n₂/|n₂|²
//!
//! and the edge takes the opposite, split at the feet of the heights. Matrix: (∂²V/∂θ²) ∇θ∇θᵀ, exact where θ = θ̄.
//! A triangle that has collapsed to less than 1e-4 of its rest area counts as one of that area: nothing is infinite.

use super::homogenize::Homogenized;
use super::triangle::Triangle;
use crate::{Error, Result};
use nalgebra::Vector3;
use std::collections::BTreeMap;

/// Part of the rest area below which the heights of a triangle are those of a larger one.
const COLLAPSED: f64 = 1e-4;

/// Two triangles at an edge.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hinge {
    /// The edge's ends, then the corners opposite to it.
    pub corners: [u32; 4],
    /// The two triangles, in the order of the opposite corners.
    pub triangles: [u32; 2],
    /// e: rest length of the edge, meters.
    pub length: f64,
    /// A₁ and A₂, m².
    pub areas: [f64; 2],
    /// k_e, N m.
    pub stiffness: f64,
    /// θ̄, radians.
    pub rest_angle: f64,
}

/// A hinge at some positions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HingeBend {
    /// V, J.
    pub energy: f64,
    /// θ, radians, −π to π.
    pub angle: f64,
    /// ∂V/∂θ, N m; the force on corner k is −moment ∂θ/∂x_k.
    pub moment: f64,
    /// ∂²V/∂θ², N m: the matrix is stiffness ∇θ∇θᵀ.
    pub stiffness: f64,
    /// ∂θ/∂x_k, 1/m.
    pub gradient: [Vector3<f64>; 4],
}

impl HingeBend {
    /// Forces on the corners, N.
    pub fn forces(&self) -> [Vector3<f64>; 4] {
        self.gradient.map(|g| g * -self.moment)
    }

    /// −∂f/∂x times changes of the corners (meters), N: positive semi-definite.
    pub fn product(&self, change: [Vector3<f64>; 4]) -> [Vector3<f64>; 4] {
        let turn: f64 = self.gradient.iter().zip(&change).map(|(g, d)| g.dot(d)).sum();
        self.gradient.map(|g| g * (self.stiffness * turn))
    }
}

impl Hinge {
    /// k_e 3 e²/(A₁ + A₂), N m: V over (θ − θ̄)².
    pub fn weight(&self) -> f64 {
        3.0 * self.stiffness * self.length * self.length / (self.areas[0] + self.areas[1])
    }

    /// With its corners at these positions, meters.
    pub fn bend(&self, [x0, x1, x2, x3]: [Vector3<f64>; 4]) -> HingeBend {
        let e = x1 - x0;
        let n1 = (x0 - x2).cross(&(x1 - x2));
        let n2 = (x1 - x3).cross(&(x0 - x3));
        let short = COLLAPSED * self.length;
        let length = e.norm();
        let angle = (n1.cross(&n2).dot(&e) / length.max(short)).atan2(n1.dot(&n2));
        let square = |n: &Vector3<f64>, area: f64| n.norm_squared().max((2.0 * COLLAPSED * area).powi(2));
        let g2 = n1 * (-length / square(&n1, self.areas[0]));
        let g3 = n2 * (-length / square(&n2, self.areas[1]));
        // Where the heights meet the edge, from its first end.
        let foot = |x: &Vector3<f64>| (x - x0).dot(&e) / (length * length).max(short * short);
        let (f2, f3) = (foot(&x2), foot(&x3));
        let g0 = -(g2 * (1.0 - f2) + g3 * (1.0 - f3));
        let g1 = -(g2 * f2 + g3 * f3);
        let (weight, turn) = (self.weight(), angle - self.rest_angle);
        HingeBend {
            energy: weight * turn * turn,
            angle,
            moment: 2.0 * weight * turn,
            stiffness: 2.0 * weight,
            gradient: [g0, g1, g2, g3],
        }
    }
}

/// The hinges of a mesh, flat at rest, with k_e = D(n)/6 of the sheet (the mean of both sides where a seam joins panels).
/// `origin` is for messages.
pub fn hinges(triangles: &[Triangle], sheet: &Homogenized, origin: &str) -> Result<Vec<Hinge>> {
    // By edge: triangle, and which of its corners is opposite.
    let mut edges: BTreeMap<(u32, u32), Vec<(usize, usize)>> = BTreeMap::new();
    for (index, triangle) in triangles.iter().enumerate() {
        for k in 0..3 {
            let [a, b] = [triangle.corners[(k + 1) % 3], triangle.corners[(k + 2) % 3]];
            edges.entry((a.min(b), a.max(b))).or_default().push((index, k));
        }
    }
    let mut hinges = Vec::with_capacity(edges.len());
    for sides in edges.values() {
        match sides[..] {
            [_] => {}
            [first, second] => hinges.push(hinge(triangles, sheet, first, second)),
            _ => {
                let numbers: Vec<String> = sides.iter().map(|(t, _)| (t + 1).to_string()).collect();
                let problem = format!(
                    "triangles {} share one edge: cloth has at most two at an edge, separate the others",
                    numbers.join(", ")
                );
                return Err(Error::invalid(origin, problem));
            }
        }
    }
    Ok(hinges)
}

fn hinge(triangles: &[Triangle], sheet: &Homogenized, first: (usize, usize), second: (usize, usize)) -> Hinge {
    let [(a, ka), (b, kb)] = [(&triangles[first.0], first.1), (&triangles[second.0], second.1)];
    let stiffness = 0.5 * (sheet.hinge_stiffness(a.edge_normal(ka)) + sheet.hinge_stiffness(b.edge_normal(kb)));
    Hinge {
        corners: [a.corners[(ka + 1) % 3], a.corners[(ka + 2) % 3], a.corners[ka], b.corners[kb]],
        triangles: [first.0 as u32, second.0 as u32],
        length: 0.5 * (a.edge_length(ka) + b.edge_length(kb)),
        areas: [a.area, b.area],
        stiffness,
        rest_angle: 0.0,
    }
}
