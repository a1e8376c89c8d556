//! From triangle to triangle of one island, toward a point of the material plane.
//!
//! Used in stage `yarns` by a displaced vertex that has left its triangle, and by the layout for segments.

use crate::gpu::FaceChart;
use crate::gpu::constants::{NONE, WALK_STEPS, WALK_TOLERANCE};

/// Walks from `face` toward the point with its barycentrics (b, c); gives the face reached and (b, c) there.
///
/// Each step crosses the edge that the point is farthest beyond and that has a neighbor. Where the walk ends at the
/// island's border, the point keeps barycentrics outside of [0, 1]: the border triangle is continued.
pub fn walk(charts: &[FaceChart], mut face: u32, mut b: f32, mut c: f32) -> (u32, f32, f32) {
    let mut from = NONE;
    for _ in 0..WALK_STEPS {
        let chart = &charts[face as usize];
        let Some(next) = exit(chart, from, b, c) else { break };
        from = face;
        (b, c) = transfer(chart, &charts[next as usize], b, c);
        face = next;
    }
    (face, b, c)
}

/// The neighbor to step into, if the point is outside and there is one; never back to `from`.
fn exit(chart: &FaceChart, from: u32, b: f32, c: f32) -> Option<u32> {
    // Edge 0 (corners 0, 1) is opposite to corner 2, and so on.
    let beyond = [c, 1.0 - b - c, b];
    let mut best = None;
    let mut least = -WALK_TOLERANCE;
    for edge in 0..3 {
        let neighbor = chart.neighbors[edge];
        if beyond[edge] < least && neighbor != NONE && neighbor != from {
            least = beyond[edge];
            best = Some(neighbor);
        }
    }
    best
}

/// Barycentrics of the same point in a neighboring face of the same island.
fn transfer(from: &FaceChart, to: &FaceChart, b: f32, c: f32) -> (f32, f32) {
    let [e1x, e1y, e2x, e2y] = from.edges;
    let x = e1x * b + e2x * c + (from.origin[0] - to.origin[0]);
    let y = e1y * b + e2y * c + (from.origin[1] - to.origin[1]);
    let [i11, i12, i21, i22] = to.inverse;
    (i11 * x + i12 * y, i21 * x + i22 * y)
}
