//! How hybrid nodes and hybrid vertices are coupled [Casafranca20, §3.2].
//!
//!   p = B v + F x,   F = I − B K⁻¹ Bᵀ,   K = Bᵀ B,   R = K⁻¹ Bᵀ
//!
//! B has the barycentric coordinates of the nodes; all matrices are the same for the three coordinates. R p is the best fit of the vertices
//! to the nodes, F the projection onto what no vertex can do: BᵀF = 0. (The paper speaks of the null space of B; it is that of Bᵀ.)

use crate::linear::SparseCholesky;
use nalgebra::DMatrix;

/// The vertices of a hybrid node, by their number among the hybrid ones, and their weights.
pub type Row = ([u32; 3], [f64; 3]);

/// B, and K factored.
#[derive(Clone, Debug)]
pub struct Coupling {
    rows: Vec<Row>,
    vertices: usize,
    factor: SparseCholesky<f64>,
    /// Rows by vertex: where they begin, and (row, weight).
    starts: Vec<u32>,
    columns: Vec<(u32, f64)>,
}

/// Why K cannot be used.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct IllConditioned {
    /// The vertex that nodes say least about.
    pub vertex: usize,
    /// Condition number of K scaled to a diagonal of ones.
    pub condition: f64,
}

/// The largest condition number of K.
const LARGEST_CONDITION: f64 = 1e4;

impl Coupling {
    /// For rows of B and the number of its columns.
    pub fn new(rows: Vec<Row>, vertices: usize) -> Result<Self, IllConditioned> {
        let mut starts = vec![0_u32; vertices + 1];
        rows.iter().for_each(|(vs, _)| vs.iter().for_each(|v| starts[*v as usize + 1] += 1));
        (0..vertices).for_each(|v| starts[v + 1] += starts[v]);
        let mut next = starts.clone();
        let mut columns = vec![(0, 0.0); 3 * rows.len()];
        let mut gram = std::collections::BTreeMap::new();
        for (k, (vs, beta)) in rows.iter().enumerate() {
            for (v, b) in vs.iter().zip(beta) {
                columns[next[*v as usize] as usize] = (k as u32, *b);
                next[*v as usize] += 1;
                for (w, c) in vs.iter().zip(beta).filter(|(w, _)| **w <= *v) {
                    *gram.entry((*v as usize, *w as usize)).or_insert(0.0) += b * c;
                }
            }
        }
        let entries: Vec<(usize, usize, f64)> = gram.iter().map(|((i, j), value)| (*i, *j, *value)).collect();
        let diagonal: Vec<f64> = (0..vertices).map(|v| gram.get(&(v, v)).copied().unwrap_or(0.0)).collect();
        if let Some(vertex) = diagonal.iter().position(|d| *d <= 0.0) {
            return Err(IllConditioned { vertex, condition: f64::INFINITY });
        }
        let factor = SparseCholesky::new(vertices, &entries)
            .map_err(|vertex| IllConditioned { vertex, condition: f64::INFINITY })?;
        let coupling = Coupling { rows, vertices, factor, starts, columns };
        coupling.check(&entries, &diagonal)?;
        Ok(coupling)
    }

    /// Number of hybrid vertices, n_h.
    pub fn vertex_count(&self) -> usize {
        self.vertices
    }

    /// B, row by row.
    pub fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// The rows of a vertex, with their weights.
    pub fn rows_of(&self, vertex: usize) -> impl Iterator<Item = (usize, f64)> + '_ {
        let range = self.starts[vertex] as usize..self.starts[vertex + 1] as usize;
        self.columns[range].iter().map(|(row, weight)| (*row as usize, *weight))
    }

    /// Bᵀ x, where `x` gives the three coordinates of a row.
    pub fn gather(&self, x: impl Fn(usize) -> [f64; 3]) -> Vec<[f64; 3]> {
        let of = |v: usize| {
            let mut sum = [0.0; 3];
            for (row, b) in self.rows_of(v) {
                let x = x(row);
                (0..3).for_each(|k| sum[k] += b * x[k]);
            }
            sum
        };
        (0..self.vertices).map(of).collect()
    }

    /// A row of B times values of vertices.
    #[inline]
    pub fn spread(&self, row: usize, values: &[[f64; 3]]) -> [f64; 3] {
        let (vs, beta) = &self.rows[row];
        let mut sum = [0.0; 3];
        for (v, b) in vs.iter().zip(beta) {
            (0..3).for_each(|k| sum[k] += b * values[*v as usize][k]);
        }
        sum
    }

    /// K⁻¹ g, in place.
    pub fn solve(&self, g: &mut [[f64; 3]]) {
        self.factor.solve(g);
    }

    /// K g.
    pub fn gram(&self, g: &[[f64; 3]]) -> Vec<[f64; 3]> {
        self.gather(|row| self.spread(row, g))
    }

    /// R p: the vertices that fit nodes best.
    pub fn fit(&self, p: impl Fn(usize) -> [f64; 3]) -> Vec<[f64; 3]> {
        let mut v = self.gather(p);
        self.solve(&mut v);
        v
    }

    /// F x, in place: what vertices cannot do.
    pub fn filter(&self, x: &mut [[f64; 3]]) {
        let v = self.fit(|row| x[row]);
        for (row, x) in x.iter_mut().enumerate() {
            let carried = self.spread(row, &v);
            (0..3).for_each(|k| x[k] -= carried[k]);
        }
    }

    /// B as a dense matrix.
    pub fn dense(&self) -> DMatrix<f64> {
        let mut b = DMatrix::zeros(self.rows.len(), self.vertices);
        for (k, (vs, beta)) in self.rows.iter().enumerate() {
            vs.iter().zip(beta).for_each(|(v, x)| b[(k, *v as usize)] += x);
        }
        b
    }

    /// K as a dense matrix.
    pub fn dense_gram(&self) -> DMatrix<f64> {
        let mut k = DMatrix::zeros(self.vertices, self.vertices);
        for (vs, beta) in &self.rows {
            for (v, b) in vs.iter().zip(beta) {
                vs.iter().zip(beta).for_each(|(w, c)| k[(*v as usize, *w as usize)] += b * c);
            }
        }
        k
    }

    /// Refuses a K that rounding would spoil: its smallest eigenvalue, scaled to a diagonal of ones, by inverse iteration.
    fn check(&self, entries: &[(usize, usize, f64)], diagonal: &[f64]) -> Result<(), IllConditioned> {
        const ROUNDS: usize = 60;
        let root: Vec<f64> = diagonal.iter().map(|d| d.sqrt()).collect();
        let start = |v: usize| 1.0 + 0.5 * ((v as f64 * 0.754_877_666).fract() - 0.5);
        let norm = |x: &[f64]| x.iter().map(|x| x * x).sum::<f64>().sqrt();
        let mut low: Vec<f64> = (0..self.vertices).map(start).collect();
        let mut high = low.clone();
        let (mut least, mut most) = (1.0, 1.0);
        for _ in 0..ROUNDS {
            let n = norm(&low);
            let mut solved: Vec<[f64; 3]> = low.iter().zip(&root).map(|(x, r)| [x / n * r, 0.0, 0.0]).collect();
            self.solve(&mut solved);
            low = solved.iter().zip(&root).map(|(x, r)| x[0] * r).collect();
            least = 1.0 / norm(&low);
            let n = norm(&high);
            let mut product = vec![0.0; self.vertices];
            for (i, j, value) in entries {
                let value = value / (root[*i] * root[*j] * n);
                product[*i] += value * high[*j];
                if i != j {
                    product[*j] += value * high[*i];
                }
            }
            high = product;
            most = norm(&high);
        }
        let condition = most / least;
        if condition <= LARGEST_CONDITION {
            return Ok(());
        }
        let vertex = (0..self.vertices).max_by(|a, b| low[*a].abs().total_cmp(&low[*b].abs())).unwrap_or(0);
        Err(IllConditioned { vertex, condition })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::DVector;

    fn rows(count: usize) -> Vec<Row> {
        // A fan of four triangles around vertex 4, as the corners of a square see it.
        let triangles = [[0, 1, 4], [1, 2, 4], [2, 3, 4], [3, 0, 4]];
        let place = |k: usize| {
            let (a, b) = ((0.618 * k as f64).fract(), (0.414 * k as f64 + 0.3).fract());
            let (a, b) = if a + b > 1.0 { (1.0 - a, 1.0 - b) } else { (a, b) };
            (triangles[k % 4], [1.0 - a - b, a, b])
        };
        (0..count).map(place).collect()
    }

    #[test]
    fn the_filter_is_the_projection_onto_what_vertices_cannot_do() {
        let coupling = Coupling::new(rows(40), 5).unwrap();
        let b = coupling.dense();
        let column = |k: usize| {
            let mut x: Vec<[f64; 3]> = (0..40).map(|i| [if i == k { 1.0 } else { 0.0 }; 3]).collect();
            coupling.filter(&mut x);
            DVector::from_iterator(40, x.iter().map(|x| x[1]))
        };
        let f = DMatrix::from_columns(&(0..40).map(column).collect::<Vec<_>>());
        assert!((&f * &f - &f).amax() < 1e-13);
        assert!((&f - f.transpose()).amax() < 1e-13);
        assert!((b.transpose() * &f).amax() < 1e-13);
        assert!((f.trace() - 35.0).abs() < 1e-12);
        assert!((f.clone() - DMatrix::identity(40, 40)).amax() > 0.01, "the filter does something");
        // p = B R p + F p.
        let p: Vec<[f64; 3]> = (0..40).map(|k| [k as f64, (k * k) as f64, 1.0]).collect();
        let v = coupling.fit(|row| p[row]);
        let mut rest = p.clone();
        coupling.filter(&mut rest);
        for row in 0..40 {
            let carried = coupling.spread(row, &v);
            (0..3).for_each(|k| assert!((carried[k] + rest[row][k] - p[row][k]).abs() < 1e-10));
        }
    }

    #[test]
    fn vertices_that_nodes_say_nothing_about_are_named() {
        assert_eq!(Coupling::new(rows(40), 6).unwrap_err().vertex, 5);
        // All nodes of one vertex on the opposite edge: nearly nothing is known of it.
        let mut bad = rows(40);
        bad.iter_mut().filter(|(vs, _)| vs.contains(&0)).for_each(|(vs, beta)| {
            let at = vs.iter().position(|v| *v == 0).unwrap();
            beta[at] = 1e-7 * beta[(at + 1) % 3];
        });
        let fault = Coupling::new(bad, 5);
        // Scaled to ones it is as good as any.
        assert!(fault.is_ok());
        let twice = vec![([0, 1, 2], [0.2, 0.3, 0.5]); 10];
        assert!(Coupling::new(twice, 3).is_err());
    }
}
