//! What makes a pattern valid.

use super::{MAX_VERTICES, PatternData, edge_vector};

/// The largest number of periods one edge may be shifted by.
const MAX_SHIFT: i32 = 1000;

/// Largest size of a coordinate or period in meters: beyond it a file is not in meters.
const MAX_METERS: f64 = 1e3;

/// An edge may be this many times longer or shorter than its rest length before its shift is doubted.
const DOUBTFUL_STRETCH: f64 = 2.0;

/// Which element of a pattern is at fault; readers find the line by it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PatternPlace {
    /// Period, radius or count.
    Header,
    /// Position or twist of a vertex.
    Vertex(usize),
    /// The outgoing edge of a vertex.
    Edge(usize),
    /// Rest length of a vertex's outgoing edge.
    RestLength(usize),
    /// Rest curvature at a vertex.
    RestCurvature(usize),
    /// Rest twist at a vertex.
    RestTwist(usize),
    /// Reference director of a vertex's outgoing edge.
    ReferenceDirector(usize),
    /// Reference twist at a vertex.
    ReferenceTwist(usize),
}

/// Why a pattern is not valid.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{problem}")]
pub struct PatternFault {
    /// The element.
    pub place: PatternPlace,
    /// The element in words, what is wrong, and the cure.
    pub problem: String,
}

fn fault<T>(place: PatternPlace, problem: String) -> Result<T, PatternFault> {
    Err(PatternFault { place, problem })
}

/// Checks everything; gives the incoming vertex of each vertex.
pub(super) fn check(data: &PatternData) -> Result<Vec<u32>, PatternFault> {
    check_header(data)?;
    check_positions(data)?;
    let incoming = check_topology(data)?;
    // Before what is derived from the geometry (rest lengths, directors), so that the cause is named and not a symptom.
    check_edges(data)?;
    check_rest_state(data)?;
    for i in 0..data.vertices.len() {
        check_shift(data, i)?;
    }
    Ok(incoming)
}

fn check_header(data: &PatternData) -> Result<(), PatternFault> {
    let n = data.vertices.len();
    if n == 0 || n > MAX_VERTICES {
        return fault(
            PatternPlace::Header,
            format!("the pattern has {n} vertices, between 1 and {MAX_VERTICES} are needed"),
        );
    }
    for (name, value) in [("period px", data.period[0]), ("period py", data.period[1]), ("radius", data.radius)] {
        if !(value.is_finite() && value > 0.0 && value <= MAX_METERS) {
            return fault(PatternPlace::Header, format!("{name} is {value}, it must be a positive length in meters"));
        }
    }
    Ok(())
}

fn finite(place: PatternPlace, what: &str, i: usize, values: &[f64]) -> Result<(), PatternFault> {
    match values.iter().find(|v| !v.is_finite()) {
        Some(v) => fault(place, format!("{what} of vertex {i} is {v}, which is not a finite number")),
        None => Ok(()),
    }
}

fn check_positions(data: &PatternData) -> Result<(), PatternFault> {
    for (i, v) in data.vertices.iter().enumerate() {
        finite(PatternPlace::Vertex(i), "the position", i, &v.position)?;
        if let Some(x) = v.position.iter().find(|x| x.abs() > MAX_METERS) {
            return fault(
                PatternPlace::Vertex(i),
                format!("the position of vertex {i} has a coordinate of {x} m: lengths are in meters"),
            );
        }
        finite(PatternPlace::Vertex(i), "the twist", i, &[v.twist])?;
    }
    Ok(())
}

fn check_rest_state(data: &PatternData) -> Result<(), PatternFault> {
    for (i, v) in data.vertices.iter().enumerate() {
        if !(v.rest_length.is_finite() && v.rest_length > 0.0 && v.rest_length <= MAX_METERS) {
            let problem =
                format!("the rest length of vertex {i} is {}, it must be a positive length in meters", v.rest_length);
            return fault(PatternPlace::RestLength(i), problem);
        }
        finite(PatternPlace::RestCurvature(i), "the rest curvature", i, &v.rest_curvature)?;
        finite(PatternPlace::RestTwist(i), "the rest twist", i, &[v.rest_twist])?;
        finite(PatternPlace::ReferenceTwist(i), "the reference twist", i, &[v.reference_twist])?;
        finite(PatternPlace::ReferenceDirector(i), "the reference director", i, &v.reference_director)?;
        let director = norm(v.reference_director);
        if !(0.5..=2.0).contains(&director) {
            let problem =
                format!("the reference director of vertex {i} has length {director}, it must be a unit vector");
            return fault(PatternPlace::ReferenceDirector(i), problem);
        }
    }
    Ok(())
}

fn check_topology(data: &PatternData) -> Result<Vec<u32>, PatternFault> {
    let n = data.vertices.len();
    let mut incoming = vec![u32::MAX; n];
    for (i, v) in data.vertices.iter().enumerate() {
        let to = v.edge.to as usize;
        if to >= n {
            return fault(
                PatternPlace::Edge(i),
                format!("the edge from vertex {i} leads to vertex {to}, but vertices are numbered 0 to {}", n - 1),
            );
        }
        if incoming[to] != u32::MAX {
            let problem = format!(
                "vertex {to} has two incoming edges, from vertices {} and {i}: each vertex has exactly one, yarns do not branch",
                incoming[to]
            );
            return fault(PatternPlace::Edge(i), problem);
        }
        if v.edge.shift.iter().any(|s| !(-MAX_SHIFT..=MAX_SHIFT).contains(s)) {
            let [x, y] = v.edge.shift;
            let problem = format!("the edge from vertex {i} is shifted by {x} and {y} periods, more than {MAX_SHIFT}");
            return fault(PatternPlace::Edge(i), problem);
        }
        incoming[to] = i as u32;
    }
    Ok(incoming)
}

fn check_edges(data: &PatternData) -> Result<(), PatternFault> {
    for (i, v) in data.vertices.iter().enumerate() {
        // A millionth of the radius is far below any real segment and far above rounding.
        if norm(edge_vector(data, i, v.edge.shift)) <= 1e-6 * data.radius {
            return fault(
                PatternPlace::Edge(i),
                format!(
                    "the edge from vertex {i} to vertex {} has no length: the two vertices lie on one another",
                    v.edge.to
                ),
            );
        }
    }
    Ok(())
}

/// A wrong shift makes an edge about a period too long; another one then fits its rest length.
fn check_shift(data: &PatternData, i: usize) -> Result<(), PatternFault> {
    let v = &data.vertices[i];
    let length = norm(edge_vector(data, i, v.edge.shift));
    let misfit = |l: f64| (l / v.rest_length).max(v.rest_length / l);
    if misfit(length) <= DOUBTFUL_STRETCH {
        return Ok(());
    }
    let [dx, dy] = v.edge.shift;
    let others = (-1..=1).flat_map(|x| (-1..=1).map(move |y| [dx + x, dy + y]));
    let better = others.map(|s| (s, misfit(norm(edge_vector(data, i, s))))).filter(|(_, m)| *m <= DOUBTFUL_STRETCH);
    match better.min_by(|a, b| a.1.total_cmp(&b.1)) {
        Some((shift, _)) => fault(
            PatternPlace::Edge(i),
            format!(
                "the edge from vertex {i} to vertex {} with shift ({dx}, {dy}) is {length:e} m long, its rest length is {:e} m: the shift ({}, {}) would fit",
                v.edge.to, v.rest_length, shift[0], shift[1]
            ),
        ),
        None => Ok(()),
    }
}

pub(super) fn norm(v: [f64; 3]) -> f64 {
    v.iter().map(|c| c * c).sum::<f64>().sqrt()
}

#[cfg(test)]
mod tests;
