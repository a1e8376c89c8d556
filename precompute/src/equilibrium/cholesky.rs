//! Cholesky factorisation of a symmetric sparse matrix of 4x4 blocks, L L^T = A.
//!
//! Right-looking: once a block column of L is known, its products are subtracted from the columns it touches; where they go
//! is found once per pattern. General sparse solvers treat these matrices (400 unknowns, a dozen blocks a column) number
//! by number or copy them into supernodes; whole blocks of fixed size are several times faster (`cargo bench --bench bake`).
//! No operation is fused or reordered by the processor's kind: the same bytes wherever it runs.

use super::blocks::{BLOCK, BlockMatrix};

/// A block, column by column.
pub type Block = [f64; BLOCK * BLOCK];

/// Factor of matrices with one block pattern.
pub struct BlockCholesky {
    /// Where each column begins in `rows` and `values`: its diagonal block, then those below.
    column_start: Vec<usize>,
    rows: Vec<usize>,
    /// For each block of the matrix, its place in `values`.
    source: Vec<usize>,
    /// For each column and each pair a <= b of its rows below the diagonal, the place of block (b, a) in `values`, counted
    /// from the end of the column.
    targets: Vec<u32>,
    target_start: Vec<usize>,
    /// The inverse of the diagonal block of L, then the blocks of L below it.
    values: Vec<Block>,
}

impl BlockCholesky {
    /// Analyses the pattern of `matrix`.
    pub fn new(matrix: &BlockMatrix) -> Self {
        let columns = fill(matrix);
        let n = columns.len();
        let mut column_start = vec![0; n + 1];
        let mut rows = Vec::new();
        for (k, below) in columns.iter().enumerate() {
            rows.push(k);
            rows.extend_from_slice(below);
            column_start[k + 1] = rows.len();
        }
        let place = |row: usize, column: usize| {
            let range = column_start[column]..column_start[column + 1];
            range.start + rows[range].partition_point(|r| *r < row)
        };
        let source = matrix.blocks().map(|(row, column)| place(column, row)).collect();
        let (mut targets, mut target_start) = (Vec::new(), vec![0]);
        for (k, below) in columns.iter().enumerate() {
            for (a, column) in below.iter().enumerate() {
                // The rows below are among those of the column, in the same order.
                let mut at = column_start[*column];
                for row in &below[a..] {
                    while rows[at] < *row {
                        at += 1;
                    }
                    targets.push((at - column_start[k + 1]) as u32);
                }
            }
            target_start.push(targets.len());
        }
        let values = vec![[0.0; BLOCK * BLOCK]; rows.len()];
        BlockCholesky { column_start, rows, source, targets, target_start, values }
    }

    /// Number of entries of the factor.
    pub fn entry_count(&self) -> usize {
        self.values.len() * BLOCK * BLOCK
    }

    /// Number of block columns.
    fn columns(&self) -> usize {
        self.column_start.len() - 1
    }

    /// Factorises `matrix` with `diagonal[r]` added to entry r of each diagonal block; false when it is not positive definite.
    pub fn factorize(&mut self, matrix: &BlockMatrix, diagonal: [f64; BLOCK]) -> bool {
        self.values.fill([0.0; BLOCK * BLOCK]);
        for (block, place) in matrix.values().iter().zip(&self.source) {
            // Stored above the diagonal, wanted below it.
            self.values[*place] = block.transpose().data.0.as_flattened().try_into().unwrap_or([0.0; 16]);
        }
        for k in 0..self.columns() {
            let own = &mut self.values[self.column_start[k]];
            (0..BLOCK).for_each(|r| own[(BLOCK + 1) * r] += diagonal[r]);
        }
        pulp::Arch::new().dispatch(|| self.eliminate())
    }

    #[inline(always)]
    fn eliminate(&mut self) -> bool {
        for k in 0..self.columns() {
            let (start, end) = (self.column_start[k], self.column_start[k + 1]);
            let (column, later) = self.values.split_at_mut(end);
            let Some((own, below)) = column[start..].split_first_mut() else { return false };
            let Some(inverse) = inverse_of_factor(own) else { return false };
            *own = inverse;
            for block in below.iter_mut() {
                *block = times_transposed(block, &inverse);
            }
            let mut targets = self.targets[self.target_start[k]..self.target_start[k + 1]].iter();
            for a in 0..below.len() {
                for (block, target) in below[a..].iter().zip(&mut targets) {
                    subtract_product(&mut later[*target as usize], block, &below[a]);
                }
            }
        }
        true
    }

    /// x becomes L^-1 x; entries of `x` before block `first` must be zero.
    pub fn solve_forward(&self, x: &mut [[f64; BLOCK]], first: usize) {
        pulp::Arch::new().dispatch(|| self.forward(x, first));
    }

    #[inline(always)]
    fn forward(&self, x: &mut [[f64; BLOCK]], first: usize) {
        for k in first..self.columns() {
            if x[k] == [0.0; BLOCK] {
                continue;
            }
            let (start, end) = (self.column_start[k], self.column_start[k + 1]);
            let own = product(&self.values[start], &x[k]);
            x[k] = own;
            for (row, block) in self.rows[start + 1..end].iter().zip(&self.values[start + 1..end]) {
                let part = product(block, &own);
                (0..BLOCK).for_each(|r| x[*row][r] -= part[r]);
            }
        }
    }

    /// x becomes L^-T x.
    pub fn solve_backward(&self, x: &mut [[f64; BLOCK]]) {
        pulp::Arch::new().dispatch(|| self.backward(x));
    }

    #[inline(always)]
    fn backward(&self, x: &mut [[f64; BLOCK]]) {
        for k in (0..self.columns()).rev() {
            let (start, end) = (self.column_start[k], self.column_start[k + 1]);
            let mut own = x[k];
            for (row, block) in self.rows[start + 1..end].iter().zip(&self.values[start + 1..end]) {
                let part = transposed_product(block, &x[*row]);
                (0..BLOCK).for_each(|r| own[r] -= part[r]);
            }
            x[k] = transposed_product(&self.values[start], &own);
        }
    }
}

/// The rows below the diagonal of each column of the factor, ascending.
fn fill(matrix: &BlockMatrix) -> Vec<Vec<usize>> {
    let n = matrix.vertices();
    let mut columns: Vec<Vec<usize>> = vec![Vec::new(); n];
    matrix.blocks().filter(|(row, column)| row != column).for_each(|(row, column)| columns[row].push(column));
    let mut children: Vec<Vec<usize>> = vec![Vec::new(); n];
    let mut seen = vec![usize::MAX; n];
    for k in 0..n {
        let mut own = std::mem::take(&mut columns[k]);
        own.iter().for_each(|row| seen[*row] = k);
        for child in &children[k] {
            for row in columns[*child].iter().filter(|row| **row != k) {
                if std::mem::replace(&mut seen[*row], k) != k {
                    own.push(*row);
                }
            }
        }
        own.sort_unstable();
        if let Some(parent) = own.first() {
            children[*parent].push(k);
        }
        columns[k] = own;
    }
    columns
}

/// The inverse of the lower Cholesky factor of a block; none unless the block is positive definite.
#[inline(always)]
fn inverse_of_factor(a: &Block) -> Option<Block> {
    let mut l = [0.0; BLOCK * BLOCK];
    let mut inverse = [0.0; BLOCK * BLOCK];
    for c in 0..BLOCK {
        let pivot = (0..c).fold(a[5 * c], |sum, m| sum - l[4 * m + c] * l[4 * m + c]);
        // Not-a-number is not positive either.
        if !(pivot > 0.0 && pivot < f64::INFINITY) {
            return None;
        }
        let root = 1.0 / pivot.sqrt();
        l[5 * c] = pivot * root;
        inverse[5 * c] = root;
        for r in c + 1..BLOCK {
            l[4 * c + r] = (0..c).fold(a[4 * c + r], |sum, m| sum - l[4 * m + r] * l[4 * m + c]) * root;
        }
    }
    for c in 0..BLOCK {
        for r in c + 1..BLOCK {
            let sum = (c..r).fold(0.0, |sum, m| sum + l[4 * m + r] * inverse[4 * c + m]);
            inverse[4 * c + r] = -sum * inverse[5 * r];
        }
    }
    Some(inverse)
}

/// x y^T.
#[inline(always)]
fn times_transposed(x: &Block, y: &Block) -> Block {
    let mut out = [0.0; BLOCK * BLOCK];
    for c in 0..BLOCK {
        for r in 0..BLOCK {
            out[4 * c + r] = x[r] * y[c] + x[4 + r] * y[4 + c] + x[8 + r] * y[8 + c] + x[12 + r] * y[12 + c];
        }
    }
    out
}

/// out -= x y^T.
#[inline(always)]
fn subtract_product(out: &mut Block, x: &Block, y: &Block) {
    let product = times_transposed(x, y);
    for (o, p) in out.iter_mut().zip(&product) {
        *o -= p;
    }
}

/// m v.
#[inline(always)]
fn product(m: &Block, v: &[f64; BLOCK]) -> [f64; BLOCK] {
    std::array::from_fn(|r| m[r] * v[0] + m[4 + r] * v[1] + m[8 + r] * v[2] + m[12 + r] * v[3])
}

/// m^T v.
#[inline(always)]
fn transposed_product(m: &Block, v: &[f64; BLOCK]) -> [f64; BLOCK] {
    std::array::from_fn(|r| m[4 * r] * v[0] + m[4 * r + 1] * v[1] + m[4 * r + 2] * v[2] + m[4 * r + 3] * v[3])
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::{DMatrix, DVector, Matrix4};

    /// A ring with chords, diagonally dominant but for `weight`, beside its dense twin in the order of elimination.
    fn example(weight: f64) -> (BlockMatrix, DMatrix<f64>) {
        let pairs = [(0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (5, 0), (1, 4), (0, 6), (6, 3)];
        let mut matrix = BlockMatrix::new(7, pairs.into_iter());
        let mut dense = DMatrix::zeros(28, 28);
        let entry = |i: usize, j: usize| ((3 * i + 5 * j) as f64).sin();
        for (n, (i, j)) in pairs.into_iter().chain((0..7).map(|i| (i, i))).enumerate() {
            let slot = matrix.slot(i, j).unwrap();
            let (a, b) = (matrix.unknown(i), matrix.unknown(j));
            let mut block = Matrix4::from_fn(|r, c| entry(7 * n + r, c));
            if i == j {
                block = block + block.transpose() + Matrix4::identity() * weight;
                matrix.add_diagonal(slot, &block);
            } else {
                matrix.add_mixed(slot, i, j, &block);
                dense.view_mut((b, a), (4, 4)).copy_from(&block.transpose());
            }
            dense.view_mut((a, b), (4, 4)).copy_from(&block);
        }
        (matrix, dense)
    }

    #[test]
    fn the_factor_solves_the_dense_system() {
        let (matrix, dense) = example(20.0);
        let mut factor = BlockCholesky::new(&matrix);
        assert!(factor.factorize(&matrix, [1.0, 1.0, 1.0, 0.5]));
        let shifted = dense + DMatrix::from_diagonal(&DVector::from_fn(28, |i, _| if i % 4 == 3 { 0.5 } else { 1.0 }));
        let b = DVector::from_fn(28, |i, _| (i as f64).cos());
        let mut x: Vec<[f64; 4]> = b.as_slice().chunks_exact(4).map(|c| [c[0], c[1], c[2], c[3]]).collect();
        factor.solve_forward(&mut x, 0);
        factor.solve_backward(&mut x);
        let x = DVector::from_column_slice(x.as_flattened());
        assert!((shifted * x - &b).norm() < 1e-12 * b.norm());
    }

    #[test]
    fn a_matrix_with_a_negative_direction_is_refused() {
        let (matrix, dense) = example(3.0);
        assert!(dense.clone().cholesky().is_none());
        assert!(!BlockCholesky::new(&matrix).factorize(&matrix, [0.0; 4]));
        let least = dense.symmetric_eigenvalues().min();
        assert!(BlockCholesky::new(&matrix).factorize(&matrix, [1e-6 - least; 4]));
        assert!(!BlockCholesky::new(&matrix).factorize(&matrix, [-1e-6 - least; 4]));
        assert!(!BlockCholesky::new(&matrix).factorize(&matrix, [f64::NAN; 4]));
    }
}
