//! Over and under: where yarns cross when the fabric is looked at from the front (against z).
//!
//! The crossings of all strands, with the one above and the sense of each, are the fabric's *diagram*: two patterns with
//! the same diagram can be deformed into each other without a yarn passing through another.

use super::Pattern;
use super::broad_phase::BroadPhase;
use crate::Result;
use nalgebra::Vector2;

/// Vertices are moved by this fraction of the radius before the projection: no crossing then falls exactly on a vertex,
/// where it would be found twice or not at all.
const GENERIC: f64 = 1e-6;

/// A place where two edges cross in the projection to the xy plane.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Crossing {
    /// The edge above (larger z) and the edge below, by the vertices they leave.
    pub edges: [usize; 2],
    /// Where on each of them: 0 at its beginning, 1 at its end.
    pub at: [f64; 2],
    /// The edge below is the copy this many periods away.
    pub shift: [i32; 2],
    /// Sense of the crossing: +1 when the upper strand must turn counter-clockwise to run along the lower one (seen from
    /// the front, by less than half a turn), -1 otherwise.
    pub sign: i8,
    /// Height of the upper center line above the lower one, meters.
    pub height: f64,
}

/// All crossings, each once: copies of one crossing in other cells are the same crossing.
///
/// Fails when edges run through more copies of the pattern than can be looked at.
pub fn crossings(pattern: &Pattern) -> Result<Vec<Crossing>> {
    let [px, py] = pattern.period();
    let reach = 2.0 * GENERIC * pattern.radius();
    let place = |i: usize, shift: [i32; 2]| {
        let p = pattern.vertices()[i].position;
        let offset = Vector2::new(px * f64::from(shift[0]), py * f64::from(shift[1]));
        Vector2::new(p[0], p[1]) + offset + nudge(i) * (GENERIC * pattern.radius())
    };
    let ends = |i: usize, shift: [i32; 2]| {
        let edge = pattern.vertices()[i].edge;
        let begin = place(i, shift);
        (begin, place(edge.to as usize, [shift[0] + edge.shift[0], shift[1] + edge.shift[1]]) - begin)
    };
    let height = |i: usize, at: f64| pattern.vertices()[i].position[2] + at * pattern.edge_vector(i)[2];
    let mut found = Vec::new();
    BroadPhase::new(pattern, reach)?.for_each_pair(|a, b, shift| {
        let ((p, u), (q, v)) = (ends(a, [0, 0]), ends(b, shift));
        let Some([s, t]) = intersection(p, u, q, v) else { return };
        if share_a_vertex(pattern, a, b, shift) {
            return;
        }
        let above = height(a, s) - height(b, t);
        let turn = if u.perp(&v) > 0.0 { 1 } else { -1 };
        found.push(if above >= 0.0 {
            Crossing { edges: [a, b], at: [s, t], shift, sign: turn, height: above }
        } else {
            Crossing { edges: [b, a], at: [t, s], shift: shift.map(|s| -s), sign: -turn, height: -above }
        });
    });
    // Bins decide the order in which pairs are met; callers shall not notice them.
    found.sort_by_key(|c| (c.edges, c.shift));
    Ok(found)
}

/// Edges that follow one another on a strand meet in their vertex, which is not a crossing.
fn share_a_vertex(pattern: &Pattern, a: usize, b: usize, shift: [i32; 2]) -> bool {
    let follows = |first: usize, second: usize, shift: [i32; 2]| {
        let edge = pattern.vertices()[first].edge;
        edge.to as usize == second && edge.shift == shift
    };
    follows(a, b, shift) || follows(b, a, shift.map(|s| -s))
}

/// Where the segments p + s u and q + t v intersect, both parameters in [0, 1).
fn intersection(p: Vector2<f64>, u: Vector2<f64>, q: Vector2<f64>, v: Vector2<f64>) -> Option<[f64; 2]> {
    let determinant = u.perp(&v);
    if determinant == 0.0 {
        return None;
    }
    let at = [(q - p).perp(&v) / determinant, (q - p).perp(&u) / determinant];
    at.iter().all(|x| (0.0..1.0).contains(x)).then_some(at)
}

/// A direction for each vertex that has nothing to do with the pattern's symmetry: the golden angle times its number.
fn nudge(vertex: usize) -> Vector2<f64> {
    const GOLDEN_ANGLE: f64 = 2.399_963_229_728_653;
    let (sin, cos) = (GOLDEN_ANGLE * (vertex as f64 + 0.5)).sin_cos();
    Vector2::new(cos, sin)
}

#[cfg(test)]
mod tests;
