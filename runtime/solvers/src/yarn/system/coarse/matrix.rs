//! Matrices of 3 × 3 blocks on a lattice.

use super::pattern::Pattern;
use super::vector::{CoarseBlock, Vec3, product, subtract};
use crate::linear::Scalar;
use nalgebra::{Cholesky, DMatrix, Dyn, Matrix3};
use rayon::prelude::*;
use std::sync::Arc;

/// A symmetric matrix, row by row, with the inverses of its diagonal.
#[derive(Debug)]
pub(super) struct CoarseMatrix<T> {
    pattern: Arc<Pattern>,
    blocks: Vec<CoarseBlock<T>>,
    inverse: Vec<CoarseBlock<T>>,
}

impl<T: Scalar> CoarseMatrix<T> {
    /// With the blocks of a pattern, in its order.
    pub(super) fn new(pattern: &Arc<Pattern>, blocks: Vec<CoarseBlock<T>>) -> Self {
        let mut matrix = CoarseMatrix { pattern: pattern.clone(), blocks, inverse: Vec::new() };
        matrix.inverse = (0..matrix.count()).map(|i| matrix.inverse_of(i)).collect();
        matrix
    }

    /// Of the diagonal block of a row; zero where the row is empty.
    fn inverse_of(&self, i: usize) -> CoarseBlock<T> {
        let own = self.row(i).find(|(k, _)| *k as usize == i);
        let inverse = own.and_then(|(_, block)| matrix3(block).cholesky()).map(|c| c.inverse());
        inverse.map_or([[T::ZERO; 3]; 3], |m| std::array::from_fn(|r| std::array::from_fn(|c| T::from_f64(m[(r, c)]))))
    }

    pub(super) fn count(&self) -> usize {
        self.pattern.starts.len() - 1
    }

    /// The blocks of a row, with their columns.
    #[inline(always)]
    pub(super) fn row(&self, i: usize) -> impl Iterator<Item = (u32, &CoarseBlock<T>)> + '_ {
        let range = self.pattern.starts[i] as usize..self.pattern.starts[i + 1] as usize;
        self.pattern.columns[range.clone()].iter().copied().zip(&self.blocks[range])
    }

    /// One sweep of Gauss-Seidel from x = 0, color by color: rows of a color are not coupled with each other. Returns x and b − A x, which
    /// later colors alone leave.
    pub(super) fn sweep_from_zero(&self, b: &[Vec3<T>]) -> (Vec<Vec3<T>>, Vec<Vec3<T>>) {
        let mut x = vec![[T::ZERO; 3]; b.len()];
        for (first, end) in self.colors() {
            let (before, rest) = x.split_at_mut(first);
            rest[..end - first].par_iter_mut().enumerate().with_min_len(256).for_each(|(k, x)| {
                let mut sum = b[first + k];
                for (column, block) in self.row(first + k).take_while(|(column, _)| (*column as usize) < first) {
                    subtract(&mut sum, product(block, &before[column as usize]));
                }
                *x = product(&self.inverse[first + k], &sum);
            });
        }
        let mut rest = vec![[T::ZERO; 3]; b.len()];
        for (first, end) in self.colors() {
            rest[first..end].par_iter_mut().enumerate().with_min_len(256).for_each(|(k, r)| {
                for (column, block) in self.row(first + k).skip_while(|(column, _)| (*column as usize) < end) {
                    subtract(r, product(block, &x[column as usize]));
                }
            });
        }
        (x, rest)
    }

    /// One sweep of Gauss-Seidel with the colors in the opposite order.
    pub(super) fn sweep_back(&self, b: &[Vec3<T>], x: &mut [Vec3<T>]) {
        for (first, end) in self.colors().rev() {
            let (before, rest) = x.split_at_mut(first);
            let (own, after) = rest.split_at_mut(end - first);
            own.par_iter_mut().enumerate().with_min_len(256).for_each(|(k, x)| {
                let i = first + k;
                let mut sum = b[i];
                for (column, block) in self.row(i) {
                    let column = column as usize;
                    if column < first {
                        subtract(&mut sum, product(block, &before[column]));
                    } else if column >= end {
                        subtract(&mut sum, product(block, &after[column - end]));
                    }
                }
                *x = product(&self.inverse[i], &sum);
            });
        }
    }

    /// Where the rows of each color begin and end.
    fn colors(&self) -> impl DoubleEndedIterator<Item = (usize, usize)> + '_ {
        self.pattern.colors.windows(2).map(|w| (w[0] as usize, w[1] as usize))
    }

    pub(super) fn dense(&self) -> Option<Cholesky<f64, Dyn>> {
        let n = self.count();
        let mut dense = DMatrix::zeros(3 * n, 3 * n);
        for i in 0..n {
            for (k, block) in self.row(i) {
                dense.fixed_view_mut::<3, 3>(3 * i, 3 * k as usize).copy_from(&matrix3(block));
            }
        }
        // Lattice nodes that move nothing have empty rows.
        for k in 0..3 * n {
            if dense[(k, k)] <= 0.0 {
                dense[(k, k)] = 1.0;
            }
        }
        dense.cholesky()
    }
}

fn matrix3<T: Scalar>(block: &CoarseBlock<T>) -> Matrix3<f64> {
    Matrix3::from_fn(|r, c| block[r][c].to_f64())
}
