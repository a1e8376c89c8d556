//! Cholesky factorization of a symmetric sparse matrix over points in space, three unknowns each, by fronts \[Duff83\]: L L^T = A.
//!
//! Columns of the factor with (nearly) the same rows are a *front*: a small dense matrix. The points that its own columns
//! reach are its rows below. Eliminating the front leaves a dense remainder over those, which is added to the front of the next one of
//! them. So all arithmetic is in dense matrices, in blocks of 4x4 unknowns that stay in registers; unlike
//! [`super::BlockCholesky`], which suits the bake's four unknowns a vertex and few vertices, nothing is padded but the ends of fronts.

use super::blocks::BLOCK;
use super::cholesky::kernels::{product, products, subtract, subtract_transposed, transposed_product};
use super::cholesky::{Block, Panel, eliminate_panel, fill, panels};
use nalgebra::Matrix3;

/// Unknowns of a point.
const POINT: usize = 3;

/// Rows of a remainder that are worked on together: their sums fill the registers.
const ROWS: usize = 2;

/// The lower triangle of a matrix over points in the order of elimination, column by column: for each column its rows, the diagonal first
/// and the others ascending.
#[derive(Clone, Copy)]
pub(crate) struct Lower<'a> {
    /// Where each column begins in `rows`, and the end of the last one.
    pub(crate) starts: &'a [usize],
    /// Rows.
    pub(crate) rows: &'a [usize],
}

impl Lower<'_> {
    fn entries(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        let column = |c: usize| self.rows[self.starts[c]..self.starts[c + 1]].iter().map(move |row| (c, *row));
        (0..self.starts.len() - 1).flat_map(column)
    }
}

/// Factor of matrices with one pattern.
pub(crate) struct FrontCholesky {
    fronts: Vec<Front>,
    /// Rows below the fronts.
    rows: Vec<usize>,
    /// For each of `rows`, its place among the points of the front that the remainder is added to.
    into: Vec<u32>,
    /// For each entry of the matrix, the place of its row among the points of its front.
    source: Vec<u32>,
    starts: Vec<usize>,
    /// The fronts' own columns, blocks row by row. On the diagonal the inverse of L's block.
    values: Vec<Block>,
    /// Remainders that wait for the front that they are added to: lower triangles, blocks row by row.
    stack: Vec<Block>,
    offsets: Offsets,
}

#[derive(Clone, Debug)]
struct Front {
    panel: Panel,
    /// Begin in `values`.
    start: usize,
    /// Where its remainder is made on the stack, above those that are added to it, and where it is kept.
    made: usize,
    kept: usize,
    /// The fronts whose remainders are added to it.
    children: Vec<usize>,
}

impl Front {
    /// Blocks of its own unknowns.
    fn own(&self) -> usize {
        (POINT * self.panel.width).div_ceil(BLOCK)
    }

    fn points_below(&self) -> usize {
        self.panel.below.1 - self.panel.below.0
    }

    /// Blocks of the unknowns of the rows below.
    fn below(&self) -> usize {
        (POINT * self.points_below()).div_ceil(BLOCK)
    }

    fn size(&self) -> usize {
        self.own() * (self.own() + self.below())
    }

    /// Where unknown `k` of its n-th point is among its rows.
    fn row(&self, n: usize, k: usize) -> usize {
        let width = self.panel.width;
        if n < width { POINT * n + k } else { BLOCK * self.own() + POINT * (n - width) + k }
    }
}

/// Number of blocks of a lower triangle.
fn triangle(rows: usize) -> usize {
    rows * (rows + 1) / 2
}

/// Where a row begins and where a column is in a row, in numbers: in a front's own columns, whose rows are `own` blocks wide.
fn row_of_front(row: usize, own: usize) -> usize {
    (row / BLOCK * own) * BLOCK * BLOCK + row % BLOCK
}

fn row_of_triangle(row: usize) -> usize {
    triangle(row / BLOCK) * BLOCK * BLOCK + row % BLOCK
}

fn column_of(column: usize) -> usize {
    BLOCK * column
}

/// Where the numbers of a remainder's rows are: in the remainder itself, in the columns of the front that it is added to, and in that
/// one's remainder.
#[derive(Default)]
struct Offsets {
    child: Vec<usize>,
    front: Vec<usize>,
    rest: Vec<usize>,
}

impl FrontCholesky {
    /// Analyzes a pattern.
    pub(crate) fn new(matrix: Lower) -> Self {
        let points = matrix.starts.len() - 1;
        let (panels, rows) = panels(&fill(points, matrix.entries()));
        let mut front_of = Vec::with_capacity(points);
        panels.iter().enumerate().for_each(|(f, panel)| front_of.resize(panel.first + panel.width, f));
        let nth = |f: usize, point: usize| {
            let panel: &Panel = &panels[f];
            match point - panel.first {
                n if n < panel.width => n as u32,
                _ => (panel.width + rows[panel.below.0..panel.below.1].partition_point(|row| *row < point)) as u32,
            }
        };
        let source = matrix.entries().map(|(column, row)| nth(front_of[column], row)).collect();
        let mut into = Vec::with_capacity(rows.len());
        for panel in &panels {
            let below = &rows[panel.below.0..panel.below.1];
            into.extend(below.iter().map(|row| nth(front_of[below[0]], *row)));
        }
        let (fronts, stack) = stacked(&panels, &rows, &front_of);
        let size = fronts.last().map_or(0, |f| f.start + f.size());
        FrontCholesky {
            fronts,
            rows,
            into,
            source,
            starts: matrix.starts.to_vec(),
            values: vec![[0.0; BLOCK * BLOCK]; size],
            stack: vec![[0.0; BLOCK * BLOCK]; stack],
            offsets: Offsets::default(),
        }
    }

    /// Number of entries of the factor.
    pub(crate) fn entry_count(&self) -> usize {
        self.values.len() * BLOCK * BLOCK
    }

    /// Multiplications of a factorization.
    pub(crate) fn work(&self) -> f64 {
        let work = |f: &Front| {
            let (own, all) = (f.own() as f64, (f.own() + f.below()) as f64);
            own * (all * (all - own) + own * own / 3.0) / 2.0 * (BLOCK * BLOCK * BLOCK) as f64
        };
        self.fronts.iter().map(work).sum()
    }

    /// Factorizes the matrix of the pattern with these values, and `rho` added to its diagonal; false when it is not positive
    /// definite.
    pub(crate) fn factorize(&mut self, values: &[Matrix3<f64>], rho: f64) -> bool {
        crate::vector::dispatch(EliminateFronts(self, values, rho))
    }

    #[inline(always)]
    fn eliminate(&mut self, values: &[Matrix3<f64>], rho: f64) -> bool {
        for f in 0..self.fronts.len() {
            self.assemble(f, values, rho);
            let front = &self.fronts[f];
            let (own, below) = (front.own(), front.below());
            let blocks = &mut self.values[front.start..front.start + front.size()];
            if !eliminate_panel(blocks, own) {
                return false;
            }
            let rest = &mut self.stack[front.made..front.made + triangle(below)];
            subtract_square(rest, &blocks[own * own..], own);
            self.stack.copy_within(front.made..front.made + triangle(below), front.kept);
        }
        true
    }

    /// Puts the values of a front's columns in their places, and adds the remainders of its children.
    #[inline(always)]
    fn assemble(&mut self, f: usize, values: &[Matrix3<f64>], rho: f64) {
        let front = &self.fronts[f];
        let own = front.own();
        let blocks = &mut self.values[front.start..front.start + front.size()];
        blocks.fill([0.0; BLOCK * BLOCK]);
        let numbers = blocks.as_flattened_mut();
        for n in 0..front.panel.width {
            let column = front.panel.first + n;
            for e in self.starts[column]..self.starts[column + 1] {
                for c in 0..POINT {
                    let at = column_of(front.row(n, c));
                    for r in 0..POINT {
                        let row = front.row(self.source[e] as usize, r);
                        numbers[row_of_front(row, own) + at] = values[e][(r, c)];
                    }
                }
            }
            for c in 0..POINT {
                numbers[row_of_front(POINT * n + c, own) + column_of(POINT * n + c)] += rho;
            }
        }
        for pad in POINT * front.panel.width..BLOCK * own {
            numbers[row_of_front(pad, own) + column_of(pad)] = 1.0;
        }
        let (waiting, rest) = self.stack.split_at_mut(front.made);
        let rest = &mut rest[..triangle(front.below())];
        rest.fill([0.0; BLOCK * BLOCK]);
        for child in &front.children {
            let child = &self.fronts[*child];
            let added = &waiting[child.kept..child.kept + triangle(child.below())];
            let into = &self.into[child.panel.below.0..child.panel.below.1];
            self.offsets.fill(front, into);
            self.offsets.add(added.as_flattened(), front, into, numbers, rest.as_flattened_mut());
        }
    }

    /// Solves A x = b with the last factor: `x` holds b and becomes x, in the order of elimination.
    pub(crate) fn solve(&self, x: &mut [f64]) {
        crate::vector::dispatch(Solve(self, x));
    }

    #[inline(always)]
    fn solve_both(&self, x: &mut [f64]) {
        let mut own = Vec::new();
        for front in &self.fronts {
            self.gather(front, x, &mut own);
            self.forward(front, &mut own, x);
        }
        let mut below = Vec::new();
        for front in self.fronts.iter().rev() {
            self.gather(front, x, &mut own);
            self.gather_below(front, x, &mut below);
            self.backward(front, &mut own, &below, x);
        }
    }

    #[inline(always)]
    fn gather(&self, front: &Front, x: &[f64], own: &mut Vec<[f64; BLOCK]>) {
        own.clear();
        own.resize(front.own(), [0.0; BLOCK]);
        let from = &x[POINT * front.panel.first..][..POINT * front.panel.width];
        own.as_flattened_mut()[..from.len()].copy_from_slice(from);
    }

    #[inline(always)]
    fn gather_below(&self, front: &Front, x: &[f64], below: &mut Vec<[f64; BLOCK]>) {
        below.clear();
        below.resize(front.below(), [0.0; BLOCK]);
        let rows = &self.rows[front.panel.below.0..front.panel.below.1];
        for (to, row) in below.as_flattened_mut().chunks_exact_mut(POINT).zip(rows) {
            to.copy_from_slice(&x[POINT * row..][..POINT]);
        }
    }

    #[inline(always)]
    fn scatter(&self, front: &Front, own: &[[f64; BLOCK]], x: &mut [f64]) {
        let count = POINT * front.panel.width;
        x[POINT * front.panel.first..][..count].copy_from_slice(&own.as_flattened()[..count]);
    }

    #[inline(always)]
    fn forward(&self, front: &Front, own: &mut [[f64; BLOCK]], x: &mut [f64]) {
        let width = own.len();
        let mut rows = self.values[front.start..front.start + front.size()].chunks_exact(width);
        for (k, row) in rows.by_ref().take(width).enumerate() {
            let sum = dot(&row[..k], &own[..k]);
            own[k] = product(&row[k], &std::array::from_fn(|r| own[k][r] - sum[r]));
        }
        self.scatter(front, own, x);
        let below = &self.rows[front.panel.below.0..front.panel.below.1];
        for (n, row) in rows.enumerate() {
            let sum = dot(row, own);
            for (k, sum) in sum.into_iter().enumerate() {
                let unknown = BLOCK * n + k;
                if let Some(point) = below.get(unknown / POINT) {
                    x[POINT * point + unknown % POINT] -= sum;
                }
            }
        }
    }

    #[inline(always)]
    fn backward(&self, front: &Front, own: &mut [[f64; BLOCK]], below: &[[f64; BLOCK]], x: &mut [f64]) {
        let width = own.len();
        let (square, rest) = self.values[front.start..front.start + front.size()].split_at(width * width);
        for (row, value) in rest.chunks_exact(width).zip(below) {
            for (block, own) in row.iter().zip(&mut *own) {
                subtract_transposed(own, block, value);
            }
        }
        for k in (0..width).rev() {
            let (before, from) = own.split_at_mut(k);
            from[0] = transposed_product(&square[k * width + k], &from[0]);
            for (block, own) in square[k * width..][..k].iter().zip(before) {
                subtract_transposed(own, block, &from[0]);
            }
        }
        self.scatter(front, own, x);
    }
}

impl Offsets {
    /// Of a remainder whose points go to those of `front` at `into`.
    #[inline(always)]
    fn fill(&mut self, front: &Front, into: &[u32]) {
        [&mut self.child, &mut self.front, &mut self.rest].into_iter().for_each(Vec::clear);
        let own = front.own();
        for (n, to) in into.iter().enumerate() {
            for k in 0..POINT {
                let row = front.row(*to as usize, k);
                self.child.push(row_of_triangle(POINT * n + k));
                self.front.push(row_of_front(row, own));
                self.rest.push(row.checked_sub(BLOCK * own).map_or(0, row_of_triangle));
            }
        }
    }

    /// Adds the remainder `child` to the columns of `front` and to its remainder `rest`.
    #[inline(always)]
    fn add(&self, child: &[f64], front: &Front, into: &[u32], columns: &mut [f64], rest: &mut [f64]) {
        let own = front.own();
        for c in 0..self.child.len() {
            let from = &child[column_of(c)..];
            let to = front.row(into[c / POINT] as usize, c % POINT);
            let (target, rows) = match to.checked_sub(BLOCK * own) {
                None => (&mut columns[column_of(to)..], &self.front),
                Some(to) => (&mut rest[column_of(to)..], &self.rest),
            };
            for (a, b) in rows[c..].iter().zip(&self.child[c..]) {
                target[*a] += from[*b];
            }
        }
    }
}

/// Where remainders wait on the stack, and how long it gets.
fn stacked(panels: &[Panel], rows: &[usize], front_of: &[usize]) -> (Vec<Front>, usize) {
    let mut fronts: Vec<Front> = Vec::with_capacity(panels.len());
    let mut children: Vec<Vec<usize>> = vec![Vec::new(); panels.len()];
    let (mut start, mut top, mut longest) = (0, 0, 0);
    for (f, panel) in panels.iter().enumerate() {
        let children_of = std::mem::take(&mut children[f]);
        let kept = children_of.iter().map(|c: &usize| fronts[*c].kept).min().unwrap_or(top);
        let front = Front { panel: *panel, start, made: top, kept, children: children_of };
        if front.points_below() > 0 {
            children[front_of[rows[panel.below.0]]].push(f);
        }
        let size = triangle(front.below());
        longest = longest.max(top + size);
        top = kept + size;
        start += front.size();
        fronts.push(front);
    }
    (fronts, longest)
}

/// Subtracts L L^T from a lower triangle, L being rows of `width` blocks.
#[inline(always)]
fn subtract_square(rest: &mut [Block], l: &[Block], width: usize) {
    let count = l.len() / width;
    let row = |n: usize| &l[n * width..][..width];
    let together = count / ROWS * ROWS;
    for a in (0..together).step_by(ROWS) {
        for c in 0..a + ROWS {
            let sums = products::<ROWS>(std::array::from_fn(|n| row(a + n)), row(c));
            for (n, sum) in sums.iter().enumerate().filter(|(n, _)| c <= a + n) {
                subtract(&mut rest[triangle(a + n) + c], sum);
            }
        }
    }
    for a in together..count {
        for c in 0..=a {
            let [sum] = products([row(a)], row(c));
            subtract(&mut rest[triangle(a) + c], &sum);
        }
    }
}

/// The sum of the products of a row's blocks with a vector's.
#[inline(always)]
fn dot(row: &[Block], x: &[[f64; BLOCK]]) -> [f64; BLOCK] {
    let mut sum = [0.0; BLOCK];
    for (block, x) in row.iter().zip(x) {
        for c in 0..BLOCK {
            for r in 0..BLOCK {
                sum[r] = block[BLOCK * c + r].mul_add(x[c], sum[r]);
            }
        }
    }
    sum
}

// What is compiled for the instructions of the processor at hand.
struct EliminateFronts<'a>(&'a mut FrontCholesky, &'a [Matrix3<f64>], f64);
struct Solve<'a>(&'a FrontCholesky, &'a mut [f64]);

impl pulp::WithSimd for EliminateFronts<'_> {
    type Output = bool;

    #[inline(always)]
    fn with_simd<S: pulp::Simd>(self, _: S) -> bool {
        self.0.eliminate(self.1, self.2)
    }
}

impl pulp::WithSimd for Solve<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: pulp::Simd>(self, _: S) {
        self.0.solve_both(self.1);
    }
}

#[cfg(test)]
mod tests;
