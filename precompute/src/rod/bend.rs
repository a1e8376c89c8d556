//! Bending energy of a discrete elastic rod.
//!
//!   E = sum_joints 1/2 (B / l) |kappa - kappa0|^2          \[Bergou10\]
//!   kappa1 = 1/2 kb.(m2_0 + m2_1),  kappa2 = -1/2 kb.(m1_0 + m1_1),  kb = 2 t0 x t1 / (1 + t0.t1)
//!
//! l = mean rest length of the two edges (m), B = gamma E pi r^4 / 4 bend stiffness (N m^2), kappa0 = rest curvature, m1 and
//! m2 the material directors of both edges. Derivatives are taken with directors that follow their edge by parallel
//! transport. Invalid when an edge folds by half a turn; the step bound of the solver keeps away from it.

use super::joint::{Joint, JointMatrix, JointVector};
use nalgebra::{Matrix3, Vector3};

/// Curvature of the joint in the material frame, (kappa1, kappa2).
pub(crate) fn curvature(joint: &Joint) -> [f64; 2] {
    let half = joint.binormal * 0.5;
    [half.dot(&(joint.m2[0] + joint.m2[1])), -half.dot(&(joint.m1[0] + joint.m1[1]))]
}

/// Energy of one joint, J; `stiffness` is B / l.
pub(crate) fn value(joint: &Joint, stiffness: f64, rest: [f64; 2]) -> f64 {
    let kappa = curvature(joint);
    0.5 * stiffness * ((kappa[0] - rest[0]).powi(2) + (kappa[1] - rest[1]).powi(2))
}

/// The gradient of the energy.
pub(crate) fn gradient(joint: &Joint, stiffness: f64, rest: [f64; 2]) -> JointVector {
    let kappa = curvature(joint);
    let [g1, g2] = curvature_gradients(joint, kappa);
    g1 * (stiffness * (kappa[0] - rest[0])) + g2 * (stiffness * (kappa[1] - rest[1]))
}

/// The second derivatives of the energy.
pub(crate) fn hessian(joint: &Joint, stiffness: f64, rest: [f64; 2]) -> JointMatrix {
    let kappa = curvature(joint);
    let [g1, g2] = curvature_gradients(joint, kappa);
    let mut h = (g1 * g1.transpose() + g2 * g2.transpose()) * stiffness;
    // kappa2 is kappa1 of the frame turned by a quarter: m2 becomes -m1, m1 becomes m2.
    add_curvature_hessian(&mut h, joint, kappa[0], &joint.m1, &joint.m2, stiffness * (kappa[0] - rest[0]));
    let minus_m1 = [-joint.m1[0], -joint.m1[1]];
    add_curvature_hessian(&mut h, joint, kappa[1], &joint.m2, &minus_m1, stiffness * (kappa[1] - rest[1]));
    h
}

fn curvature_gradients(joint: &Joint, kappa: [f64; 2]) -> [JointVector; 2] {
    let minus_m1 = [-joint.m1[0], -joint.m1[1]];
    [
        curvature_gradient(joint, kappa[0], &joint.m1, &joint.m2),
        curvature_gradient(joint, kappa[1], &joint.m2, &minus_m1),
    ]
}

/// Gradient of k = 1/2 kb.(n_0 + n_1), where the directors (m, n) turn with theta as dn/dtheta = -m.
fn curvature_gradient(joint: &Joint, k: f64, m: &[Vector3<f64>; 2], n: &[Vector3<f64>; 2]) -> JointVector {
    let mean_t = joint.mean_tangent();
    let mean_n = (n[0] + n[1]) / joint.chi;
    let by_e0 = (joint.tangent[1].cross(&mean_n) - mean_t * k) / joint.length[0];
    let by_e1 = (-joint.tangent[0].cross(&mean_n) - mean_t * k) / joint.length[1];
    let half = joint.binormal * -0.5;
    let mut g = JointVector::zeros();
    g.fixed_rows_mut::<3>(0).copy_from(&by_e0);
    g.fixed_rows_mut::<3>(3).copy_from(&by_e1);
    g[6] = half.dot(&m[0]);
    g[7] = half.dot(&m[1]);
    g
}

/// Adds `factor` times the second derivatives of k = 1/2 kb.(n_0 + n_1).
///
/// The part in the edge vectors follows from the derivatives of t = e / |e|, of 1 / chi, and of a director under
/// parallel transport: n(t + d) = n - (n.d) (t + d / 2) to second order.
fn add_curvature_hessian(
    h: &mut JointMatrix,
    joint: &Joint,
    k: f64,
    m: &[Vector3<f64>; 2],
    n: &[Vector3<f64>; 2],
    factor: f64,
) {
    let [t0, t1] = joint.tangent;
    let [l0, l1] = joint.length;
    let chi = joint.chi;
    let mean_t = joint.mean_tangent();
    let mean_n = (n[0] + n[1]) / chi;
    let (c0, c1) = (t1.cross(&mean_n), -t0.cross(&mean_n));
    let outer = mean_t * mean_t.transpose() * (2.0 * k);
    let symmetric = |a: &Vector3<f64>, b: &Vector3<f64>| a * b.transpose() + b * a.transpose();
    let own = |c: &Vector3<f64>, t: &Vector3<f64>, n: &Vector3<f64>| {
        outer - symmetric(c, &mean_t) - (Matrix3::identity() - t * t.transpose()) * (k / chi)
            + symmetric(&joint.binormal, n) * 0.25
    };
    let h00 = own(&c0, &t0, &n[0]) / (l0 * l0);
    let h11 = own(&c1, &t1, &n[1]) / (l1 * l1);
    let h01 = (outer
        - c0 * mean_t.transpose()
        - mean_t * c1.transpose()
        - mean_n.cross_matrix()
        - (Matrix3::identity() + t0 * t1.transpose()) * (k / chi))
        / (l0 * l1);
    add3(h, 0, 0, &h00, factor);
    add3(h, 3, 3, &h11, factor);
    add3(h, 0, 3, &h01, factor);
    add3(h, 3, 0, &h01.transpose(), factor);
    for side in 0..2 {
        let along = joint.binormal.dot(&m[side]) * 0.5;
        let by_e0 = (mean_t * along - t1.cross(&m[side]) / chi) * (factor / l0);
        let by_e1 = (mean_t * along + t0.cross(&m[side]) / chi) * (factor / l1);
        for c in 0..3 {
            h[(c, 6 + side)] += by_e0[c];
            h[(6 + side, c)] += by_e0[c];
            h[(3 + c, 6 + side)] += by_e1[c];
            h[(6 + side, 3 + c)] += by_e1[c];
        }
        h[(6 + side, 6 + side)] -= factor * 0.5 * joint.binormal.dot(&n[side]);
    }
}

pub(super) fn add3(h: &mut JointMatrix, row: usize, column: usize, block: &Matrix3<f64>, factor: f64) {
    for c in 0..3 {
        for r in 0..3 {
            h[(row + r, column + c)] += factor * block[(r, c)];
        }
    }
}
