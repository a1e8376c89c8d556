//! The text format `.obj` (Wavefront), as far as cloth needs it.
//!
//! Read are `v` (position), `vt` (UV) and `f` (face); everything else is skipped, and all objects and groups of a file
//! make one mesh. Lines may end in LF, CRLF or CR and go on after a backslash; `#` begins a comment.
//!
//! - A corner of a face is `v`, `v/vt`, `v//vn` or `v/vt/vn`, counted from 1, or from -1 backwards from the latest one.
//! - **UVs.** A corner without `vt` takes the UV of the same number as its vertex if the file has as many `vt` as `v`
//!   (the reference program does so too). Otherwise it is an error: yarns are laid in the UV plane.
//! - **Quads** are split along the shorter diagonal, measured in the UV plane; a tie goes to the diagonal 0-2. Where that
//!   would turn a triangle over (a quad that is not convex), the other diagonal is taken.
//! - **Polygons** with more corners become a fan around their first corner. Where that would turn a triangle over, it is
//!   an error: the modeller that made the polygon can split it better.
//! - Extra numbers on a `v` or `vt` line (weights, colors) are skipped.

mod frames;
mod statements;
mod triangulate;
mod write;

use super::{Mesh, MeshData, MeshFault, MeshPlace, Polygons, Surface};
use crate::{Error, Result, file};
pub(crate) use frames::Frames;
use statements::{NONE, Statements};
use std::path::Path;
pub(crate) use write::write_frame;
pub use write::{to_text, write, write_polylines};

/// Largest `.obj` file that is read.
pub const MAX_BYTES: u64 = 1 << 30;

/// Reads an `.obj` file with UVs.
pub fn read(path: &Path) -> Result<Mesh> {
    parse(&file::read(path, MAX_BYTES, file::text)?, &file::origin(path))
}

/// Reads the text of an `.obj` file with UVs; `origin` names it in messages.
pub fn parse(bytes: &[u8], origin: &str) -> Result<Mesh> {
    from_statements(Statements::parse(bytes, origin)?, origin)
}

fn from_statements(mut statements: Statements, origin: &str) -> Result<Mesh> {
    require_faces(&statements, origin)?;
    assign_uvs(&mut statements, origin)?;
    let lines = std::mem::take(&mut statements.lines);
    let split = triangulate::by_uv(&statements, &lines, origin)?;
    let polygons = Polygons::new(split.polygons);
    let data = MeshData {
        positions: statements.positions,
        uvs: statements.uvs,
        faces: split.triangles.iter().map(|t| t.map(|c| c.vertex)).collect(),
        uv_faces: split.triangles.iter().map(|t| t.map(|c| c.uv)).collect(),
    };
    Mesh::of_polygons(data, polygons.clone()).map_err(|fault| at_line(fault, &polygons, &lines, origin))
}

/// Reads an `.obj` file for its surface alone; it needs no UVs.
pub fn read_surface(path: &Path) -> Result<Surface> {
    parse_surface(&file::read(path, MAX_BYTES, file::text)?, &file::origin(path))
}

/// Reads the text of an `.obj` file for its surface alone. Quads are split along the shorter diagonal in space.
pub fn parse_surface(bytes: &[u8], origin: &str) -> Result<Surface> {
    let statements = Statements::parse(bytes, origin)?;
    require_faces(&statements, origin)?;
    let split = triangulate::by_position(&statements, origin)?;
    let faces = split.triangles.iter().map(|t| t.map(|c| c.vertex)).collect();
    let polygons = Polygons::new(split.polygons);
    Surface::of_polygons(statements.positions, faces, &polygons)
        .map_err(|fault| at_line(fault, &polygons, &statements.lines, origin))
}

fn require_faces(statements: &Statements, origin: &str) -> Result<()> {
    if statements.ends.is_empty() {
        return Err(Error::invalid(origin, "has no faces ('f'): is this an OBJ file with a mesh?"));
    }
    Ok(())
}

/// Gives every corner a UV, or says which has none.
fn assign_uvs(statements: &mut Statements, origin: &str) -> Result<()> {
    let shared = statements.uvs.len() == statements.positions.len();
    let Some(first) = statements.corners.iter().position(|c| c.uv == NONE) else { return Ok(()) };
    if !shared {
        let polygon = statements.ends.partition_point(|end| *end as usize <= first);
        let line = statements.lines[polygon];
        let problem = if statements.uvs.is_empty() {
            "the file has no UVs (no 'vt' statements), and yarns are laid in the UV plane: unwrap the mesh and export it with UVs in meters".to_owned()
        } else {
            format!(
                "face {} has a corner without a UV: unwrap all faces and export again with UVs (corners as v/vt)",
                polygon + 1
            )
        };
        return Err(Error::text(origin, line as usize, problem));
    }
    for corner in statements.corners.iter_mut().filter(|c| c.uv == NONE) {
        corner.uv = corner.vertex;
    }
    Ok(())
}

/// The error for `fault` at the line of the face that is to blame, if it is one.
fn at_line(fault: MeshFault, polygons: &Polygons, lines: &[u32], origin: &str) -> Error {
    match fault.place {
        MeshPlace::Face(face) | MeshPlace::UvFace(face) => {
            Error::text(origin, lines[polygons.number(face) - 1] as usize, fault.problem)
        }
        _ => Error::invalid(origin, fault.problem),
    }
}

#[cfg(test)]
mod tests;
