//! Cholesky factorization of a symmetric sparse matrix of 4x4 blocks, L L^T = A.
//!
//! Columns of the factor with (nearly) the same rows are kept together as a supernode, a panel of blocks row by row. Right-looking: once
//! a panel is known, the products of its rows are subtracted from the panels it touches; where they go is found once per
//! pattern. General sparse solvers treat these matrices (400 unknowns, a dozen blocks a column) number by number; blocks of
//! fixed size that stay in registers for a whole row of a panel are several times faster (`cargo bench --bench bake`).
//! Products are always fused with their sums, and sums have one order: the same bytes on all processors that can fuse.

pub(super) mod kernels;

use super::blocks::{BLOCK, BlockMatrix};
use kernels::{
    inverse_of_factor, product, products, subtract, subtract_row, subtract_transposed, times_transposed,
    transposed_product,
};

/// A block, column by column.
pub(crate) type Block = [f64; BLOCK * BLOCK];

/// Columns are kept together as long as this share of the panel's blocks at most is zero that could have been left out.
const ZEROS: f64 = 0.1;

/// Rows of a panel that are worked on together: their sums fill the registers.
const ROWS: usize = 2;

/// Vectors that are solved for together.
pub(crate) const VECTORS: usize = 4;

/// Factor of matrices with one block pattern.
pub(crate) struct BlockCholesky {
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
pub(super) struct Panel {
    /// First column.
    pub(super) first: usize,
    /// Number of columns.
    pub(super) width: usize,
    /// Rows below the last column: a range of `rows`.
    pub(super) below: (usize, usize),
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
    /// Analyzes the pattern of `matrix`.
    pub(crate) fn new(matrix: &BlockMatrix) -> Self {
        let (mut panels, rows) = panels(&fill(matrix.vertices(), matrix.blocks()));
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
    pub(crate) fn entry_count(&self) -> usize {
        self.values.len() * BLOCK * BLOCK
    }

    /// Factorizes `matrix` with `diagonal[r]` added to entry r of each diagonal block; false when it is not positive definite.
    pub(crate) fn factorize(&mut self, matrix: &BlockMatrix, diagonal: [f64; BLOCK]) -> bool {
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
        crate::vector::dispatch(Eliminate(self))
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
    pub(crate) fn solve_forward(&self, x: &mut [[f64; BLOCK]], count: usize) {
        crate::vector::dispatch(Forward(self, x, count));
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
    pub(crate) fn solve_backward(&self, x: &mut [[f64; BLOCK]]) {
        crate::vector::dispatch(Backward(self, x));
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

/// Factorizes a panel to whose blocks all earlier panels have been applied; false when it is not positive definite.
#[inline(always)]
pub(super) fn eliminate_panel(blocks: &mut [Block], width: usize) -> bool {
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
pub(super) fn panels(columns: &[Vec<usize>]) -> (Vec<Panel>, Vec<usize>) {
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

/// The rows below the diagonal of each column of the factor of an `n` by `n` matrix with these entries (a, b), a <= b, each once;
/// ascending.
pub(super) fn fill(n: usize, entries: impl Iterator<Item = (usize, usize)>) -> Vec<Vec<usize>> {
    let mut columns: Vec<Vec<usize>> = vec![Vec::new(); n];
    entries.filter(|(row, column)| row != column).for_each(|(row, column)| columns[row].push(column));
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

#[cfg(test)]
mod tests;
