//! Layouts as the reference program of \[Sperl21\] makes them, for comparisons with its frames; [`YarnLayout::new`] is better.
//!
//! Its choices are gathered here: material vertices are the UV vertices, all in one plane and one island without a placement;
//! vertices belong to a triangle only if they lie inside, in single precision; a rounding guard shrinks the pattern's vertices
//! that leave their cell; edges may jump over gaps; closed yarns are lost; directors are projected off the shift of their
//! edge and follow the gradient of one face; nothing is averaged over seams. The only other switch is in the clamp of the
//! eigenvalues ([`flags::COMPAT_CLAMP`](yarnwise_shaders::gpu::flags::COMPAT_CLAMP)).

use super::locate::{Locator, SurfacePoint};
use super::material::{Island, Material};
use super::pattern::{self, Rectangle};
use super::raster::CellGrid;
use super::surface::Surface;
use super::tile::{CELL_SLACK, TOLERANCE, Tiling};
use super::weights::weights;
use super::{LayoutOptions, Placement, YarnLayout, Yarns, limit};
use crate::Result;
use yarnwise_shaders::gpu::{NONE, PatternVertex, YarnSite};
use yarnwise_shared::mesh::Mesh;
use yarnwise_shared::pattern::Pattern;

/// The reference program scales a vertex by this when rounding moves it out of its cell.
const SHRINK: f32 = 0.99;

/// Lays `pattern` over the UV plane of `mesh` as the reference program does. Placements are ignored. Frames of such a layout
/// have the reference program's clamp, too.
pub fn layout(mesh: &Mesh, pattern: &Pattern, options: &LayoutOptions) -> Result<YarnLayout> {
    options.check()?;
    let material = material(mesh);
    let averages = weights(mesh, &material, options.shepard_weights, false);
    let surface = Surface::with(mesh, &material, &opposites(mesh), averages, true);
    let rectangle = Rectangle::rounded(pattern, |v| f64::from(v as f32));
    let tiling = CompatTiling::new(&material, &rectangle, limit(options))?;
    let yarns = tiling.yarns(&rectangle, options.min_yarn_length * rectangle.radius);
    let records = records(pattern, &rectangle);
    let layout = YarnLayout::with(surface, material, records, pattern, yarns);
    YarnLayout { compat_clamp: true, ..layout }.checked(mesh, options)
}

/// One island, one plane.
fn material(mesh: &Mesh) -> Material {
    let faces = mesh.uv_faces().to_vec();
    let count = faces.len();
    let island = Island { faces: (0..count as u32).collect(), mirrored: false, placement: Placement::default() };
    Material {
        points: mesh.uvs().iter().map(|p| p.map(f64::from)).collect(),
        neighbors: vec![[NONE; 3]; count],
        faces,
        island: vec![0; count],
        islands: vec![island],
    }
}

/// Over edges of UV faces, as the reference program pairs them: neighbors in a sorted list, also where more than two faces
/// meet.
fn opposites(mesh: &Mesh) -> Vec<[u32; 3]> {
    let mut out = vec![[NONE; 3]; mesh.faces().len()];
    let mut edges = Vec::with_capacity(3 * mesh.uv_faces().len());
    for (f, corners) in mesh.uv_faces().iter().enumerate() {
        for i in 0..3 {
            let (a, b) = (corners[i], corners[(i + 1) % 3]);
            edges.push((a.min(b), a.max(b), f, i));
        }
    }
    edges.sort_unstable();
    let corner = |f: usize, i: usize| mesh.faces()[f][(i + 2) % 3];
    for pair in edges.windows(2) {
        let [(a0, b0, f, i), (a1, b1, g, j)] = [pair[0], pair[1]];
        if (a0, b0) == (a1, b1) {
            out[f][i] = corner(g, j);
            out[g][j] = corner(f, i);
        }
    }
    out
}

/// The records of all vertices, and behind them those of the vertices that the rounding guard has shrunk.
fn records(pattern: &Pattern, rectangle: &Rectangle) -> Vec<PatternVertex> {
    let plain = |i: usize| {
        let director = director(pattern.vertices()[i].reference_director, rectangle.edges[i].1);
        pattern::record(pattern, i, director)
    };
    let mut records: Vec<_> = (0..pattern.vertices().len()).map(plain).collect();
    for i in 0..records.len() {
        let r = records[i];
        records.push(PatternVertex { height: r.height * SHRINK, twist: r.twist * SHRINK, ..r });
    }
    records
}

/// Projected off the edge's shift, which the reference program takes for the tangent; unshifted edges stay as they are.
fn director(d: [f64; 3], shift: [i32; 2]) -> [f32; 3] {
    let axis = [f64::from(shift[0]), f64::from(shift[1]), 0.0];
    let projected = if shift == [0, 0] { None } else { pattern::without(d, axis) };
    projected.unwrap_or(d).map(|c| c as f32)
}

/// The tiling, and the copies that the rounding guard has moved.
struct CompatTiling {
    tiling: Tiling,
    shrunk: Vec<bool>,
}

impl CompatTiling {
    fn new(material: &Material, pattern: &Rectangle, max_vertices: usize) -> Result<Self> {
        let grid = grid(material, pattern);
        let mut tiling = Tiling::of(cells(material, &grid), pattern, max_vertices)?;
        let locator = Locator::new(material, &material.islands[0].faces, TOLERANCE * pattern.radius);
        let n = pattern.positions.len();
        let mut shrunk = vec![false; tiling.faces.len()];
        for copy in 0..tiling.faces.len() {
            let (p, moved) = copied(&grid, pattern, tiling.cells[copy / n], copy % n);
            if let Some(point) = find(material, &locator, p) {
                (tiling.faces[copy], tiling.barycentrics[copy]) = (point.face, [point.b, point.c]);
            }
            shrunk[copy] = moved;
        }
        Ok(CompatTiling { tiling, shrunk })
    }

    /// The copy that an edge leads to, where both ends are on the mesh.
    fn next(&self, pattern: &Rectangle, copy: usize) -> Option<usize> {
        let n = pattern.positions.len();
        let (to, shift) = pattern.edges[copy % n];
        let target = self.tiling.shifted(copy / n, shift)? as usize * n + to as usize;
        (self.tiling.faces[copy] != NONE && self.tiling.faces[target] != NONE).then_some(target)
    }

    /// All yarns that begin somewhere; lengths are summed in single precision.
    fn yarns(&self, pattern: &Rectangle, min_length: f64) -> Yarns {
        let count = self.tiling.faces.len();
        let live = self.tiling.faces.iter().filter(|f| **f != NONE).count();
        let mut yarns = Yarns { starts: vec![0], tiled: count, live, ..Default::default() };
        let mut has_previous = vec![false; count];
        for to in (0..count).filter_map(|copy| self.next(pattern, copy)) {
            has_previous[to] = true;
        }
        for start in (0..count).filter(|copy| !has_previous[*copy]) {
            if self.next(pattern, start).is_none() {
                continue;
            }
            let (first, mut arc) = (yarns.sites.len(), 0.0f32);
            for copy in std::iter::successors(Some(start), |copy| self.next(pattern, *copy)) {
                yarns.sites.push(self.site(pattern, copy));
                yarns.arcs.push(arc);
                yarns.copies.push(copy as u32);
                arc += pattern.rest_lengths[copy % pattern.positions.len()] as f32;
            }
            yarns.finish(first, false, min_length);
        }
        yarns
    }

    fn site(&self, pattern: &Rectangle, copy: usize) -> YarnSite {
        let n = pattern.positions.len();
        let [b, c] = self.tiling.barycentrics[copy];
        let record = if self.shrunk[copy] { copy % n + n } else { copy % n };
        YarnSite { b, c, face: self.tiling.faces[copy], pattern: record as u32 }
    }
}

/// The first face that has `p` inside: all three barycentrics above zero, every operation in single precision.
fn find(material: &Material, locator: &Locator, p: [f64; 2]) -> Option<SurfacePoint> {
    locator.candidates(p).find_map(|face| {
        let [p0, p1, p2] = material.faces[face as usize].map(|v| material.points[v as usize]);
        let ([e1x, e1y], [e2x, e2y]) = ([0, 1].map(|k| (p1[k] - p0[k]) as f32), [0, 1].map(|k| (p2[k] - p0[k]) as f32));
        let inverse_det = 1.0 / (e1x * e2y - e1y * e2x);
        let (x, y) = (p[0] as f32 - p0[0] as f32, p[1] as f32 - p0[1] as f32);
        let b = e2y * inverse_det * x + -e2x * inverse_det * y;
        let c = -e1y * inverse_det * x + e1x * inverse_det * y;
        (1.0 - b - c > 0.0 && b > 0.0 && c > 0.0).then_some(SurfacePoint { face, b, c })
    })
}

/// The cells in the order in which triangles touch them first.
fn cells(material: &Material, grid: &CellGrid) -> Vec<[i32; 2]> {
    let slack = CELL_SLACK * 0.5 * (grid.size[0] + grid.size[1]);
    let mut touched = Vec::new();
    for face in &material.faces {
        let corners = face.map(|v| material.points[v as usize]);
        grid.touch(corners, 0.0, slack, |c, r| touched.push(([c as i32, r as i32], touched.len())));
    }
    touched.sort_unstable();
    touched.dedup_by_key(|(cell, _)| *cell);
    touched.sort_unstable_by_key(|(_, order)| *order);
    touched.into_iter().map(|(cell, _)| cell).collect()
}

/// The grid's lower left corner, in single precision.
fn grid(material: &Material, pattern: &Rectangle) -> CellGrid {
    let origin = [0, 1].map(|k| {
        let lowest = material.points.iter().map(|p| p[k] as f32).fold(f32::INFINITY, f32::min);
        let (period, pivot) = (pattern.period[k] as f32, pattern.pivot[k] as f32);
        let start = ((lowest - 0.1 * period - pivot) / period).floor();
        f64::from(start * period + pivot)
    });
    CellGrid { origin, size: pattern.period }
}

/// A copied vertex, in single precision: if rounding takes it out of its cell, the pattern's vertex is shrunk first (and its
/// height and twist too). Says whether it was.
fn copied(grid: &CellGrid, pattern: &Rectangle, cell: [i32; 2], vertex: usize) -> ([f64; 2], bool) {
    let copy = |factor: f32| {
        [0, 1].map(|k| {
            let (origin, period) = (grid.origin[k] as f32, pattern.period[k] as f32);
            let corner = origin + cell[k] as f32 * period;
            pattern.positions[vertex][k] as f32 * factor + (corner - pattern.pivot[k] as f32)
        })
    };
    let p = copy(1.0);
    let back = |k: usize| ((p[k] - grid.origin[k] as f32) / pattern.period[k] as f32).floor() as i32;
    if [back(0), back(1)] == cell { (p.map(f64::from), false) } else { (copy(SHRINK).map(f64::from), true) }
}
