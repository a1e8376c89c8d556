//! The center line of a thread that passes over and under the threads it crosses.
//!
//! Over each crossing thread it follows an arc of radius 2 r around that thread's center line, which lies r on the other
//! side of the midsurface; the arcs are joined by their common tangent (Peirce's geometry of plain weave). Both threads
//! of a crossing bend around each other this way and touch in one point: at distance a along one and b along the other
//! their squared distance is 4 r^2 + (a^2 + b^2)^2 / 16 r^2 to leading order.

use super::MIN_SPACING;

/// Points of the center line between two crossings.
const FINE: usize = 96;

/// Geometry of a thread; lengths in yarn radii.
pub(super) struct Thread {
    /// Distance of the threads that it crosses.
    spacing: f64,
    /// Distance of the center line from the midsurface at a crossing. The arcs have twice this radius.
    depth: f64,
    /// The angle at which the thread passes through the midsurface.
    steepness: f64,
}

impl Thread {
    /// A thread that crosses others `spacing` radii apart and gets `vertices` vertices for each of them.
    pub(super) fn new(spacing: f64, vertices: usize) -> Self {
        let depth = depth(spacing, vertices);
        Thread { spacing, depth, steepness: steepness(spacing, depth) }
    }

    /// Points (u, z) over one period: u from the first crossing on; `sides` is +1 where the thread is above, -1 below.
    pub(super) fn center_line(&self, sides: &[f64]) -> Vec<[f64; 2]> {
        let mut points = Vec::with_capacity(sides.len() * FINE);
        for (k, side) in sides.iter().enumerate() {
            let next = sides[(k + 1) % sides.len()];
            for i in 0..FINE {
                let u = self.spacing * i as f64 / FINE as f64;
                let z = if *side == next { side * self.depth } else { side * self.height(u) };
                points.push([u + self.spacing * k as f64, z]);
            }
        }
        points
    }

    /// Height at distance `u` from a crossing at which the thread is above, on its way below the next one.
    fn height(&self, u: f64) -> f64 {
        let radius = 2.0 * self.depth;
        let arc = |u: f64| (radius * radius - u * u).sqrt() - self.depth;
        let end = radius * self.steepness.sin();
        if u <= end {
            arc(u)
        } else if u >= self.spacing - end {
            -arc(self.spacing - u)
        } else {
            -(u - 0.5 * self.spacing) * self.steepness.tan()
        }
    }
}

/// Depth in radii: a little more than 1, because the segments of a polyline cut the corners of both threads by their
/// sagitta; but never more than the spacing has room for.
fn depth(spacing: f64, vertices: usize) -> f64 {
    let length = spacing / steepness(spacing, 1.0).cos().max(0.5);
    let segment = length / vertices as f64;
    (1.0 + segment * segment / 16.0).min((spacing / MIN_SPACING).max(1.0))
}

/// The angle phi of the common tangent of two circles of radius 2 d, centerd d below and d above the midsurface, `spacing`
/// apart: the thread descends by 2 d over one spacing,
///
///   4 d sin phi + l cos phi = spacing,   4 d (1 - cos phi) + l sin phi = 2 d.
///
/// With the centers' distance D and its slope delta, sin(phi + delta) = 4 d / D, tan delta = 2 d / spacing.
fn steepness(spacing: f64, depth: f64) -> f64 {
    let between = spacing.hypot(2.0 * depth);
    let delta = (2.0 * depth).atan2(spacing);
    // Beyond the jammed cloth the circles overlap: the steepest passage is the best there is, and the check of the
    // clearance judges it.
    (4.0 * depth / between).min(1.0).asin() - delta
}
