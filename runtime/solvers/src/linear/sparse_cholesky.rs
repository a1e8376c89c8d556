//! Factorization of a sparse symmetric positive definite matrix, P A Pᵀ = L D Lᵀ, row by row [Davis05].
//!
//! For the small systems beside the large matrix-free ones: vertices of a mesh, coarse corrections. P is an approximate minimum degree
//! order \[Amestoy96\].

use std::sync::Arc;

/// Factors of a matrix; matrices of the same pattern may follow.
#[derive(Clone, Debug)]
pub struct SparseCholesky {
    pattern: Arc<Elimination>,
    /// L without its diagonal, column by column.
    values: Vec<f64>,
    rows: Vec<u32>,
    /// 1/D.
    inverse: Vec<f64>,
}

/// What follows from where entries are.
#[derive(Debug)]
struct Elimination {
    /// The place of each row in the elimination.
    place: Vec<u32>,
    /// Columns of the upper triangle of P A Pᵀ: where they begin, their rows, and the entry that each is.
    starts: Vec<u32>,
    rows: Vec<u32>,
    entries: Vec<u32>,
    /// Elimination tree; roots are their own parents.
    parent: Vec<u32>,
    /// Where the columns of L begin.
    factor_starts: Vec<u32>,
}

impl SparseCholesky {
    /// Factors the matrix with entries (i, j, value) of its lower triangle, each place at most once and every diagonal there. Fails with
    /// the row whose pivot is not positive.
    pub fn new(size: usize, entries: &[(usize, usize, f64)]) -> Result<Self, usize> {
        let pattern = Arc::new(Elimination::new(size, entries.iter().map(|(i, j, _)| (*i, *j))));
        let count = pattern.factor_starts[size] as usize;
        let mut factor =
            SparseCholesky { pattern, values: vec![0.0; count], rows: vec![0; count], inverse: vec![0.0; size] };
        factor.refactor(|k| entries[k].2)?;
        Ok(factor)
    }

    /// Number of rows.
    pub fn size(&self) -> usize {
        self.inverse.len()
    }

    /// Numbers of the factor.
    pub fn len(&self) -> usize {
        self.values.len() + self.inverse.len()
    }

    /// Whether the matrix has no rows.
    pub fn is_empty(&self) -> bool {
        self.inverse.is_empty()
    }

    /// Factors another matrix of the same pattern; `value` gives entries in the order of the first.
    pub fn refactor(&mut self, value: impl Fn(usize) -> f64) -> Result<(), usize> {
        let Elimination { place, starts, rows, entries, parent, factor_starts } = &*self.pattern;
        let n = self.inverse.len();
        let mut filled: Vec<u32> = factor_starts[..n].to_vec();
        let mut mark = vec![u32::MAX; n];
        let mut y = vec![0.0; n];
        let (mut path, mut pattern) = (Vec::new(), Vec::new());
        for k in 0..n {
            pattern.clear();
            mark[k] = k as u32;
            let mut pivot = 0.0;
            for at in starts[k] as usize..starts[k + 1] as usize {
                let (row, value) = (rows[at] as usize, value(entries[at] as usize));
                if row == k {
                    pivot += value;
                    continue;
                }
                y[row] += value;
                // The entries of row k of L: ways in the tree up to what is known already.
                path.clear();
                let mut i = row;
                while mark[i] != k as u32 {
                    path.push(i as u32);
                    mark[i] = k as u32;
                    i = parent[i] as usize;
                }
                pattern.push(path.clone());
            }
            // Later ways lead into earlier ones: each in its order, the last found first.
            for i in pattern.iter().rev().flatten().map(|i| *i as usize) {
                let x = std::mem::take(&mut y[i]);
                for at in factor_starts[i] as usize..filled[i] as usize {
                    y[self.rows[at] as usize] -= self.values[at] * x;
                }
                let l = x * self.inverse[i];
                pivot -= l * x;
                let at = filled[i] as usize;
                (self.rows[at], self.values[at]) = (k as u32, l);
                filled[i] += 1;
            }
            // Written so that NaN fails.
            if !(pivot > 0.0 && pivot.is_finite()) {
                return Err(place.iter().position(|p| *p as usize == k).unwrap_or(0));
            }
            self.inverse[k] = 1.0 / pivot;
        }
        Ok(())
    }

    /// A⁻¹ b, in place.
    pub fn solve(&self, b: &mut [f64]) {
        let mut x = vec![0.0; b.len()];
        self.pattern.place.iter().zip(&*b).for_each(|(p, b)| x[*p as usize] = *b);
        self.substitute(&mut x, |x, l, y| *x -= l * *y, |x, d| *x *= d);
        self.pattern.place.iter().zip(b).for_each(|(p, b)| *b = x[*p as usize]);
    }

    /// A⁻¹ b for three columns at once, in place.
    pub fn solve_three(&self, b: &mut [[f64; 3]]) {
        let mut x = vec![[0.0; 3]; b.len()];
        self.pattern.place.iter().zip(&*b).for_each(|(p, b)| x[*p as usize] = *b);
        let subtract = |x: &mut [f64; 3], l: f64, y: &[f64; 3]| (0..3).for_each(|k| x[k] -= l * y[k]);
        self.substitute(&mut x, subtract, |x, d| x.iter_mut().for_each(|x| *x *= d));
        self.pattern.place.iter().zip(b).for_each(|(p, b)| *b = x[*p as usize]);
    }

    fn substitute<V: Copy>(&self, x: &mut [V], subtract: impl Fn(&mut V, f64, &V), scale: impl Fn(&mut V, f64)) {
        let starts = &self.pattern.factor_starts;
        for i in 0..x.len() {
            let y = x[i];
            for at in starts[i] as usize..starts[i + 1] as usize {
                subtract(&mut x[self.rows[at] as usize], self.values[at], &y);
            }
        }
        x.iter_mut().zip(&self.inverse).for_each(|(x, d)| scale(x, *d));
        for i in (0..x.len()).rev() {
            let mut y = x[i];
            for at in starts[i] as usize..starts[i + 1] as usize {
                subtract(&mut y, self.values[at], &x[self.rows[at] as usize]);
            }
            x[i] = y;
        }
    }
}

impl Elimination {
    fn new(size: usize, entries: impl Iterator<Item = (usize, usize)> + Clone) -> Self {
        let place = order(size, entries.clone());
        let placed = entries.map(|(i, j)| (place[i].max(place[j]), place[i].min(place[j])));
        let mut by_column: Vec<(u32, u32, u32)> =
            placed.enumerate().map(|(entry, (column, row))| (column, row, entry as u32)).collect();
        by_column.sort_unstable();
        let mut starts = vec![0_u32; size + 1];
        by_column.iter().for_each(|(column, ..)| starts[*column as usize + 1] += 1);
        (0..size).for_each(|k| starts[k + 1] += starts[k]);
        let (rows, entries): (Vec<u32>, Vec<u32>) = by_column.into_iter().map(|(_, row, entry)| (row, entry)).unzip();
        // Liu's algorithm: a column of L is counted on every way that passes it.
        let mut parent: Vec<u32> = (0..size as u32).collect();
        let mut mark = vec![u32::MAX; size];
        let mut counts = vec![0_u32; size];
        for k in 0..size {
            mark[k] = k as u32;
            for row in &rows[starts[k] as usize..starts[k + 1] as usize] {
                let mut i = *row as usize;
                while mark[i] != k as u32 {
                    if parent[i] as usize == i {
                        parent[i] = k as u32;
                    }
                    counts[i] += 1;
                    mark[i] = k as u32;
                    i = parent[i] as usize;
                }
            }
        }
        let mut factor_starts = vec![0_u32; size + 1];
        (0..size).for_each(|k| factor_starts[k + 1] = factor_starts[k] + counts[k]);
        Elimination { place, starts, rows, entries, parent, factor_starts }
    }
}

/// The place of each row in an order that keeps the factor sparse; any order is right.
fn order(size: usize, entries: impl Iterator<Item = (usize, usize)>) -> Vec<u32> {
    let mut columns = vec![Vec::new(); size];
    entries.for_each(|(i, j)| columns[i.max(j)].push(i.min(j)));
    let mut starts = vec![0];
    let mut rows = Vec::new();
    for column in &mut columns {
        column.sort_unstable();
        rows.extend_from_slice(column);
        starts.push(rows.len());
    }
    match amd::order(size, &starts, &rows, &amd::Control::default()) {
        Ok((_, place, _)) => place.into_iter().map(|p| p as u32).collect(),
        Err(_) => (0..size as u32).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::{DMatrix, DVector};

    /// A grid of springs with a little mass.
    fn entries(n: usize, scale: f64) -> Vec<(usize, usize, f64)> {
        let id = |i: usize, j: usize| i * n + j;
        let mut out = Vec::new();
        let mut diagonal = vec![0.1; n * n];
        for i in 0..n {
            for j in 0..n {
                for (a, b) in [(i + 1, j), (i, j + 1), (i + 1, j + 1)] {
                    if a < n && b < n {
                        let k = scale * (1.0 + 0.1 * (i + 2 * j) as f64);
                        out.push((id(a, b), id(i, j), -k));
                        diagonal[id(a, b)] += k;
                        diagonal[id(i, j)] += k;
                    }
                }
            }
        }
        out.extend(diagonal.iter().enumerate().map(|(i, d)| (i, i, *d)));
        out
    }

    fn dense(n: usize, entries: &[(usize, usize, f64)]) -> DMatrix<f64> {
        let mut a = DMatrix::zeros(n, n);
        for (i, j, v) in entries {
            a[(*i, *j)] = *v;
            a[(*j, *i)] = *v;
        }
        a
    }

    #[test]
    fn solutions_are_those_of_the_dense_matrix_also_after_another_factorization() {
        let first = entries(9, 1.0);
        let mut factor = SparseCholesky::new(81, &first).unwrap();
        for scale in [1.0, 7.0] {
            let matrix = entries(9, scale);
            factor.refactor(|k| matrix[k].2).unwrap();
            let a = dense(81, &matrix);
            let x = DVector::from_fn(81, |i, _| (i as f64).sin());
            let b = &a * &x;
            let mut solved: Vec<f64> = b.iter().copied().collect();
            factor.solve(&mut solved);
            let worst = solved.iter().zip(x.iter()).fold(0.0_f64, |m, (s, x)| m.max((s - x).abs()));
            assert!(worst < 1e-11, "{worst}");
            let mut three: Vec<[f64; 3]> = b.iter().map(|b| [*b, 2.0 * b, 0.0]).collect();
            factor.solve_three(&mut three);
            assert!(
                three.iter().zip(&solved).all(|(t, s)| t[0] == *s && (t[1] - 2.0 * s).abs() < 1e-12 && t[2] == 0.0)
            );
        }
        assert!(factor.len() < 81 * 81 / 3, "the factor is sparse: {}", factor.len());
    }

    #[test]
    fn the_row_without_a_positive_pivot_is_named() {
        let mut bad = entries(5, 1.0);
        let at = bad.iter().position(|(i, j, _)| (*i, *j) == (7, 7)).unwrap();
        bad[at].2 = -1.0;
        assert!(SparseCholesky::new(25, &bad).is_err());
        bad[at].2 = f64::NAN;
        assert!(SparseCholesky::new(25, &bad).is_err());
        assert_eq!(SparseCholesky::new(1, &[(0, 0, 0.0)]).unwrap_err(), 0);
    }
}
