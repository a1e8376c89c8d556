//! From the center lines of yarns to a pattern.

use super::frame::{self, Given};
use super::{Edge, MAX_VERTICES, Pattern, PatternData, Vertex, clearance};
use crate::{Error, Result};
use nalgebra::Vector3;

/// Generated yarns come no nearer to each other than this fraction of their diameter, measured between the center
/// lines of their segments. What cannot keep it is refused.
pub const MIN_CLEARANCE: f64 = 0.9;

/// The center line of a yarn over one period, finely sampled; the next period continues `shift` periods further.
pub(super) struct CenterLine {
    pub(super) points: Vec<Vector3<f64>>,
    pub(super) shift: [i32; 2],
    /// How many vertices the yarn gets.
    pub(super) vertices: usize,
}

/// Vertices at equal distances along each center line; everything else at its default. Heights are centerd on z = 0.
pub(super) fn pattern(period: [f64; 2], radius: f64, lines: &[CenterLine], origin: &str) -> Result<Pattern> {
    let total = lines.iter().fold(0, |sum: usize, line| sum.saturating_add(line.vertices));
    check_size(total, origin)?;
    let tidy = |x: f64| tidy(x, radius);
    let period = period.map(tidy);
    let mut data = PatternData { period, radius, vertices: Vec::with_capacity(total) };
    for line in lines {
        let [dx, dy] = line.shift.map(f64::from);
        let closing = Vector3::new(dx * period[0], dy * period[1], 0.0);
        let first = data.vertices.len();
        for (k, point) in resample(&line.points, closing, line.vertices).into_iter().enumerate() {
            let last = k + 1 == line.vertices;
            let to = if last { first } else { first + k + 1 };
            let edge = Edge { to: to as u32, shift: if last { line.shift } else { [0, 0] } };
            data.vertices.push(Vertex { edge, ..Vertex::at(point.into()) });
        }
    }
    let mean = data.vertices.iter().map(|v| v.position[2]).sum::<f64>() / total as f64;
    for v in &mut data.vertices {
        v.position = [v.position[0], v.position[1], v.position[2] - mean].map(tidy);
    }
    frame::fill(&mut data, Given::default());
    Pattern::new(data).map_err(|fault| Error::invalid(origin, fault.problem))
}

/// A closed yarn by its vertices.
#[derive(Clone, Debug, PartialEq)]
pub struct VertexLine {
    /// Positions, m.
    pub positions: Vec<Vector3<f64>>,
    /// Rest length of the edge that leaves each vertex, m.
    pub rest_lengths: Vec<f64>,
    /// The periods after which the yarn repeats.
    pub shift: [i32; 2],
}

/// The pattern with these vertices, straight and untwisted at rest; frames as files without them get them.
pub fn pattern_of_vertices(period: [f64; 2], radius: f64, lines: &[VertexLine], origin: &str) -> Result<Pattern> {
    let mut data = PatternData { period, radius, vertices: Vec::new() };
    for line in lines {
        let (first, n) = (data.vertices.len(), line.positions.len());
        for (k, (position, rest_length)) in line.positions.iter().zip(&line.rest_lengths).enumerate() {
            let last = k + 1 == n;
            let to = if last { first } else { first + k + 1 };
            let edge = Edge { to: to as u32, shift: if last { line.shift } else { [0, 0] } };
            data.vertices.push(Vertex { edge, rest_length: *rest_length, ..Vertex::at((*position).into()) });
        }
    }
    frame::fill(&mut data, Given { rest_length: true, ..Given::default() });
    Pattern::new(data).map_err(|fault| Error::invalid(origin, fault.problem))
}

/// Rounds a length to a decimal fraction of about a millionth of the yarn radius, so that people can read the file.
fn tidy(x: f64, radius: f64) -> f64 {
    // Powers of ten up to 1e22 are exact: the quotient is the number that its few digits are read as.
    let scale = 10f64.powi((6.0 - radius.log10().floor()).clamp(0.0, 22.0) as i32);
    let rounded = (x * scale).round() / scale;
    // No "-0".
    rounded + 0.0
}

/// Refuses more vertices than a pattern may have, before they are made.
pub(super) fn check_size(vertices: usize, origin: &str) -> Result<()> {
    if vertices > MAX_VERTICES {
        let problem =
            format!("would have {vertices} vertices, a pattern may have {MAX_VERTICES}: use a smaller repeat");
        return Err(Error::invalid(origin, problem));
    }
    Ok(())
}

/// A positive length or density of an options structure.
pub(super) fn check_positive(value: f64, what: &str, origin: &str) -> Result<f64> {
    if value.is_finite() && value > 0.0 {
        Ok(value)
    } else {
        Err(Error::invalid(origin, format!("{what} is {value}, it must be a positive number")))
    }
}

/// Refuses yarns that overlap by more than [`MIN_CLEARANCE`] allows; `cure` says what to change.
pub(super) fn check_clearance(pattern: &Pattern, origin: &str, cure: impl Fn() -> String) -> Result<()> {
    let diameter = 2.0 * pattern.radius();
    match clearance::closest_approach(pattern, diameter * MIN_CLEARANCE)? {
        None => Ok(()),
        Some(approach) => {
            let percent = 100.0 * (1.0 - approach.distance / diameter);
            let problem = format!("the yarns would overlap by {percent:.0} % of their thickness: {}", cure());
            Err(Error::invalid(origin, problem))
        }
    }
}

/// `count` points at equal distances along the line through `points` that continues after them shifted by `closing`.
fn resample(points: &[Vector3<f64>], closing: Vector3<f64>, count: usize) -> Vec<Vector3<f64>> {
    let next = |i: usize| if i + 1 < points.len() { points[i + 1] } else { points[0] + closing };
    let lengths: Vec<f64> = (0..points.len()).map(|i| (next(i) - points[i]).norm()).collect();
    let step = lengths.iter().sum::<f64>() / count as f64;
    let (mut out, mut segment, mut passed) = (Vec::with_capacity(count), 0, 0.0);
    for k in 0..count {
        let target = k as f64 * step;
        while segment + 1 < points.len() && passed + lengths[segment] <= target {
            passed += lengths[segment];
            segment += 1;
        }
        let at = if lengths[segment] > 0.0 { (target - passed) / lengths[segment] } else { 0.0 };
        out.push(points[segment].lerp(&next(segment), at));
    }
    out
}
