//! Triangle meshes whose surface in the world and in the UV plane have separate topology.
//!
//! A garment is cut from flat panels: a world vertex on a seam is one point in space but several points in the UV
//! plane. A [`Mesh`] therefore has two lists of faces with the same order of faces and corners, one into `positions`
//! and one into `uvs`. UVs are metric: one unit of UV is one meter of cloth at rest.
//!
//! A [`Mesh`] is always valid in the sense of [`Mesh::new`]: its indices lead somewhere and its numbers are finite. What
//! may still be wrong with it as cloth (flipped or degenerate triangles, UVs that are not in meters, ...) is reported by
//! [`report`].

mod check;
pub mod clip;
pub mod measure;
pub mod obj;
mod polygons;
pub mod report;
pub mod topology;
mod weld;

pub(crate) use check::points as check_points;
pub use check::{MAX_COORDINATE, MAX_COUNT, MeshFault, MeshPlace};
use polygons::Polygons;

/// A mesh before it is checked.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct MeshData {
    /// World positions in meters.
    pub positions: Vec<[f32; 3]>,
    /// Points of the UV plane in meters.
    pub uvs: Vec<[f32; 2]>,
    /// Corners of each face as indices into `positions`.
    pub faces: Vec<[u32; 3]>,
    /// Corners of each face as indices into `uvs`; same faces and corners as `faces`, in the same order.
    pub uv_faces: Vec<[u32; 3]>,
}

/// A triangle mesh with UVs: indices in range, numbers finite, at least one face.
#[derive(Clone, Debug, PartialEq)]
pub struct Mesh {
    data: MeshData,
    polygons: Polygons,
}

impl Mesh {
    /// Checks `data`. The fault names the element; readers add the file and the line.
    pub fn new(data: MeshData) -> Result<Self, MeshFault> {
        Mesh::of_polygons(data, Polygons::default())
    }

    /// The same for triangles that were polygons in a file.
    fn of_polygons(data: MeshData, polygons: Polygons) -> Result<Self, MeshFault> {
        check::mesh(&data, &polygons)?;
        Ok(Mesh { data, polygons })
    }

    /// The number of a face for messages, as a user counts faces in the mesh's file: from 1, and a quad that was split
    /// is one face.
    pub fn face_number(&self, face: usize) -> usize {
        self.polygons.number(face)
    }

    /// World positions in meters.
    pub fn positions(&self) -> &[[f32; 3]] {
        &self.data.positions
    }

    /// Points of the UV plane in meters.
    pub fn uvs(&self) -> &[[f32; 2]] {
        &self.data.uvs
    }

    /// Corners of each face as indices into [`Mesh::positions`].
    pub fn faces(&self) -> &[[u32; 3]] {
        &self.data.faces
    }

    /// Corners of each face as indices into [`Mesh::uvs`].
    pub fn uv_faces(&self) -> &[[u32; 3]] {
        &self.data.uv_faces
    }

    /// The plain data, to change and check again with [`Mesh::new`].
    pub fn data(&self) -> &MeshData {
        &self.data
    }

    /// The plain data, moved out.
    pub fn into_data(self) -> MeshData {
        self.data
    }

    /// The mesh `factor` times larger, in the world and in the UV plane: more yarns, the same strains.
    pub fn scaled(self, factor: f32) -> Result<Self, MeshFault> {
        let mut data = self.data;
        data.positions.as_flattened_mut().iter_mut().for_each(|c| *c *= factor);
        data.uvs.as_flattened_mut().iter_mut().for_each(|c| *c *= factor);
        Mesh::of_polygons(data, self.polygons)
    }

    /// The mesh with its UVs alone multiplied by `factors` along u and v, both positive.
    pub fn with_scaled_uvs(self, factors: [f32; 2]) -> Result<Self, MeshFault> {
        if !factors.iter().all(|f| f.is_finite() && *f > 0.0) {
            let problem =
                format!("the scale of the UVs is {} and {}, both numbers must be positive", factors[0], factors[1]);
            return Err(MeshFault { place: MeshPlace::Counts, problem });
        }
        let mut data = self.data;
        data.uvs.iter_mut().for_each(|[u, v]| (*u, *v) = (*u * factors[0], *v * factors[1]));
        Mesh::of_polygons(data, self.polygons)
    }

    /// The points of the UV plane at the corners of a face, meters.
    pub fn uv_corners(&self, face: usize) -> [[f32; 2]; 3] {
        self.data.uv_faces[face].map(|i| self.data.uvs[i as usize])
    }

    /// The corners of a face in the world, meters.
    pub fn corners(&self, face: usize) -> [[f32; 3]; 3] {
        self.data.faces[face].map(|i| self.data.positions[i as usize])
    }
}

/// A triangle surface without UVs, such as a body that cloth lies on.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Surface {
    positions: Vec<[f32; 3]>,
    faces: Vec<[u32; 3]>,
}

impl Surface {
    /// Checks that the numbers are finite and the indices in range, and that there is a face.
    pub fn new(positions: Vec<[f32; 3]>, faces: Vec<[u32; 3]>) -> Result<Self, MeshFault> {
        Surface::of_polygons(positions, faces, &Polygons::default())
    }

    fn of_polygons(positions: Vec<[f32; 3]>, faces: Vec<[u32; 3]>, polygons: &Polygons) -> Result<Self, MeshFault> {
        check::surface(&positions, &faces, polygons)?;
        Ok(Surface { positions, faces })
    }

    /// Positions and faces, moved out.
    pub fn into_parts(self) -> (Vec<[f32; 3]>, Vec<[u32; 3]>) {
        (self.positions, self.faces)
    }

    /// Positions in meters.
    pub fn positions(&self) -> &[[f32; 3]] {
        &self.positions
    }

    /// Corners of each face as indices into [`Surface::positions`].
    pub fn faces(&self) -> &[[u32; 3]] {
        &self.faces
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn square() -> MeshData {
        MeshData {
            positions: vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]],
            uvs: vec![[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]],
            faces: vec![[0, 1, 2], [0, 2, 3]],
            uv_faces: vec![[0, 1, 2], [0, 2, 3]],
        }
    }

    fn fault(change: impl FnOnce(&mut MeshData)) -> MeshFault {
        let mut data = square();
        change(&mut data);
        Mesh::new(data).unwrap_err()
    }

    #[test]
    fn a_square_is_valid() {
        let mesh = Mesh::new(square()).unwrap();
        assert_eq!(mesh.corners(1), [[0.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]]);
        assert_eq!(mesh.uv_corners(1), [[0.0, 0.0], [1.0, 1.0], [0.0, 1.0]]);
    }

    #[test]
    fn faults_name_the_element() {
        assert_eq!(fault(|d| d.positions[2][1] = f32::NAN).place, MeshPlace::Position(2));
        assert_eq!(fault(|d| d.positions[3][1] = 2e6).place, MeshPlace::Position(3));
        assert_eq!(fault(|d| d.uvs[1][0] = f32::INFINITY).place, MeshPlace::Uv(1));
        assert_eq!(fault(|d| d.faces[1][2] = 4).place, MeshPlace::Face(1));
        assert_eq!(fault(|d| d.uv_faces[0][0] = u32::MAX).place, MeshPlace::UvFace(0));
        let other = fault(|d| d.uv_faces.truncate(1));
        assert_eq!(other.place, MeshPlace::Counts);
        assert_eq!(fault(|d| (d.faces.clear(), d.uv_faces.clear()).0).place, MeshPlace::Counts);
        assert_eq!(fault(|d| d.uvs.clear()).place, MeshPlace::Counts);
        assert_eq!(fault(|d| d.uvs[1][1] = f32::NAN).problem.split(',').next(), Some("v of UV 2 is NaN"));
        assert_eq!(fault(|d| d.faces[1][2] = 4).problem, "face 2 names vertex 5, the mesh has 4 vertices");
        assert_eq!(other.problem.split(':').next(), Some("has 2 faces but 1 UV face"));
    }
}
