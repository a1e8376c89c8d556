//! Copies of the pattern over one island: which cells, and where each vertex lies on the mesh.

use super::locate::Locator;
use super::material::{Island, Material};
use super::pattern::Rectangle;
use super::raster::CellGrid;
use crate::{Error, Result};
use rayon::prelude::*;
use yarnwise_shaders::gpu::NONE;

/// Cells are larger by this share of their mean side when they look for triangles.
pub(super) const CELL_SLACK: f64 = 1e-3;

/// A vertex outside of the mesh by less than this many radii belongs to the nearest triangle: no holes at inner edges.
pub(super) const TOLERANCE: f64 = 1e-3;

/// All copies of the pattern's vertices over an island: copy `cell * n + vertex`.
pub(super) struct Tiling {
    /// Column and row of each cell.
    pub(super) cells: Vec<[i32; 2]>,
    /// (column, row, cell) sorted by row and column.
    index: Vec<([i32; 2], u32)>,
    /// The face of each copy, [`NONE`] where it is off the mesh.
    pub(super) faces: Vec<u32>,
    /// Its barycentrics (b, c).
    pub(super) barycentrics: Vec<[f32; 2]>,
}

impl Tiling {
    /// `max_vertices` bounds the copies.
    pub(super) fn new(material: &Material, island: &Island, pattern: &Rectangle, max_vertices: usize) -> Result<Self> {
        let scale = island.placement.scale;
        check_size(material, island, pattern, max_vertices)?;
        let mut tiling = Tiling::of(cells(material, island, pattern), pattern, max_vertices)?;
        let locator = Locator::new(material, &island.faces, TOLERANCE * pattern.radius * scale);
        let n = pattern.positions.len();
        let Tiling { cells, faces, barycentrics, .. } = &mut tiling;
        faces.par_chunks_mut(n).zip(barycentrics.par_chunks_mut(n)).zip(&*cells).for_each(
            |((faces, barycentrics), cell)| {
                let corner = [0, 1].map(|k| f64::from(cell[k]) * pattern.period[k]);
                for (v, q) in pattern.positions.iter().enumerate() {
                    let p = [(q[0] + corner[0]) * scale, (q[1] + corner[1]) * scale];
                    if let Some(point) = locator.find(p) {
                        (faces[v], barycentrics[v]) = (point.face, [point.b, point.c]);
                    }
                }
            },
        );
        Ok(tiling)
    }

    /// All copies in `cells`, none of which lies on the mesh yet. An error, before anything is reserved, if they are more
    /// than `max_vertices` or than memory holds.
    pub(super) fn of(cells: Vec<[i32; 2]>, pattern: &Rectangle, max_vertices: usize) -> Result<Self> {
        let n = pattern.positions.len();
        let count = cells.len().saturating_mul(n);
        if count > max_vertices {
            return Err(too_many(count as f64, max_vertices));
        }
        probe(count)?;
        let mut index: Vec<_> = cells.iter().enumerate().map(|(k, c)| (*c, k as u32)).collect();
        index.par_sort_unstable_by_key(|(c, _)| (c[1], c[0]));
        Ok(Tiling { cells, index, faces: filled(NONE, count)?, barycentrics: filled([0.0; 2], count)? })
    }

    /// The cell this many columns and rows away from another, if there is one.
    pub(super) fn shifted(&self, cell: usize, shift: [i32; 2]) -> Option<u32> {
        if shift == [0, 0] {
            return Some(cell as u32);
        }
        let [column, row] = [0, 1].map(|k| self.cells[cell][k] + shift[k]);
        let at = self.index.binary_search_by_key(&(row, column), |(c, _)| (c[1], c[0])).ok()?;
        Some(self.index[at].1)
    }
}

/// Bytes of a yarn vertex in a layout while it is made, in a frame on the CPU and in what is written of it: 180 to 200 were
/// measured with 1 and 4 million vertices.
const VERTEX_BYTES: usize = 200;

/// An error unless there is memory for all that follows from this many yarn vertices.
fn probe(count: usize) -> Result<()> {
    room_for::<u8>(count.saturating_mul(VERTEX_BYTES), count).map(drop)
}

/// An empty list with room for `length` values; an error that speaks of `count` vertices where there is no memory for them.
fn room_for<T>(length: usize, count: usize) -> Result<Vec<T>> {
    let mut list = Vec::new();
    match list.try_reserve_exact(length) {
        Ok(()) => Ok(list),
        Err(_) => {
            let gigabytes = count as f64 * VERTEX_BYTES as f64 * 1e-9;
            Err(Error::Layout(format!(
                "there is no memory for {count} yarn vertices, which take {gigabytes:.1} GB: scale the mesh down or the \
                 pattern up"
            )))
        }
    }
}

/// `count` times `value`.
fn filled<T: Clone>(value: T, count: usize) -> Result<Vec<T>> {
    let mut list = room_for(count, count)?;
    list.resize(count, value);
    Ok(list)
}

fn too_many(count: f64, max: usize) -> Error {
    Error::Layout(format!(
        "the mesh would carry about {count:.2e} yarn vertices, more than the {max} allowed: are its UVs in meters? Otherwise \
         scale the mesh down, the pattern up, or raise max_vertices"
    ))
}

/// Two lower bounds of the number of cells, enough to refuse before anything is reserved: area over period, and, because an
/// island is connected, its rows and its columns.
fn check_size(material: &Material, island: &Island, pattern: &Rectangle, max_vertices: usize) -> Result<()> {
    let area = |f: &u32| {
        let [p, q, r] = material.faces[*f as usize].map(|v| material.points[v as usize]);
        0.5 * ((q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0])).abs()
    };
    let cell = pattern.period[0] * pattern.period[1] * island.placement.scale.powi(2);
    let count = island.faces.iter().map(area).sum::<f64>() / cell * pattern.positions.len() as f64;
    let points = || island.faces.iter().flat_map(|f| material.faces[*f as usize]).map(|v| material.points[v as usize]);
    let side = [0, 1].map(|k| {
        let (low, high) = points().fold((f64::INFINITY, f64::NEG_INFINITY), |r, p| (r.0.min(p[k]), r.1.max(p[k])));
        (high - low) / (pattern.period[k] * island.placement.scale)
    });
    // Cells at both ends may only just be touched.
    let count = count.max((side[0].max(side[1]) - 2.0) * pattern.positions.len() as f64);
    if count > max_vertices as f64 { Err(too_many(count, max_vertices)) } else { Ok(()) }
}

/// The cells that an island's triangles touch, by row and column.
fn cells(material: &Material, island: &Island, pattern: &Rectangle) -> Vec<[i32; 2]> {
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
    cells
}
