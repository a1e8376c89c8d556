//! Which triangle of an island holds a point of its material plane.
//!
//! Triangles are listed by the buckets of a regular grid that they touch, about one bucket for each triangle, so that
//! a point costs a few tests whatever the size of mesh and pattern.

use super::material::{Material, orientation};
use super::raster::CellGrid;
use rayon::prelude::*;

/// A point of the surface: a face and the barycentrics of its corners 1 and 2.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct SurfacePoint {
    pub(super) face: u32,
    pub(super) b: f32,
    pub(super) c: f32,
}

#[derive(Clone, Copy)]
struct Triangle {
    origin: [f64; 2],
    /// Dm^-1 by rows.
    inverse: [f64; 4],
    /// Heights above the edges opposite to corners 0, 1, 2: turn barycentrics into distances.
    heights: [f64; 3],
    face: u32,
}

/// The triangles of one island by bucket.
pub(super) struct Locator {
    grid: CellGrid,
    columns: i64,
    rows: i64,
    starts: Vec<u32>,
    triangles: Vec<Triangle>,
    /// A point this far outside of every triangle still belongs to the nearest, meters.
    tolerance: f64,
}

impl Locator {
    /// Over `faces` of an island; `tolerance` in meters.
    pub(super) fn new(material: &Material, faces: &[u32], tolerance: f64) -> Self {
        let corners = |f: u32| material.faces[f as usize].map(|v| material.points[v as usize]);
        let usable: Vec<u32> = faces.iter().copied().filter(|f| orientation(corners(*f)) != 0).collect();
        let (low, high) = bounds(usable.iter().flat_map(|f| corners(*f)));
        let extent = [0, 1].map(|k| (high[k] - low[k] + 2.0 * tolerance).max(1e-9));
        let side = (extent[0] * extent[1] / usable.len().max(1) as f64).sqrt();
        let count = |k: usize| (extent[k] / side).ceil().clamp(1.0, 4.0 * usable.len().max(1) as f64) as i64;
        let (columns, rows) = (count(0), count(1));
        let grid = CellGrid {
            origin: [low[0] - tolerance, low[1] - tolerance],
            size: [extent[0] / columns as f64, extent[1] / rows as f64],
        };
        let clamp = |c: i64, r: i64| (r.clamp(0, rows - 1) * columns + c.clamp(0, columns - 1)) as u32;
        let mut entries: Vec<(u32, u32)> = usable
            .par_iter()
            .flat_map_iter(|f| {
                let mut buckets = Vec::new();
                grid.touch(corners(*f), tolerance, tolerance, |c, r| buckets.push((clamp(c, r), *f)));
                buckets
            })
            .collect();
        entries.par_sort_unstable();
        entries.dedup();
        let mut starts = vec![0u32; (columns * rows) as usize + 1];
        for (bucket, _) in &entries {
            starts[*bucket as usize + 1] += 1;
        }
        for i in 1..starts.len() {
            starts[i] += starts[i - 1];
        }
        let triangles = entries.par_iter().map(|(_, f)| triangle(*f, corners(*f))).collect();
        Locator { grid, columns, rows, starts, triangles, tolerance }
    }

    /// The faces that may hold `p`, ascending.
    pub(super) fn candidates(&self, p: [f64; 2]) -> impl Iterator<Item = u32> {
        self.bucket(p).iter().map(|t| t.face)
    }

    fn bucket(&self, p: [f64; 2]) -> &[Triangle] {
        let (c, r) = (self.grid.index(0, p[0]), self.grid.index(1, p[1]));
        if !(0..self.columns).contains(&c) || !(0..self.rows).contains(&r) {
            return &[];
        }
        let bucket = (r * self.columns + c) as usize;
        &self.triangles[self.starts[bucket] as usize..self.starts[bucket + 1] as usize]
    }

    /// The triangle that holds `p` best, or the nearest within the tolerance.
    pub(super) fn find(&self, p: [f64; 2]) -> Option<SurfacePoint> {
        let mut best: Option<(f64, SurfacePoint)> = None;
        for t in self.bucket(p) {
            let (x, y) = (p[0] - t.origin[0], p[1] - t.origin[1]);
            let b = t.inverse[0] * x + t.inverse[1] * y;
            let c = t.inverse[2] * x + t.inverse[3] * y;
            // How far inside, in meters: negative outside.
            let [h0, h1, h2] = t.heights;
            let depth = (b * h1).min(c * h2).min((1.0 - b - c) * h0);
            if depth >= -self.tolerance && best.is_none_or(|(d, _)| depth > d) {
                best = Some((depth, SurfacePoint { face: t.face, b: b as f32, c: c as f32 }));
            }
        }
        best.map(|(_, point)| point)
    }
}

fn bounds(points: impl Iterator<Item = [f64; 2]>) -> ([f64; 2], [f64; 2]) {
    points.fold(([f64::INFINITY; 2], [f64::NEG_INFINITY; 2]), |(low, high), p| {
        ([low[0].min(p[0]), low[1].min(p[1])], [high[0].max(p[0]), high[1].max(p[1])])
    })
}

fn triangle(face: u32, [p0, p1, p2]: [[f64; 2]; 3]) -> Triangle {
    let (e1, e2) = ([p1[0] - p0[0], p1[1] - p0[1]], [p2[0] - p0[0], p2[1] - p0[1]]);
    let inverse = inverse(e1, e2);
    let det = (e1[0] * e2[1] - e1[1] * e2[0]).abs();
    let heights = [[e2[0] - e1[0], e2[1] - e1[1]], e2, e1].map(|e| det / e[0].hypot(e[1]));
    Triangle { origin: p0, inverse, heights, face }
}

fn inverse(e1: [f64; 2], e2: [f64; 2]) -> [f64; 4] {
    let d = 1.0 / (e1[0] * e2[1] - e1[1] * e2[0]);
    [e2[1] * d, -e2[0] * d, -e1[1] * d, e1[0] * d]
}
