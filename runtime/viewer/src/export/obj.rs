//! One frame's yarns as an OBJ file: a vertex for each yarn vertex, a polyline for each yarn.

use super::Curves;
use crate::Result;
use std::path::Path;
use yarnwise_shared::mesh::obj;

pub(super) fn write(curves: &mut Curves, frame: usize, path: &Path) -> Result<()> {
    curves.frame(frame)?;
    let comment = format!("Yarnwise: yarns of frame {frame} as polylines, meters, y up, {} m thick", curves.width());
    let positions: Vec<[f32; 3]> = curves.yarns.vertices().iter().map(|v| v.position).collect();
    let starts = curves.yarns.layout().yarn_starts().windows(2);
    let polylines = starts.map(|yarn| &positions[yarn[0] as usize..yarn[1] as usize]);
    Ok(obj::write_polylines(&comment, polylines, path)?)
}
