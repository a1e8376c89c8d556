//! Writing `.obj` files.

use crate::mesh::Mesh;
use crate::{Result, file};
use std::io::{self, Write};
use std::path::Path;

/// Writes a mesh. Numbers are written so that they read back exactly.
pub fn write(mesh: &Mesh, path: &Path) -> Result<()> {
    write_frame(mesh, mesh.positions(), path)
}

/// Writes a mesh with other positions: a frame of a clip.
pub(crate) fn write_frame(mesh: &Mesh, positions: &[[f32; 3]], path: &Path) -> Result<()> {
    file::write_atomically(path, |out| write_to(out, mesh, positions))
}

/// The text of an `.obj` file.
pub fn to_text(mesh: &Mesh) -> String {
    let mut out = Vec::new();
    write_to(&mut out, mesh, mesh.positions()).expect("a Vec takes every byte");
    String::from_utf8_lossy(&out).into_owned()
}

fn write_to(out: &mut dyn Write, mesh: &Mesh, positions: &[[f32; 3]]) -> io::Result<()> {
    write_positions(out, positions)?;
    for [u, v] in mesh.uvs() {
        writeln!(out, "vt {u} {v}")?;
    }
    for (f, t) in mesh.faces().iter().zip(mesh.uv_faces()) {
        writeln!(out, "f {}/{} {}/{} {}/{}", f[0] + 1, t[0] + 1, f[1] + 1, t[1] + 1, f[2] + 1, t[2] + 1)?;
    }
    Ok(())
}

fn write_positions(out: &mut dyn Write, positions: &[[f32; 3]]) -> io::Result<()> {
    positions.iter().try_for_each(|[x, y, z]| writeln!(out, "v {x} {y} {z}"))
}

/// Writes polylines (`l` statements), such as yarn centerlines, after a line for people. Each polyline is a list of points in
/// meters.
pub fn write_polylines<'a>(
    comment: &str,
    polylines: impl IntoIterator<Item = &'a [[f32; 3]]>,
    path: &Path,
) -> Result<()> {
    file::write_atomically(path, |out| {
        writeln!(out, "# {comment}")?;
        let mut first = 1;
        for points in polylines {
            write_positions(out, points)?;
            if points.len() > 1 {
                write!(out, "l")?;
                (first..first + points.len()).try_for_each(|i| write!(out, " {i}"))?;
                writeln!(out)?;
            }
            first += points.len();
        }
        Ok(())
    })
}
