//! The pattern prepared for tiling: rectangular, with directors across their edges.

use yarnwise_shaders::gpu::PatternVertex;
use yarnwise_shared::pattern::Pattern;

/// A pattern whose vertices all lie in one rectangle [pivot, pivot + period).
///
/// Files may have vertices a period away from the others; where a vertex moves by whole periods, the shifts of its two
/// edges move with it.
pub(super) struct Rectangle {
    pub(super) period: [f64; 2],
    /// Lower left corner of the rectangle.
    pub(super) pivot: [f64; 2],
    /// (X1, X2) of each vertex.
    pub(super) positions: Vec<[f64; 2]>,
    /// Where the outgoing edge of each vertex leads, and by how many periods it is shifted.
    pub(super) edges: Vec<(u32, [i32; 2])>,
    pub(super) rest_lengths: Vec<f64>,
    pub(super) radius: f64,
    /// For each vertex: it is on a yarn that closes without a shift.
    pub(super) ring: Vec<bool>,
}

impl Rectangle {
    pub(super) fn new(pattern: &Pattern) -> Self {
        Self::rounded(pattern, |v| v)
    }

    /// With every number, intermediate ones included, rounded by `number`.
    pub(super) fn rounded(pattern: &Pattern, number: fn(f64) -> f64) -> Self {
        let period = pattern.period().map(number);
        let mut positions: Vec<[f64; 2]> =
            pattern.vertices().iter().map(|v| [number(v.position[0]), number(v.position[1])]).collect();
        let mut edges: Vec<(u32, [i32; 2])> = pattern.vertices().iter().map(|v| (v.edge.to, v.edge.shift)).collect();
        let pivot = [0, 1].map(|k| positions.iter().map(|p| p[k]).fold(f64::INFINITY, f64::min));
        for v in 0..positions.len() {
            for k in 0..2 {
                let periods = number(number(positions[v][k] - pivot[k]) / period[k]).floor();
                if periods != 0.0 {
                    positions[v][k] = number(positions[v][k] - number(periods * period[k]));
                    edges[pattern.incoming()[v] as usize].1[k] += periods as i32;
                    edges[v].1[k] -= periods as i32;
                }
            }
        }
        let mut ring = vec![false; positions.len()];
        for yarn in pattern.yarns().iter().filter(|y| y.shift == [0, 0]) {
            for v in &yarn.vertices {
                ring[*v as usize] = true;
            }
        }
        let rest_lengths = pattern.vertices().iter().map(|v| number(v.rest_length)).collect();
        Rectangle { period, pivot, positions, edges, rest_lengths, radius: number(pattern.radius()), ring }
    }
}

/// The records that all copies of a vertex share.
pub(super) fn records(pattern: &Pattern) -> Vec<PatternVertex> {
    (0..pattern.vertices().len()).map(|i| record(pattern, i, director(pattern, i))).collect()
}

/// The record of a vertex with this director.
pub(super) fn record(pattern: &Pattern, vertex: usize, director: [f32; 3]) -> PatternVertex {
    let v = &pattern.vertices()[vertex];
    PatternVertex {
        height: v.position[2] as f32,
        twist: v.twist as f32,
        rest_length: v.rest_length as f32,
        table_vertex: vertex as u32,
        director,
        padding: 0.0,
    }
}

/// The yarn of each vertex.
pub(super) fn yarns(pattern: &Pattern) -> Vec<u32> {
    let mut of_vertex = vec![0; pattern.vertices().len()];
    for (i, yarn) in pattern.yarns().iter().enumerate() {
        for v in &yarn.vertices {
            of_vertex[*v as usize] = i as u32;
        }
    }
    of_vertex
}

/// The reference director without its part along the edge, unit length.
fn director(pattern: &Pattern, vertex: usize) -> [f32; 3] {
    let d = pattern.vertices()[vertex].reference_director;
    without(d, pattern.edge_vector(vertex)).unwrap_or(d).map(|c| c as f32)
}

/// d without its part along `axis`, unit length; none where nothing is left.
pub(super) fn without(d: [f64; 3], axis: [f64; 3]) -> Option<[f64; 3]> {
    let dot = |a: [f64; 3], b: [f64; 3]| a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    let along = dot(d, axis) / dot(axis, axis);
    let rest: [f64; 3] = std::array::from_fn(|k| d[k] - along * axis[k]);
    let length = dot(rest, rest).sqrt();
    (length > 1e-6).then(|| rest.map(|c| c / length))
}
