//! Mass of a segment through which yarn slides.
//!
//! The material velocity inside a segment is [Cirio14, Eq. 2]
//!
//!   ẋ(s) = N_a y_a + N_b y_b,  y_a = ẋ_a − ṡ_a w,  y_b = ẋ_b − ṡ_b w
//!
//! and with ρ the mass per length, integrated over the segment [Cirio14, Eqs. 4, 5],
//!
//!   T = ρℓ/6 (y_a·y_a + y_a·y_b + y_b·y_b)
//!
//! A node that runs along a straight yarn, velocity (w, 1), moves no mass. The inertia of the changing mass is
//! Q = ∇T − Ṁ q̇ [Cirio14, Eq. 3]. Differs from the paper: momentum M q̇ is carried from step to step, not velocity, so Ṁ is
//! never needed and the sum of momenta is exact; ∇T is what [`kinetic_gradient`] gives.

use super::Segment;
use nalgebra::Vector3;

/// Velocities of the two ends of a segment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EndVelocities {
    /// ẋ_a, m/s.
    pub xa: Vector3<f64>,
    /// ṡ_a, m/s.
    pub sa: f64,
    /// ẋ_b, m/s.
    pub xb: Vector3<f64>,
    /// ṡ_b, m/s.
    pub sb: f64,
}

/// What the ends of a segment share: (M q̇) of end a in x and s, then of end b. `m` = ρℓ/6, `w` = the slope.
///
///   P_a = m (2 y_a + y_b),  P_b = m (y_a + 2 y_b),  rows of s: −w·P
#[inline]
pub fn momenta(m: f64, w: &Vector3<f64>, v: &EndVelocities) -> [(Vector3<f64>, f64); 2] {
    let (ya, yb) = (v.xa - w * v.sa, v.xb - w * v.sb);
    let (pa, pb) = ((ya * 2.0 + yb) * m, (ya + yb * 2.0) * m);
    [(pa, -w.dot(&pa)), (pb, -w.dot(&pb))]
}

/// ∂T/∂x_b = −∂T/∂x_a, and ∂T/∂s_b = −∂T/∂s_a, of a segment with ρ in kg/m:
///
///   G = −ṡ_a P_a − ṡ_b P_b,  ∂T/∂x_b = G / ℓ,  ∂T/∂s_b = (T − w·G) / ℓ
#[inline]
pub fn kinetic_gradient(density: f64, segment: &Segment, v: &EndVelocities) -> (Vector3<f64>, f64) {
    let w = segment.slope();
    let m = density * segment.rest / 6.0;
    let (ya, yb) = (v.xa - w * v.sa, v.xb - w * v.sb);
    let energy = m * (ya.norm_squared() + ya.dot(&yb) + yb.norm_squared());
    let g = (ya * 2.0 + yb) * (-m * v.sa) - (ya + yb * 2.0) * (m * v.sb);
    (g / segment.rest, (energy - w.dot(&g)) / segment.rest)
}

/// T of a segment, J.
#[inline]
pub fn kinetic_energy(density: f64, segment: &Segment, v: &EndVelocities) -> f64 {
    let w = segment.slope();
    let (ya, yb) = (v.xa - w * v.sa, v.xb - w * v.sb);
    density * segment.rest / 6.0 * (ya.norm_squared() + ya.dot(&yb) + yb.norm_squared())
}

#[cfg(test)]
mod tests {
    use super::*;

    const DENSITY: f64 = 1e-4;

    fn segment() -> Segment {
        Segment::new(Vector3::new(0.8e-3, -0.3e-3, 0.5e-3), 0.9e-3)
    }

    fn velocities() -> EndVelocities {
        EndVelocities { xa: Vector3::new(0.3, -0.1, 0.2), sa: 0.15, xb: Vector3::new(-0.2, 0.4, 0.1), sb: -0.25 }
    }

    #[test]
    fn kinetic_energy_is_the_integral_of_the_material_velocity() {
        let (seg, v) = (segment(), velocities());
        let w = seg.slope();
        // Gauss's rule with three points is exact for the square of a linear function.
        let points = [(0.5 - 0.15_f64.sqrt(), 5.0), (0.5, 8.0), (0.5 + 0.15_f64.sqrt(), 5.0)];
        let velocity = |n: f64| (v.xa - w * v.sa) * (1.0 - n) + (v.xb - w * v.sb) * n;
        let sum: f64 = points.iter().map(|(n, weight)| weight / 18.0 * velocity(*n).norm_squared()).sum();
        let expected = 0.5 * DENSITY * seg.rest * sum;
        let energy = kinetic_energy(DENSITY, &seg, &v);
        assert!((energy / expected - 1.0).abs() < 1e-14);
        // T = ½ q̇ᵀ M q̇.
        let [(pa, sa), (pb, sb)] = momenta(DENSITY * seg.rest / 6.0, &w, &v);
        let product = 0.5 * (v.xa.dot(&pa) + v.sa * sa + v.xb.dot(&pb) + v.sb * sb);
        assert!((product / expected - 1.0).abs() < 1e-14);
    }

    #[test]
    fn a_node_that_runs_along_a_straight_yarn_moves_no_mass() {
        let seg = segment();
        let w = seg.slope();
        let along = EndVelocities { xa: w * 0.7, sa: 0.7, xb: w * 0.3, sb: 0.3 };
        assert!(kinetic_energy(DENSITY, &seg, &along) < 1e-30);
        assert!(kinetic_energy(DENSITY, &seg, &EndVelocities { sa: 0.6, ..along }) > 1e-12);
    }

    #[test]
    fn the_gradient_is_that_of_the_kinetic_energy() {
        let v = velocities();
        let (d, rest) = (Vector3::new(0.8e-3, -0.3e-3, 0.5e-3), 0.9e-3);
        let energy = |d: Vector3<f64>, rest: f64| kinetic_energy(DENSITY, &Segment::new(d, rest), &v);
        let (x, s) = kinetic_gradient(DENSITY, &Segment::new(d, rest), &v);
        let e = 1e-9;
        for k in 0..3 {
            let step = Vector3::ith(k, e);
            let numeric = (energy(d + step, rest) - energy(d - step, rest)) / (2.0 * e);
            assert!(x[k] != 0.0 && (x[k] - numeric).abs() < 1e-7 * x.norm(), "{k}: {} {numeric}", x[k]);
        }
        let numeric = (energy(d, rest + e) - energy(d, rest - e)) / (2.0 * e);
        assert!(s != 0.0 && (s - numeric).abs() < 1e-7 * s.abs(), "{s} {numeric}");
    }
}
