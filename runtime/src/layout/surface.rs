//! The static half of the mesh's per-frame stages.

use super::LayoutOptions;
use super::material::{Material, neighbors, orientation};
use super::weights::{Weights, weights};
use yarnwise_shaders::gpu::{FaceChart, FaceLinks, FaceWeight, NONE};
use yarnwise_shared::mesh::Mesh;

/// What the stages `faces`, `vertices` and `patches` need besides the positions.
#[derive(Clone, Debug)]
pub struct Surface {
    /// World vertices.
    pub(crate) vertex_count: usize,
    pub(crate) links: Vec<FaceLinks>,
    pub(crate) charts: Vec<FaceChart>,
    pub(crate) weight_starts: Vec<u32>,
    pub(crate) weights: Vec<FaceWeight>,
    /// Directors follow the gradient of their own face alone, not the averaged one.
    pub(crate) face_gradient: bool,
}

impl Surface {
    /// The surface of `mesh`; seams that are closed in the world bend and are averaged over like the rest.
    pub(super) fn new(mesh: &Mesh, material: &Material, options: &LayoutOptions) -> Self {
        let weights = weights(mesh, material, options.shepard_weights, true);
        Self::with(mesh, material, &world_opposites(mesh), weights, false)
    }

    /// With given opposite vertices across the edges of each face and given averages.
    pub(super) fn with(
        mesh: &Mesh,
        material: &Material,
        opposite: &[[u32; 3]],
        weights: Weights,
        face_gradient: bool,
    ) -> Self {
        let links = (0..mesh.faces().len()).map(|f| FaceLinks {
            corners: mesh.faces()[f],
            scale: material.islands[material.island[f] as usize].placement.scale as f32,
            material: material.faces[f],
            island: material.island[f],
            opposite: opposite[f],
            padding: 0,
        });
        Surface {
            vertex_count: mesh.positions().len(),
            links: links.collect(),
            charts: (0..mesh.faces().len()).map(|f| chart(material, f)).collect(),
            weight_starts: weights.starts,
            weights: weights.weights,
            face_gradient,
        }
    }

    /// World vertices of the mesh: how many positions a frame must have.
    pub fn vertex_count(&self) -> usize {
        self.vertex_count
    }

    /// Material vertices: where averaged quantities live.
    pub(crate) fn material_count(&self) -> usize {
        self.weight_starts.len() - 1
    }

    /// How each face is connected to the mesh.
    pub fn links(&self) -> &[FaceLinks] {
        &self.links
    }

    /// Each face in its material plane.
    pub fn charts(&self) -> &[FaceChart] {
        &self.charts
    }

    /// Averaging weights: those of material vertex v are `weights()[starts[v]..starts[v + 1]]`.
    pub fn weights(&self) -> (&[u32], &[FaceWeight]) {
        (&self.weight_starts, &self.weights)
    }
}

fn chart(material: &Material, f: usize) -> FaceChart {
    let corners = material.faces[f].map(|v| material.points[v as usize]);
    let [p0, p1, p2] = corners;
    let (e1, e2) = ([p1[0] - p0[0], p1[1] - p0[1]], [p2[0] - p0[0], p2[1] - p0[1]]);
    let inverse_det = if orientation(corners) == 0 { 0.0 } else { 1.0 / (e1[0] * e2[1] - e1[1] * e2[0]) };
    FaceChart {
        edges: [e1[0], e1[1], e2[0], e2[1]].map(|c| c as f32),
        inverse: [e2[1], -e2[0], -e1[1], e1[0]].map(|c| (c * inverse_det) as f32),
        origin: p0.map(|c| c as f32),
        padding: [0.0; 2],
        neighbors: material.neighbors[f],
        padding_2: 0,
    }
}

/// Over edges that two faces of the world share with the same winding: seams bend like the rest.
fn world_opposites(mesh: &Mesh) -> Vec<[u32; 3]> {
    let faces = mesh.faces();
    let directed = |f: usize, a: u32, b: u32| (0..3).any(|i| faces[f][i] == a && faces[f][(i + 1) % 3] == b);
    let around = neighbors(faces, |f, g| {
        (0..3).any(|i| {
            let (a, b) = (faces[f][i], faces[f][(i + 1) % 3]);
            directed(g, b, a)
        })
    });
    let opposite = |f: usize, i: usize| {
        let g = around[f][i];
        if g == NONE {
            return NONE;
        }
        let (a, b) = (faces[f][i], faces[f][(i + 1) % 3]);
        faces[g as usize].into_iter().find(|v| *v != a && *v != b).unwrap_or(NONE)
    };
    (0..faces.len()).map(|f| std::array::from_fn(|i| opposite(f, i))).collect()
}
