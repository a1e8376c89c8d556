//! What makes a mesh valid.
//!
//! Messages count vertices, UVs and faces from 1, as OBJ files do.

use super::{MeshData, Polygons};
use crate::words;

/// The most positions, UVs or faces a mesh may have: three half-edges per face still fit an index of 32 bits.
pub const MAX_COUNT: usize = 1 << 28;

/// Largest size of a coordinate, in meters.
///
/// Beyond it the file is not in meters; below it, products of four coordinates still fit an `f32`.
pub const MAX_COORDINATE: f32 = 1e6;

/// Which element of a mesh is at fault; readers find the line by it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum MeshPlace {
    /// The number of elements.
    Counts,
    /// A world position.
    Position(usize),
    /// A point of the UV plane.
    Uv(usize),
    /// The world corners of a face.
    Face(usize),
    /// The UV corners of a face.
    UvFace(usize),
}

/// Why a mesh is not valid.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{problem}")]
pub struct MeshFault {
    /// The element.
    pub place: MeshPlace,
    /// The element in words, what is wrong, and the cure.
    pub problem: String,
}

pub(super) fn mesh(data: &MeshData, polygons: &Polygons) -> Result<(), MeshFault> {
    surface(&data.positions, &data.faces, polygons)?;
    count("UVs", data.uvs.len())?;
    if data.uv_faces.len() != data.faces.len() {
        let problem = format!(
            "has {} but {}: each face needs its corners in the world and in the UV plane",
            words::count(data.faces.len(), "face", None),
            words::count(data.uv_faces.len(), "UV face", None)
        );
        return Err(MeshFault { place: MeshPlace::Counts, problem });
    }
    points("UV", &data.uvs, MeshPlace::Uv)?;
    indices(["UV", "UVs"], &data.uv_faces, data.uvs.len(), polygons, MeshPlace::UvFace)
}

pub(super) fn surface(positions: &[[f32; 3]], faces: &[[u32; 3]], polygons: &Polygons) -> Result<(), MeshFault> {
    count("vertices", positions.len())?;
    count("faces", faces.len())?;
    points("vertex", positions, MeshPlace::Position)?;
    indices(["vertex", "vertices"], faces, positions.len(), polygons, MeshPlace::Face)
}

fn count(what: &str, n: usize) -> Result<(), MeshFault> {
    if n == 0 || n > MAX_COUNT {
        let problem = format!("there are {n} {what}, between 1 and {MAX_COUNT} are needed");
        return Err(MeshFault { place: MeshPlace::Counts, problem });
    }
    Ok(())
}

/// Checks one list of points: finite, and of a size that meters can have.
pub(crate) fn points<const N: usize>(
    what: &str,
    points: &[[f32; N]],
    place: impl Fn(usize) -> MeshPlace,
) -> Result<(), MeshFault> {
    // No range contains NaN.
    let bad = |p: &[f32; N]| p.iter().position(|c| !(-MAX_COORDINATE..=MAX_COORDINATE).contains(c));
    match points.iter().enumerate().find_map(|(i, p)| bad(p).map(|k| (i, k))) {
        None => Ok(()),
        Some((i, k)) => {
            let value = points[i][k];
            let axis = if N == 2 { ["u", "v"][k] } else { ["x", "y", "z"][k] };
            let cure = if value.is_finite() {
                "coordinates are in meters and at most 1e6"
            } else {
                "which is not a finite number: export the file again"
            };
            Err(MeshFault { place: place(i), problem: format!("{axis} of {what} {} is {value}, {cure}", i + 1) })
        }
    }
}

fn indices(
    [one, many]: [&str; 2],
    faces: &[[u32; 3]],
    n: usize,
    polygons: &Polygons,
    place: impl Fn(usize) -> MeshPlace,
) -> Result<(), MeshFault> {
    match faces.iter().enumerate().find(|(_, f)| f.iter().any(|i| *i as usize >= n)) {
        None => Ok(()),
        Some((i, f)) => {
            let index = f.iter().find(|i| **i as usize >= n).copied().unwrap_or_default();
            let (face, number) = (polygons.number(i), u64::from(index) + 1);
            let problem =
                format!("face {face} names {one} {number}, the mesh has {}", words::count(n, one, Some(many)));
            Err(MeshFault { place: place(i), problem })
        }
    }
}
