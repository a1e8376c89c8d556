//! Axial springs and their dampers.

use super::Damping;
use super::bend::{bend_energy, bend_force, bend_slope, largest_slope};
use crate::cloth::system::AxialBlock;
use nalgebra::Vector3;

/// What a spring resists.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SpringKind {
    /// Lengthening along warp or weft; slack in compression.
    Stretch,
    /// Lengthening along a diagonal; slack in compression.
    Shear,
    /// Bending and compression alike; slack in extension.
    Bend,
}

/// A spring with its damper.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spring {
    /// First particle.
    pub i: u32,
    /// Second particle.
    pub j: u32,
    /// Which law it follows.
    pub kind: SpringKind,
    /// L, meters.
    pub rest_length: f64,
    /// k_s, N/m.
    pub stiffness: f64,
    /// k_d, N s/m.
    pub damping: f64,
}

/// Force and Jacobians of something that acts along the line between two particles.
///
///   −∂f_i/∂x_i = k_axial d dᵀ + k_transverse (I − d dᵀ), the same with c for velocities
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Axial {
    /// Force on particle i, N; the force on j is its negative.
    pub(crate) force: Vector3<f64>,
    /// Unit vector from i to j.
    pub(crate) direction: Vector3<f64>,
    /// Stiffness along the direction, N/m.
    pub(crate) k_axial: f64,
    /// Stiffness across the direction, N/m.
    pub(crate) k_transverse: f64,
    /// Damping along the direction, N s/m.
    pub(crate) c_axial: f64,
    /// Damping across the direction, N s/m.
    pub(crate) c_transverse: f64,
}

impl Axial {
    /// k ∂f/∂v + k² ∂f/∂x, negated: the block of [Boxerman03, Eq. 4.11] for a step of k seconds.
    #[inline]
    pub(crate) fn block(&self, k: f64) -> AxialBlock {
        let along = k * (self.c_axial + k * self.k_axial);
        let across = k * (self.c_transverse + k * self.k_transverse);
        AxialBlock::new(&self.direction, along, across)
    }

    /// −∂f_i/∂x_i times a vector.
    #[inline]
    pub(crate) fn stiffness_times(&self, v: &Vector3<f64>) -> Vector3<f64> {
        let along = self.direction.dot(v);
        self.direction * ((self.k_axial - self.k_transverse) * along) + v * self.k_transverse
    }
}

impl Spring {
    /// Force and Jacobians, or `None` where the spring is slack. x and v are x_j − x_i and v_j − v_i.
    ///
    /// Stretch and shear: [Boxerman03, Eq. 3.6, 3.7] (whose first term lacks a square). Bend: Eq. 3.8, 3.10, the
    /// transverse term dropped to stay positive definite. Damping: Eq. 3.12 or 3.14, 3.15; the position derivative of
    /// projected damping, Eq. 3.16, is left out as in the thesis. Its damper acts as long as its spring does, in
    /// lengthening and in shortening: with Eq. 3.16 gone nothing is left that asks for lengthening only.
    #[inline(always)]
    pub(crate) fn evaluate(&self, x: &Vector3<f64>, v: &Vector3<f64>, damping: Damping) -> Option<Axial> {
        let rest = self.rest_length;
        let squared = x.norm_squared();
        let acts = (self.kind == SpringKind::Bend) == (squared < rest * rest);
        let drags = damping == Damping::Plain && self.damping > 0.0;
        // Before the root: about half of all springs are slack.
        if !(acts || drags) || squared < 1e-18 * rest * rest {
            return None;
        }
        let length = squared.sqrt();
        let inverse = length.recip();
        let d = x * inverse;
        let (tension, k_axial, k_transverse) = match self.kind {
            _ if !acts => (0.0, 0.0, 0.0),
            SpringKind::Stretch | SpringKind::Shear => {
                let k = self.stiffness;
                (k * (length - rest), k, k * (1.0 - rest * inverse))
            }
            SpringKind::Bend => {
                let s = length / rest;
                (self.stiffness * rest * bend_force(s), self.stiffness * bend_slope(s), 0.0)
            }
        };
        let (c_axial, c_transverse, drag) = match damping {
            Damping::Projected => (self.damping, 0.0, d * (self.damping * d.dot(v))),
            Damping::Plain => (self.damping, self.damping, v * self.damping),
        };
        Some(Axial { force: d * tension + drag, direction: d, k_axial, k_transverse, c_axial, c_transverse })
    }

    /// Stored energy at a length, J.
    pub fn energy(&self, length: f64) -> f64 {
        match self.kind {
            SpringKind::Stretch | SpringKind::Shear => {
                0.5 * self.stiffness * (length - self.rest_length).max(0.0).powi(2)
            }
            SpringKind::Bend => self.stiffness * self.rest_length.powi(2) * bend_energy(length / self.rest_length),
        }
    }

    /// Numerical stiffness times mass, κ m = k (k_s k + 2 k_d), kg, for a step of k seconds [Boxerman03, Eq. 4.8].
    ///
    /// A bend spring counts with the largest slope of its law. (The thesis takes bend springs explicitly without
    /// asking, which holds for weak ones only.)
    #[inline]
    pub fn kappa_mass(&self, k: f64) -> f64 {
        k * (self.largest_stiffness() * k + 2.0 * self.damping)
    }

    /// The largest slope of the spring's law, N/m.
    #[inline]
    pub(super) fn largest_stiffness(&self) -> f64 {
        match self.kind {
            SpringKind::Stretch | SpringKind::Shear => self.stiffness,
            SpringKind::Bend => self.stiffness * largest_slope(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spring(kind: SpringKind) -> Spring {
        Spring { i: 0, j: 1, kind, rest_length: 0.5, stiffness: 40.0, damping: 3.0 }
    }

    fn force(s: &Spring, x: &Vector3<f64>, v: &Vector3<f64>, damping: Damping) -> Vector3<f64> {
        s.evaluate(x, v, damping).unwrap().force
    }

    const DIRECTION: Vector3<f64> = Vector3::new(2.0 / 7.0, -3.0 / 7.0, 6.0 / 7.0);

    #[test]
    fn force_is_the_negative_gradient_of_energy() {
        for (kind, length) in
            [(SpringKind::Stretch, 0.57), (SpringKind::Shear, 0.9), (SpringKind::Bend, 0.3), (SpringKind::Bend, 0.48)]
        {
            let s = spring(kind);
            let x = DIRECTION * length;
            let f = force(&s, &x, &Vector3::zeros(), Damping::Projected);
            assert!(f.norm() > 1e-3);
            for k in 0..3 {
                let mut step = Vector3::zeros();
                step[k] = 1e-6;
                // Moving particle i by +step changes x by −step.
                let slope = (s.energy((x - step).norm()) - s.energy((x + step).norm())) / 2e-6;
                assert!((f[k] + slope).abs() < 1e-6 * f.norm().max(1.0), "{kind:?}: {} and {}", f[k], -slope);
            }
        }
    }

    #[test]
    fn stretch_jacobians_are_the_differences_of_force() {
        let s = spring(SpringKind::Stretch);
        let (x, v) = (DIRECTION * 0.6, Vector3::new(0.1, 0.4, -0.2));
        for damping in [Damping::Projected, Damping::Plain] {
            let axial = s.evaluate(&x, &v, damping).unwrap();
            let rest = s.evaluate(&x, &Vector3::zeros(), damping).unwrap();
            let damper = Axial { k_axial: axial.c_axial, k_transverse: axial.c_transverse, ..axial };
            for k in 0..3 {
                let mut step = Vector3::zeros();
                step[k] = 1e-6;
                let by_x = (force(&s, &(x + step), &Vector3::zeros(), damping)
                    - force(&s, &(x - step), &Vector3::zeros(), damping))
                    / 2e-6;
                assert!((by_x - rest.stiffness_times(&(step / 1e-6))).norm() < 1e-6);
                let by_v = (force(&s, &x, &(v + step), damping) - force(&s, &x, &(v - step), damping)) / 2e-6;
                assert!((by_v - damper.stiffness_times(&(step / 1e-6))).norm() < 1e-6);
            }
        }
    }

    #[test]
    fn bend_jacobian_along_the_spring_is_the_difference_of_force() {
        let s = spring(SpringKind::Bend);
        for length in [0.2, 0.4, 0.47] {
            let x = DIRECTION * length;
            let at = |l: f64| force(&s, &(DIRECTION * l), &Vector3::zeros(), Damping::Projected).dot(&DIRECTION);
            let slope = (at(length + 1e-6) - at(length - 1e-6)) / 2e-6;
            let axial = s.evaluate(&x, &Vector3::zeros(), Damping::Projected).unwrap();
            assert!(slope > 1.0 && (slope - axial.k_axial).abs() < 1e-5);
        }
    }

    #[test]
    fn springs_go_slack_on_their_other_side_and_at_a_point() {
        let zero = Vector3::zeros();
        assert!(spring(SpringKind::Stretch).evaluate(&(DIRECTION * 0.4), &zero, Damping::Projected).is_none());
        assert!(spring(SpringKind::Bend).evaluate(&(DIRECTION * 0.6), &zero, Damping::Projected).is_none());
        assert!(spring(SpringKind::Bend).evaluate(&zero, &zero, Damping::Plain).is_none());
        assert!(spring(SpringKind::Shear).evaluate(&(DIRECTION * 0.4), &zero, Damping::Plain).is_some());
    }

    #[test]
    fn projected_damping_leaves_rotation_alone_and_plain_damping_does_not() {
        let s = spring(SpringKind::Stretch);
        let x = DIRECTION * 0.51;
        let spin = DIRECTION.cross(&Vector3::new(1.0, 0.0, 0.0));
        let rest = Vector3::zeros();
        let damper = |damping| (force(&s, &x, &spin, damping) - force(&s, &x, &rest, damping)).norm();
        assert!(damper(Damping::Projected) < 1e-12);
        assert!(damper(Damping::Plain) > 1.0);
    }
}
