//! Frames of a sequence of `.obj` files: after the first one only the positions matter.

use super::statements::{Corner, Statements};
use super::{Mesh, from_statements};
use crate::words::vertices;
use crate::{Error, Result};

/// What later frames are compared with.
pub(crate) struct Frames {
    vertices: usize,
    uvs: Vec<[f32; 2]>,
    corners: Vec<Corner>,
    ends: Vec<u32>,
}

impl Frames {
    /// Reads the first frame.
    pub(crate) fn first(bytes: &[u8], origin: &str) -> Result<(Self, Mesh)> {
        let statements = Statements::parse(bytes, origin)?;
        let frames = Frames {
            vertices: statements.positions.len(),
            uvs: statements.uvs.clone(),
            corners: statements.corners.clone(),
            ends: statements.ends.clone(),
        };
        Ok((frames, from_statements(statements, origin)?))
    }

    /// The positions of a later frame, after a check that its topology is the first one's, and with `compare_uvs` its
    /// UVs too. A frame may leave faces and UVs out.
    pub(crate) fn later(&self, bytes: &[u8], origin: &str, compare_uvs: bool) -> Result<Vec<[f32; 3]>> {
        let frame = Statements::parse(bytes, origin)?;
        let changed = |what: &str| {
            let problem = format!("{what}: a clip keeps its topology, export it without remeshing");
            Err(Error::invalid(origin, problem))
        };
        let n = frame.positions.len();
        if n != self.vertices {
            return changed(&format!("has {}, the first frame has {}", vertices(n), self.vertices));
        }
        let same_vertices = |(a, b): (&Corner, &Corner)| a.vertex == b.vertex;
        let has_faces = !frame.ends.is_empty();
        if has_faces && (frame.ends != self.ends || !frame.corners.iter().zip(&self.corners).all(same_vertices)) {
            return changed("has other faces than the first frame");
        }
        let same_uvs = || {
            let same_indices = |(a, b): (&Corner, &Corner)| a.uv == b.uv;
            frame.uvs == self.uvs && (!has_faces || frame.corners.iter().zip(&self.corners).all(same_indices))
        };
        if compare_uvs && !frame.uvs.is_empty() && !same_uvs() {
            let problem = "has other UVs than the first frame: a clip keeps its UVs, export it without remeshing, or ask for the first frame's UVs throughout";
            return Err(Error::invalid(origin, problem));
        }
        Ok(frame.positions)
    }
}
