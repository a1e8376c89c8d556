//! Copies of the pattern over one island: which cells, and where each vertex lies on the mesh.

use super::locate::{Locator, Place};
use super::material::{Island, Material};
use super::pattern::{Rectangle, SHRINK};
use super::raster::CellGrid;
use crate::{Error, Result};
use rayon::prelude::*;
use yarnwise_shaders::gpu::NONE;

/// Cells are larger by this share of their mean side when they look for triangles.
const CELL_SLACK: f64 = 1e-3;

/// A vertex outside of the mesh by less than this many radii belongs to the nearest triangle: no holes at inner edges.
const TOLERANCE: f64 = 1e-3;

/// All copies of the pattern's vertices over an island: copy `cell * n + vertex`.
pub(super) struct Tiling {
    /// Column and row of each cell.
    pub(super) cells: Vec<[i32; 2]>,
    /// (column, row, cell) sorted by row and column.
    index: Vec<([i32; 2], u32)>,
    /// The face of each copy, [`NONE`] where it is off the mesh.
    pub(super) faces: Vec<u32>,
    /// Its barycentrics (b, c).
    pub(super) places: Vec<[f32; 2]>,
    /// Compatibility mode: copies that the rounding guard moved. Otherwise empty.
    pub(super) shrunk: Vec<bool>,
}

impl Tiling {
    /// `max_vertices` bounds the copies.
    pub(super) fn new(
        material: &Material,
        island: &Island,
        pattern: &Rectangle,
        compat: bool,
        max_vertices: usize,
    ) -> Result<Self> {
        let scale = island.placement.scale;
        check_size(material, island, pattern, max_vertices)?;
        let n = pattern.positions.len();
        let (grid, cells) = if compat { compat_cells(material, pattern) } else { cells(material, island, pattern) };
        if cells.len().saturating_mul(n) > max_vertices {
            return Err(too_many(cells.len() as f64 * n as f64, max_vertices));
        }
        let locator = Locator::new(material, &island.faces, TOLERANCE * pattern.radius * scale, compat);
        let mut faces = vec![NONE; cells.len() * n];
        let mut places = vec![[0.0; 2]; cells.len() * n];
        let mut shrunk = vec![false; if compat { cells.len() * n } else { 0 }];
        let put = |place: Option<Place>, face: &mut u32, bc: &mut [f32; 2]| {
            if let Some(p) = place {
                (*face, *bc) = (p.face, [p.b, p.c]);
            }
        };
        if compat {
            for (k, cell) in cells.iter().enumerate() {
                for v in 0..n {
                    let (p, moved) = compat_copy(&grid, pattern, *cell, v);
                    put(locator.find(p), &mut faces[k * n + v], &mut places[k * n + v]);
                    shrunk[k * n + v] = moved;
                }
            }
        } else {
            faces.par_chunks_mut(n).zip(places.par_chunks_mut(n)).zip(&cells).for_each(|((faces, places), cell)| {
                let corner = [0, 1].map(|k| f64::from(cell[k]) * pattern.period[k]);
                for (v, q) in pattern.positions.iter().enumerate() {
                    let p = [(q[0] + corner[0]) * scale, (q[1] + corner[1]) * scale];
                    put(locator.find(p), &mut faces[v], &mut places[v]);
                }
            });
        }
        let mut index: Vec<_> = cells.iter().enumerate().map(|(k, c)| (*c, k as u32)).collect();
        index.par_sort_unstable_by_key(|(c, _)| (c[1], c[0]));
        Ok(Tiling { cells, index, faces, places, shrunk })
    }

    /// The cell at a column and row, if there is one.
    pub(super) fn cell(&self, [column, row]: [i32; 2]) -> Option<u32> {
        let at = self.index.binary_search_by_key(&(row, column), |(c, _)| (c[1], c[0])).ok()?;
        Some(self.index[at].1)
    }
}

fn too_many(count: f64, max: usize) -> Error {
    Error::Layout(format!(
        "the mesh would carry about {count:.2e} yarn vertices, more than the {max} allowed: are its UVs in meters? \
         (Scale the mesh, or raise max_vertices.)"
    ))
}

/// Area over period is a lower bound of the number of cells: enough to refuse before anything is reserved.
fn check_size(material: &Material, island: &Island, pattern: &Rectangle, max_vertices: usize) -> Result<()> {
    let area = |f: &u32| {
        let [p, q, r] = material.faces[*f as usize].map(|v| material.points[v as usize]);
        0.5 * ((q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0])).abs()
    };
    let cell = pattern.period[0] * pattern.period[1] * island.placement.scale.powi(2);
    let count = island.faces.iter().map(area).sum::<f64>() / cell * pattern.positions.len() as f64;
    // Rows of cells are walked even where a triangle has no area.
    let points = || island.faces.iter().flat_map(|f| material.faces[*f as usize]).map(|v| material.points[v as usize]);
    let side = [0, 1].map(|k| {
        let (low, high) = points().fold((f64::INFINITY, f64::NEG_INFINITY), |r, p| (r.0.min(p[k]), r.1.max(p[k])));
        (high - low) / (pattern.period[k] * island.placement.scale)
    });
    let longest = side[0].max(side[1]);
    if count > max_vertices as f64 || longest > 1e8 { Err(too_many(count.max(longest), max_vertices)) } else { Ok(()) }
}

/// The cells that an island's triangles touch, by row and column.
fn cells(material: &Material, island: &Island, pattern: &Rectangle) -> (CellGrid, Vec<[i32; 2]>) {
    let scale = island.placement.scale;
    let grid = CellGrid { origin: pattern.pivot.map(|c| c * scale), size: pattern.period.map(|c| c * scale) };
    let slack = CELL_SLACK * 0.5 * (grid.size[0] + grid.size[1]);
    let mut cells: Vec<[i32; 2]> = island
        .faces
        .par_iter()
        .flat_map_iter(|f| {
            let corners = material.faces[*f as usize].map(|v| material.points[v as usize]);
            let mut touched = Vec::new();
            grid.touch(corners, slack, slack, |c, r| touched.push([c as i32, r as i32]));
            touched
        })
        .collect();
    cells.par_sort_unstable_by_key(|c| (c[1], c[0]));
    cells.dedup();
    (grid, cells)
}

/// The reference program's grid and its cells in the order in which triangles touch them first.
fn compat_cells(material: &Material, pattern: &Rectangle) -> (CellGrid, Vec<[i32; 2]>) {
    let grid = compat_grid(material, pattern);
    let slack = CELL_SLACK * 0.5 * (grid.size[0] + grid.size[1]);
    let mut touched = Vec::new();
    for face in &material.faces {
        let corners = face.map(|v| material.points[v as usize]);
        grid.touch(corners, 0.0, slack, |c, r| touched.push(([c as i32, r as i32], touched.len())));
    }
    touched.sort_unstable();
    touched.dedup_by_key(|(cell, _)| *cell);
    touched.sort_unstable_by_key(|(_, order)| *order);
    (grid, touched.into_iter().map(|(cell, _)| cell).collect())
}

/// Lower left corner of the reference program's grid, in single precision.
fn compat_grid(material: &Material, pattern: &Rectangle) -> CellGrid {
    let origin = [0, 1].map(|k| {
        let lowest = material.points.iter().map(|p| p[k] as f32).fold(f32::INFINITY, f32::min);
        let (period, pivot) = (pattern.period[k] as f32, pattern.pivot[k] as f32);
        let start = ((lowest - 0.1 * period - pivot) / period).floor();
        f64::from(start * period + pivot)
    });
    CellGrid { origin, size: pattern.period }
}

/// A copied vertex of the reference program, in single precision: if rounding takes it out of its cell, the pattern's
/// vertex is shrunk first (and its height and twist too).
fn compat_copy(grid: &CellGrid, pattern: &Rectangle, cell: [i32; 2], vertex: usize) -> ([f64; 2], bool) {
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
