//! How near yarns come to each other: the smallest distance between center lines over all periodic copies.
//!
//! Round yarns of radius r touch when their center lines are 2 r apart; nearer, they overlap. Two pieces of one strand
//! count when at least [`NEIGHBOR_ARC`] radii of yarn lie between them: a yarn that bends no tighter than its own radius
//! is 2 r away from itself after half a circle, which is pi r of yarn.

use super::Pattern;
use super::broad_phase::BroadPhase;
use super::strand::Strands;
use crate::Result;
use nalgebra::Vector3;

/// Pieces of one strand with less yarn than this between them, in radii, are neighbors and do not count.
pub const NEIGHBOR_ARC: f64 = std::f64::consts::PI;

/// Two pieces of yarn near each other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Approach {
    /// Distance of the center lines in meters.
    pub distance: f64,
    /// The edges, by the vertices they leave.
    pub edges: [usize; 2],
    /// The second edge is the copy this many periods away.
    pub shift: [i32; 2],
}

/// The nearest approach of yarns to each other; `None` when they keep `reach` meters apart.
///
/// Fails when edges run through more copies of the pattern than can be looked at.
pub fn closest_approach(pattern: &Pattern, reach: f64) -> Result<Option<Approach>> {
    let mut closest: Option<Approach> = None;
    for_each_approach(pattern, reach, |approach| {
        if closest.is_none_or(|c| approach.distance < c.distance) {
            closest = Some(approach);
        }
    })?;
    Ok(closest)
}

/// Visits all pairs of edges nearer than `reach` meters, each once, without neighbors on the same strand.
pub fn for_each_approach(pattern: &Pattern, reach: f64, mut visit: impl FnMut(Approach)) -> Result<()> {
    let strands = Strands::new(pattern);
    let [px, py] = pattern.period();
    let neighbors = NEIGHBOR_ARC * pattern.radius();
    BroadPhase::new(pattern, reach)?.for_each_pair(|a, b, shift| {
        let from = |i: usize| Vector3::from(pattern.vertices()[i].position);
        let along = |i: usize| Vector3::from(pattern.edge_vector(i));
        let copy = from(b) + Vector3::new(px * f64::from(shift[0]), py * f64::from(shift[1]), 0.0);
        let distance = segment_distance(from(a), along(a), copy, along(b));
        if distance < reach && strands.gap(a, b, shift).is_none_or(|gap| gap >= neighbors) {
            visit(Approach { distance, edges: [a, b], shift });
        }
    });
    Ok(())
}

/// The distance between the segments p + s u and q + t v with s and t in [0, 1].
pub fn segment_distance(p: Vector3<f64>, u: Vector3<f64>, q: Vector3<f64>, v: Vector3<f64>) -> f64 {
    let [s, t] = closest_points(p, u, q, v);
    (p + u * s - q - v * t).norm()
}

/// Where the segments p + s u and q + t v come nearest to each other: (s, t), both in [0, 1].
///
/// The squared distance is convex in (s, t): its minimum over the square is the free minimum if that lies inside, and
/// on one of the four sides otherwise. For parallel segments the free minimum is not unique; a side holds one of them.
pub fn closest_points(p: Vector3<f64>, u: Vector3<f64>, q: Vector3<f64>, v: Vector3<f64>) -> [f64; 2] {
    let w = q - p;
    let (uu, vv, uv) = (u.norm_squared(), v.norm_squared(), u.dot(&v));
    let (uw, vw) = (u.dot(&w), v.dot(&w));
    // The best partner of a fixed s or t on the other segment.
    let best_t = |s: f64| ((s * uv - vw) / vv).clamp(0.0, 1.0);
    let best_s = |t: f64| ((t * uv + uw) / uu).clamp(0.0, 1.0);
    let determinant = uu * vv - uv * uv;
    if determinant > 1e-12 * uu * vv {
        let s = (uw * vv - uv * vw) / determinant;
        let t = (uw * uv - uu * vw) / determinant;
        if (0.0..=1.0).contains(&s) && (0.0..=1.0).contains(&t) {
            return [s, t];
        }
    }
    let distance = |[s, t]: &[f64; 2]| (u * *s - w - v * *t).norm_squared();
    let sides = [[0.0, best_t(0.0)], [1.0, best_t(1.0)], [best_s(0.0), 0.0], [best_s(1.0), 1.0]];
    sides.into_iter().min_by(|a, b| distance(a).total_cmp(&distance(b))).unwrap_or([0.0, 0.0])
}

/// The tightest bend of any yarn: the smallest radius of curvature in meters (infinite for straight yarns), and the vertex.
///
/// The radius at a joint is its Voronoi length over 2 tan(phi / 2), phi the angle between its edges.
pub fn tightest_bend(pattern: &Pattern) -> (f64, usize) {
    let bend = |i: usize| {
        let before: Vector3<f64> = pattern.edge_vector(pattern.incoming()[i] as usize).into();
        let after: Vector3<f64> = pattern.edge_vector(i).into();
        let (l0, l1) = (before.norm(), after.norm());
        // tan(phi / 2) = |t0 x t1| / (1 + t0 . t1)
        let tan = before.cross(&after).norm() / (l0 * l1 + before.dot(&after));
        if tan > 0.0 {
            0.5 * (l0 + l1) / (2.0 * tan)
        } else if tan == 0.0 {
            f64::INFINITY
        } else {
            0.0
        }
    };
    let radii = (0..pattern.vertices().len()).map(|i| (bend(i), i));
    radii.min_by(|a, b| a.0.total_cmp(&b.0)).unwrap_or((f64::INFINITY, 0))
}

#[cfg(test)]
mod tests;
