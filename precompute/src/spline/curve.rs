//! Yarns as cubic B-splines: y(t) = sum_a b_a(t) q_a, with spans of unit length in t.
//!
//! A closed yarn has as many spans as control points; where its splines reach around, the control point is the copy one turn on,
//! moved by the turn (whole periods of a fabric, or nothing). An open yarn of n control points has n - 3 spans, begins at its
//! first control point and ends at its last one.
//!
//! Integration points are tabulated as [`Station`]s, so that both kinds are one code path.

use crate::newton::Blocks;
use nalgebra::{DMatrix, Matrix3, Vector3};
use yarnwise_shared::spline::{self, Basis};

/// One yarn among the control points of a model.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Curve {
    /// Its first control point.
    pub first: usize,
    /// Number of its control points: at least 4.
    pub count: usize,
    /// Whether its end is joined to its beginning.
    pub closed: bool,
    /// Whole periods that it advances once around; zero for open yarns and rings.
    pub shift: [i32; 2],
    /// g0: length of y' at rest, m per span.
    pub rest_speed: f64,
}

impl Curve {
    /// Number of spans.
    pub fn spans(&self) -> usize {
        if self.closed { self.count } else { self.count - 3 }
    }

    /// Rest length, m.
    pub fn rest_length(&self) -> f64 {
        self.spans() as f64 * self.rest_speed
    }

    /// The control points of place `t`, from 0 to the number of spans, with their weights.
    pub fn station(&self, t: f64) -> Station {
        let span = (t as usize).min(self.spans() - 1);
        if !self.closed {
            let basis = spline::basis(&spline::open_knots(self.count), t);
            return self.station_of(span, basis, 0);
        }
        self.station_of(span, spline::uniform(t - span as f64), span + self.count - 1)
    }

    /// `start` is the first of the four splines, counted along the yarn and, for closed yarns, from one turn back.
    fn station_of(&self, span: usize, basis: Basis, start: usize) -> Station {
        let mut station = Station { point: [0; 4], turns: [0.0; 3], basis, span };
        for a in 0..4 {
            if self.closed {
                let along = start + a;
                station.point[a] = (self.first + along % self.count) as u32;
                let turn = (along / self.count) as f64 - 1.0;
                for (sum, weights) in station.turns.iter_mut().zip([&basis.value, &basis.slope, &basis.curvature]) {
                    *sum += turn * weights[a];
                }
            } else {
                station.point[a] = (self.first + basis.first + a) as u32;
            }
        }
        station
    }
}

/// A place on a yarn: which control points make it, and how.
#[derive(Clone, Copy, Debug)]
pub struct Station {
    /// The four control points.
    pub point: [u32; 4],
    /// How many turns of the yarn its value, slope and curvature are moved by.
    pub turns: [f64; 3],
    /// Weights of the control points.
    pub basis: Basis,
    /// The span that it lies in.
    pub span: usize,
}

impl Station {
    fn sum(&self, weights: &[f64; 4], turns: f64, turn: &Vector3<f64>, q: &[Vector3<f64>]) -> Vector3<f64> {
        (0..4).fold(turn * turns, |sum, a| sum + q[self.point[a] as usize] * weights[a])
    }

    /// y, m, for control points `q` and a turn of the yarn that moves by `turn`.
    pub fn value(&self, turn: &Vector3<f64>, q: &[Vector3<f64>]) -> Vector3<f64> {
        self.sum(&self.basis.value, self.turns[0], turn, q)
    }

    /// y' = dy/dt, m.
    pub fn slope(&self, turn: &Vector3<f64>, q: &[Vector3<f64>]) -> Vector3<f64> {
        self.sum(&self.basis.slope, self.turns[1], turn, q)
    }

    /// y'' = d2y/dt2, m.
    pub fn curvature(&self, turn: &Vector3<f64>, q: &[Vector3<f64>]) -> Vector3<f64> {
        self.sum(&self.basis.curvature, self.turns[2], turn, q)
    }

    /// Adds a force on y' and one on y'' (N) to those on the control points.
    pub(super) fn add_elastic(&self, by_p: &Vector3<f64>, by_s: &Vector3<f64>, out: &mut [Vector3<f64>]) {
        for a in 0..4 {
            out[self.point[a] as usize] += by_p * self.basis.slope[a] + by_s * self.basis.curvature[a];
        }
    }

    /// Adds a force on y (N) to those on the control points.
    pub fn add_value(&self, force: &Vector3<f64>, out: &mut [Vector3<f64>]) {
        if *force != Vector3::zeros() {
            (0..4).for_each(|a| out[self.point[a] as usize] += force * self.basis.value[a]);
        }
    }

    /// Adds a stiffness of y (N/m) to that of the control points.
    pub fn add_stiffness(&self, h: &Matrix3<f64>, matrix: &mut impl Blocks) {
        if *h != Matrix3::zeros() {
            let w = &self.basis.value;
            self.add_square(matrix, |a, b| h * (w[a] * w[b]));
        }
    }

    /// Adds second derivatives by y here and y at another place (N/m) to those of the control points.
    pub fn add_mixed(&self, other: &Station, h: &Matrix3<f64>, matrix: &mut impl Blocks) {
        for (i, a) in self.point.iter().zip(&self.basis.value) {
            for (j, b) in other.point.iter().zip(&other.basis.value) {
                matrix.add(*i as usize, *j as usize, &(h * (a * b)));
            }
        }
    }

    /// Adds the blocks of the four control points with each other.
    pub(super) fn add_square(&self, matrix: &mut impl Blocks, block: impl Fn(usize, usize) -> Matrix3<f64>) {
        let at = |a: usize| self.point[a] as usize;
        for a in 0..4 {
            matrix.add_diagonal(at(a), &block(a, a));
            for b in a + 1..4 {
                matrix.add(at(a), at(b), &block(a, b));
            }
        }
    }
}

/// The control points of the closed curve that is at `points` at t = 0, 1, 2, ... and advances by `turn` once around: the solution
/// of (q_{i-1} + 4 q_i + q_{i+1}) / 6 = X_i.
pub fn interpolate_closed(points: &[Vector3<f64>], turn: &Vector3<f64>) -> Vec<Vector3<f64>> {
    let n = points.len();
    // The curve without its advance is periodic, and an even advance is a straight line, which control points repeat.
    let advance = |i: usize| turn * (i as f64 / n as f64);
    let periodic: Vec<Vector3<f64>> = (0..n).map(|i| points[i] - advance(i)).collect();
    // The inverse of (1, 4, 1) / 6 is sqrt(3) z^|k| with z = sqrt(3) - 2, summed over all turns: z^64 is below 1e-36.
    let z = 3.0_f64.sqrt() - 2.0;
    let reach = 64;
    let control = |i: usize| {
        let mut sum = periodic[i];
        let mut weight = 1.0;
        for k in 1..reach {
            weight *= z;
            sum += (periodic[(i + k) % n] + periodic[(i + reach * n - k) % n]) * weight;
        }
        sum * 3.0_f64.sqrt() + advance(i)
    };
    (0..n).map(control).collect()
}

/// The control points of the open curve of `count` of them that is at `at(t)` where control points of a straight line would be.
pub fn interpolate_open(count: usize, at: impl Fn(f64) -> Vector3<f64>) -> Vec<Vector3<f64>> {
    let knots = spline::open_knots(count);
    let places = spline::greville(&knots);
    let mut matrix = DMatrix::zeros(count, count);
    for (row, t) in places.iter().enumerate() {
        let basis = spline::basis(&knots, *t);
        (0..4).for_each(|a| matrix[(row, basis.first + a)] = basis.value[a]);
    }
    let points: Vec<Vector3<f64>> = places.iter().map(|t| at(*t)).collect();
    let right = DMatrix::from_fn(count, 3, |i, k| points[i][k]);
    // Interpolation at these places has one solution for any number of control points.
    match matrix.lu().solve(&right) {
        Some(q) => (0..count).map(|i| Vector3::new(q[(i, 0)], q[(i, 1)], q[(i, 2)])).collect(),
        None => points,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn helix(n: usize) -> (Vec<Vector3<f64>>, Vector3<f64>) {
        let at = |i: usize| {
            let a = std::f64::consts::TAU * i as f64 / n as f64;
            Vector3::new(0.3 * i as f64, a.cos(), a.sin())
        };
        ((0..n).map(at).collect(), Vector3::new(0.3 * n as f64, 0.0, 0.0))
    }

    #[test]
    fn interpolated_curves_pass_through_their_points_also_around_the_end() {
        for n in [4, 5, 12] {
            let (points, turn) = helix(n);
            let q = interpolate_closed(&points, &turn);
            let curve = Curve { first: 0, count: n, closed: true, shift: [1, 0], rest_speed: 1.0 };
            for (i, point) in points.iter().enumerate() {
                assert!((curve.station(i as f64).value(&turn, &q) - point).norm() < 1e-13);
            }
            let end = curve.station(n as f64).value(&turn, &q);
            assert!((end - points[0] - turn).norm() < 1e-13, "it advances by a turn");
        }
    }

    #[test]
    fn open_curves_follow_what_they_interpolate() {
        let (points, turn) = helix(24);
        let q = interpolate_closed(&points, &turn);
        let closed = Curve { first: 0, count: 24, closed: true, shift: [1, 0], rest_speed: 1.0 };
        let open = Curve { first: 0, count: 19, closed: false, shift: [0, 0], rest_speed: 1.0 };
        let control = interpolate_open(19, |t| closed.station(t + 3.5).value(&turn, &q));
        for k in 0..=32 {
            let t = 0.5 * k as f64;
            let [a, b] = [open.station(t).value(&turn, &control), closed.station(t + 3.5).value(&turn, &q)];
            assert!((a - b).norm() < 1e-3, "{t}: {}", (a - b).norm());
        }
    }

    #[test]
    fn slopes_and_curvatures_agree_with_differences_for_open_and_closed_curves() {
        let (points, turn) = helix(9);
        let q = interpolate_closed(&points, &turn);
        for closed in [true, false] {
            let curve = Curve { first: 0, count: 9, closed, shift: [i32::from(closed), 0], rest_speed: 1.0 };
            let turn = if closed { turn } else { Vector3::zeros() };
            for k in 0..40 {
                let t = (k as f64 + 0.37) / 40.0 * curve.spans() as f64;
                let [minus, at, plus] = [t - 1e-5, t, t + 1e-5].map(|t| curve.station(t));
                let slope = (plus.value(&turn, &q) - minus.value(&turn, &q)) / 2e-5;
                assert!((slope - at.slope(&turn, &q)).norm() < 1e-9);
                let curvature = (plus.slope(&turn, &q) - minus.slope(&turn, &q)) / 2e-5;
                assert!((curvature - at.curvature(&turn, &q)).norm() < 1e-9);
            }
        }
    }
}
