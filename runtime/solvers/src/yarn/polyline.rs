//! Center lines of the yarns with their crimp, as polylines: for drawing, for curves of other programs, for measures.
//!
//! Each yarn is a cubic through its crimped points with the slopes of Catmull and Rom,
//!
//!   p'(s_i) = (p_{i+1} − p_{i−1}) / (s_{i+1} − s_{i−1}),
//!
//! over the arc coordinate s: equal rest lengths give the common Catmull-Rom spline, and a crossing that slid close to its
//! neighbor makes no loop. Directors are carried along each yarn by parallel transport.

use super::crossing::crimped;
use super::model::{Family, Slot, Weave};
use super::state::State;
use nalgebra::Vector3;
use rayon::prelude::*;
use yarnwise_shared::pattern::transport::{orthonormalized, parallel_transport};

/// Center lines of all yarns, yarn after yarn, each in order along it.
#[derive(Clone, Debug, Default)]
pub struct CenterLines {
    /// Where each yarn begins among the points, and after the last one the number of points.
    pub starts: Vec<u32>,
    /// What each yarn is in the cloth.
    pub families: Vec<Family>,
    /// The points.
    pub points: Vec<CenterPoint>,
}

/// A point of a center line.
#[derive(Clone, Copy, Debug)]
pub struct CenterPoint {
    /// Meters.
    pub position: Vector3<f64>,
    /// Unit vector across the edge that leaves the point; that of the last edge at a yarn's last point.
    pub director: Vector3<f64>,
    /// Arc coordinate, meters.
    pub arc: f64,
    /// The node at the point or before it.
    pub node: u32,
    /// The yarn's slot at that node.
    pub slot: Slot,
    /// How far the point is from that node to the next one, 0 to 1.
    pub share: f32,
}

impl CenterLines {
    /// The center lines of a state, with `per_segment` points (at least 1) on each segment, its first node included.
    pub fn of(weave: &Weave, state: &State, per_segment: usize) -> Self {
        let per_segment = per_segment.max(1);
        let yarns = 0..weave.yarns.len();
        let lines: Vec<_> =
            yarns.into_par_iter().with_min_len(8).map(|yarn| line(weave, state, yarn, per_segment)).collect();
        let mut all = CenterLines { starts: vec![0], ..CenterLines::default() };
        all.points.reserve(lines.iter().map(Vec::len).sum());
        for (yarn, points) in lines.iter().enumerate() {
            all.points.extend_from_slice(points);
            all.starts.push(all.points.len() as u32);
            all.families.push(weave.yarns[yarn].family);
        }
        all
    }

    /// The points of one yarn.
    pub fn yarn(&self, yarn: usize) -> &[CenterPoint] {
        &self.points[self.starts[yarn] as usize..self.starts[yarn + 1] as usize]
    }

    /// Number of yarns.
    pub fn yarn_count(&self) -> usize {
        self.families.len()
    }
}

/// A crimped point of a yarn and its arc coordinate.
#[derive(Clone, Copy)]
struct Knot {
    node: usize,
    slot: Slot,
    arc: f64,
    at: Vector3<f64>,
}

fn line(weave: &Weave, state: &State, yarn: usize, per_segment: usize) -> Vec<CenterPoint> {
    let knot = |(node, slot): (usize, Slot)| {
        let (arc, at) = (state.arcs[node][slot.index()], crimped(weave, state, node, slot));
        Knot { node, slot, arc, at }
    };
    let knots: Vec<_> = weave.along(yarn).map(knot).collect();
    let mut points = Vec::with_capacity(knots.len() * per_segment);
    for i in 0..knots.len() {
        let last = i + 1 == knots.len();
        for k in 0..if last { 1 } else { per_segment } {
            points.push(point(&knots, i, k as f64 / per_segment as f64));
        }
    }
    transport(&mut points, state);
    points
}

/// The point at a share of the way from knot i to the next one; its director is not known yet.
fn point(knots: &[Knot], i: usize, share: f64) -> CenterPoint {
    let (a, b) = (&knots[i], &knots[(i + 1).min(knots.len() - 1)]);
    let length = b.arc - a.arc;
    let (t, u) = (share, 1.0 - share);
    let position = match share {
        0.0 => a.at,
        _ => {
            let (ma, mb) = (slope(knots, i) * length, slope(knots, i + 1) * length);
            a.at * ((1.0 + 2.0 * t) * u * u) + ma * (t * u * u) + b.at * (t * t * (3.0 - 2.0 * t)) - mb * (t * t * u)
        }
    };
    CenterPoint {
        position,
        director: Vector3::zeros(),
        arc: a.arc + t * length,
        node: a.node as u32,
        slot: a.slot,
        share: share as f32,
    }
}

/// dp/ds at a knot, without unit.
fn slope(knots: &[Knot], i: usize) -> Vector3<f64> {
    let (before, after) = (&knots[i.saturating_sub(1)], &knots[(i + 1).min(knots.len() - 1)]);
    (after.at - before.at) / (after.arc - before.arc)
}

/// Sets directors: the first one near the front normal of the yarn's first crossing, the others by parallel transport.
fn transport(points: &mut [CenterPoint], state: &State) {
    let edge = |points: &[CenterPoint], i: usize| {
        let next = points.get(i + 1)?.position;
        (next - points[i].position).try_normalize(1e-15)
    };
    let mut tangent = (0..points.len()).find_map(|i| edge(points, i)).unwrap_or(Vector3::x());
    let second = points.iter().find(|p| Some(p.node) != points.first().map(|f| f.node));
    let front = second.map_or(Vector3::z(), |p| state.normals[p.node as usize]);
    let mut director = orthonormalized(&front, &tangent);
    for i in 0..points.len() {
        let next = edge(points, i).unwrap_or(tangent);
        director = orthonormalized(&parallel_transport(&director, &tangent, &next), &next);
        points[i].director = director;
        tangent = next;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::yarn::YarnMaterial;
    use crate::yarn::crossing::update_normals;
    use crate::yarn::model::Sheet;
    use yarnwise_shared::pattern::weave::Draft;

    fn sheet(bend: bool) -> (Sheet, Weave, State) {
        let sheet = Sheet::new(6, 9, Draft::preset("plain").unwrap(), YarnMaterial::default());
        let mut weave = sheet.weave().unwrap();
        if bend {
            // On a cylinder of radius 10 mm about the x axis, and pulled out of symmetry.
            for p in &mut weave.positions {
                let angle = p.y / 0.01;
                *p = Vector3::new(p.x + 0.2 * p.y, 0.01 * angle.sin(), 0.01 * angle.cos());
            }
        }
        let mut state = State::at_rest(&weave);
        update_normals(&weave, &mut state);
        (sheet, weave, state)
    }

    #[test]
    fn lines_pass_through_the_crimped_points_in_order() {
        let (sheet, weave, state) = sheet(true);
        let lines = CenterLines::of(&weave, &state, 4);
        assert_eq!(lines.yarn_count(), 15);
        assert_eq!(lines.starts.last().copied(), Some(lines.points.len() as u32));
        assert_eq!(lines.yarn(2).len(), 4 * 10 + 1);
        for yarn in 0..lines.yarn_count() {
            let points = lines.yarn(yarn);
            assert!(points.windows(2).all(|w| w[1].arc > w[0].arc));
            for p in points.iter().filter(|p| p.share == 0.0) {
                let expected = crimped(&weave, &state, p.node as usize, p.slot);
                assert!((p.position - expected).norm() < 1e-15);
            }
        }
        // Over one, under one: a warp's neighbors are on other sides of the sheet.
        let (_, flat, rest) = self::sheet(false);
        let lines = CenterLines::of(&flat, &rest, 1);
        let heights: Vec<f64> = lines.yarn(0)[1..=sheet.wefts].iter().map(|p| p.position.z).collect();
        let r = flat.material.radius;
        assert!(
            heights.windows(2).all(|w| (w[0] + w[1]).abs() < 1e-12 && (w[0].abs() - r).abs() < 1e-12),
            "{heights:?}"
        );
    }

    #[test]
    fn between_points_the_line_is_smooth_and_straight_yarns_stay_straight() {
        let (_, weave, state) = sheet(false);
        let lines = CenterLines::of(&weave, &state, 16);
        for yarn in 0..lines.yarn_count() {
            for w in lines.yarn(yarn).windows(3) {
                let [a, b] = [w[1].position - w[0].position, w[2].position - w[1].position];
                assert!(a.angle(&b) < 0.2, "a kink of {} at {}", a.angle(&b), w[1].arc);
                let across = if lines.families[yarn] == Family::Warp { 0 } else { 1 };
                assert!(a[across].abs() < 1e-12);
            }
        }
    }

    #[test]
    fn directors_lie_across_and_do_not_twist() {
        let (_, weave, state) = sheet(true);
        let lines = CenterLines::of(&weave, &state, 5);
        for yarn in 0..lines.yarn_count() {
            let points = lines.yarn(yarn);
            let tangents: Vec<_> = points.windows(2).map(|w| (w[1].position - w[0].position).normalize()).collect();
            for (i, t) in tangents.iter().enumerate() {
                assert!(points[i].director.dot(t).abs() < 1e-9 && (points[i].director.norm() - 1.0).abs() < 1e-9);
            }
            for i in 1..tangents.len() {
                let carried = parallel_transport(&points[i - 1].director, &tangents[i - 1], &tangents[i]);
                assert!((carried - points[i].director).norm() < 1e-9);
            }
        }
    }
}
