//! One frame's yarns as an OBJ file: a vertex for each yarn vertex, a polyline for each yarn.

use super::Curves;
use crate::Result;
use std::path::Path;
use yarnwise_shared::mesh::obj;

pub(super) fn write(curves: &mut Curves, frame: usize, path: &Path) -> Result<()> {
    let width = curves.width();
    let comment = format!("Yarnwise: yarns of frame {frame} as polylines, meters, y up, {width} m thick");
    let shown = curves.frame(frame)?;
    let positions: Vec<[f32; 3]> = shown.vertices.iter().map(|v| v.position).collect();
    let starts = shown.starts.windows(2);
    let polylines = starts.map(|yarn| &positions[yarn[0] as usize..yarn[1] as usize]);
    Ok(obj::write_polylines(&comment, polylines, path)?)
}
