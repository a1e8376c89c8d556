//! The surface nearest to two arbitrary fundamental forms [Sperl21, App. A].
//!
//! phi minimizes |grad phi - R S|^2 over a rectangle: the Poisson equation div grad phi = div R S with natural boundary
//! conditions. On a grid of nodes the unknowns are phi at the nodes; along each grid line the difference of two
//! neighbors should be the integral of R S between them, taken by Gauss' rule (so that a surface that exists is met
//! to rounding). Lines on the border weigh half. The normal equations are
//!
//!   (K1 x W2 + W1 x K2) phi = f
//!
//! with one-dimensional stiffness K and weights W, solved by diagonalizing both directions.

use super::{Midsurface, Tilt};
use nalgebra::{DMatrix, DVector, SymmetricEigen, Vector3};
use yarnwise_shared::table::strain::Sym2;

/// Nodes and weights of Gauss' rule with three points on [0, 1].
const GAUSS: [(f64, f64); 3] =
    [(0.112_701_665_379_258_3, 5.0 / 18.0), (0.5, 8.0 / 18.0), (0.887_298_334_620_741_7, 5.0 / 18.0)];

/// A surface of any curvature over a rectangle.
#[derive(Clone, Debug)]
pub struct PoissonSurface {
    tilt: Tilt,
    /// Corner of the rectangle with the smallest coordinates, m.
    low: [f64; 2],
    /// Distance of neighboring nodes, m.
    spacing: [f64; 2],
    /// Nodes along each direction.
    nodes: [usize; 2],
    /// phi at the nodes, the first direction fastest, m.
    values: Vec<Vector3<f64>>,
}

impl PoissonSurface {
    /// The surface for I and II (1/m) over the rectangle from `low` to `high` (m) with `nodes` (at least 4) grid lines
    /// each way. phi is zero at the origin of material space if the rectangle holds it.
    pub fn new(first: Sym2<f64>, second: Sym2<f64>, low: [f64; 2], high: [f64; 2], nodes: usize) -> Self {
        let n = nodes.max(4);
        let spacing = [0, 1].map(|k| (high[k] - low[k]) / (n - 1) as f64);
        let tilt = Tilt::new(first, second);
        let mut surface = PoissonSurface { tilt, low, spacing, nodes: [n; 2], values: Vec::new() };
        surface.values = surface.solve();
        let origin = surface.point([0.0; 2]);
        surface.values.iter_mut().for_each(|v| *v -= origin);
        surface
    }

    fn at(&self, i: usize, j: usize) -> [f64; 2] {
        [self.low[0] + self.spacing[0] * i as f64, self.low[1] + self.spacing[1] * j as f64]
    }

    /// The integral of R S along the grid line from node (i, j) one node on in direction `axis`.
    fn step(&self, axis: usize, i: usize, j: usize) -> Vector3<f64> {
        let point = |s: f64| {
            let mut x = self.at(i, j);
            x[axis] += s * self.spacing[axis];
            self.tilt.rotation(x) * self.tilt.stretch3().column(axis)
        };
        GAUSS.iter().map(|(s, weight)| point(*s) * *weight).sum::<Vector3<f64>>() * self.spacing[axis]
    }

    fn solve(&self) -> Vec<Vector3<f64>> {
        let [n, m] = self.nodes;
        let lines = [Line::new(n, self.spacing[0]), Line::new(m, self.spacing[1])];
        let mut force = vec![Vector3::zeros(); n * m];
        let mut pull = |from: usize, to: usize, step: Vector3<f64>, weight: f64| {
            force[from] -= step * weight;
            force[to] += step * weight;
        };
        for j in 0..m {
            for i in 0..n {
                let here = i + n * j;
                if i + 1 < n {
                    pull(here, here + 1, self.step(0, i, j), lines[1].weight[j] / self.spacing[0]);
                }
                if j + 1 < m {
                    pull(here, here + n, self.step(1, i, j), lines[0].weight[i] / self.spacing[1]);
                }
            }
        }
        let component = |c: usize| {
            let f = DMatrix::from_fn(n, m, |i, j| force[i + n * j][c]);
            let mut modes = lines[0].modes.transpose() * f * &lines[1].modes;
            for i in 0..n {
                for j in 0..m {
                    // The stiffness of the constant mode is zero: where the surface lies is free.
                    let stiffness = lines[0].stiffness[i] + lines[1].stiffness[j];
                    modes[(i, j)] = if i == 0 && j == 0 { 0.0 } else { modes[(i, j)] / stiffness };
                }
            }
            &lines[0].modes * modes * lines[1].modes.transpose()
        };
        let parts = [0, 1, 2].map(component);
        (0..n * m).map(|k| Vector3::from_fn(|c, _| parts[c][(k % n, k / n)])).collect()
    }

    /// First of four nodes around coordinate `x`, and the weights of cubic interpolation between them.
    fn stencil(&self, axis: usize, x: f64) -> (usize, [f64; 4]) {
        let at = (x - self.low[axis]) / self.spacing[axis];
        let last = self.nodes[axis] - 4;
        let first = (at.floor() - 1.0).clamp(0.0, last as f64) as usize;
        let t = at - first as f64;
        let weight = |k: usize| (0..4).filter(|l| *l != k).map(|l| (t - l as f64) / (k as f64 - l as f64)).product();
        (first, [0, 1, 2, 3].map(weight))
    }
}

impl Midsurface for PoissonSurface {
    fn tilt(&self) -> &Tilt {
        &self.tilt
    }

    /// Cubic between the nodes; continued beyond the rectangle, where it soon loses its meaning.
    fn point(&self, [x, y]: [f64; 2]) -> Vector3<f64> {
        let (i, u) = self.stencil(0, x);
        let (j, v) = self.stencil(1, y);
        let row = |l: usize| (0..4).map(|k| self.values[i + k + self.nodes[0] * (j + l)] * u[k]).sum::<Vector3<f64>>();
        (0..4).map(|l| row(l) * v[l]).sum()
    }
}

/// One direction of the grid: K z = stiffness W z for its modes z, which W makes orthonormal.
struct Line {
    weight: Vec<f64>,
    stiffness: DVector<f64>,
    modes: DMatrix<f64>,
}

impl Line {
    fn new(n: usize, spacing: f64) -> Self {
        let weight: Vec<f64> = (0..n).map(|i| if i == 0 || i == n - 1 { 0.5 * spacing } else { spacing }).collect();
        let inverse_root: Vec<f64> = weight.iter().map(|w| 1.0 / w.sqrt()).collect();
        let degree = |i: usize| if i == 0 || i == n - 1 { 1.0 } else { 2.0 };
        let stiff = |i: usize, j: usize| match i.abs_diff(j) {
            0 => degree(i) / spacing,
            1 => -1.0 / spacing,
            _ => 0.0,
        };
        let scaled = DMatrix::from_fn(n, n, |i, j| stiff(i, j) * inverse_root[i] * inverse_root[j]);
        let eigen = SymmetricEigen::new(scaled);
        // The constant mode first.
        let mut order: Vec<usize> = (0..n).collect();
        order.sort_by(|a, b| eigen.eigenvalues[*a].total_cmp(&eigen.eigenvalues[*b]));
        let modes = DMatrix::from_fn(n, n, |i, k| inverse_root[i] * eigen.eigenvectors[(i, order[k])]);
        Line { weight, stiffness: DVector::from_fn(n, |k, _| eigen.eigenvalues[order[k]]), modes }
    }
}
