//! Edges and vertices: how the mesh is connected.

use super::{Element, Finding, FindingKind, Severity, about};
use crate::mesh::Mesh;
use crate::mesh::topology::{Adjacency, Topology, corner_of, face_of};
use std::collections::HashMap;

pub(super) fn check(mesh: &Mesh, topology: &Topology) -> Vec<Finding> {
    [
        about(
            FindingKind::NonManifoldEdge,
            Severity::Warning,
            topology.world.non_manifold().iter().map(|e| Element::Edge(e.vertices.map(|v| v + 1))),
            [
                "edge belongs to more than two faces: cloth has two sides, so it is treated as a border",
                "edges belong to more than two faces: cloth has two sides, so they are treated as borders",
            ],
            "remove doubled or inner faces; a layer that is sewn on (a pocket) needs vertices of its own",
        ),
        about(
            FindingKind::NonManifoldUvEdge,
            Severity::Error,
            topology.uv.non_manifold().iter().map(|e| Element::UvEdge(e.vertices.map(|v| v + 1))),
            [
                "edge of the UV plane belongs to more than two faces, so that some lie on one another",
                "edges of the UV plane belong to more than two faces, so that some lie on one another",
            ],
            "give each layer of cloth its own island in the UV plane",
        ),
        about(
            FindingKind::DiscordantWinding,
            Severity::Error,
            topology.world.discordant().iter().map(|pair| Element::Faces(pair.map(|h| mesh.face_number(face_of(h))))),
            [
                "pair of neighbors runs around its corners in opposite directions: the yarns' front changes sides there",
                "pairs of neighbors run around their corners in opposite directions: the yarns' front changes sides there",
            ],
            "make the normals consistent before the export (in Blender: Mesh > Normals > Recalculate Outside)",
        ),
        about(
            FindingKind::OpenSeam,
            Severity::Information,
            open_seams(mesh, &topology.world).into_iter().map(|v| Element::Vertex(v + 1)),
            [
                "border vertex lies exactly on another one: the seam is closed to the eye, but open in the mesh",
                "border vertices lie exactly on others: the seams are closed to the eye, but open in the mesh",
            ],
            "merge vertices by distance and keep the UVs, so that normals and strains are continuous across the seam",
        ),
        about(
            FindingKind::UnusedVertex,
            Severity::Information,
            unused(mesh.positions().len(), mesh.faces()).map(|v| Element::Vertex(v + 1)),
            ["vertex belongs to no face", "vertices belong to no face"],
            "nothing need be done; removing them saves memory",
        ),
        about(
            FindingKind::UnusedUv,
            Severity::Information,
            unused(mesh.uvs().len(), mesh.uv_faces()).map(|v| Element::Uv(v + 1)),
            ["UV vertex belongs to no face", "UV vertices belong to no face"],
            "nothing need be done; removing them saves memory",
        ),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// The vertices at both ends of edges with one face, each as often as it is such an end.
pub(super) fn border_vertices<'a>(mesh: &'a Mesh, world: &'a Adjacency) -> impl Iterator<Item = u32> + 'a {
    let mut shared_by_many: Vec<u32> = world.non_manifold().iter().flat_map(|e| e.half_edges.iter().copied()).collect();
    shared_by_many.sort_unstable();
    (0..3 * mesh.faces().len() as u32)
        .filter(move |h| world.twin(*h).is_none() && shared_by_many.binary_search(h).is_err())
        .map(|h| {
            let face = mesh.faces()[face_of(h)];
            [face[corner_of(h)], face[(corner_of(h) + 1) % 3]]
        })
        .filter(|[a, b]| a != b)
        .flatten()
}

fn open_seams(mesh: &Mesh, world: &Adjacency) -> Vec<usize> {
    let mut at: HashMap<[u32; 3], u32> = HashMap::new();
    let mut vertices: Vec<u32> = border_vertices(mesh, world).collect();
    vertices.sort_unstable();
    vertices.dedup();
    let same_place = |v: &u32| {
        // Adding zero makes -0 and 0 equal.
        let bits = mesh.positions()[*v as usize].map(|c| (c + 0.0).to_bits());
        at.insert(bits, *v).is_some()
    };
    let mut found: Vec<u32> = vertices.into_iter().filter(same_place).collect();
    found.sort_unstable();
    found.into_iter().map(|v| v as usize).collect()
}

fn unused(n: usize, faces: &[[u32; 3]]) -> impl Iterator<Item = usize> {
    let mut used = vec![false; n];
    faces.as_flattened().iter().for_each(|i| used[*i as usize] = true);
    used.into_iter().enumerate().filter(|(_, used)| !used).map(|(i, _)| i)
}
