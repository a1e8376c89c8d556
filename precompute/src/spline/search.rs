//! A search for contact points that may touch, in a grid of cubes over the spans of yarns and their periodic copies.

use super::contact;
use super::contacts::{Contacts, SpanPair};
use super::place::Place;
use super::yarns::{ContactPoint, Yarns};
use crate::cell::kinematics::Image;
use nalgebra::Vector3;
use std::collections::HashMap;
use std::ops::Range;

/// More copies than this on one side of a cell are never in reach.
const MAX_COPIES: f64 = 16.0;

impl Contacts {
    /// All pairs nearer than a diameter plus `margin` (m), where the contact points are at `y` (m).
    pub fn find(yarns: &Yarns, place: &Place, y: Vec<Vector3<f64>>, margin: f64) -> Self {
        let copies = half_of(copies_in_reach(place, &y, 2.0 * yarns.radius + margin));
        let copy = |shift| (shift, Image { rotation: None, translation: place.translation(shift) });
        let found = Self::among(yarns, y, &copies.map(copy).collect::<Vec<_>>(), margin);
        Contacts { lattice: place.lattice, ..found }
    }

    /// The same where the copies of the cell are at `copies`: of each pair of opposite shifts one, and no shift.
    pub(super) fn among(yarns: &Yarns, y: Vec<Vector3<f64>>, copies: &[([i32; 2], Image)], margin: f64) -> Self {
        let reach = 2.0 * yarns.radius + margin;
        let balls = balls(yarns, &y);
        let grid = Cubes::new(&balls, reach);
        let mut out = Contacts { margin, ..Contacts::default() };
        for (shift, place) in copies {
            let image = out.shifts.len() as u32;
            let before = out.pairs.len();
            for ball in &balls {
                let copy = SpanBall { center: place.point(&ball.center), ..ball.clone() };
                let own: Vec<Vector3<f64>> = ball.points.clone().map(|b| place.point(&y[b])).collect();
                grid.for_each_near(&copy, |other| {
                    let near = |[a, b]: [usize; 2]| {
                        let twice = *shift == [0, 0] && a >= b;
                        let apart = y[a] - own[b - ball.points.start];
                        !twice && apart.norm_squared() < reach * reach && !yarns.are_neighbors(a, b, *shift)
                    };
                    let both = other.points.clone().flat_map(|a| ball.points.clone().map(move |b| [a, b]));
                    let points: Vec<[u32; 2]> = both.filter(|p| near(*p)).map(|p| p.map(|i| i as u32)).collect();
                    if !points.is_empty() {
                        out.pairs.push(SpanPair { image, points });
                    }
                });
            }
            if out.pairs.len() > before {
                out.shifts.push(*shift);
            }
        }
        // The order of the search depends on a hash; this one does not.
        let spans = |pair: &SpanPair| pair.points[0].map(|i| yarns.contact[i as usize].span_of_all);
        out.pairs.sort_unstable_by_key(|pair| (pair.image, spans(pair)));
        // In memory as on the list: what is read one after the other lies side by side.
        out.pairs =
            out.pairs.iter().map(|pair| SpanPair { points: pair.points.as_slice().to_vec(), ..*pair }).collect();
        out.at = y;
        out
    }

    /// Calls `each` for all pairs that touch, the contact points being at `y` (m), in a fixed order: their numbers, the copy that the
    /// second one is in, the offset from the second to the first (m), and the force that pushes the first one away (N).
    pub fn for_each(
        &self,
        yarns: &Yarns,
        place: &Place,
        y: &[Vector3<f64>],
        mut each: impl FnMut([u32; 2], [i32; 2], Vector3<f64>, Vector3<f64>),
    ) {
        let inverse = yarns.inverse_diameter2();
        for pair in &self.pairs {
            let shift = self.shifts[pair.image as usize];
            let translation = place.translation(shift);
            for points in &pair.points {
                let offset = y[points[0] as usize] - y[points[1] as usize] - translation;
                if offset.norm_squared() * inverse < 1.0 {
                    let factor = yarns.pair_factor(*points, &yarns.stiffness);
                    each(*points, shift, offset, -contact::gradient(factor, inverse, &offset));
                }
            }
        }
    }
}

/// The contact points of a span, and the ball around them.
#[derive(Clone)]
struct SpanBall {
    points: Range<usize>,
    center: Vector3<f64>,
    radius: f64,
}

/// The contact points at `y` by span.
fn balls(yarns: &Yarns, y: &[Vector3<f64>]) -> Vec<SpanBall> {
    let mut first = 0;
    let ball = |span: &[ContactPoint]| {
        let points = first..first + span.len();
        first = points.end;
        let own = &y[points.clone()];
        let center = own.iter().sum::<Vector3<f64>>() / own.len() as f64;
        SpanBall { points, center, radius: own.iter().map(|p| (p - center).norm()).fold(0.0, f64::max) }
    };
    yarns.contact.chunk_by(|a, b| a.span_of_all == b.span_of_all).map(ball).collect()
}

/// Balls by the cube that their center lies in.
struct Cubes<'b> {
    balls: &'b [SpanBall],
    reach: f64,
    inverse_size: f64,
    cubes: HashMap<[i64; 3], Vec<usize>>,
    /// The corners of the box around all centers.
    low: Vector3<f64>,
    high: Vector3<f64>,
    size: f64,
}

impl<'b> Cubes<'b> {
    /// For balls that come as near to each other as `reach` (m).
    fn new(balls: &'b [SpanBall], reach: f64) -> Self {
        let largest = balls.iter().map(|b| b.radius).fold(0.0, f64::max);
        let size = reach + 2.0 * largest;
        let (low, high) = bounds(balls.iter().map(|b| &b.center));
        let mut out = Cubes { balls, reach, inverse_size: 1.0 / size, cubes: HashMap::new(), low, high, size };
        for (i, ball) in balls.iter().enumerate() {
            out.cubes.entry(out.cube(&ball.center)).or_default().push(i);
        }
        out
    }

    fn cube(&self, p: &Vector3<f64>) -> [i64; 3] {
        [0, 1, 2].map(|k| (p[k] * self.inverse_size).floor() as i64)
    }

    /// Calls `each` with the balls that come as near to `ball` as wanted.
    fn for_each_near(&self, ball: &SpanBall, mut each: impl FnMut(&SpanBall)) {
        let p = &ball.center;
        if (0..3).any(|k| p[k] < self.low[k] - self.size || p[k] > self.high[k] + self.size) {
            return;
        }
        let [x, y, z] = self.cube(p);
        for i in -1..=1 {
            for j in -1..=1 {
                for k in -1..=1 {
                    let cube = [x.saturating_add(i), y.saturating_add(j), z.saturating_add(k)];
                    for other in self.cubes.get(&cube).into_iter().flatten().map(|i| &self.balls[*i]) {
                        // Rounding must not lose a pair.
                        let near = (self.reach + ball.radius + other.radius) * (1.0 + 1e-9);
                        if (other.center - p).norm_squared() <= near * near {
                            each(other);
                        }
                    }
                }
            }
        }
    }
}

/// The corners of the box around some points.
pub(super) fn bounds<'p>(points: impl Iterator<Item = &'p Vector3<f64>>) -> (Vector3<f64>, Vector3<f64>) {
    let infinite = Vector3::repeat(f64::INFINITY);
    points.fold((infinite, -infinite), |(low, high), p| (low.inf(p), high.sup(p)))
}

/// How many copies on each side, along both lattice vectors, can reach the cell.
fn copies_in_reach(place: &Place, y: &[Vector3<f64>], reach: f64) -> [i32; 2] {
    let Some([a, b]) = place.lattice else { return [0, 0] };
    let (low, high) = bounds(y.iter());
    let extent = (high - low).norm() + reach;
    let area = a.cross(&b).norm();
    // The distance of two rows of copies is the area over the other vector.
    [b.norm(), a.norm()].map(|other| (extent * other / area).min(MAX_COPIES).ceil() as i32)
}

/// One of each pair of opposite shifts, and no shift.
pub(super) fn half_of([nx, ny]: [i32; 2]) -> impl Iterator<Item = [i32; 2]> {
    (0..=nx).flat_map(move |x| (-ny..=ny).map(move |y| [x, y])).filter(|[x, y]| *x > 0 || *y >= 0)
}
