//! What jumps in time while the strain changes slowly [Sperl21, Section 5].
//!
//! A homogeneous fabric goes through a ramp of strains; the measure is the largest change of velocity of a yarn vertex
//! from one frame to the next. The affine part of the motion is smooth and is left out.

use super::set::Set;
use super::strains::{clamped, read, stretch};
use rayon::prelude::*;
use yarnwise_shared::table::difference::second_difference;
use yarnwise_shared::table::strain::Strain;

/// Frames of a ramp: four seconds at 60 Hz.
pub(super) const FRAMES: usize = 240;

/// The ramps of a set.
#[derive(Clone, Debug, serde::Serialize)]
pub struct Popping {
    /// Frames of each ramp.
    pub frames: usize,
    /// The ramps.
    pub ramps: Vec<Ramp>,
}

/// One ramp and what popped.
#[derive(Clone, Debug, serde::Serialize)]
pub struct Ramp {
    /// What is done to the fabric.
    pub name: &'static str,
    /// The strain that it begins with.
    pub from: Strain<f64>,
    /// The strain that it ends with.
    pub to: Strain<f64>,
    /// Largest acceleration without compression clamp, radii per frame squared.
    pub unclamped: f64,
    /// The strain where that happens.
    pub worst: Strain<f64>,
    /// Largest acceleration with the clamp.
    pub clamped: f64,
}

/// All ramps within `range`.
pub(super) fn figures(set: &Set, range: [[f64; 2]; 3], min_eigenvalue: f64) -> Popping {
    let ramps = ramps(range);
    let measure = |(name, from, to): &(&'static str, [f64; 3], [f64; 3])| {
        let (from, to) = (Strain::from(*from), Strain::from(*to));
        let (unclamped, worst) = acceleration(set, from, to, 0.0);
        let (clamped, _) = acceleration(set, from, to, min_eigenvalue);
        Ramp { name, from, to, unclamped, worst, clamped }
    };
    Popping { frames: FRAMES, ramps: ramps.par_iter().map(measure).collect() }
}

fn ramps([x, a, y]: [[f64; 2]; 3]) -> Vec<(&'static str, [f64; 3], [f64; 3])> {
    let rest = [x, a, y].map(|[low, high]| 0.0_f64.clamp(low, high));
    let [x0, a0, y0] = rest;
    let half = |[_, high]: [f64; 2], rest: f64| 0.5 * (high + rest);
    vec![
        ("stretch x", rest, [x[1], a0, y0]),
        ("stretch y", rest, [x0, a0, y[1]]),
        ("stretch both", rest, [x[1], a0, y[1]]),
        ("shear", [x0, a[0], y0], [x0, a[1], y0]),
        ("shear while stretched x", [half(x, x0), a[0], y0], [half(x, x0), a[1], y0]),
        ("shear while stretched y", [x0, a[0], half(y, y0)], [x0, a[1], half(y, y0)]),
        ("compress x", rest, [x[0], a0, y0]),
        ("compress y", rest, [x0, a0, y[0]]),
        ("shear while compressed", [x[0], a[0], y[0]], [x[0], a[1], y[0]]),
    ]
}

/// The largest second difference over the frames of a ramp, radii, and the strain where it is.
fn acceleration(set: &Set, from: Strain<f64>, to: Strain<f64>, min_eigenvalue: f64) -> (f64, Strain<f64>) {
    let at = |frame: usize| {
        let share = frame as f64 / FRAMES as f64;
        let mix = |a: f64, b: f64| a + share * (b - a);
        Strain::new(mix(from.sx, to.sx), mix(from.sa, to.sa), mix(from.sy, to.sy))
    };
    let positions = |frame: usize| -> Vec<[f64; 3]> {
        let strain = at(frame);
        let stretch = stretch(strain);
        let world = |d: &[f64; 4]| {
            let [x, y] = stretch.apply([d[0], d[1]]);
            [x, y, d[2]]
        };
        read(set.database.table(), clamped(strain, min_eigenvalue)).iter().map(world).collect()
    };
    let mut last = [positions(0), positions(1)];
    let mut largest = (0.0, from);
    for frame in 2..=FRAMES {
        let now = positions(frame);
        let most = second_difference([&last[0][..], &last[1], &now]) / set.radius();
        if most > largest.0 || most.is_nan() {
            largest = (most, at(frame - 1));
        }
        let [_, before] = last;
        last = [before, now];
    }
    largest
}
