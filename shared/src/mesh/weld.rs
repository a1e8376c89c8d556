//! Joining UV vertices that exporters have split.

use super::{Mesh, MeshData};
use std::collections::HashMap;

impl Mesh {
    /// Joins UV vertices that belong to the same world vertex and have equal coordinates.
    ///
    /// Some exporters write a `vt` for each corner of each face. Such a mesh would fall apart into islands of one face,
    /// and no yarn could run from one to the next. World topology, order of faces and corners stay. A mesh in which
    /// nothing is to be joined stays as it is.
    pub fn weld_uvs(self) -> Self {
        let Mesh { data: MeshData { positions, uvs, faces, mut uv_faces }, polygons } = self;
        let mut first = HashMap::new();
        let mut joined = false;
        let mut used_before = vec![false; uvs.len()];
        let mut used_after = vec![false; uvs.len()];
        for (vertex, uv) in faces.as_flattened().iter().zip(uv_faces.as_flattened_mut()) {
            used_before[*uv as usize] = true;
            // Adding zero makes -0 and 0 equal.
            let bits = uvs[*uv as usize].map(|c| (c + 0.0).to_bits());
            let kept = *first.entry((*vertex, bits)).or_insert(*uv);
            joined |= kept != *uv;
            *uv = kept;
            used_after[kept as usize] = true;
        }
        let data = if joined {
            // UVs that no face ever used stay: only those that lost their faces here go.
            let stays: Vec<bool> =
                used_before.iter().zip(&used_after).map(|(before, after)| !before || *after).collect();
            compact(MeshData { positions, uvs, faces, uv_faces }, &stays)
        } else {
            MeshData { positions, uvs, faces, uv_faces }
        };
        Mesh { data, polygons }
    }
}

fn compact(mut data: MeshData, stays: &[bool]) -> MeshData {
    let mut next = 0;
    let new_index: Vec<u32> = stays
        .iter()
        .map(|stays| {
            let index = next;
            next += u32::from(*stays);
            index
        })
        .collect();
    data.uv_faces.as_flattened_mut().iter_mut().for_each(|uv| *uv = new_index[*uv as usize]);
    let mut stays = stays.iter();
    data.uvs.retain(|_| *stays.next().unwrap_or(&true));
    data
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two triangles of a square whose exporter wrote a UV for each corner, and one unused UV.
    fn split_square() -> MeshData {
        let uv = |i: usize| [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]][i];
        MeshData {
            positions: vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]],
            uvs: vec![uv(0), uv(1), uv(2), [9.0, 9.0], [-0.0, 0.0], uv(2), uv(3)],
            faces: vec![[0, 1, 2], [0, 2, 3]],
            uv_faces: vec![[0, 1, 2], [4, 5, 6]],
        }
    }

    #[test]
    fn equal_uvs_of_a_vertex_are_joined() {
        let mesh = Mesh::new(split_square()).unwrap().weld_uvs();
        assert_eq!(mesh.uv_faces(), [[0, 1, 2], [0, 2, 4]]);
        assert_eq!(mesh.uvs(), [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [9.0, 9.0], [0.0, 1.0]]);
        assert_eq!(mesh.clone().weld_uvs(), mesh, "nothing more to join");
    }

    #[test]
    fn a_seam_stays_open() {
        let mut data = split_square();
        data.uvs[4] = [5.0, 0.0];
        let mesh = Mesh::new(data).unwrap().weld_uvs();
        assert_eq!(mesh.uv_faces()[1][0], 4, "same world vertex, other place in the UV plane");
        let mut apart = split_square();
        apart.positions.push([0.0; 3]);
        apart.faces[1][0] = 4;
        let mesh = Mesh::new(apart).unwrap().weld_uvs();
        assert_ne!(mesh.uv_faces()[1][0], mesh.uv_faces()[0][0], "same place in the UV plane, other world vertex");
    }
}
