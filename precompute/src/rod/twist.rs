//! Twisting energy of a discrete elastic rod.
//!
//!   E = sum_joints 1/2 (C / l) (m - m0)^2,  m = theta1 - theta0 + reference twist          \[Bergou10\]
//!
//! l = mean rest length of the two edges (m), C = gamma G pi r^4 / 2 twist stiffness (N m^2), m0 = rest twist (radians).
//! The reference twist is the angle from the director of the incoming edge, transported to the outgoing edge, to the
//! director of the outgoing edge. Its derivative is the holonomy of parallel transport, kb / 2|e| for both edges.

use super::bend::add3;
use super::joint::{Joint, JointMatrix, JointVector};

/// Energy of one joint, J; `stiffness` is C / l and `twist` is m.
pub(crate) fn value(twist: f64, stiffness: f64, rest: f64) -> f64 {
    0.5 * stiffness * (twist - rest) * (twist - rest)
}

/// The gradient of the energy.
pub(crate) fn gradient(joint: &Joint, twist: f64, stiffness: f64, rest: f64) -> JointVector {
    twist_gradient(joint) * (stiffness * (twist - rest))
}

/// The second derivatives of the energy.
pub(crate) fn hessian(joint: &Joint, twist: f64, stiffness: f64, rest: f64) -> JointMatrix {
    let g = twist_gradient(joint);
    let mut h = g * g.transpose() * stiffness;
    let factor = stiffness * (twist - rest);
    let kb = joint.binormal;
    let [t0, t1] = joint.tangent;
    let [l0, l1] = joint.length;
    let mean_t = joint.mean_tangent();
    let own = |t: &nalgebra::Vector3<f64>| {
        let a = kb * (t + mean_t).transpose();
        (a + a.transpose()) * -0.25
    };
    let h01 = (t0.cross_matrix() * (2.0 / joint.chi) - kb * mean_t.transpose()) / (2.0 * l0 * l1);
    add3(&mut h, 0, 0, &own(&t0), factor / (l0 * l0));
    add3(&mut h, 3, 3, &own(&t1), factor / (l1 * l1));
    add3(&mut h, 0, 3, &h01, factor);
    add3(&mut h, 3, 0, &h01.transpose(), factor);
    h
}

fn twist_gradient(joint: &Joint) -> JointVector {
    let mut g = JointVector::zeros();
    g.fixed_rows_mut::<3>(0).copy_from(&(joint.binormal / (2.0 * joint.length[0])));
    g.fixed_rows_mut::<3>(3).copy_from(&(joint.binormal / (2.0 * joint.length[1])));
    g[6] = -1.0;
    g[7] = 1.0;
    g
}
