//! Piecewise cubics through the samples of an axis.
//!
//! The slope at a sample is that of the parabola through it and its two neighbors (at an end: through the last three), so that
//! the interpolant is a weighted sum of at most four samples, is continuously differentiable, and repeats parabolas exactly
//! on any axis. Beyond the ends it continues straight.

use yarnwise_shared::table::grid::Axis;

/// Weights of up to four samples from `first` on: for the value, its slope and its second derivative.
#[derive(Clone, Copy, Debug)]
pub(super) struct Weights {
    pub(super) first: usize,
    pub(super) count: usize,
    /// By derivative.
    pub(super) of: [[f64; 4]; 3],
    /// How far beyond the axis, signed.
    pub(super) beyond: f64,
}

/// Weights at `x`, which must be finite.
pub(super) fn weights(axis: &Axis, x: f64) -> Weights {
    let values = axis.values();
    let n = values.len();
    let inside = x.clamp(values[0], values[n - 1]);
    let cell = axis.locate(inside).cell;
    let (low, high) = (values[cell], values[cell + 1]);
    let h = high - low;
    let t = (inside - low) / h;
    let first = cell.saturating_sub(1);
    let mut out = Weights { first, count: (n - first).min(4), of: [[0.0; 4]; 3], beyond: x - inside };
    // The cubics of Hermite: value and slope at both ends, with two derivatives.
    let bases = [
        [1.0 + t * t * (2.0 * t - 3.0), 6.0 * t * (t - 1.0) / h, (12.0 * t - 6.0) / (h * h)],
        [t * t * (3.0 - 2.0 * t), -6.0 * t * (t - 1.0) / h, (6.0 - 12.0 * t) / (h * h)],
        [h * t * (1.0 - t) * (1.0 - t), 1.0 + t * (3.0 * t - 4.0), (6.0 * t - 4.0) / h],
        [h * t * t * (t - 1.0), t * (3.0 * t - 2.0), (6.0 * t - 2.0) / h],
    ];
    for derivative in 0..3 {
        let of = &mut out.of[derivative];
        of[cell - first] += bases[0][derivative];
        of[cell + 1 - first] += bases[1][derivative];
        for (node, base) in [(cell, bases[2]), (cell + 1, bases[3])] {
            let (start, slope) = slope_weights(values, node);
            for (k, weight) in slope.iter().enumerate().filter(|(_, w)| **w != 0.0) {
                of[start + k - first] += base[derivative] * weight;
            }
        }
    }
    if out.beyond != 0.0 {
        for k in 0..4 {
            out.of[0][k] += out.of[1][k] * out.beyond;
            out.of[2][k] = 0.0;
        }
    }
    out
}

/// Weights of three samples for the slope at sample `node`, and the first of the three.
fn slope_weights(x: &[f64], node: usize) -> (usize, [f64; 3]) {
    let n = x.len();
    if n == 2 {
        let inverse = (x[1] - x[0]).recip();
        return (0, [-inverse, inverse, 0.0]);
    }
    let start = node.saturating_sub(1).min(n - 3);
    let [a, b, c] = [x[start], x[start + 1], x[start + 2]];
    let at = x[node];
    (
        start,
        [
            (2.0 * at - b - c) / ((a - b) * (a - c)),
            (2.0 * at - a - c) / ((b - a) * (b - c)),
            (2.0 * at - a - b) / ((c - a) * (c - b)),
        ],
    )
}
