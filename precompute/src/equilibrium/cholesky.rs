//! Cholesky factorisation of a symmetric sparse matrix of 4x4 blocks, L L^T = A.
//!
//! Columns of the factor with (nearly) the same rows are kept together as a supernode, a panel of blocks row by row. Right-looking: once
//! a panel is known, the products of its rows are subtracted from the panels it touches; where they go is found once per
//! pattern. General sparse solvers treat these matrices (400 unknowns, a dozen blocks a column) number by number; blocks of
//! fixed size that stay in registers for a whole row of a panel are several times faster (`cargo bench --bench bake`).
//! Products are always fused with their sums, and sums have one order: the same bytes on all processors that can fuse.

use super::blocks::{BLOCK, BlockMatrix};

/// A block, column by column.
pub type Block = [f64; BLOCK * BLOCK];

/// Columns are kept together as long as this share of the panel's blocks at most is zero that could have been left out.
const ZEROS: f64 = 0.1;

/// Rows of a panel that are worked on together: their sums fill the registers.
const ROWS: usize = 2;

/// Vectors that are solved for together.
pub const VECTORS: usize = 4;

/// Factor of matrices with one block pattern.
pub struct BlockCholesky {
    panels: Vec<Panel>,
    /// Rows below the panels.
    rows: Vec<usize>,
    /// For each block of the matrix, its place in `values`.
    source: Vec<usize>,
    /// For each panel and each pair a <= b of the rows below it, the place of block (b, a) in `values`, counted from the end
    /// of the panel.
    targets: Vec<u32>,
    /// The panels' blocks row by row. On the diagonal the inverse of L's block.
    values: Vec<Block>,
}

/// A supernode: consecutive columns, and the rows in which they are not zero.
#[derive(Clone, Copy, Debug)]
struct Panel {
    /// First column.
    first: usize,
    /// Number of columns.
    width: usize,
    /// Rows below the last column: a range of `rows`.
    below: (usize, usize),
    /// Begin in `values`.
    start: usize,
    /// Begin in `targets`.
    targets: usize,
}

impl Panel {
    fn end(&self) -> usize {
        self.start + self.width * self.row_count()
    }

    /// Rows, those of its own columns among them.
    fn row_count(&self) -> usize {
        self.width + self.below.1 - self.below.0
    }

    /// Place in `values` of the block in `column` and in the n-th row.
    fn place(&self, n: usize, column: usize) -> usize {
        self.start + n * self.width + column - self.first
    }
}

impl BlockCholesky {
    /// Analyses the pattern of `matrix`.
    pub fn new(matrix: &BlockMatrix) -> Self {
        let (mut panels, rows) = panels(&fill(matrix));
        let mut panel_of = Vec::with_capacity(matrix.vertices());
        panels.iter().enumerate().for_each(|(p, panel)| panel_of.resize(panel.first + panel.width, p));
        let nth_row = |panel: &Panel, row: usize| match row - panel.first {
            n if n < panel.width => n,
            _ => panel.width + rows[panel.below.0..panel.below.1].partition_point(|r| *r < row),
        };
        let place = |row: usize, column: usize| {
            let panel = &panels[panel_of[column]];
            panel.place(nth_row(panel, row), column)
        };
        let source = matrix.blocks().map(|(row, column)| place(column, row)).collect();
        let mut targets = Vec::new();
        for p in 0..panels.len() {
            let panel = panels[p];
            panels[p].targets = targets.len();
            let below = &rows[panel.below.0..panel.below.1];
            for (a, column) in below.iter().enumerate() {
                let other = &panels[panel_of[*column]];
                // The rows below are among those of the other panel, in the same order.
                let mut n = *column - other.first;
                for row in &below[a..] {
                    n = if row - other.first < other.width { row - other.first } else { n.max(other.width) };
                    while n >= other.width && rows[other.below.0 + n - other.width] < *row {
                        n += 1;
                    }
                    targets.push((other.place(n, *column) - panel.end()) as u32);
                }
            }
        }
        let values = vec![[0.0; BLOCK * BLOCK]; panels.last().map_or(0, Panel::end)];
        BlockCholesky { panels, rows, source, targets, values }
    }

    /// Number of entries of the factor.
    pub fn entry_count(&self) -> usize {
        self.values.len() * BLOCK * BLOCK
    }

    /// Factorises `matrix` with `diagonal[r]` added to entry r of each diagonal block; false when it is not positive definite.
    pub fn factorize(&mut self, matrix: &BlockMatrix, diagonal: [f64; BLOCK]) -> bool {
        self.values.fill([0.0; BLOCK * BLOCK]);
        for (block, place) in matrix.values().iter().zip(&self.source) {
            // Stored above the diagonal, wanted below it.
            self.values[*place] = block.transpose().data.0.as_flattened().try_into().unwrap_or([0.0; 16]);
        }
        for panel in &self.panels {
            for k in 0..panel.width {
                let own = &mut self.values[panel.place(k, panel.first + k)];
                (0..BLOCK).for_each(|r| own[(BLOCK + 1) * r] += diagonal[r]);
            }
        }
        pulp::Arch::new().dispatch(Eliminate(self))
    }

    #[inline(always)]
    fn eliminate(&mut self) -> bool {
        for panel in &self.panels {
            let (known, later) = self.values.split_at_mut(panel.end());
            let blocks = &mut known[panel.start..];
            if !eliminate_panel(blocks, panel.width) {
                return false;
            }
            let below = &blocks[panel.width * panel.width..];
            let count = panel.below.1 - panel.below.0;
            let mut targets = &self.targets[panel.targets..][..count * (count + 1) / 2];
            let row = |n: usize| &below[n * panel.width..][..panel.width];
            for a in 0..count {
                let (own, rest) = targets.split_at(count - a);
                targets = rest;
                let together = own.len() / ROWS * ROWS;
                for (k, places) in own[..together].chunks_exact(ROWS).enumerate() {
                    let sums = products::<ROWS>(std::array::from_fn(|n| row(a + ROWS * k + n)), row(a));
                    for (place, sum) in places.iter().zip(&sums) {
                        subtract(&mut later[*place as usize], sum);
                    }
                }
                for (k, place) in own.iter().enumerate().skip(together) {
                    let [sum] = products([row(a + k)], row(a));
                    subtract(&mut later[*place as usize], &sum);
                }
            }
        }
        true
    }

    /// The vectors x become L^-1 x. `x` holds block after block the `count` vectors' parts; `count` must be a multiple of [`VECTORS`].
    pub fn solve_forward(&self, x: &mut [[f64; BLOCK]], count: usize) {
        pulp::Arch::new().dispatch(Forward(self, x, count));
    }

    #[inline(always)]
    fn forward(&self, x: &mut [[f64; BLOCK]], count: usize) {
        for panel in &self.panels {
            let (own, later) = x[count * panel.first..].split_at_mut(count * panel.width);
            if own.as_flattened().iter().all(|x| *x == 0.0) {
                continue;
            }
            let mut rows = self.values[panel.start..panel.end()].chunks_exact(panel.width);
            for (k, row) in rows.by_ref().take(panel.width).enumerate() {
                let (known, rest) = own.split_at_mut(count * k);
                subtract_row(&mut rest[..count], &row[..k], known);
                for x in &mut rest[..count] {
                    *x = product(&row[k], x);
                }
            }
            for (row, place) in rows.zip(&self.rows[panel.below.0..panel.below.1]) {
                let at = count * (place - panel.first - panel.width);
                subtract_row(&mut later[at..at + count], row, own);
            }
        }
    }

    /// x becomes L^-T x.
    pub fn solve_backward(&self, x: &mut [[f64; BLOCK]]) {
        pulp::Arch::new().dispatch(Backward(self, x));
    }

    #[inline(always)]
    fn backward(&self, x: &mut [[f64; BLOCK]]) {
        for panel in self.panels.iter().rev() {
            let (own, later) = x[panel.first..].split_at_mut(panel.width);
            let (triangle, below) = self.values[panel.start..panel.end()].split_at(panel.width * panel.width);
            let rows = below.chunks_exact(panel.width);
            for (row, place) in rows.zip(&self.rows[panel.below.0..panel.below.1]) {
                let value = later[place - panel.first - panel.width];
                for (block, own) in row.iter().zip(&mut *own) {
                    subtract_transposed(own, block, &value);
                }
            }
            for k in (0..panel.width).rev() {
                let (before, rest) = own.split_at_mut(k);
                rest[0] = transposed_product(&triangle[k * panel.width + k], &rest[0]);
                for (block, own) in triangle[k * panel.width..][..k].iter().zip(before) {
                    subtract_transposed(own, block, &rest[0]);
                }
            }
        }
    }
}

// What is compiled for the instructions of the processor at hand. Closures would not do: the compiler may leave them outside.
struct Eliminate<'a>(&'a mut BlockCholesky);
struct Forward<'a>(&'a BlockCholesky, &'a mut [[f64; BLOCK]], usize);
struct Backward<'a>(&'a BlockCholesky, &'a mut [[f64; BLOCK]]);

impl pulp::WithSimd for Eliminate<'_> {
    type Output = bool;

    #[inline(always)]
    fn with_simd<S: pulp::Simd>(self, _: S) -> bool {
        self.0.eliminate()
    }
}

impl pulp::WithSimd for Forward<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: pulp::Simd>(self, _: S) {
        self.0.forward(self.1, self.2);
    }
}

impl pulp::WithSimd for Backward<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: pulp::Simd>(self, _: S) {
        self.0.backward(self.1);
    }
}

/// Factorises a panel to whose blocks all earlier panels have been applied; false when it is not positive definite.
#[inline(always)]
fn eliminate_panel(blocks: &mut [Block], width: usize) -> bool {
    for k in 0..width {
        let (known, rest) = blocks.split_at_mut((k + 1) * width);
        let (known, own) = known[k * width..].split_at_mut(k);
        let [sum] = products([&*known], known);
        subtract(&mut own[0], &sum);
        let Some(inverse) = inverse_of_factor(&own[0]) else { return false };
        own[0] = inverse;
        let mut rows = rest.chunks_exact_mut(ROWS * width);
        for rows in &mut rows {
            let sums = products::<ROWS>(std::array::from_fn(|n| &rows[n * width..][..k]), known);
            for (row, sum) in rows.chunks_exact_mut(width).zip(&sums) {
                subtract(&mut row[k], sum);
                row[k] = times_transposed(&row[k], &inverse);
            }
        }
        for row in rows.into_remainder().chunks_exact_mut(width) {
            let [sum] = products([&row[..k]], known);
            subtract(&mut row[k], &sum);
            row[k] = times_transposed(&row[k], &inverse);
        }
    }
    true
}

/// Gathers columns with these rows below the diagonal into panels.
fn panels(columns: &[Vec<usize>]) -> (Vec<Panel>, Vec<usize>) {
    let (mut panels, mut rows) = (Vec::new(), Vec::new());
    let (mut first, mut start) = (0, 0);
    let mut needed = 0;
    for (k, column) in columns.iter().enumerate() {
        needed += 1 + column.len();
        let width = k + 1 - first;
        let joins = columns.get(k + 1).is_some_and(|next| {
            // The triangle above the diagonal counts as needed: it costs room but no time.
            let triangle = width * (width + 1) / 2;
            let stored = (width + 1) * (width + 1 + next.len());
            let needed = needed + 1 + next.len() + triangle;
            column.first() == Some(&(k + 1)) && (stored - needed) as f64 <= ZEROS * stored as f64
        });
        if joins {
            continue;
        }
        let begin = rows.len();
        rows.extend_from_slice(column);
        panels.push(Panel { first, width, below: (begin, rows.len()), start, targets: 0 });
        start += width * (width + column.len());
        (first, needed) = (k + 1, 0);
    }
    (panels, rows)
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

/// The sums of x_n y^T over the blocks of rows of equal length.
#[inline(always)]
fn products<const N: usize>(x: [&[Block]; N], y: &[Block]) -> [Block; N] {
    let x = x.map(|x| &x[..y.len()]);
    let mut sums = [[0.0; BLOCK * BLOCK]; N];
    for (k, y) in y.iter().enumerate() {
        for m in 0..BLOCK {
            for c in 0..BLOCK {
                for n in 0..N {
                    for r in 0..BLOCK {
                        let sum = &mut sums[n][BLOCK * c + r];
                        *sum = x[n][k][BLOCK * m + r].mul_add(y[BLOCK * m + c], *sum);
                    }
                }
            }
        }
    }
    sums
}

#[inline(always)]
fn subtract(out: &mut Block, x: &Block) {
    for (o, x) in out.iter_mut().zip(x) {
        *o -= x;
    }
}

/// x y^T.
#[inline(always)]
fn times_transposed(x: &Block, y: &Block) -> Block {
    let [out] = products([std::slice::from_ref(x)], std::slice::from_ref(y));
    out
}

/// out -= row x for as many vectors as `out` has.
#[inline(always)]
fn subtract_row(out: &mut [[f64; BLOCK]], row: &[Block], x: &[[f64; BLOCK]]) {
    let count = out.len();
    for (group, out) in out.chunks_exact_mut(VECTORS).enumerate() {
        let mut sums = [[0.0; BLOCK]; VECTORS];
        for (block, x) in row.iter().zip(x.chunks_exact(count)) {
            let x = &x[VECTORS * group..][..VECTORS];
            for c in 0..BLOCK {
                for v in 0..VECTORS {
                    for r in 0..BLOCK {
                        sums[v][r] = block[BLOCK * c + r].mul_add(x[v][c], sums[v][r]);
                    }
                }
            }
        }
        for (o, s) in out.as_flattened_mut().iter_mut().zip(sums.as_flattened()) {
            *o -= s;
        }
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

/// out -= m^T v.
#[inline(always)]
fn subtract_transposed(out: &mut [f64; BLOCK], m: &Block, v: &[f64; BLOCK]) {
    let part = transposed_product(m, v);
    (0..BLOCK).for_each(|r| out[r] -= part[r]);
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
        let mut padded: Vec<[f64; 4]> = x.iter().flat_map(|x| [[0.0; 4], *x, [0.0; 4], x.map(|x| 2.0 * x)]).collect();
        factor.solve_forward(&mut padded, VECTORS);
        assert!(padded.iter().step_by(2).all(|x| *x == [0.0; 4]));
        assert!(padded.chunks_exact(4).all(|x| x[3] == x[1].map(|x| 2.0 * x)));
        x = padded.chunks_exact(4).map(|x| x[1]).collect();
        factor.solve_backward(&mut x);
        let x = DVector::from_column_slice(x.as_flattened());
        assert!((shifted * x - &b).norm() < 1e-12 * b.norm());
    }

    /// Many small panels, wide ones, and zeros that are stored: a strip of squares whose ends are joined, and a few chords.
    #[test]
    fn a_factor_of_many_panels_solves_the_dense_system() {
        let n = 90;
        let ring = (0..n).flat_map(|i| [(i, (i + 1) % n), (i, (i + 7) % n), (i, (i + 8) % n)]);
        let pairs: Vec<(usize, usize)> = ring.chain([(0, 44), (13, 60), (20, 71)]).collect();
        let mut matrix = BlockMatrix::new(n, pairs.iter().copied());
        let mut dense = DMatrix::zeros(4 * n, 4 * n);
        for (k, (i, j)) in pairs.iter().copied().chain((0..n).map(|i| (i, i))).enumerate() {
            let slot = matrix.slot(i, j).unwrap();
            let (a, b) = (matrix.unknown(i), matrix.unknown(j));
            let block = Matrix4::from_fn(|r, c| ((5 * k + 3 * r + 7 * c) as f64).sin());
            if i == j {
                let block = block + block.transpose() + Matrix4::identity() * 30.0;
                matrix.add_diagonal(slot, &block);
                dense.view_mut((a, b), (4, 4)).copy_from(&block);
            } else {
                matrix.add_mixed(slot, i, j, &block);
                dense.view_mut((a, b), (4, 4)).copy_from(&block);
                dense.view_mut((b, a), (4, 4)).copy_from(&block.transpose());
            }
        }
        let mut factor = BlockCholesky::new(&matrix);
        let widths = || factor.panels.iter().map(|p| p.width);
        assert!(widths().count() > 10 && widths().max() > Some(4) && widths().min() == Some(1));
        assert!(factor.factorize(&matrix, [0.0; 4]));
        let b = DVector::from_fn(4 * n, |i, _| (i as f64).cos());
        let mut x: Vec<[f64; 4]> = Vec::new();
        b.as_slice().chunks_exact(4).for_each(|c| x.extend([[c[0], c[1], c[2], c[3]], [0.0; 4], [0.0; 4], [0.0; 4]]));
        factor.solve_forward(&mut x, VECTORS);
        let mut x: Vec<[f64; 4]> = x.chunks_exact(VECTORS).map(|x| x[0]).collect();
        factor.solve_backward(&mut x);
        let x = DVector::from_column_slice(x.as_flattened());
        assert!((&dense * x - &b).norm() < 1e-12 * b.norm());
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
