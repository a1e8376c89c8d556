//! Factorization of a sparse symmetric positive definite matrix, P A Pᵀ = L D Lᵀ, row by row [Davis05].
//!
//! For the small systems beside the large matrix-free ones: vertices of a mesh, coarse corrections. P is an approximate minimum degree
//! order \[Amestoy96\]. Right-hand sides have three numbers a row: entries are numbers, the same for all three, or blocks of 3 × 3.

use nalgebra::{Matrix3, Vector3};
use std::sync::Arc;

/// An entry of a matrix whose rows have three numbers each.
pub trait FactorEntry: Copy + Send + Sync {
    /// Nothing.
    const ZERO: Self;

    /// Aᵀ.
    fn transposed(self) -> Self;

    /// A + B.
    fn plus(self, other: Self) -> Self;

    /// A − B C.
    fn minus_product(self, b: Self, c: Self) -> Self;

    /// A B.
    fn times(self, other: Self) -> Self;

    /// A⁻¹ where A is positive definite and finite.
    fn positive_inverse(self) -> Option<Self>;

    /// A x.
    fn apply(self, x: Vector3<f64>) -> Vector3<f64>;

    /// Aᵀ x.
    fn apply_transposed(self, x: Vector3<f64>) -> Vector3<f64>;
}

impl FactorEntry for f64 {
    const ZERO: f64 = 0.0;

    fn transposed(self) -> f64 {
        self
    }

    fn plus(self, other: f64) -> f64 {
        self + other
    }

    fn minus_product(self, b: f64, c: f64) -> f64 {
        self - b * c
    }

    fn times(self, other: f64) -> f64 {
        self * other
    }

    fn positive_inverse(self) -> Option<f64> {
        (self > 0.0 && self.is_finite()).then(|| 1.0 / self)
    }

    #[inline]
    fn apply(self, x: Vector3<f64>) -> Vector3<f64> {
        x * self
    }

    #[inline]
    fn apply_transposed(self, x: Vector3<f64>) -> Vector3<f64> {
        x * self
    }
}

impl FactorEntry for Matrix3<f64> {
    const ZERO: Self = Matrix3::new(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0);

    fn transposed(self) -> Self {
        self.transpose()
    }

    fn plus(self, other: Self) -> Self {
        self + other
    }

    #[inline]
    fn minus_product(self, b: Self, c: Self) -> Self {
        self - b * c
    }

    fn times(self, other: Self) -> Self {
        self * other
    }

    fn positive_inverse(self) -> Option<Self> {
        let finite = self.iter().all(|x| x.is_finite());
        self.cholesky().filter(|_| finite).map(|c| c.inverse())
    }

    #[inline]
    fn apply(self, x: Vector3<f64>) -> Vector3<f64> {
        self * x
    }

    #[inline]
    fn apply_transposed(self, x: Vector3<f64>) -> Vector3<f64> {
        self.tr_mul(&x)
    }
}

/// Factors of a matrix; matrices of the same pattern may follow.
#[derive(Clone, Debug)]
pub struct SparseCholesky<E> {
    pattern: Arc<Elimination>,
    /// L without its diagonal, column by column.
    values: Vec<E>,
    rows: Vec<u32>,
    /// D⁻¹.
    inverse: Vec<E>,
}

/// What follows from where entries are.
#[derive(Debug)]
struct Elimination {
    /// The place of each row in the elimination.
    place: Vec<u32>,
    /// Columns of the upper triangle of P A Pᵀ: where they begin, their rows, the entry that each is, and whether it is to be transposed.
    starts: Vec<u32>,
    rows: Vec<u32>,
    entries: Vec<(u32, bool)>,
    /// Elimination tree; roots are their own parents.
    parent: Vec<u32>,
    /// Where the columns of L begin.
    factor_starts: Vec<u32>,
}

impl<E: FactorEntry> SparseCholesky<E> {
    /// Factors the matrix with entries (i, j, value) of its lower triangle, each place at most once and every diagonal there. Fails with
    /// the row whose pivot is not positive definite.
    pub fn new(size: usize, entries: &[(usize, usize, E)]) -> Result<Self, usize> {
        let pattern = Arc::new(Elimination::new(size, entries.iter().map(|(i, j, _)| (*i, *j))));
        let count = pattern.factor_starts[size] as usize;
        let mut factor = SparseCholesky {
            pattern,
            values: vec![E::ZERO; count],
            rows: vec![0; count],
            inverse: vec![E::ZERO; size],
        };
        factor.refactor(|k| entries[k].2)?;
        Ok(factor)
    }

    /// Number of rows.
    pub fn size(&self) -> usize {
        self.inverse.len()
    }

    /// Entries of the factor.
    pub fn len(&self) -> usize {
        self.values.len() + self.inverse.len()
    }

    /// Whether the matrix has no rows.
    pub fn is_empty(&self) -> bool {
        self.inverse.is_empty()
    }

    /// Factors another matrix of the same pattern; `value` gives entries in the order of the first.
    pub fn refactor(&mut self, value: impl Fn(usize) -> E) -> Result<(), usize> {
        let Elimination { place, starts, rows, entries, parent, factor_starts } = &*self.pattern;
        let n = self.inverse.len();
        let mut filled: Vec<u32> = factor_starts[..n].to_vec();
        let mut mark = vec![u32::MAX; n];
        let mut y = vec![E::ZERO; n];
        // Ways of a row, one after the other, and where each begins.
        let (mut ways, mut begins): (Vec<u32>, Vec<usize>) = (Vec::new(), Vec::new());
        for k in 0..n {
            ways.clear();
            begins.clear();
            mark[k] = k as u32;
            let mut pivot = E::ZERO;
            for at in starts[k] as usize..starts[k + 1] as usize {
                let (row, (entry, turned)) = (rows[at] as usize, entries[at]);
                let value = if turned { value(entry as usize).transposed() } else { value(entry as usize) };
                if row == k {
                    pivot = pivot.plus(value);
                    continue;
                }
                y[row] = y[row].plus(value);
                // The entries of row k of L: ways in the tree up to what is known already.
                begins.push(ways.len());
                let mut i = row;
                while mark[i] != k as u32 {
                    ways.push(i as u32);
                    mark[i] = k as u32;
                    i = parent[i] as usize;
                }
            }
            // Later ways lead into earlier ones: each in its order, the last found first.
            let mut end = ways.len();
            for begin in begins.iter().rev() {
                for i in ways[*begin..end].iter().map(|i| *i as usize) {
                    let x = std::mem::replace(&mut y[i], E::ZERO);
                    for at in factor_starts[i] as usize..filled[i] as usize {
                        let row = self.rows[at] as usize;
                        y[row] = y[row].minus_product(self.values[at], x);
                    }
                    let l = x.transposed().times(self.inverse[i]);
                    pivot = pivot.minus_product(l, x);
                    let at = filled[i] as usize;
                    (self.rows[at], self.values[at]) = (k as u32, l);
                    filled[i] += 1;
                }
                end = *begin;
            }
            let Some(inverse) = pivot.positive_inverse() else {
                return Err(place.iter().position(|p| *p as usize == k).unwrap_or(0));
            };
            self.inverse[k] = inverse;
        }
        Ok(())
    }

    /// A⁻¹ b, in place.
    pub fn solve(&self, b: &mut [[f64; 3]]) {
        let mut x = vec![Vector3::zeros(); b.len()];
        self.pattern.place.iter().zip(&*b).for_each(|(p, b)| x[*p as usize] = Vector3::from(*b));
        let starts = &self.pattern.factor_starts;
        let column = |i: usize| {
            let range = starts[i] as usize..starts[i + 1] as usize;
            self.rows[range.clone()].iter().map(|row| *row as usize).zip(&self.values[range])
        };
        for i in 0..x.len() {
            let y = x[i];
            for (row, l) in column(i) {
                x[row] -= l.apply(y);
            }
        }
        for i in (0..x.len()).rev() {
            let mut y = self.inverse[i].apply(x[i]);
            for (row, l) in column(i) {
                y -= l.apply_transposed(x[row]);
            }
            x[i] = y;
        }
        self.pattern.place.iter().zip(b).for_each(|(p, b)| *b = x[*p as usize].into());
    }
}

impl Elimination {
    fn new(size: usize, entries: impl Iterator<Item = (usize, usize)> + Clone) -> Self {
        let place = order(size, entries.clone());
        // Where a row comes first, its entry stands in the upper triangle as it is.
        let placed = entries.map(|(i, j)| (place[i].max(place[j]), place[i].min(place[j]), place[j] < place[i]));
        let mut by_column: Vec<(u32, u32, (u32, bool))> =
            placed.enumerate().map(|(entry, (column, row, turned))| (column, row, (entry as u32, turned))).collect();
        by_column.sort_unstable();
        let mut starts = vec![0_u32; size + 1];
        by_column.iter().for_each(|(column, ..)| starts[*column as usize + 1] += 1);
        (0..size).for_each(|k| starts[k + 1] += starts[k]);
        let (rows, entries): (Vec<u32>, Vec<(u32, bool)>) =
            by_column.into_iter().map(|(_, row, entry)| (row, entry)).unzip();
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
            let mut solved: Vec<[f64; 3]> = b.iter().map(|b| [*b, 2.0 * b, 0.0]).collect();
            factor.solve(&mut solved);
            let off = |(s, x): (&[f64; 3], &f64)| (s[0] - x).abs().max((s[1] - 2.0 * x).abs()).max(s[2].abs());
            let worst = solved.iter().zip(x.iter()).map(off).fold(0.0_f64, f64::max);
            assert!(worst < 1e-11, "{worst}");
        }
        assert!(factor.len() < 81 * 81 / 3, "the factor is sparse: {}", factor.len());
    }

    #[test]
    fn blocks_are_those_of_the_matrix_of_numbers() {
        // Springs with a stiffness of their own in each direction, and blocks that are not symmetric.
        let stiff = Matrix3::new(2.0, 0.3, -0.1, 0.3, 1.5, 0.2, -0.1, 0.2, 1.0);
        let twist = Matrix3::new(0.0, 0.02, 0.01, -0.03, 0.0, 0.0, 0.0, 0.01, 0.0);
        let block = |(i, j, v): &(usize, usize, f64)| (*i, *j, if i == j { stiff * *v } else { (stiff + twist) * *v });
        let blocks: Vec<(usize, usize, Matrix3<f64>)> = entries(7, 1.0).iter().map(block).collect();
        let mut a = DMatrix::zeros(147, 147);
        for (i, j, block) in &blocks {
            a.fixed_view_mut::<3, 3>(3 * i, 3 * j).copy_from(block);
            a.fixed_view_mut::<3, 3>(3 * j, 3 * i).copy_from(&block.transpose());
        }
        let x = DVector::from_fn(147, |i, _| (i as f64).cos());
        let b = &a * &x;
        let mut solved: Vec<[f64; 3]> = b.as_slice().as_chunks().0.to_vec();
        SparseCholesky::new(49, &blocks).unwrap().solve(&mut solved);
        let worst = solved.as_flattened().iter().zip(x.iter()).fold(0.0_f64, |m, (s, x)| m.max((s - x).abs()));
        assert!(worst < 1e-11, "{worst}");
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
