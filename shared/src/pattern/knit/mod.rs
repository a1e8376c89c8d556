//! Knitted patterns from charts of knit and purl stitches.
//!
//! Each course is a yarn along +x; its loops are pulled through the loops of the course below. The front of the fabric
//! looks along +z. The whole chart is the period, so that the topmost course meets the bottom one again.

mod chart;
mod shape;

pub use chart::{KnitChart, KnitPreset, PRESETS, Stitch};

use super::Pattern;
use super::assemble::{self, CenterLine};
use crate::words::vertices;
use crate::{Error, Result};
use nalgebra::Vector3;
use shape::LoopShape;
use std::f64::consts::{PI, TAU};

/// Points of the center line for each vertex of the pattern.
const FINE: usize = 24;

/// Fewer vertices a loop than this cannot follow it.
pub const MIN_VERTICES_PER_LOOP: usize = 12;

/// How a chart is knitted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct KnitOptions {
    /// Yarn radius, meters.
    pub radius: f64,
    /// Loops per meter along x. Without it, from the courses, or so that yarns just do not touch: 1 / (9 radius).
    pub wales_per_meter: Option<f64>,
    /// Courses per meter along y. Without it, from the wales, or so that yarns just do not touch: 1 / (7 radius).
    pub courses_per_meter: Option<f64>,
    /// Vertices of each loop.
    pub vertices_per_loop: usize,
}

impl Default for KnitOptions {
    fn default() -> Self {
        KnitOptions { radius: 1e-3, wales_per_meter: None, courses_per_meter: None, vertices_per_loop: 32 }
    }
}

/// Knits a chart. Center lines of yarns keep [`MIN_CLEARANCE`](super::MIN_CLEARANCE) diameters apart, or it is an error.
pub fn knit(chart: &KnitChart, options: &KnitOptions) -> Result<Pattern> {
    let origin = "knit pattern";
    let radius = assemble::check_positive(options.radius, "the yarn radius", origin)?;
    let n = options.vertices_per_loop;
    if n < MIN_VERTICES_PER_LOOP {
        let problem = format!("{} per loop: at least {MIN_VERTICES_PER_LOOP} are needed", vertices(n));
        return Err(Error::invalid(origin, problem));
    }
    assemble::check_size(chart.wales().saturating_mul(chart.courses()).saturating_mul(n), origin)?;
    let [wale, course] = stitch_size(chart, options)?;
    let shape = LoopShape::fit(chart.is_uniform(), wale / radius, course / radius);
    let lines: Vec<CenterLine> = (0..chart.courses())
        .map(|j| CenterLine {
            points: center_line(chart, j, &shape, n * FINE).into_iter().map(|p| p * radius).collect(),
            shift: [1, 0],
            vertices: n * chart.wales(),
        })
        .collect();
    let period = [wale * chart.wales() as f64, course * chart.courses() as f64];
    let pattern = assemble::pattern(period, radius, &lines, origin)?;
    assemble::check_clearance(&pattern, origin, || cure(chart, options))?;
    Ok(pattern)
}

/// Wale width and course height in meters.
fn stitch_size(chart: &KnitChart, options: &KnitOptions) -> Result<[f64; 2]> {
    let size = |density: Option<f64>, what: &str| match density {
        Some(d) => assemble::check_positive(d, what, "knit pattern").map(|d| Some(1.0 / d)),
        None => Ok(None),
    };
    let default = LoopShape::default_for(chart.is_uniform());
    let wale = size(options.wales_per_meter, "wales per meter")?;
    let course = size(options.courses_per_meter, "courses per meter")?;
    Ok(match (wale, course) {
        (Some(w), Some(c)) => [w, c],
        (Some(w), None) => [w, w * default.course / default.wale],
        (None, Some(c)) => [c * default.wale / default.course, c],
        (None, None) => [default.wale * options.radius, default.course * options.radius],
    })
}

/// The center line of one course in radii, `count` points a loop.
fn center_line(chart: &KnitChart, course: usize, shape: &LoopShape, count: usize) -> Vec<Vector3<f64>> {
    let side = |course: usize, wale: usize| match chart.stitch(course, wale) {
        Stitch::Knit => 1.0,
        Stitch::Purl => -1.0,
    };
    let mut points = Vec::with_capacity(count * chart.wales());
    for wale in 0..chart.wales() {
        let (own, above) = (side(course, wale), side(course + 1, wale));
        let (left, right) = (side(course, wale + chart.wales() - 1), side(course, wale + 1));
        for k in 0..count {
            let t = TAU * k as f64 / count as f64;
            let [x, y, z] = shape.point(t, own, above, if t < PI { left } else { right });
            let origin = [wale as f64 * shape.wale, (course as f64 + 0.5) * shape.course];
            points.push(Vector3::new(x + origin[0], y + origin[1], z));
        }
    }
    points
}

fn cure(chart: &KnitChart, options: &KnitOptions) -> String {
    let default = LoopShape::default_for(chart.is_uniform());
    let r = options.radius;
    format!(
        "a radius of {} mm has room at {:.3} wales and {:.3} courses per cm with {} vertices a loop",
        1e3 * r,
        0.01 / (default.wale * r),
        0.01 / (default.course * r),
        KnitOptions::default().vertices_per_loop
    )
}

#[cfg(test)]
mod tests;
