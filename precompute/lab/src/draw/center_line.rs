//! Smooth center lines through the vertices, with a frame for the plies.

use super::Yarns;
use nalgebra::Vector3;

/// A point of a yarn's center line.
#[derive(Clone, Copy, Debug)]
pub(super) struct Point {
    /// Meters.
    pub(super) position: Vector3<f64>,
    /// Unit vector along the yarn.
    pub(super) tangent: Vector3<f64>,
    /// A unit vector across the yarn from which the plies are counted; turns with them.
    pub(super) director: Vector3<f64>,
    /// The vertex before it.
    pub(super) vertex: usize,
    /// How far to the next vertex: 0 to 1.
    pub(super) between: f64,
}

/// A turn of the plies takes this many radii of yarn.
const PLY_PITCH: f64 = 14.0;

/// The center line of a yarn once around, `fine` points for each edge, and its end, which the next round begins with.
pub(super) fn center_line(yarns: &Yarns<'_>, yarn: usize, fine: usize) -> Vec<Point> {
    let order = &yarns.pattern.yarns()[yarn].vertices;
    let places = unrolled(yarns, yarn);
    let n = order.len();
    let point = |k: usize, step: usize| {
        // The places begin one vertex before the first.
        let between = step as f64 / fine as f64;
        let [position, velocity] = catmull_rom([places[k], places[k + 1], places[k + 2], places[k + 3]], between);
        Point {
            position,
            tangent: velocity.try_normalize(0.0).unwrap_or_else(Vector3::x),
            director: Vector3::z(),
            vertex: order[k] as usize,
            between,
        }
    };
    let mut points: Vec<Point> =
        (0..n).flat_map(|k| (0..fine).map(move |step| (k, step))).map(|(k, s)| point(k, s)).collect();
    points.push(Point { position: places[n + 1], ..points[0] });
    set_directors(&mut points, yarns.pattern.radius());
    points
}

/// The places of a yarn's vertices one after another across cell borders: the last one before the first round, the
/// round, and the first two of the next round.
fn unrolled(yarns: &Yarns<'_>, yarn: usize) -> Vec<Vector3<f64>> {
    let order = &yarns.pattern.yarns()[yarn].vertices;
    let offset = |shift: [i32; 2]| {
        let [a, b] = yarns.lattice.map(|l| Vector3::new(l[0], l[1], 0.0));
        a * f64::from(shift[0]) + b * f64::from(shift[1])
    };
    let mut places = Vec::with_capacity(order.len() + 3);
    let last = order[order.len() - 1] as usize;
    places.push(Vector3::from(yarns.positions[last]) - offset(yarns.pattern.vertices()[last].edge.shift));
    let mut cell = [0, 0];
    for k in 0..order.len() + 2 {
        let vertex = order[k % order.len()] as usize;
        places.push(Vector3::from(yarns.positions[vertex]) + offset(cell));
        let shift = yarns.pattern.vertices()[vertex].edge.shift;
        cell = [cell[0] + shift[0], cell[1] + shift[1]];
    }
    places
}

/// Position and velocity on the curve through the middle two of four points.
fn catmull_rom([a, b, c, d]: [Vector3<f64>; 4], t: f64) -> [Vector3<f64>; 2] {
    let (out, into) = ((c - a) * 0.5, (d - b) * 0.5);
    let (t2, t3) = (t * t, t * t * t);
    let position =
        b * (2.0 * t3 - 3.0 * t2 + 1.0) + out * (t3 - 2.0 * t2 + t) + c * (3.0 * t2 - 2.0 * t3) + into * (t3 - t2);
    let velocity = (c - b) * (6.0 * (t - t2)) + out * (3.0 * t2 - 4.0 * t + 1.0) + into * (3.0 * t2 - 2.0 * t);
    [position, velocity]
}

/// Directors by parallel transport, then turned so that the plies wind evenly and meet at the end of the round.
fn set_directors(points: &mut [Point], radius: f64) {
    let n = points.len();
    let mut director = across(Vector3::z(), points[0].tangent);
    let mut arc = vec![0.0; n];
    for i in 0..n {
        director = across(director, points[i].tangent);
        points[i].director = director;
        if i > 0 {
            arc[i] = arc[i - 1] + (points[i].position - points[i - 1].position).norm();
        }
    }
    let (first, end) = (points[0].director, points[n - 1].tangent);
    let lag = director.cross(&first).dot(&end).atan2(director.dot(&first));
    let turns = (arc[n - 1] / (PLY_PITCH * radius)).round() * std::f64::consts::TAU;
    for (point, arc_here) in points.iter_mut().zip(&arc) {
        let (sin, cos) = ((turns + lag) * arc_here / arc[n - 1].max(f64::MIN_POSITIVE)).sin_cos();
        point.director = point.director * cos + point.tangent.cross(&point.director) * sin;
    }
}

fn across(vector: Vector3<f64>, tangent: Vector3<f64>) -> Vector3<f64> {
    let project = |v: Vector3<f64>| (v - tangent * tangent.dot(&v)).try_normalize(1e-6);
    project(vector).or_else(|| project(Vector3::x())).unwrap_or_else(Vector3::y)
}
