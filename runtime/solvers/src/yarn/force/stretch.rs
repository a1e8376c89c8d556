//! Stretch of a segment.
//!
//!   V = ½ k_s ℓ ε²,  ε = l/ℓ − 1,  k_s in N                                                    [Cirio14, Eq. 7]
//!
//!   ∂V/∂x_b = k_s ε t = T t,   ∂V/∂s_b = −½ k_s (λ² − 1)
//!   H(l, ℓ) = k_s/ℓ [1, −λ; −λ, λ²],   H_xx adds k_s ε/l (I − t tᵀ), kept where it is positive
//!
//! V is the perspective of a square, convex in (l, ℓ). In compression k_s may be reduced: the paper keeps it.
//! Invalid at ℓ ≤ 0: guards of the step keep away from it.

use super::super::kinematics::Segment;
use nalgebra::Vector3;

/// Stretch of one segment, as stresses and stiffnesses with respect to (l, ℓ).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Stretch {
    /// V, J.
    pub energy: f64,
    /// T = ∂V/∂l, N.
    pub tension: f64,
    /// ∂V/∂ℓ, N.
    pub sliding: f64,
    /// ∂²V/∂l², N/m.
    pub along: f64,
    /// ∂²V/∂l∂ℓ, N/m.
    pub coupling: f64,
    /// ∂²V/∂ℓ², N/m.
    pub sliding_stiffness: f64,
    /// T/l, where it is positive: stiffness across the yarn, N/m.
    pub across: f64,
}

impl Stretch {
    /// With k_s in N, and the part of it that is left in compression.
    #[inline]
    pub fn new(stiffness: f64, compression_ratio: f64, segment: &Segment) -> Self {
        let (strain, lambda) = (segment.strain(), segment.stretch());
        let k = if strain < 0.0 { stiffness * compression_ratio } else { stiffness };
        let tension = k * strain;
        let along = k / segment.rest;
        Stretch {
            energy: 0.5 * k * segment.rest * strain * strain,
            tension,
            // λ² − 1 without cancellation.
            sliding: -0.5 * tension * (2.0 + strain),
            along,
            coupling: -along * lambda,
            sliding_stiffness: along * lambda * lambda,
            across: if strain > 0.0 { tension / segment.length } else { 0.0 },
        }
    }
}

impl Stretch {
    /// Stiffness times a change δ of the segment and of its rest length: at x_b and s_b, with the opposite at the other end.
    #[inline]
    pub fn product(&self, t: &Vector3<f64>, change: &Vector3<f64>, rest: f64) -> (Vector3<f64>, f64) {
        let along = t.dot(change);
        let axial = (self.along - self.across) * along + self.coupling * rest;
        (t * axial + change * self.across, self.coupling * along + self.sliding_stiffness * rest)
    }
}

/// Damping of a segment's strain over a step of h seconds, by a potential, which leaves rotations alone:
///
///   V_d = β/(2h) k_s (e − e_n)²,  e = (l − ℓ)/√ℓ,   ∂e/∂l = 1/√ℓ,  ∂e/∂ℓ = −(1 + ½ε)/√ℓ
///
/// Differs from [Cirio14, §3.3], whose −βK q̇ with K of the start of the step brakes a turning segment along its old direction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StretchDamping {
    /// β k_s / h, N m.
    stiffness: f64,
    /// β k_s / h (e − e_n).
    stress: f64,
    /// ∂e/∂l.
    by_length: f64,
    /// ∂e/∂ℓ.
    by_rest: f64,
}

impl StretchDamping {
    /// With β in seconds, k_s in N, h in seconds; `before` is the segment at the start of the step.
    #[inline]
    pub fn new(beta: f64, stiffness: f64, h: f64, before: &Segment, now: &Segment) -> Self {
        let measure = |s: &Segment| (s.length - s.rest) / s.rest.sqrt();
        let stiffness = beta * stiffness / h;
        let root = now.rest.sqrt().recip();
        StretchDamping {
            stiffness,
            stress: stiffness * (measure(now) - measure(before)),
            by_length: root,
            by_rest: -(1.0 + 0.5 * now.strain()) * root,
        }
    }

    /// Adds its stresses and stiffnesses.
    #[inline]
    pub fn add_to(&self, stretch: &mut Stretch) {
        stretch.tension += self.stress * self.by_length;
        stretch.sliding += self.stress * self.by_rest;
        stretch.along += self.stiffness * self.by_length * self.by_length;
        stretch.coupling += self.stiffness * self.by_length * self.by_rest;
        stretch.sliding_stiffness += self.stiffness * self.by_rest * self.by_rest;
    }
}
