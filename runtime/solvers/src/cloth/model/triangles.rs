//! Springs for general triangle meshes with UVs.
//!
//! Edges carry in-plane springs, pairs of vertices across an edge carry bend springs. All rest lengths come from the UV
//! plane; across an edge the two triangles are laid flat side by side, so seams need no care.
//!
//! A spring that stands for area A at angle θ to the warp gets
//!
//!   k = (k_stretch cos² 2θ + 2 k_shear sin² 2θ) A / L²
//!
//! where k_stretch blends the stiffness along u and v.
//!
//! A / L² is Van Gelder's rule for equal strain energy on any triangulation (Journal of Graphics Tools 3(2), 1998); the
//! angle's weight makes a right-angled grid come out with the stiffnesses of the thesis. A spring counts as stretch or shear,
//! for reports and for IMEX with fixed roles, by the larger term. Where an edge is the longest of both its
//! triangles, it is the diagonal of a quad, and the other diagonal gets its spring too: otherwise the sheet would shear
//! freely in the one direction in which its only diagonal goes slack.

use super::{ClothMaterial, ClothModel, Spring, SpringKind};
use crate::{Error, Result};
use nalgebra::{Vector2, Vector3};
use std::collections::BTreeMap;
use yarnwise_shared::mesh::Mesh;

/// A triangle in the UV plane, seen from one of its edges.
struct Wing {
    /// The vertex opposite to the edge.
    opposite: u32,
    /// Area, m².
    area: f64,
    /// From the edge's smaller vertex to the larger, in the UV plane, meters.
    edge: Vector2<f64>,
    /// The opposite vertex: along the edge from its smaller vertex, and away from it, meters.
    foot: Vector2<f64>,
    /// Whether the opposite vertex is to the left of the edge in the UV plane.
    left: bool,
    /// Whether no edge of the triangle is longer.
    longest: bool,
}

impl ClothModel {
    /// Cloth on a triangle mesh. `origin` names the mesh in messages.
    pub fn from_mesh(mesh: &Mesh, material: &ClothMaterial, origin: &str) -> Result<Self> {
        let positions: Vec<Vector3<f64>> = mesh.positions().iter().map(|p| Vector3::from(*p).map(f64::from)).collect();
        let mut areas = vec![0.0; positions.len()];
        let mut edges: BTreeMap<(u32, u32), Vec<Wing>> = BTreeMap::new();
        for (index, face) in mesh.faces().iter().enumerate() {
            let uv = mesh.uv_corners(index).map(|p| Vector2::from(p).map(f64::from));
            let area = check_face(mesh.face_number(index), face, &uv, origin)?;
            for k in 0..3 {
                areas[face[k] as usize] += area / 3.0;
                let (key, wing) = wing(face, &uv, k, area);
                edges.entry(key).or_default().push(wing);
            }
        }
        if let Some(lonely) = areas.iter().position(|a| *a == 0.0) {
            let problem = format!("vertex {} belongs to no face: remove it, a particle needs mass", lonely + 1);
            return Err(Error::invalid(origin, problem));
        }
        let mut springs = Vec::with_capacity(4 * edges.len());
        for (key, wings) in &edges {
            springs.push(edge_spring(*key, wings, material));
            for (a, first) in wings.iter().enumerate() {
                for second in wings[a + 1..].iter().filter(|w| w.opposite != first.opposite) {
                    springs.extend(across_springs(first, second, material));
                }
            }
        }
        Ok(ClothModel::new(positions, areas, springs, material, mesh.faces().to_vec()))
    }
}

/// The area of a face in the UV plane, if it is cloth; `number` names it in messages.
fn check_face(number: usize, face: &[u32; 3], uv: &[Vector2<f64>; 3], origin: &str) -> Result<f64> {
    if face[0] == face[1] || face[1] == face[2] || face[2] == face[0] {
        return Err(Error::invalid(origin, format!("face {number} names a vertex twice: remove it")));
    }
    let (a, b) = (uv[1] - uv[0], uv[2] - uv[0]);
    let area = 0.5 * a.perp(&b).abs();
    let longest = a.norm_squared().max(b.norm_squared()).max((uv[2] - uv[1]).norm_squared());
    if area <= 1e-6 * longest || area <= 1e-18 {
        let problem = format!("face {number} has no area in the UV plane: unwrap the mesh, with UVs in meters");
        return Err(Error::invalid(origin, problem));
    }
    Ok(area)
}

/// Face `face` seen from its edge from corner k to corner k + 1.
fn wing(face: &[u32; 3], uv: &[Vector2<f64>; 3], k: usize, area: f64) -> ((u32, u32), Wing) {
    let (mut a, mut b) = (k, (k + 1) % 3);
    if face[a] > face[b] {
        std::mem::swap(&mut a, &mut b);
    }
    let c = (k + 2) % 3;
    let edge = uv[b] - uv[a];
    let along = edge.normalize();
    let to = uv[c] - uv[a];
    let height = along.perp(&to);
    let foot = Vector2::new(along.dot(&to), height.abs());
    let length = edge.norm();
    let longest = [uv[c] - uv[a], uv[c] - uv[b]].iter().all(|e| e.norm() <= length * (1.0 + 1e-9));
    ((face[a], face[b]), Wing { opposite: face[c], area, edge, foot, left: height > 0.0, longest })
}

/// Kind, stiffness and damping of a spring in direction `d` that stands for area `area`.
fn directional(d: &Vector2<f64>, area: f64, material: &ClothMaterial) -> (f64, f64, f64, f64) {
    let length_squared = d.norm_squared();
    let sin = 2.0 * d.x * d.y / length_squared;
    let (stretch, shear) = (1.0 - sin * sin, 2.0 * sin * sin);
    let share = area / length_squared;
    // Between warp and weft the two stiffnesses blend.
    let along = (d.x * d.x * material.stretch_stiffness + d.y * d.y * material.along_v()) / length_squared;
    (
        stretch * along * share,
        shear * material.shear_stiffness * share,
        stretch * material.stretch_damping * share,
        shear * material.shear_damping * share,
    )
}

fn in_plane(i: u32, j: u32, rest_length: f64, parts: &[(Vector2<f64>, f64)], material: &ClothMaterial) -> Spring {
    let mut sum = [0.0; 4];
    let mut diagonal = 0.0;
    for (d, area) in parts {
        let (k_stretch, k_shear, d_stretch, d_shear) = directional(d, *area, material);
        for (s, v) in sum.iter_mut().zip([k_stretch, k_shear, d_stretch, d_shear]) {
            *s += v;
        }
        let sin = 2.0 * d.x * d.y / d.norm_squared();
        diagonal += area * (sin * sin - 0.5);
    }
    let kind = if diagonal > 0.0 { SpringKind::Shear } else { SpringKind::Stretch };
    Spring { i, j, kind, rest_length, stiffness: sum[0] + sum[1], damping: sum[2] + sum[3] }
}

fn edge_spring((i, j): (u32, u32), wings: &[Wing], material: &ClothMaterial) -> Spring {
    let rest_length = wings.iter().map(|w| w.edge.norm()).sum::<f64>() / wings.len() as f64;
    let parts: Vec<_> = wings.iter().map(|w| (w.edge, w.area)).collect();
    in_plane(i, j, rest_length, &parts, material)
}

/// The bend spring between the vertices opposite to an edge and, where the edge is a diagonal, the other diagonal.
fn across_springs(first: &Wing, second: &Wing, material: &ClothMaterial) -> Vec<Spring> {
    // In the frame of the edge: from the first opposite vertex over the edge to the second.
    let flat = Vector2::new(second.foot.x - first.foot.x, first.foot.y + second.foot.y);
    let rest_length = flat.norm();
    let (i, j) = (first.opposite, second.opposite);
    let stiffness = material.bend_stiffness;
    let mut springs = vec![Spring { i, j, kind: SpringKind::Bend, rest_length, stiffness, damping: 0.0 }];
    if first.longest && second.longest {
        // The same direction in each triangle's own UV plane: away from the first vertex, toward the second.
        let in_uv = |w: &Wing, to_the_left: bool| {
            let e = w.edge.normalize();
            e * flat.x + Vector2::new(-e.y, e.x) * (if to_the_left { flat.y } else { -flat.y })
        };
        let parts = [(in_uv(first, !first.left), first.area), (in_uv(second, second.left), second.area)];
        springs.push(in_plane(i, j, rest_length, &parts, material));
    }
    springs
}

#[cfg(test)]
mod tests {
    use super::super::Grid;
    use super::*;
    use yarnwise_shared::mesh::MeshData;

    fn grid_mesh(grid: &Grid, model: &ClothModel) -> Mesh {
        let positions = grid.positions().iter().map(|p| p.map(|c| c as f32).into()).collect();
        let (uvs, faces) = (grid.uvs(), model.faces.clone());
        Mesh::new(MeshData { positions, uvs, uv_faces: faces.clone(), faces }).unwrap()
    }

    #[test]
    fn a_right_angled_mesh_gets_the_in_plane_springs_of_the_grid() {
        let material = ClothMaterial {
            stretch_stiffness: 700.0,
            weft_stiffness: Some(300.0),
            shear_stiffness: 90.0,
            ..ClothMaterial::default()
        };
        let grid = Grid::horizontal(6, 0.05);
        let sheet = ClothModel::from_grid(&grid, &material);
        let mesh = ClothModel::from_mesh(&grid_mesh(&grid, &sheet), &material, "grid").unwrap();
        let inner = |s: &Spring| [s.i, s.j].iter().all(|p| (1..5).contains(&(p % 6)) && (1..5).contains(&(p / 6)));
        let list = |m: &ClothModel, kind| {
            let mut found: Vec<_> = m
                .springs
                .iter()
                .filter(|s| s.kind == kind && inner(s))
                .map(|s| (s.i.min(s.j), s.i.max(s.j), s.stiffness, s.damping, s.rest_length))
                .collect();
            found.sort_by_key(|s| (s.0, s.1));
            found
        };
        for kind in [SpringKind::Stretch, SpringKind::Shear] {
            let (a, b) = (list(&sheet, kind), list(&mesh, kind));
            assert_eq!(a.len(), b.len(), "{kind:?}");
            for (a, b) in a.iter().zip(&b) {
                assert_eq!((a.0, a.1), (b.0, b.1));
                let close = |x: f64, y: f64| (x - y).abs() < 1e-5 * x;
                assert!(close(a.2, b.2) && close(a.3, b.3) && close(a.4, b.4), "{kind:?}: {a:?} and {b:?}");
            }
        }
        let mass = |m: &ClothModel| m.masses.iter().sum::<f64>();
        assert!((mass(&mesh) - 0.2 * 0.25 * 0.25).abs() < 1e-7);
    }

    #[test]
    fn rest_lengths_come_from_uvs_also_across_a_seam() {
        // Two panels, the second turned by 90 degrees and shifted; in the world the mesh is squeezed to half its width.
        let data = MeshData {
            positions: vec![[0.0, 0.0, 0.0], [0.5, 0.0, 0.0], [0.5, 1.0, 0.0], [0.0, 1.0, 0.0]],
            uvs: vec![[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [9.0, 5.0], [9.0, 6.0], [8.0, 6.0]],
            faces: vec![[0, 1, 3], [1, 2, 3]],
            uv_faces: vec![[0, 1, 2], [3, 4, 5]],
        };
        let model = ClothModel::from_mesh(&Mesh::new(data).unwrap(), &ClothMaterial::default(), "panels").unwrap();
        let spring = |i, j, kind| *model.springs.iter().find(|s| (s.i, s.j, s.kind) == (i, j, kind)).unwrap();
        assert!((spring(0, 1, SpringKind::Stretch).rest_length - 1.0).abs() < 1e-6);
        let root = std::f64::consts::SQRT_2;
        assert!((spring(1, 3, SpringKind::Shear).rest_length - root).abs() < 1e-6);
        assert!((spring(0, 2, SpringKind::Bend).rest_length - root).abs() < 1e-6);
        assert!((spring(0, 2, SpringKind::Shear).rest_length - root).abs() < 1e-6);
    }

    #[test]
    fn what_is_not_cloth_is_refused_by_name() {
        let square = MeshData {
            positions: vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]],
            uvs: vec![[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]],
            faces: vec![[0, 1, 2], [0, 2, 3]],
            uv_faces: vec![[0, 1, 2], [0, 2, 3]],
        };
        let refusal = |change: &dyn Fn(&mut MeshData)| {
            let mut data = square.clone();
            change(&mut data);
            ClothModel::from_mesh(&Mesh::new(data).unwrap(), &ClothMaterial::default(), "m").unwrap_err().to_string()
        };
        assert!(refusal(&|d| d.uvs[3] = [2.0, 2.0]).contains("face 2 has no area in the UV plane"));
        assert!(refusal(&|d| d.faces[0] = [1, 1, 2]).contains("face 1 names a vertex twice"));
        assert!(refusal(&|d| d.positions.push([5.0; 3])).contains("vertex 5 belongs to no face"));
    }
}
