//! The material plane: which corners are one point of cloth, which faces are connected in it.
//!
//! A *material vertex* is a point of an island's plane. It is a pair of a world vertex and a position in the UV plane, so that meshes with unwelded UVs, or with two sleeves on the same UVs, are handled correctly. An *island*
//! is a set of faces that are connected across edges of the material plane with the same orientation; it has a plane of
//! its own. A mirrored island (its UVs run against its winding in the world) is turned over, so that the pattern reads
//! the same way everywhere and its front is on the side of the world normal.

use super::{LayoutOptions, Placement};
use crate::{Error, Result};
use std::collections::HashMap;
use yarnwise_shaders::gpu::NONE;
use yarnwise_shared::mesh::Mesh;
use yarnwise_shared::mesh::topology::Adjacency;

/// UV triangles flatter than this (twice the area over the square of the longest edge) carry no yarns.
const MIN_FLATNESS: f64 = 1e-7;

/// UVs of one world vertex closer than this share of the mean UV edge are one point of cloth.
const WELD: f64 = 1e-4;

/// One connected piece of the UV plane.
#[derive(Clone, Debug, PartialEq)]
pub struct Island {
    /// Its faces, ascending.
    pub faces: Vec<u32>,
    /// Its UVs run against the winding in the world.
    pub mirrored: bool,
    /// Where the pattern lies on it.
    pub placement: Placement,
}

/// Material vertices, faces over them, and islands.
pub(super) struct Material {
    /// Material positions, meters, each in its island's plane.
    pub(super) points: Vec<[f64; 2]>,
    /// Material vertices of each face's corners.
    pub(super) faces: Vec<[u32; 3]>,
    /// The face of the same island across each edge (corner i to i + 1), or [`NONE`].
    pub(super) neighbors: Vec<[u32; 3]>,
    /// The island of each face.
    pub(super) island: Vec<u32>,
    pub(super) islands: Vec<Island>,
}

impl Material {
    pub(super) fn new(mesh: &Mesh, options: &LayoutOptions) -> Result<Self> {
        let (mut points, faces) = weld(mesh);
        let orientation: Vec<i8> = faces.iter().map(|f| orientation(f.map(|i| points[i as usize]))).collect();
        let joins = |f: usize, g: usize| orientation[f] != 0 && orientation[f] == orientation[g];
        let neighbors = neighbors(&faces, joins);
        let (island, mut islands) = connect(&neighbors);
        for (number, island) in islands.iter_mut().enumerate() {
            island.mirrored = orientation[island.faces[0] as usize] < 0;
            island.placement = options.placement(number);
        }
        if let Some(number) = options.islands.iter().map(|i| i.0).find(|n| *n >= islands.len()) {
            let problem = format!(
                "a placement is given for island {number}, but islands are numbered 0 to {}",
                islands.len().saturating_sub(1)
            );
            return Err(Error::Layout(problem));
        }
        // A point belongs to the islands of its faces; welded points of two islands (a corner that touches) need a copy
        // in each plane, which the pair of world vertex and UV alone does not give.
        let faces = split_between_islands(&mut points, faces, &island);
        place(&mut points, &faces, &island, &islands);
        Ok(Material { points, faces, neighbors, island, islands })
    }
}

/// Pairs of a world vertex and a place in the UV plane. Unlike `Mesh::weld_uvs` also of UVs that are only nearly equal: a
/// layout must not fall apart over rounding in whatever mesh it is given.
fn weld(mesh: &Mesh) -> (Vec<[f64; 2]>, Vec<[u32; 3]>) {
    let near = WELD * mean_edge(mesh);
    let mut points: Vec<[f64; 2]> = Vec::new();
    // The material vertices of a world vertex, as a chained list: nearly always one.
    let mut first = vec![NONE; mesh.positions().len()];
    let mut next: Vec<u32> = Vec::new();
    let mut find = |world: u32, uv: [f32; 2]| -> u32 {
        let uv = uv.map(f64::from);
        let mut at = first[world as usize];
        while at != NONE {
            let p = points[at as usize];
            if (p[0] - uv[0]).hypot(p[1] - uv[1]) <= near {
                return at;
            }
            at = next[at as usize];
        }
        let new = points.len() as u32;
        points.push(uv);
        next.push(first[world as usize]);
        first[world as usize] = new;
        new
    };
    let faces = (0..mesh.faces().len()).map(|f| {
        let (world, uvs) = (mesh.faces()[f], mesh.uv_corners(f));
        std::array::from_fn(|k| find(world[k], uvs[k]))
    });
    let faces = faces.collect();
    (points, faces)
}

fn mean_edge(mesh: &Mesh) -> f64 {
    let length = |f: usize| {
        let [a, b, _] = mesh.uv_corners(f).map(|p| p.map(f64::from));
        (b[0] - a[0]).hypot(b[1] - a[1])
    };
    let count = mesh.faces().len();
    (0..count).map(length).sum::<f64>() / count as f64
}

/// +1 or -1 by the sense of rotation, 0 where the area is negligible.
pub(super) fn orientation([a, b, c]: [[f64; 2]; 3]) -> i8 {
    let edge = |p: [f64; 2], q: [f64; 2]| [q[0] - p[0], q[1] - p[1]];
    let (e1, e2, e3) = (edge(a, b), edge(a, c), edge(b, c));
    let double_area = e1[0] * e2[1] - e1[1] * e2[0];
    let longest = [e1, e2, e3].iter().map(|e| e[0] * e[0] + e[1] * e[1]).fold(0.0, f64::max);
    if double_area.abs() <= MIN_FLATNESS * longest { 0 } else { double_area.signum() as i8 }
}

/// For each edge of each face the one other face with the same edge, where there is exactly one and `joins` agrees.
pub(super) fn neighbors(faces: &[[u32; 3]], joins: impl Fn(usize, usize) -> bool) -> Vec<[u32; 3]> {
    let adjacency = Adjacency::new(faces);
    let across = |f: usize, k: usize| {
        let other = adjacency.neighbor(f, k).filter(|g| *g != f && joins(f, *g));
        other.map_or(NONE, |g| g as u32)
    };
    (0..faces.len()).map(|f| std::array::from_fn(|k| across(f, k))).collect()
}

fn connect(neighbors: &[[u32; 3]]) -> (Vec<u32>, Vec<Island>) {
    let mut island = vec![NONE; neighbors.len()];
    let mut islands: Vec<Island> = Vec::new();
    let mut stack = Vec::new();
    for start in 0..neighbors.len() {
        if island[start] != NONE {
            continue;
        }
        let number = islands.len() as u32;
        let mut faces = Vec::new();
        island[start] = number;
        stack.push(start as u32);
        while let Some(f) = stack.pop() {
            faces.push(f);
            for g in neighbors[f as usize] {
                if g != NONE && island[g as usize] == NONE {
                    island[g as usize] = number;
                    stack.push(g);
                }
            }
        }
        faces.sort_unstable();
        islands.push(Island { faces, mirrored: false, placement: Placement::default() });
    }
    (island, islands)
}

fn split_between_islands(points: &mut Vec<[f64; 2]>, faces: Vec<[u32; 3]>, island: &[u32]) -> Vec<[u32; 3]> {
    let mut owner = vec![NONE; points.len()];
    let mut copies: HashMap<(u32, u32), u32> = HashMap::new();
    let mut own = |vertex: u32, island: u32| -> u32 {
        let owner = &mut owner[vertex as usize];
        if *owner == NONE || *owner == island {
            *owner = island;
            return vertex;
        }
        *copies.entry((vertex, island)).or_insert_with(|| {
            points.push(points[vertex as usize]);
            points.len() as u32 - 1
        })
    };
    faces.iter().zip(island).map(|(f, island)| f.map(|v| own(v, *island))).collect()
}

/// Moves every point into its island's plane: turned over if mirrored, then turned so that the pattern's x axis is first.
fn place(points: &mut [[f64; 2]], faces: &[[u32; 3]], island: &[u32], islands: &[Island]) {
    let mut done = vec![false; points.len()];
    for (f, corners) in faces.iter().enumerate() {
        let Island { mirrored, placement, .. } = &islands[island[f] as usize];
        let (sin, cos) = placement.angle.sin_cos();
        for v in corners.map(|v| v as usize) {
            if std::mem::replace(&mut done[v], true) {
                continue;
            }
            let x = if *mirrored { -points[v][0] } else { points[v][0] } - placement.offset[0];
            let y = points[v][1] - placement.offset[1];
            points[v] = [cos * x + sin * y, cos * y - sin * x];
        }
    }
}
