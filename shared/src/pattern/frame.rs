//! What a pattern's file may leave out: shifts, rest lengths, directors and reference twists that follow from the
//! positions.
//!
//! The defaults use additions, multiplications, divisions and square roots only (rounded alike on every machine) except
//! for reference twists, so that a file that relies on them means the same pattern everywhere.

use super::transport::{director_transport, orthonormalized, perpendicular, signed_angle};
use super::{PatternData, Vertex, edge_vector, trace_yarns};
use nalgebra::Vector3;

/// Which values a file states itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Given {
    pub(super) rest_length: bool,
    pub(super) director: bool,
    pub(super) reference_twist: bool,
}

/// The shift that makes an edge shortest: to the copy of `to` nearest to `from`.
pub(super) fn nearest_shift(from: [f64; 3], to: [f64; 3], period: [f64; 2]) -> [i32; 2] {
    // A float turns into the nearest i32, NaN into 0: whatever it is, validation judges the result.
    let nearest = |k: usize| -((to[k] - from[k]) / period[k]).round() as i32;
    [nearest(0), nearest(1)]
}

/// Fills what is not given. Edges must lead to vertices that exist, one into each.
///
/// - Rest lengths: the length of the edge, so that the yarn is unstretched as drawn.
/// - Directors: the first one of each yarn as near to +z as it gets, the others by parallel transport along the yarn.
/// - Reference twists: what the directors turn beyond parallel transport at each joint, in (-pi, pi].
pub(super) fn fill(data: &mut PatternData, given: Given) {
    let edges: Vec<Vector3<f64>> =
        (0..data.vertices.len()).map(|i| edge_vector(data, i, data.vertices[i].edge.shift).into()).collect();
    if !given.rest_length {
        for (v, edge) in data.vertices.iter_mut().zip(&edges) {
            v.rest_length = edge.norm();
        }
    }
    for yarn in trace_yarns(&data.vertices) {
        let order: Vec<usize> = yarn.vertices.iter().map(|v| *v as usize).collect();
        let tangents: Vec<Vector3<f64>> = order.iter().map(|i| edges[*i].normalize()).collect();
        if !given.director {
            transport_directors(&mut data.vertices, &order, &tangents);
        }
        if !given.reference_twist {
            // Transported directors turn at the closing joint only.
            let turning = if given.director { order.len() } else { 1 };
            set_reference_twists(&mut data.vertices, &order, &tangents, turning);
        }
    }
}

fn transport_directors(vertices: &mut [Vertex], order: &[usize], tangents: &[Vector3<f64>]) {
    let mut director = perpendicular(&tangents[0]);
    for (k, i) in order.iter().enumerate() {
        if k > 0 {
            director = orthonormalized(&director_transport(&director, &tangents[k - 1], &tangents[k]), &tangents[k]);
        }
        vertices[*i].reference_director = director.into();
    }
}

/// Reference twists of the first `turning` joints of the yarn; the others are 0.
fn set_reference_twists(vertices: &mut [Vertex], order: &[usize], tangents: &[Vector3<f64>], turning: usize) {
    for (k, i) in order.iter().enumerate() {
        let before = (k + order.len() - 1) % order.len();
        let director: Vector3<f64> = vertices[*i].reference_director.into();
        let earlier: Vector3<f64> = vertices[order[before]].reference_director.into();
        vertices[*i].reference_twist = if k < turning {
            let transported =
                director_transport(&orthonormalized(&earlier, &tangents[before]), &tangents[before], &tangents[k]);
            signed_angle(&transported, &orthonormalized(&director, &tangents[k]), &tangents[k])
        } else {
            0.0
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pattern::Edge;

    /// A helix along x in `n` vertices a turn: a yarn whose frame does not close.
    fn helix(n: usize) -> PatternData {
        let vertex = |i: usize| {
            let turn = std::f64::consts::TAU * i as f64 / n as f64;
            Vertex {
                position: [0.01 * i as f64 / n as f64, 1e-3 * turn.cos(), 1e-3 * turn.sin()],
                twist: 0.0,
                edge: Edge { to: ((i + 1) % n) as u32, shift: [i32::from(i + 1 == n), 0] },
                rest_length: f64::NAN,
                rest_curvature: [0.0; 2],
                rest_twist: 0.0,
                reference_director: [f64::NAN; 3],
                reference_twist: f64::NAN,
            }
        };
        PatternData { period: [0.01, 0.01], radius: 1e-4, vertices: (0..n).map(vertex).collect() }
    }

    #[test]
    fn directors_are_unit_vectors_across_their_edges() {
        let mut data = helix(40);
        fill(&mut data, Given::default());
        for i in 0..40 {
            let v = &data.vertices[i];
            let edge: Vector3<f64> = edge_vector(&data, i, v.edge.shift).into();
            let director: Vector3<f64> = v.reference_director.into();
            assert!((director.norm() - 1.0).abs() < 1e-14);
            assert!(director.dot(&edge).abs() < 1e-14 * edge.norm());
            assert_eq!(v.rest_length, edge.norm());
        }
    }

    #[test]
    fn the_closing_joint_turns_by_the_solid_angle_of_the_tangents() {
        // A helix of pitch angle p: over one turn the transported frame lags by 2 pi (1 - sin p) (Fuller).
        let mut data = helix(2000);
        fill(&mut data, Given::default());
        let circumference = std::f64::consts::TAU * 1e-3;
        let expected = std::f64::consts::TAU * (1.0 - 0.01 / 0.01f64.hypot(circumference));
        let turned = data.vertices[0].reference_twist;
        let wrapped = (turned.abs() - expected).abs().min((turned.abs() + expected - std::f64::consts::TAU).abs());
        assert!(wrapped < 1e-4, "{turned} against {expected}");
        assert!(data.vertices[1..].iter().all(|v| v.reference_twist == 0.0));
    }

    #[test]
    fn reference_twists_of_given_directors_add_up_to_the_same_turn() {
        let mut data = helix(100);
        fill(&mut data, Given::default());
        let closing = data.vertices[0].reference_twist;
        fill(&mut data, Given { director: true, ..Given::default() });
        let sum: f64 = data.vertices.iter().map(|v| v.reference_twist).sum();
        assert!((sum - closing).abs() < 1e-12);
    }

    #[test]
    fn the_shortest_shift_is_found_across_the_border() {
        assert_eq!(nearest_shift([0.9, 0.1, 0.0], [0.05, 0.95, 0.0], [1.0, 1.0]), [1, -1]);
        assert_eq!(nearest_shift([0.4, 0.1, 0.0], [0.6, 0.2, 0.0], [1.0, 1.0]), [0, 0]);
    }
}
