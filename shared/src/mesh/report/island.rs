//! The pieces of the UV plane.

use super::{Element, Finding, FindingKind, Severity, about, whole};
use crate::mesh::Mesh;
use crate::mesh::measure::{area, uv_area};
use crate::mesh::topology::Islands;

/// An island of the UV plane.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
pub struct Island {
    /// Number of faces.
    pub faces: usize,
    /// Lower left and upper right corner of its bounds, meters.
    pub bounds: [[f32; 2]; 2],
    /// Area in the UV plane, square meters; what is turned over counts negative against the rest, so never below 0.
    pub uv_area: f64,
    /// Area of its faces in the world, square meters.
    pub area: f64,
    /// Whether most of it lies in the UV plane as seen from the back.
    pub mirrored: bool,
}

impl Island {
    /// How many times longer the island is in the world than in the UV plane, by its areas; 1 for metric UVs at rest.
    pub fn stretch(&self) -> f64 {
        (self.area / self.uv_area).sqrt()
    }
}

pub(super) fn describe(mesh: &Mesh, islands: &Islands) -> Vec<Island> {
    (0..islands.count()).map(|i| describe_one(mesh, islands.faces(i))).collect()
}

fn describe_one(mesh: &Mesh, faces: &[u32]) -> Island {
    let mut bounds = [[f32::INFINITY; 2], [f32::NEG_INFINITY; 2]];
    let (mut signed, mut world) = (0.0, 0.0);
    for face in faces.iter().map(|f| *f as usize) {
        let uv = mesh.uv_corners(face);
        signed += uv_area(uv);
        world += area(mesh.corners(face));
        for corner in uv {
            for k in 0..2 {
                bounds[0][k] = bounds[0][k].min(corner[k]);
                bounds[1][k] = bounds[1][k].max(corner[k]);
            }
        }
    }
    Island { faces: faces.len(), bounds, uv_area: signed.abs(), area: world, mirrored: signed < 0.0 }
}

pub(super) fn check(mesh: &Mesh, islands: &[Island]) -> Vec<Finding> {
    let mirrored = islands.iter().enumerate().filter(|(_, island)| island.mirrored).map(|(i, _)| Element::Island(i));
    let mirrored = about(
        FindingKind::MirroredIsland,
        Severity::Information,
        mirrored,
        [
            "island is mirrored in the UV plane: it is laid as seen from the back",
            "islands are mirrored in the UV plane: they are laid as seen from the back",
        ],
        "nothing need be done if that is meant; otherwise mirror their UVs",
    );
    let (n, faces) = (islands.len(), mesh.faces().len());
    let fragmented = (n > 8 && 2 * n > faces).then(|| {
        whole(
            FindingKind::FragmentedUvs,
            Severity::Warning,
            format!("the UV plane is in {n} pieces for {faces} faces: yarns end at the border of each piece"),
            "unwrap the panels as whole pieces; UVs that are equal at a vertex are joined when a file is read".into(),
        )
    });
    mirrored.into_iter().chain(fragmented).collect()
}
