//! The straight piece of yarn between two neighboring nodes a and b.
//!
//!   ℓ = s_b − s_a,  d = x_b − x_a,  l = |d|,  t = d / l,  w = d / ℓ,  λ = l / ℓ,  ε = λ − 1      [Cirio14, §3.2]

use nalgebra::Vector3;

/// Length below which angles at a segment are those of a longer one, as a part of the rest length: derivatives stay finite.
const FOLDED: f64 = 1e-4;

/// Shortest length that has a direction, as a part of the rest length.
const COLLAPSED: f64 = 1e-12;

/// A segment: lengths in meters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Segment {
    /// ℓ: rest length.
    pub rest: f64,
    /// l: length.
    pub length: f64,
    /// t: unit direction.
    pub direction: Vector3<f64>,
}

impl Segment {
    /// From the difference of positions and of arc coordinates. A collapsed segment points along x: it has no direction of
    /// its own, and its forces are finite in any.
    #[inline]
    pub fn new(d: Vector3<f64>, rest: f64) -> Self {
        let length = d.norm();
        let direction = if length > COLLAPSED * rest.abs() { d / length } else { Vector3::x() };
        Segment { rest, length, direction }
    }

    /// 1/l for derivatives of angles, 1/m; finite where the segment is collapsed.
    #[inline]
    pub fn inverse_length(&self) -> f64 {
        self.length.max(FOLDED * self.rest).recip()
    }

    /// λ.
    #[inline]
    pub fn stretch(&self) -> f64 {
        self.length / self.rest
    }

    /// ε.
    #[inline]
    pub fn strain(&self) -> f64 {
        (self.length - self.rest) / self.rest
    }

    /// w.
    #[inline]
    pub fn slope(&self) -> Vector3<f64> {
        self.direction * self.stretch()
    }
}
