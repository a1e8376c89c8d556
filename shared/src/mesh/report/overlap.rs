//! Faces that lie on one another in the UV plane, found at the points of a raster.
//!
//! Overlaps that are smaller than the raster's spacing may go unseen; the work is bounded whatever the mesh.

use super::{Element, Finding, FindingKind, Severity, about};
use crate::mesh::Mesh;

/// Points of the raster along the longer side of the UV bounds.
const RESOLUTION: usize = 1024;

/// The most points that are looked at, over all faces.
const MAX_VISITS: usize = 64 << 20;

/// Points this close to a side (as a share of the triangle's height) do not count: neighbors share sides.
const MARGIN: f64 = 1e-4;

const NONE: u32 = u32::MAX;

pub(super) fn check(mesh: &Mesh) -> Option<Finding> {
    let mut raster = Raster::new(mesh);
    let mut pairs = Vec::new();
    let mut visits = 0;
    for face in 0..mesh.faces().len() {
        let corners = mesh.uv_corners(face).map(|c| c.map(f64::from));
        visits += raster.box_size(corners);
        if visits > MAX_VISITS {
            break;
        }
        if let Some(other) = raster.lay(face as u32, corners) {
            pairs.push([other as usize, face]);
        }
    }
    about(
        FindingKind::OverlappingUvs,
        Severity::Warning,
        pairs.into_iter().map(|pair| Element::Faces(pair.map(|f| mesh.face_number(f)))),
        [
            "face lies on another one in the UV plane: the pattern is the same on both",
            "faces lie on others in the UV plane: the pattern is the same on both",
        ],
        "move the islands apart if each panel should have its own yarns (in Blender: UV > Pack Islands without scaling)",
    )
}

struct Raster {
    origin: [f64; 2],
    /// Points per meter.
    density: f64,
    width: usize,
    height: usize,
    faces: Vec<u32>,
}

impl Raster {
    fn new(mesh: &Mesh) -> Self {
        let mut bounds = [[f64::INFINITY; 2], [f64::NEG_INFINITY; 2]];
        for uv in mesh.uv_faces().as_flattened().iter().map(|i| mesh.uvs()[*i as usize]) {
            for k in 0..2 {
                bounds[0][k] = bounds[0][k].min(f64::from(uv[k]));
                bounds[1][k] = bounds[1][k].max(f64::from(uv[k]));
            }
        }
        let size = [bounds[1][0] - bounds[0][0], bounds[1][1] - bounds[0][1]];
        // A UV plane of one point gets a raster of one point.
        let density = RESOLUTION as f64 / size[0].max(size[1]).max(f64::MIN_POSITIVE);
        let count = |k: usize| ((size[k] * density).ceil() as usize).clamp(1, RESOLUTION);
        let (width, height) = (count(0), count(1));
        Raster { origin: bounds[0], density, width, height, faces: vec![NONE; width * height] }
    }

    /// The columns and rows of the points within the bounds of a triangle.
    fn span(&self, corners: [[f64; 2]; 3]) -> [std::ops::Range<usize>; 2] {
        let count = [self.width, self.height];
        std::array::from_fn(|k| {
            let at = corners.map(|c| (c[k] - self.origin[k]) * self.density - 0.5);
            let low = at.iter().copied().fold(f64::INFINITY, f64::min).ceil().max(0.0) as usize;
            let high = at.iter().copied().fold(f64::NEG_INFINITY, f64::max).floor();
            low..if high < 0.0 { low } else { (high as usize + 1).min(count[k]) }
        })
    }

    fn box_size(&self, corners: [[f64; 2]; 3]) -> usize {
        let [columns, rows] = self.span(corners);
        1 + columns.len() * rows.len()
    }

    /// Marks the points inside a triangle as its own; a face that already has one of them is given back.
    fn lay(&mut self, face: u32, corners: [[f64; 2]; 3]) -> Option<u32> {
        let [a, b, c] = corners;
        let cross =
            |p: [f64; 2], q: [f64; 2], r: [f64; 2]| (q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0]);
        let inverse = 1.0 / cross(a, b, c);
        let [columns, rows] = self.span(corners);
        let mut found = None;
        for row in rows {
            for column in columns.clone() {
                let p = [self.center(0, column), self.center(1, row)];
                // Not a number, and so never inside, where the triangle has no area.
                let inside = |q, r| cross(p, q, r) * inverse > MARGIN;
                if inside(a, b) && inside(b, c) && inside(c, a) {
                    let owner = &mut self.faces[row * self.width + column];
                    if *owner == NONE {
                        *owner = face;
                    } else {
                        found = found.or(Some(*owner));
                    }
                }
            }
        }
        found
    }

    fn center(&self, axis: usize, index: usize) -> f64 {
        self.origin[axis] + (index as f64 + 0.5) / self.density
    }
}
