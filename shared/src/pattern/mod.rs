//! Periodic yarn patterns: a rectangle of fabric that repeats without end.
//!
//! A pattern has a period (px, py), one yarn radius r and vertices. Each vertex carries its material position and
//! twist, and owns its outgoing edge: where it leads, by how many periods it is shifted, its rest length, rest
//! curvature and twist at the joint, and its reference director. Following the edges closes every yarn up to a shift by
//! whole periods.
//!
//! A [`Pattern`] is always valid: the only way to one is [`Pattern::new`], which checks everything.

mod assemble;
mod broad_phase;
pub mod clearance;
pub mod crossings;
mod decimal;
mod frame;
pub mod knit;
pub mod linking;
pub mod material;
pub mod passages;
pub mod pyp;
mod strand;
#[cfg(test)]
mod test_patterns;
pub mod transport;
mod typed_grid;
mod validate;
pub mod weave;
pub mod yarn;

use crate::{Error, Result, file, text};
pub use assemble::{MIN_CLEARANCE, VertexLine, pattern_of_vertices};
use std::path::Path;
pub use validate::{PatternFault, PatternPlace};

/// The most vertices a pattern may have.
pub const MAX_VERTICES: usize = 1 << 20;

/// The largest pattern file that is read: above what [`MAX_VERTICES`] vertices take in any format.
pub const MAX_BYTES: u64 = 512 << 20;

/// An edge from one vertex to the next on its yarn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Edge {
    /// The vertex it leads to.
    pub to: u32,
    /// It ends at the copy of `to` that is this many periods away in x and y.
    pub shift: [i32; 2],
}

/// A yarn vertex of the pattern and its outgoing edge.
///
/// Rest curvature, rest twist and reference twist belong to the joint of the incoming and the outgoing edge at this
/// vertex; rest length and reference director to the outgoing edge. The twist angle is that of the outgoing edge too.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Vertex {
    /// Material position X = (X1, X2, X3) in meters; X3 is the height above the midsurface.
    pub position: [f64; 3],
    /// Twist angle of the material frame against the reference frame, radians.
    pub twist: f64,
    /// The outgoing edge.
    pub edge: Edge,
    /// Length of the unstretched outgoing edge, meters.
    pub rest_length: f64,
    /// Curvature of the unloaded joint in the material frame (integrated over the joint, dimensionless).
    pub rest_curvature: [f64; 2],
    /// Twist of the unloaded joint, radians.
    pub rest_twist: f64,
    /// Unit vector across the outgoing edge from which twist is counted.
    pub reference_director: [f64; 3],
    /// Twist of the reference frame over the joint, radians.
    pub reference_twist: f64,
}

impl Vertex {
    /// A vertex without twist, straight and untwisted at rest. Edge, rest length and director are still to be set.
    pub(crate) fn at(position: [f64; 3]) -> Self {
        Vertex {
            position,
            twist: 0.0,
            edge: Edge { to: 0, shift: [0, 0] },
            rest_length: 0.0,
            rest_curvature: [0.0; 2],
            rest_twist: 0.0,
            reference_director: [0.0; 3],
            reference_twist: 0.0,
        }
    }
}

/// A pattern before it is checked.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct PatternData {
    /// Period (px, py) in meters.
    pub period: [f64; 2],
    /// Yarn radius in meters.
    pub radius: f64,
    /// The vertices.
    pub vertices: Vec<Vertex>,
}

/// A closed chain of edges: one yarn of the pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Yarn {
    /// Its vertices in order, beginning with the one of the lowest index.
    pub vertices: Vec<u32>,
    /// The sum of the shifts once around: (1, 0) runs along +x, (0, 0) is a closed ring.
    pub shift: [i32; 2],
}

/// A valid periodic yarn pattern.
#[derive(Clone, Debug, PartialEq)]
pub struct Pattern {
    data: PatternData,
    incoming: Vec<u32>,
    yarns: Vec<Yarn>,
}

impl Pattern {
    /// Checks `data`. The fault names the element; readers add the file and the line.
    pub fn new(data: PatternData) -> Result<Self, PatternFault> {
        let incoming = validate::check(&data)?;
        let yarns = trace_yarns(&data.vertices);
        Ok(Pattern { data, incoming, yarns })
    }

    /// Period (px, py) in meters.
    pub fn period(&self) -> [f64; 2] {
        self.data.period
    }

    /// Yarn radius in meters.
    pub fn radius(&self) -> f64 {
        self.data.radius
    }

    /// The vertices.
    pub fn vertices(&self) -> &[Vertex] {
        &self.data.vertices
    }

    /// For each vertex the vertex before it on its yarn.
    pub fn incoming(&self) -> &[u32] {
        &self.incoming
    }

    /// The yarns, in order of their lowest vertex.
    pub fn yarns(&self) -> &[Yarn] {
        &self.yarns
    }

    /// The plain data, to change and check again with [`Pattern::new`].
    pub fn data(&self) -> &PatternData {
        &self.data
    }

    /// The vector along the outgoing edge of `vertex` in material space, meters.
    pub fn edge_vector(&self, vertex: usize) -> [f64; 3] {
        edge_vector(&self.data, vertex, self.data.vertices[vertex].edge.shift)
    }
}

/// From `vertex` to the copy of its edge's end that lies `shift` periods away.
fn edge_vector(data: &PatternData, vertex: usize, shift: [i32; 2]) -> [f64; 3] {
    let from = data.vertices[vertex].position;
    let to = data.vertices[data.vertices[vertex].edge.to as usize].position;
    [
        to[0] - from[0] + f64::from(shift[0]) * data.period[0],
        to[1] - from[1] + f64::from(shift[1]) * data.period[1],
        to[2] - from[2],
    ]
}

fn trace_yarns(vertices: &[Vertex]) -> Vec<Yarn> {
    let mut seen = vec![false; vertices.len()];
    let mut yarns = Vec::new();
    for start in 0..vertices.len() {
        if seen[start] {
            continue;
        }
        let mut yarn = Yarn { vertices: Vec::new(), shift: [0, 0] };
        let mut at = start;
        while !seen[at] {
            seen[at] = true;
            yarn.vertices.push(at as u32);
            let edge = vertices[at].edge;
            // Readers trace yarns before the size of shifts is checked.
            yarn.shift = [0, 1].map(|k| yarn.shift[k].saturating_add(edge.shift[k]));
            at = edge.to as usize;
        }
        yarns.push(yarn);
    }
    yarns
}

/// Reads a pattern in any known format, which its first line states.
pub fn read(path: &Path) -> Result<Pattern> {
    parse(&file::read(path, MAX_BYTES, file::text)?, &file::origin(path))
}

/// The same; what its user should know is added to `notes`, one sentence each.
pub fn read_with_notes(path: &Path, notes: &mut Vec<String>) -> Result<Pattern> {
    parse_with_notes(&file::read(path, MAX_BYTES, file::text)?, &file::origin(path), notes)
}

/// Reads the text of a pattern file in any known format; `origin` names it in messages.
pub fn parse(bytes: &[u8], origin: &str) -> Result<Pattern> {
    parse_with_notes(bytes, origin, &mut Vec::new())
}

fn parse_with_notes(bytes: &[u8], origin: &str, notes: &mut Vec<String>) -> Result<Pattern> {
    let first = text::lines(text::decode(bytes, origin)?).next();
    match first.map(|line| line.text) {
        Some(text) if text.starts_with(yarn::MAGIC) => yarn::parse_with_notes(bytes, origin, notes),
        Some(text) if text.starts_with('*') => pyp::parse(bytes, origin),
        _ => Err(Error::invalid(
            origin,
            format!("is not a pattern: a .yarn file begins with '{} 2', a .pyp file with '*pattern'", yarn::MAGIC),
        )),
    }
}

/// Writes a pattern in the format that the file name's extension says: `.yarn` or `.pyp`.
pub fn write(pattern: &Pattern, path: &Path) -> Result<()> {
    match path.extension().and_then(|e| e.to_str()).map(str::to_ascii_lowercase).as_deref() {
        Some("yarn") => yarn::write(pattern, path),
        Some("pyp") => pyp::write(pattern, path),
        _ => Err(Error::invalid(file::origin(path), "the name of a pattern file ends in .yarn or .pyp")),
    }
}

impl From<(&str, PatternFault)> for Error {
    fn from((origin, fault): (&str, PatternFault)) -> Self {
        Error::invalid(origin, fault.to_string())
    }
}
