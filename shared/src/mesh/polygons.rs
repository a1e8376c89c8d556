//! Which face of a file a triangle comes from.

/// The faces of a file that the triangles of a mesh come from: a file may have quads and larger polygons.
///
/// Messages about a mesh count faces as its file does: from 1, and a quad is one face.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Polygons {
    /// For each triangle its polygon, from 0; empty where each triangle is a face of its own.
    of_triangles: Vec<u32>,
}

impl Polygons {
    /// Where triangle `i` comes from polygon `of_triangles[i]`; polygons are counted from 0.
    pub(super) fn new(of_triangles: Vec<u32>) -> Self {
        let split = of_triangles.iter().enumerate().any(|(i, polygon)| i != *polygon as usize);
        Polygons { of_triangles: if split { of_triangles } else { Vec::new() } }
    }

    /// The number, from 1, of the face that a triangle comes from.
    pub(super) fn number(&self, triangle: usize) -> usize {
        self.of_triangles.get(triangle).map_or(triangle, |polygon| *polygon as usize) + 1
    }
}
