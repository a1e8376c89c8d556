//! One frame's yarns as an OBJ file: a vertex for each yarn vertex, a polyline for each yarn.

use super::Curves;
use crate::Result;
use std::path::Path;
use yarnwise_shared::file;

pub(super) fn write(curves: &mut Curves, frame: usize, path: &Path) -> Result<()> {
    curves.frame(frame)?;
    file::write_atomically(path, |w| {
        writeln!(w, "# Yarnwise: yarns of frame {frame} as polylines, metres, y up, {} m thick", curves.width())?;
        for vertex in curves.yarns.vertices() {
            let [x, y, z] = vertex.position;
            writeln!(w, "v {x} {y} {z}")?;
        }
        for yarn in curves.yarns.layout().yarn_starts().windows(2) {
            write!(w, "l")?;
            for vertex in yarn[0]..yarn[1] {
                write!(w, " {}", vertex + 1)?;
            }
            writeln!(w)?;
        }
        Ok(())
    })?;
    Ok(())
}
