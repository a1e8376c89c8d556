//! What may be wrong with a mesh as cloth, which elements are to blame, and the cure.
//!
//! One finding for each kind of trouble; it names the first few elements and how many there are, so that a report stays
//! short whatever the mesh.

mod edges;
mod faces;
mod island;
mod overlap;
mod units;

use super::Mesh;
use super::topology::Topology;
pub use island::Island;
use std::fmt;

/// How many elements a finding names.
pub const NAMED: usize = 8;

/// How many islands a report describes.
pub const DESCRIBED_ISLANDS: usize = 64;

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Severity {
    /// Good to know.
    Information,
    /// The picture will probably not be what was meant.
    Warning,
    /// Yarns cannot be laid there.
    Error,
}

/// What was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum FindingKind {
    /// Triangles without an area in the UV plane.
    DegenerateUvFace,
    /// Triangles that are turned over against the rest of their UV island.
    FlippedUvFace,
    /// Islands that lie in the UV plane as seen from the back.
    MirroredIsland,
    /// Triangles without an area in the world, in some frame.
    DegenerateFace,
    /// Edges of more than two faces in the world.
    NonManifoldEdge,
    /// Edges of more than two faces in the UV plane.
    NonManifoldUvEdge,
    /// Neighbors in the world whose corners run in opposite directions.
    DiscordantWinding,
    /// Vertices that no face uses.
    UnusedVertex,
    /// UV vertices that no face uses.
    UnusedUv,
    /// Border vertices that lie exactly on another one.
    OpenSeam,
    /// Faces that lie on one another in the UV plane.
    OverlappingUvs,
    /// A UV plane in small pieces.
    FragmentedUvs,
    /// UVs that are not in meters.
    UvUnits,
    /// Islands whose UVs have different scales.
    UnequalIslands,
    /// A mesh that is too large or too small to be a garment in meters.
    WorldUnits,
}

/// The element that a finding is about.
///
/// Vertices, UVs and faces have the numbers that they have in an OBJ file: they count from 1, and a quad is one face. Frames
/// and islands, which no file numbers, count from 0 as they do in options.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Element {
    /// A face.
    Face(usize),
    /// A face in a frame.
    FaceInFrame {
        /// The face, from 1.
        face: usize,
        /// The first frame in which it is so.
        frame: usize,
    },
    /// Two faces that do not go together.
    Faces([usize; 2]),
    /// An edge between two vertices.
    Edge([u32; 2]),
    /// An edge between two UV vertices.
    UvEdge([u32; 2]),
    /// A vertex.
    Vertex(usize),
    /// A UV vertex.
    Uv(usize),
    /// An island of the UV plane.
    Island(usize),
}

/// One kind of trouble.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Finding {
    /// What was found.
    pub kind: FindingKind,
    /// How bad it is.
    pub severity: Severity,
    /// How many elements are concerned; 1 for the whole mesh.
    pub count: usize,
    /// The first few of them; empty for the whole mesh.
    pub elements: Vec<Element>,
    /// What is wrong.
    pub message: String,
    /// What to do about it.
    pub cure: String,
}

/// What is known about a mesh, or about all frames of a clip.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Report {
    /// Number of UV islands.
    pub island_count: usize,
    /// The first few of them.
    pub islands: Vec<Island>,
    /// Seams that are closed in the world, as a number of edges.
    pub seam_edges: usize,
    /// Edges of the world with one face.
    pub border_edges: usize,
    /// What was found, the worst first.
    pub findings: Vec<Finding>,
}

impl Report {
    /// Examines `mesh` and its positions in each of `frames`.
    pub fn new<'a>(mesh: &Mesh, frames: impl IntoIterator<Item = &'a [[f32; 3]]>) -> Self {
        let topology = Topology::new(mesh);
        let islands = island::describe(mesh, &topology.islands);
        let mut findings = Vec::new();
        findings.extend(faces::degenerate_uv(mesh));
        findings.extend(faces::flipped_uv(mesh, &topology.islands, &islands));
        findings.extend(faces::degenerate(mesh, frames));
        findings.extend(edges::check(mesh, &topology));
        findings.extend(island::check(mesh, &islands));
        findings.extend(units::check(mesh, &islands));
        findings.extend(overlap::check(mesh));
        findings.sort_by_key(|f| std::cmp::Reverse(f.severity));
        Report {
            island_count: islands.len(),
            islands: islands.into_iter().take(DESCRIBED_ISLANDS).collect(),
            seam_edges: topology.seams.len(),
            border_edges: edges::border_vertices(mesh, &topology.world).count() / 2,
            findings,
        }
    }

    /// Whether yarns cannot be laid on some of the mesh.
    pub fn has_errors(&self) -> bool {
        self.findings.iter().any(|f| f.severity == Severity::Error)
    }

    /// The finding of a kind, if there is one.
    pub fn find(&self, kind: FindingKind) -> Option<&Finding> {
        self.findings.iter().find(|f| f.kind == kind)
    }
}

/// A finding about these elements; `None` if there are none.
///
/// `message` is said after their number: "3 faces <message>", with the words for one and for many.
fn about(
    kind: FindingKind,
    severity: Severity,
    elements: impl Iterator<Item = Element>,
    [one, many]: [&str; 2],
    cure: &str,
) -> Option<Finding> {
    let mut count = 0;
    let mut named = Vec::new();
    let mut last = None;
    // The triangles of a quad follow one another and are one face.
    for element in elements.filter(|element| last.replace(*element) != Some(*element)) {
        count += 1;
        if named.len() < NAMED {
            named.push(element);
        }
    }
    let message = if count == 1 { format!("1 {one}") } else { format!("{count} {many}") };
    (count > 0).then(|| Finding { kind, severity, count, elements: named, message, cure: cure.to_owned() })
}

/// A finding about the mesh as a whole.
fn whole(kind: FindingKind, severity: Severity, message: String, cure: String) -> Finding {
    Finding { kind, severity, count: 1, elements: Vec::new(), message, cure }
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Severity::Information => "info",
            Severity::Warning => "warning",
            Severity::Error => "error",
        })
    }
}

impl fmt::Display for Element {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Element::Face(i) => write!(f, "face {i}"),
            Element::FaceInFrame { face, frame } => write!(f, "face {face} in frame {frame}"),
            Element::Faces([a, b]) => write!(f, "faces {a} and {b}"),
            Element::Edge([a, b]) => write!(f, "edge {a}-{b}"),
            Element::UvEdge([a, b]) => write!(f, "UV edge {a}-{b}"),
            Element::Vertex(i) => write!(f, "vertex {i}"),
            Element::Uv(i) => write!(f, "UV {i}"),
            Element::Island(i) => write!(f, "island {i}"),
        }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.severity, self.message)?;
        let named: Vec<String> = self.elements.iter().map(Element::to_string).collect();
        if !named.is_empty() {
            let more = if self.count > named.len() { ", ..." } else { "" };
            write!(f, " ({}{more})", named.join(", "))?;
        }
        write!(f, "\n  cure: {}", self.cure)
    }
}

#[cfg(test)]
mod tests;
