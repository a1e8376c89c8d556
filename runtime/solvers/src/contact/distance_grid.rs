//! Signed distance to a closed triangle surface, sampled on a grid.
//!
//! Near the surface each node gets its exact distance to the nearest triangle; from there the nearest triangles are
//! handed on from node to node in sweeps over the grid. Inside and outside are found by counting how often lines along
//! x, y and z cross the surface, the majority of the three counting.

use crate::{Error, Result};
use nalgebra::Vector3;
use yarnwise_shared::mesh::Surface;

/// A signed distance on a regular grid, interpolated linearly.
#[derive(Clone, Debug)]
pub struct DistanceGrid {
    origin: Vector3<f64>,
    cell: f64,
    size: [usize; 3],
    distance: Vec<f32>,
    surface: Surface,
}

/// Cells of air around the surface, so that gradients exist on all of it.
const AIR: f64 = 3.0;

/// The most nodes of a grid.
const MAX_NODES: usize = 1 << 24;

impl DistanceGrid {
    /// Samples the surface with `resolution` cells along its longest side (8 to 256).
    pub fn new(surface: &Surface, resolution: usize, origin: &str) -> Result<Self> {
        if !(8..=256).contains(&resolution) {
            let problem = format!("a resolution of {resolution} cells is out of range, use 8 to 256");
            return Err(Error::invalid(origin, problem));
        }
        let points: Vec<Vector3<f64>> = surface.positions().iter().map(|p| Vector3::from(*p).map(f64::from)).collect();
        check_closed(surface.faces(), origin)?;
        let (low, high) = bounds(&points);
        let extent = (high - low).max();
        if extent <= 0.0 {
            return Err(Error::invalid(origin, "the surface is a single point"));
        }
        let cell = extent / resolution as f64;
        let size: [usize; 3] =
            std::array::from_fn(|k| ((high[k] - low[k]) / cell).ceil() as usize + 2 * AIR as usize + 1);
        if size.iter().product::<usize>() > MAX_NODES {
            return Err(Error::invalid(origin, "the grid is too large: choose a smaller resolution"));
        }
        let mut grid = DistanceGrid {
            origin: low - Vector3::repeat(AIR * cell),
            cell,
            size,
            distance: Vec::new(),
            surface: surface.clone(),
        };
        let triangles: Vec<[Vector3<f64>; 3]> = surface.faces().iter().map(|f| f.map(|i| points[i as usize])).collect();
        let magnitude = grid.unsigned(&triangles);
        let inside = grid.inside(&triangles);
        grid.distance = magnitude.iter().zip(&inside).map(|(d, i)| if *i { -d } else { *d } as f32).collect();
        Ok(grid)
    }

    /// The surface that was sampled.
    pub fn surface(&self) -> &Surface {
        &self.surface
    }

    /// Signed distance of a point and the unit direction in which it grows.
    pub fn distance(&self, p: &Vector3<f64>) -> (f64, Vector3<f64>) {
        let scaled = (p - self.origin) / self.cell;
        let top = Vector3::from(self.size.map(|n| n as f64 - 1.001));
        let inside = scaled.sup(&Vector3::zeros()).inf(&top);
        let (value, gradient) = self.interpolate(&inside);
        let away = (scaled - inside) * self.cell;
        let distance = away.norm();
        if distance > 0.0 {
            // Outside of the grid two numbers are never too large, which is what a careful walk needs: the way to the grid
            // and the air in it, and the distance at its border less the way there. The way alone would be zero at the
            // border, where walks would stop as if at the surface.
            return ((distance + (AIR - 0.1) * self.cell).max(value - distance), away / distance);
        }
        let normal = gradient.try_normalize(1e-9).unwrap_or_else(|| self.away_from_middle(p));
        (value, normal)
    }

    fn away_from_middle(&self, p: &Vector3<f64>) -> Vector3<f64> {
        let middle = self.origin + Vector3::from(self.size.map(|n| 0.5 * n as f64)) * self.cell;
        (p - middle).try_normalize(1e-12).unwrap_or(Vector3::y())
    }

    fn index(&self, i: usize, j: usize, k: usize) -> usize {
        (k * self.size[1] + j) * self.size[0] + i
    }

    fn node(&self, i: usize, j: usize, k: usize) -> Vector3<f64> {
        self.origin + Vector3::new(i as f64, j as f64, k as f64) * self.cell
    }

    fn interpolate(&self, s: &Vector3<f64>) -> (f64, Vector3<f64>) {
        let base = s.map(|c| c.floor() as usize);
        let f = s - s.map(f64::floor);
        let (mut value, mut gradient) = (0.0, Vector3::zeros());
        for corner in 0..8 {
            let bit = [corner & 1, (corner >> 1) & 1, corner >> 2];
            let d = f64::from(self.distance[self.index(base.x + bit[0], base.y + bit[1], base.z + bit[2])]);
            let w: [f64; 3] = std::array::from_fn(|k| if bit[k] == 1 { f[k] } else { 1.0 - f[k] });
            let sign = bit.map(|b| if b == 1 { 1.0 } else { -1.0 });
            value += d * w[0] * w[1] * w[2];
            gradient += Vector3::new(sign[0] * w[1] * w[2], w[0] * sign[1] * w[2], w[0] * w[1] * sign[2]) * d;
        }
        (value, gradient)
    }

    /// The distance of each node to its nearest triangle, meters.
    fn unsigned(&self, triangles: &[[Vector3<f64>; 3]]) -> Vec<f64> {
        let nodes = self.size.iter().product();
        let mut distance = vec![f64::INFINITY; nodes];
        let mut nearest = vec![u32::MAX; nodes];
        for (t, triangle) in triangles.iter().enumerate() {
            let (low, high) = bounds(triangle);
            let from: [usize; 3] =
                std::array::from_fn(|k| (((low[k] - self.origin[k]) / self.cell).floor() as usize).saturating_sub(1));
            let to: [usize; 3] = std::array::from_fn(|k| {
                (((high[k] - self.origin[k]) / self.cell).ceil() as usize + 1).min(self.size[k] - 1)
            });
            for k in from[2]..=to[2] {
                for j in from[1]..=to[1] {
                    for i in from[0]..=to[0] {
                        let at = self.index(i, j, k);
                        improve(&mut distance[at], &mut nearest[at], t as u32, triangle, &self.node(i, j, k));
                    }
                }
            }
        }
        for pass in 0..16 {
            let order: [bool; 3] = std::array::from_fn(|axis| (pass >> axis) & 1 == 1);
            self.hand_on(order, triangles, &mut distance, &mut nearest);
        }
        distance
    }

    /// One sweep in the direction `backwards` per axis: each node tries the nearest triangles of its neighbors behind.
    fn hand_on(
        &self,
        backwards: [bool; 3],
        triangles: &[[Vector3<f64>; 3]],
        distance: &mut [f64],
        nearest: &mut [u32],
    ) {
        let line = |axis: usize| {
            let n = self.size[axis];
            (0..n).map(move |i| if backwards[axis] { n - 1 - i } else { i })
        };
        let behind = |i: usize, axis: usize| if backwards[axis] { i + 1 } else { i.wrapping_sub(1) };
        for k in line(2) {
            for j in line(1) {
                for i in line(0) {
                    let at = self.index(i, j, k);
                    let p = self.node(i, j, k);
                    for n in [[behind(i, 0), j, k], [i, behind(j, 1), k], [i, j, behind(k, 2)]] {
                        if (0..3).all(|axis| n[axis] < self.size[axis]) {
                            let t = nearest[self.index(n[0], n[1], n[2])];
                            if t != u32::MAX && t != nearest[at] {
                                improve(&mut distance[at], &mut nearest[at], t, &triangles[t as usize], &p);
                            }
                        }
                    }
                }
            }
        }
    }

    /// Whether each node is inside, by the majority of three counts of crossings.
    fn inside(&self, triangles: &[[Vector3<f64>; 3]]) -> Vec<bool> {
        let mut votes = vec![0_u8; self.size.iter().product()];
        for axis in 0..3 {
            self.count_crossings(axis, triangles, &mut votes);
        }
        votes.iter().map(|v| *v >= 2).collect()
    }

    fn count_crossings(&self, axis: usize, triangles: &[[Vector3<f64>; 3]], votes: &mut [u8]) {
        let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
        let mut crossings: Vec<Vec<f64>> = vec![Vec::new(); self.size[u] * self.size[v]];
        // Off the nodes by a little: surfaces like to have vertices and edges at round numbers.
        let shift = [1.234_5e-5 * self.cell, 2.718_2e-5 * self.cell];
        for triangle in triangles {
            let (low, high) = bounds(triangle);
            let range = |k: usize| {
                let first = ((low[k] - self.origin[k]) / self.cell).floor().max(0.0) as usize;
                let last = (((high[k] - self.origin[k]) / self.cell).ceil() as usize).min(self.size[k] - 1);
                first..=last
            };
            for b in range(v) {
                for a in range(u) {
                    let point = [
                        self.origin[u] + a as f64 * self.cell + shift[0],
                        self.origin[v] + b as f64 * self.cell + shift[1],
                    ];
                    if let Some(height) = crossing(triangle, axis, &point) {
                        crossings[b * self.size[u] + a].push(height);
                    }
                }
            }
        }
        for b in 0..self.size[v] {
            for a in 0..self.size[u] {
                let line = &mut crossings[b * self.size[u] + a];
                line.sort_by(f64::total_cmp);
                for c in 0..self.size[axis] {
                    let height = self.origin[axis] + c as f64 * self.cell;
                    let below = line.partition_point(|h| *h < height);
                    let mut node = [0; 3];
                    (node[axis], node[u], node[v]) = (c, a, b);
                    votes[self.index(node[0], node[1], node[2])] += (below % 2) as u8;
                }
            }
        }
    }
}

/// Where a line along `axis` through `point` in the other two coordinates crosses a triangle.
fn crossing(triangle: &[Vector3<f64>; 3], axis: usize, point: &[f64; 2]) -> Option<f64> {
    let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
    let side = |a: &Vector3<f64>, b: &Vector3<f64>| {
        (a[u] - point[0]) * (b[v] - point[1]) - (a[v] - point[1]) * (b[u] - point[0])
    };
    let [a, b, c] = triangle;
    let w = [side(b, c), side(c, a), side(a, b)];
    let inside = w.iter().all(|s| *s > 0.0) || w.iter().all(|s| *s < 0.0);
    let sum: f64 = w.iter().sum();
    inside.then(|| (w[0] * a[axis] + w[1] * b[axis] + w[2] * c[axis]) / sum)
}

/// Each edge is used once in each direction: then the surface has an inside.
fn check_closed(faces: &[[u32; 3]], origin: &str) -> Result<()> {
    let mut open = std::collections::HashMap::new();
    for f in faces {
        for k in 0..3 {
            let (a, b) = (f[k], f[(k + 1) % 3]);
            *open.entry((a.min(b), a.max(b))).or_insert(0_i64) += if a < b { 1 } else { -1 };
        }
    }
    match open.iter().filter(|(_, n)| **n != 0).map(|(e, _)| *e).min() {
        None => Ok(()),
        Some((a, b)) => {
            // Counted from 1, as in OBJ files.
            let (a, b) = (a + 1, b + 1);
            let problem = format!(
                "the surface is not closed at the edge from vertex {a} to {b}: a body needs an inside, fill its holes"
            );
            Err(Error::invalid(origin, problem))
        }
    }
}

fn bounds(points: &[Vector3<f64>]) -> (Vector3<f64>, Vector3<f64>) {
    points.iter().fold((Vector3::repeat(f64::INFINITY), Vector3::repeat(f64::NEG_INFINITY)), |(low, high), p| {
        (low.inf(p), high.sup(p))
    })
}

fn improve(distance: &mut f64, nearest: &mut u32, index: u32, triangle: &[Vector3<f64>; 3], p: &Vector3<f64>) {
    let d = (p - closest_point(triangle, p)).norm();
    if d < *distance {
        (*distance, *nearest) = (d, index);
    }
}

/// The point of a triangle that is closest to p, by the regions of its plane.
fn closest_point([a, b, c]: &[Vector3<f64>; 3], p: &Vector3<f64>) -> Vector3<f64> {
    let on_segment = |q: &Vector3<f64>, r: &Vector3<f64>| {
        let e = r - q;
        let t = if e.norm_squared() > 0.0 { (e.dot(&(p - q)) / e.norm_squared()).clamp(0.0, 1.0) } else { 0.0 };
        q + e * t
    };
    let (ab, ac, ap) = (b - a, c - a, p - a);
    let normal = ab.cross(&ac);
    let area = normal.norm_squared();
    if area > 0.0 {
        let v = ap.cross(&ac).dot(&normal) / area;
        let w = ab.cross(&ap).dot(&normal) / area;
        if v >= 0.0 && w >= 0.0 && v + w <= 1.0 {
            return a + ab * v + ac * w;
        }
    }
    let candidates = [on_segment(a, b), on_segment(b, c), on_segment(c, a)];
    let nearer = |x: &&Vector3<f64>, y: &&Vector3<f64>| (p - **x).norm_squared().total_cmp(&(p - **y).norm_squared());
    candidates.iter().min_by(nearer).copied().unwrap_or(*a)
}

#[cfg(test)]
mod tests {
    use super::super::Shape;
    use super::*;
    use std::sync::Arc;

    /// A ball of radius 0.5 with `n` rings.
    fn ball(n: usize) -> Surface {
        let mut positions = vec![[0.0, 0.5, 0.0]];
        for j in 1..n {
            let (s, c) = (std::f64::consts::PI * j as f64 / n as f64).sin_cos();
            for i in 0..2 * n {
                let (sin, cos) = (std::f64::consts::PI * i as f64 / n as f64).sin_cos();
                positions.push([0.5 * s * cos, 0.5 * c, 0.5 * s * sin].map(|v| v as f32));
            }
        }
        positions.push([0.0, -0.5, 0.0]);
        let last = positions.len() as u32 - 1;
        let at = |j: usize, i: usize| (1 + (j - 1) * 2 * n + i % (2 * n)) as u32;
        let mut faces = Vec::new();
        for i in 0..2 * n {
            faces.push([0, at(1, i + 1), at(1, i)]);
            faces.push([last, at(n - 1, i), at(n - 1, i + 1)]);
            for j in 1..n - 1 {
                faces.push([at(j, i), at(j, i + 1), at(j + 1, i)]);
                faces.push([at(j, i + 1), at(j + 1, i + 1), at(j + 1, i)]);
            }
        }
        Surface::new(positions, faces).unwrap()
    }

    #[test]
    fn a_sampled_ball_is_a_ball() {
        let grid = Arc::new(DistanceGrid::new(&ball(24), 32, "ball").unwrap());
        let sampled = Shape::Mesh(Arc::clone(&grid));
        let exact = Shape::Sphere { radius: 0.5 };
        for p in [[0.3, 0.1, 0.2], [0.55, 0.0, 0.1], [-0.2, -0.5, 0.1], [0.0, 0.49, 0.0], [0.1, 0.1, 0.45]] {
            let p = Vector3::from(p);
            let ((d, n), (e, m)) = (sampled.distance(&p), exact.distance(&p));
            assert!((d - e).abs() < 0.01, "at {p:?}: {d} and {e}");
            assert!(n.dot(&m) > 0.98, "normal at {p:?}");
        }
        // Far away the distance is never too large: a walk may trust it.
        for p in [[2.0, 0.0, 0.0], [0.9, 0.9, -0.9], [0.0, -5.0, 1.0]] {
            let p = Vector3::from(p);
            let (d, e) = (sampled.distance(&p).0, exact.distance(&p).0);
            assert!(d > 0.0 && d <= e + 0.01, "at {p:?}: {d} and {e}");
        }
        // Nor does it fall to zero where the grid ends, on the way in.
        for i in 0..200 {
            let p = Vector3::new(0.02, 0.52 + 0.002 * f64::from(i), 0.01);
            let (d, e) = (sampled.distance(&p).0, exact.distance(&p).0);
            assert!(d > 0.5 * e && d <= e + 0.01, "at {p:?}: {d} and {e}");
        }
    }

    #[test]
    fn an_open_surface_is_refused() {
        let whole = ball(8);
        let mut faces = whole.faces().to_vec();
        faces.pop();
        let open = Surface::new(whole.positions().to_vec(), faces).unwrap();
        assert!(DistanceGrid::new(&open, 32, "ball").unwrap_err().to_string().contains("not closed"));
        assert!(DistanceGrid::new(&whole, 4, "ball").unwrap_err().to_string().contains("resolution"));
    }
}
