//! The joint of two consecutive edges: what bend and twist share.

use super::frame::material_directors;
use nalgebra::{SMatrix, SVector, Vector3};

/// Derivatives by (e0, e1, theta0, theta1): incoming edge, outgoing edge and their twists.
pub(crate) type JointVector = SVector<f64, 8>;

/// Second derivatives by the same.
pub(crate) type JointMatrix = SMatrix<f64, 8, 8>;

/// One edge with its frame, as a joint sees it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FramedEdge {
    /// Length, m.
    pub length: f64,
    /// Unit tangent.
    pub tangent: Vector3<f64>,
    /// Reference director d1, a unit vector across the edge.
    pub director: Vector3<f64>,
    /// Twist angle, radians.
    pub twist: f64,
}

/// Two edges that meet at a vertex.
#[derive(Clone, Debug)]
pub(crate) struct Joint {
    /// Lengths of incoming and outgoing edge, m.
    pub length: [f64; 2],
    /// Their tangents.
    pub tangent: [Vector3<f64>; 2],
    /// Their material directors m1.
    pub m1: [Vector3<f64>; 2],
    /// Their material directors m2.
    pub m2: [Vector3<f64>; 2],
    /// Curvature binormal, kappa b = 2 t0 x t1 / (1 + t0.t1).
    pub binormal: Vector3<f64>,
    /// 1 + t0.t1.
    pub chi: f64,
}

impl Joint {
    /// The joint of `incoming` and `outgoing`. Invalid (infinite) when the yarn folds back by half a turn.
    pub(crate) fn new(incoming: &FramedEdge, outgoing: &FramedEdge) -> Self {
        let chi = 1.0 + incoming.tangent.dot(&outgoing.tangent);
        let [m1_in, m2_in] = material_directors(&incoming.director, &incoming.tangent, incoming.twist);
        let [m1_out, m2_out] = material_directors(&outgoing.director, &outgoing.tangent, outgoing.twist);
        Joint {
            length: [incoming.length, outgoing.length],
            tangent: [incoming.tangent, outgoing.tangent],
            m1: [m1_in, m1_out],
            m2: [m2_in, m2_out],
            binormal: incoming.tangent.cross(&outgoing.tangent) * (2.0 / chi),
            chi,
        }
    }

    /// (t0 + t1) / chi.
    pub(super) fn mean_tangent(&self) -> Vector3<f64> {
        (self.tangent[0] + self.tangent[1]) / self.chi
    }
}
