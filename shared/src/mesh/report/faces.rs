//! Faces without area and faces that are turned over.

use super::{Element, Finding, FindingKind, Island, Severity, about};
use crate::mesh::Mesh;
use crate::mesh::measure::{area, is_degenerate, uv_area};
use crate::mesh::topology::Islands;

pub(super) fn degenerate_uv(mesh: &Mesh) -> Option<Finding> {
    let bad = (0..mesh.faces().len()).filter(|f| {
        let uv = mesh.uv_corners(*f);
        is_degenerate(uv, uv_area(uv))
    });
    about(
        FindingKind::DegenerateUvFace,
        Severity::Error,
        bad.map(|f| Element::Face(mesh.face_number(f))),
        ["face has no area in the UV plane: no yarns there", "faces have no area in the UV plane: no yarns there"],
        "unwrap these faces again, or remove them",
    )
}

pub(super) fn flipped_uv(mesh: &Mesh, islands: &Islands, described: &[Island]) -> Option<Finding> {
    let bad = (0..mesh.faces().len()).filter(|f| {
        let uv = mesh.uv_corners(*f);
        let area = uv_area(uv);
        let mirrored = described[islands.of_faces()[*f] as usize].mirrored;
        !is_degenerate(uv, area) && (area < 0.0) != mirrored
    });
    about(
        FindingKind::FlippedUvFace,
        Severity::Error,
        bad.map(|f| Element::Face(mesh.face_number(f))),
        [
            "face is turned over in the UV plane against the rest of its island",
            "faces are turned over in the UV plane against the rest of their islands",
        ],
        "unfold the UVs there (they overlap), or make them an island of their own",
    )
}

/// Faces that are degenerate in the mesh itself or in a frame; each is listed once.
pub(super) fn degenerate<'a>(mesh: &Mesh, frames: impl IntoIterator<Item = &'a [[f32; 3]]>) -> Option<Finding> {
    let mut first_frame = vec![None; mesh.faces().len()];
    for (frame, positions) in frames.into_iter().enumerate() {
        for (face, first) in mesh.faces().iter().zip(&mut first_frame) {
            let x = face.map(|i| positions[i as usize]);
            if first.is_none() && is_degenerate(x, area(x)) {
                *first = Some(frame);
            }
        }
    }
    let bad = first_frame.iter().enumerate().filter_map(|(face, frame)| frame.map(|frame| (face, frame)));
    about(
        FindingKind::DegenerateFace,
        Severity::Warning,
        bad.map(|(face, frame)| Element::FaceInFrame { face: mesh.face_number(face), frame }),
        [
            "face has no area in the world in some frame: its normal is not defined there",
            "faces have no area in the world in some frame: their normals are not defined there",
        ],
        "remove faces that never have an area; where cloth collapses in the animation, simulate with finer steps or more stiffness",
    )
}
