//! The center line of a thread that passes over and under the threads it crosses.
//!
//! Over each crossing thread it follows an arc of radius 2 r around that thread's center line, which lies r on the other
//! side of the midsurface; the arcs are joined by their common tangent (Peirce's geometry of plain weave). Both threads
//! of a crossing bend around each other this way and touch in one point: at distance a along one and b along the other
//! their squared distance is 4 r^2 + (a^2 + b^2)^2 / 16 r^2 to leading order.
//!
//! Where floats leave room for it, threads are nearer to each other than such arcs allow (2 sqrt(3) r). One that passes between two
//! neighbors then needs these further apart in height, so all threads rise and fall by more than r; they follow the shape of the
//! jammed cloth, squeezed in length and drawn out in height.

use super::{MIN_SPACING, TIGHTEST_SPACING};

/// Points of the center line between two crossings.
const FINE: usize = 96;

/// Geometry of a thread; lengths in yarn radii.
pub(super) struct Thread {
    /// Distance of the threads that it crosses.
    spacing: f64,
    /// Distance of the center line from the midsurface at a crossing.
    depth: f64,
    passage: Bend,
}

/// How a thread passes from one side to the other.
enum Bend {
    /// On arcs with a radius of twice the depth, joined by a tangent at this angle.
    Arcs(f64),
    /// In the shape of the jammed cloth.
    Squeezed,
}

/// The threads along x and along y that get `vertices` vertices for each thread they cross; those they cross are `spacing` radii
/// apart, and `room` says whether the draft has room for less than [`MIN_SPACING`] there.
pub(super) fn threads(spacing: [f64; 2], room: [bool; 2], vertices: usize) -> [Thread; 2] {
    let squeezed = |k: usize| room[k] && (TIGHTEST_SPACING..MIN_SPACING).contains(&spacing[k]);
    if squeezed(0) || squeezed(1) {
        let depth = squeezed_depth(spacing, vertices);
        return spacing.map(|spacing| Thread { spacing, depth, passage: Bend::Squeezed });
    }
    spacing.map(|spacing| {
        let depth = depth(spacing, vertices);
        Thread { spacing, depth, passage: Bend::Arcs(steepness(spacing, depth)) }
    })
}

impl Thread {
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
        match self.passage {
            Bend::Arcs(steepness) => arcs(u, self.spacing, self.depth, steepness),
            Bend::Squeezed => self.depth * squeezed(u / self.spacing),
        }
    }
}

fn arcs(u: f64, spacing: f64, depth: f64, steepness: f64) -> f64 {
    let radius = 2.0 * depth;
    let arc = |u: f64| (radius * radius - u * u).sqrt() - depth;
    let end = radius * steepness.sin();
    if u <= end {
        arc(u)
    } else if u >= spacing - end {
        -arc(spacing - u)
    } else {
        -(u - 0.5 * spacing) * steepness.tan()
    }
}

/// Height over depth at the share `at` of the way to the next thread: two arcs that meet half way.
fn squeezed(at: f64) -> f64 {
    let side = |at: f64| (4.0 - (at * MIN_SPACING).powi(2)).sqrt() - 1.0;
    if at <= 0.5 { side(at) } else { -side(1.0 - at) }
}

/// Depth in radii at which squeezed threads clear each other. The nearest are two that cross and both pass to the other side next:
/// at distances u and v from their crossing they are sqrt(u^2 + v^2 + (z(u) + z(v))^2) apart.
fn squeezed_depth(spacing: [f64; 2], vertices: usize) -> f64 {
    const STEPS: usize = 32;
    let clearance = |depth: f64| {
        let at = |k: usize, i: usize| {
            let share = i as f64 / STEPS as f64;
            (share * spacing[k], depth * squeezed(share))
        };
        let pairs = (0..=STEPS).flat_map(|i| (0..=STEPS).map(move |j| (at(0, i), at(1, j))));
        let distances = pairs.map(|((u, zu), (v, zv))| (u * u + v * v + (zu + zv) * (zu + zv)).sqrt());
        distances.fold(f64::INFINITY, f64::min)
    };
    // Segments cut the corners of both threads by their sagitta.
    let sagitta = |depth: f64| (spacing[0].max(spacing[1]).hypot(2.0 * depth) / vertices as f64).powi(2) / 16.0;
    let (mut low, mut high) = (1.0, 4.0);
    for _ in 0..40 {
        let depth = 0.5 * (low + high);
        if clearance(depth) < 2.0 + sagitta(1.0) {
            low = depth;
        } else {
            high = depth;
        }
    }
    high + sagitta(high)
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
