//! Averaging weights of faces at material vertices.
//!
//! Modified Shepard weights: for the faces k around a vertex with centroids c_k, r_k = c_k - X, unit vectors r^_k,
//!
//!   (1 + sum_k r^_k r^_k^T) lambda = -sum_k r^_k,   w_k = (1 + lambda . r^_k) / |r_k|,   normalized to sum 1,
//!
//! so that linear fields are reproduced nearly exactly. (The 1 is the reference program's regularization.)
//!
//! A seam that is closed in the world is crossed: the faces beyond it are unfolded into this vertex's plane by turning
//! them until the seam's edge fits, and take part like the others.

use super::material::{Material, orientation};
use yarnwise_shaders::gpu::FaceWeight;
use yarnwise_shared::mesh::Mesh;
use yarnwise_shared::mesh::topology::{Adjacency, HalfEdge, corner_of, face_of};

/// Weights of all material vertices: those of vertex v are `weights[starts[v]..starts[v + 1]]`.
pub(super) struct Weights {
    pub(super) starts: Vec<u32>,
    pub(super) weights: Vec<FaceWeight>,
}

/// From one material vertex to another one of the same world vertex, over a seam.
struct Seam {
    from: u32,
    to: u32,
    /// Turns vectors of the plane of `from` into that of `to`: cosine and sine.
    turn: [f64; 2],
}

struct Faces {
    starts: Vec<u32>,
    faces: Vec<u32>,
}

impl Faces {
    /// The faces around each material vertex, ascending.
    fn new(material: &Material) -> Self {
        let mut starts = vec![0u32; material.points.len() + 1];
        for v in material.faces.iter().flatten() {
            starts[*v as usize + 1] += 1;
        }
        for v in 1..starts.len() {
            starts[v] += starts[v - 1];
        }
        let mut at = starts.clone();
        let mut faces = vec![0; material.faces.len() * 3];
        for (f, corners) in material.faces.iter().enumerate() {
            for v in corners {
                faces[at[*v as usize] as usize] = f as u32;
                at[*v as usize] += 1;
            }
        }
        Faces { starts, faces }
    }

    fn around(&self, v: u32) -> &[u32] {
        &self.faces[self.starts[v as usize] as usize..self.starts[v as usize + 1] as usize]
    }
}

/// The weights of all material vertices: modified Shepard weights or equal ones, over closed seams or not.
pub(super) fn weights(mesh: &Mesh, material: &Material, shepard: bool, across_seams: bool) -> Weights {
    let faces = Faces::new(material);
    let seams = if across_seams { seams(mesh, material) } else { Vec::new() };
    let mut out = Weights { starts: vec![0], weights: Vec::with_capacity(material.faces.len() * 3) };
    let mut fans = Vec::new();
    for v in 0..material.points.len() as u32 {
        unfold(&seams, v, &mut fans);
        average(material, &faces, &fans, shepard, &mut out.weights);
        out.starts.push(out.weights.len() as u32);
    }
    out
}

/// All ways over a seam, sorted by where they start.
fn seams(mesh: &Mesh, material: &Material) -> Vec<Seam> {
    let mut seams = Vec::new();
    let world = Adjacency::new(mesh.faces());
    let ends = |h: HalfEdge| {
        let (f, i) = (face_of(h), corner_of(h));
        let (world, own, k) = (mesh.faces()[f], material.faces[f], (i + 1) % 3);
        if world[i] < world[k] { [own[i], own[k]] } else { [own[k], own[i]] }
    };
    for h in 0..3 * mesh.faces().len() as HalfEdge {
        let Some(twin) = world.twin(h).filter(|t| h < *t) else { continue };
        if material.neighbors[face_of(h)][corner_of(h)] == face_of(twin) as u32 {
            continue;
        }
        let (a, b) = (ends(h), ends(twin));
        let Some(turn) = turn(material, a, b) else { continue };
        for end in 0..2 {
            if a[end] != b[end] {
                seams.push(Seam { from: a[end], to: b[end], turn });
                seams.push(Seam { from: b[end], to: a[end], turn: [turn[0], -turn[1]] });
            }
        }
    }
    seams.sort_by_key(|s| s.from);
    seams
}

/// The rotation from the direction of edge `a` to that of edge `b`; none where an edge has no length.
fn turn(material: &Material, a: [u32; 2], b: [u32; 2]) -> Option<[f64; 2]> {
    let vector = |e: [u32; 2]| {
        let [p, q] = e.map(|v| material.points[v as usize]);
        [q[0] - p[0], q[1] - p[1]]
    };
    let (a, b) = (vector(a), vector(b));
    let (cos, sin) = (a[0] * b[0] + a[1] * b[1], a[0] * b[1] - a[1] * b[0]);
    let length = cos.hypot(sin);
    (length > 0.0).then(|| [cos / length, sin / length])
}

/// The material vertices of the same point of the world that are reached over seams, each with the turn to its plane.
fn unfold(seams: &[Seam], vertex: u32, fans: &mut Vec<(u32, [f64; 2])>) {
    fans.clear();
    fans.push((vertex, [1.0, 0.0]));
    let mut done = 0;
    while done < fans.len() {
        let (at, [c, s]) = fans[done];
        done += 1;
        let start = seams.partition_point(|s| s.from < at);
        for seam in seams[start..].iter().take_while(|s| s.from == at) {
            if fans.iter().all(|f| f.0 != seam.to) {
                let [dc, ds] = seam.turn;
                fans.push((seam.to, [c * dc - s * ds, s * dc + c * ds]));
            }
        }
    }
}

fn average(material: &Material, faces: &Faces, fans: &[(u32, [f64; 2])], shepard: bool, out: &mut Vec<FaceWeight>) {
    let start = out.len();
    let mut rays = Vec::new();
    for (vertex, turn) in fans {
        let origin = material.points[*vertex as usize];
        for f in faces.around(*vertex) {
            let corners = material.faces[*f as usize].map(|v| material.points[v as usize]);
            if orientation(corners) == 0 {
                continue;
            }
            let r = [0, 1].map(|k| (corners[0][k] + corners[1][k] + corners[2][k]) / 3.0 - origin[k]);
            // Back into the plane of the vertex.
            rays.push([turn[0] * r[0] + turn[1] * r[1], turn[0] * r[1] - turn[1] * r[0]]);
            out.push(FaceWeight { face: *f, weight: 1.0, turn: turn.map(|c| c as f32) });
        }
    }
    let weights = if shepard { shepard_weights(&rays) } else { vec![1.0; rays.len()] };
    let sum: f64 = weights.iter().sum();
    for (part, weight) in out[start..].iter_mut().zip(weights) {
        part.weight = (weight / sum) as f32;
    }
}

fn shepard_weights(rays: &[[f64; 2]]) -> Vec<f64> {
    let (mut xx, mut xy, mut yy, mut x, mut y) = (1.0, 0.0, 1.0, 0.0, 0.0);
    let unit = |r: &[f64; 2]| {
        let length = r[0].hypot(r[1]);
        ([r[0] / length, r[1] / length], length)
    };
    for r in rays {
        let ([a, b], _) = unit(r);
        xx += a * a;
        xy += a * b;
        yy += b * b;
        x += a;
        y += b;
    }
    let det = xx * yy - xy * xy;
    let lambda = [(xy * y - yy * x) / det, (xy * x - xx * y) / det];
    let weight = |r| {
        let ([a, b], length) = unit(r);
        (1.0 + lambda[0] * a + lambda[1] * b) / length
    };
    rays.iter().map(weight).collect()
}
