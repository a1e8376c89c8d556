//! Derivatives of the rod energies against central differences, with frames that follow their edges.

use super::joint::{FramedEdge, Joint, JointMatrix, JointVector};
use super::{bend, stretch, twist};
use nalgebra::{SVector, Vector3};
use yarnwise_shared::pattern::transport::{orthonormalized, parallel_transport, signed_angle};

/// A joint whose directors are carried from a reference configuration, as the solver does within one step.
struct Sample {
    at: JointVector,
    director: [Vector3<f64>; 2],
}

const REST_CURVATURE: [f64; 2] = [0.2, -0.3];
const REST_TWIST: f64 = 0.1;

impl Sample {
    fn new() -> Self {
        let at = JointVector::from_column_slice(&[1.1, 0.2, -0.3, 0.7, 0.9, 0.4, 0.35, -0.6]);
        let tangents = [0, 3].map(|i| at.fixed_rows::<3>(i).normalize());
        let director = [
            orthonormalized(&Vector3::new(0.1, 0.2, 1.0), &tangents[0]),
            orthonormalized(&Vector3::new(-0.4, 0.1, 0.6), &tangents[1]),
        ];
        Sample { at, director }
    }

    fn joint(&self, q: &JointVector) -> (Joint, f64) {
        let edge = |side: usize| {
            let reference = self.at.fixed_rows::<3>(3 * side).normalize();
            let vector: Vector3<f64> = q.fixed_rows::<3>(3 * side).into();
            let tangent = vector.normalize();
            FramedEdge {
                length: vector.norm(),
                tangent,
                director: parallel_transport(&self.director[side], &reference, &tangent),
                twist: q[6 + side],
            }
        };
        let (a, b) = (edge(0), edge(1));
        let carried = parallel_transport(&a.director, &a.tangent, &b.tangent);
        (Joint::new(&a, &b), b.twist - a.twist + signed_angle(&carried, &b.director, &b.tangent))
    }

    fn bend(&self, q: &JointVector) -> f64 {
        bend::value(&self.joint(q).0, 1.7, REST_CURVATURE)
    }

    fn twist(&self, q: &JointVector) -> f64 {
        twist::value(self.joint(q).1, 1.3, REST_TWIST)
    }
}

fn unit(i: usize, step: f64) -> JointVector {
    let mut v = JointVector::zeros();
    v[i] = step;
    v
}

fn differences(f: &dyn Fn(&JointVector) -> f64, at: &JointVector, h: f64) -> (JointVector, JointMatrix) {
    let g = SVector::from_fn(|i, _| (f(&(at + unit(i, h))) - f(&(at - unit(i, h)))) / (2.0 * h));
    let second = |i: usize, j: usize| {
        let (a, b) = (unit(i, h), unit(j, h));
        (f(&(at + a + b)) - f(&(at + a - b)) - f(&(at - a + b)) + f(&(at - a - b))) / (4.0 * h * h)
    };
    (g, JointMatrix::from_fn(second))
}

/// The error falls with the square of the step as long as rounding does not show: both steps must agree.
fn check(f: &dyn Fn(&JointVector) -> f64, gradient: JointVector, hessian: JointMatrix) {
    let at = Sample::new().at;
    assert!(gradient.norm() > 0.1 && hessian.norm() > 0.1, "a test of zero proves nothing");
    for h in [1e-2, 3e-3, 1e-3] {
        let (g, second) = differences(f, &at, h);
        assert!((g - gradient).norm() < 5.0 * h * h * gradient.norm(), "step {h}: {} {}", g, gradient);
        assert!((second - hessian).norm() < 20.0 * h * h * hessian.norm(), "step {h}: {}", second - hessian);
    }
    let wrong = hessian + JointMatrix::identity() * (1e-3 * hessian.norm());
    assert!((differences(f, &at, 1e-3).1 - wrong).norm() > 1e-3 * hessian.norm(), "a wrong one is found");
}

#[test]
fn bend_derivatives_agree_with_differences() {
    let s = Sample::new();
    let joint = s.joint(&s.at).0;
    check(&|q| s.bend(q), bend::gradient(&joint, 1.7, REST_CURVATURE), bend::hessian(&joint, 1.7, REST_CURVATURE));
}

#[test]
fn twist_derivatives_agree_with_differences() {
    let s = Sample::new();
    let (joint, m) = s.joint(&s.at);
    check(&|q| s.twist(q), twist::gradient(&joint, m, 1.3, REST_TWIST), twist::hessian(&joint, m, 1.3, REST_TWIST));
}

#[test]
fn stretch_derivatives_agree_with_differences() {
    let s = Sample::new();
    let f = |q: &JointVector| stretch::value(2.0, q.fixed_rows::<3>(0).norm(), 0.9);
    let vector: Vector3<f64> = s.at.fixed_rows::<3>(0).into();
    let (l, t) = (vector.norm(), vector.normalize());
    let mut g = JointVector::zeros();
    g.fixed_rows_mut::<3>(0).copy_from(&stretch::gradient(2.0, l, 0.9, &t));
    let mut h = JointMatrix::zeros();
    h.fixed_view_mut::<3, 3>(0, 0).copy_from(&stretch::hessian(2.0, l, 0.9, &t));
    check(&f, g, h);
}
