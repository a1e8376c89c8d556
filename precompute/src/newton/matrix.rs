//! Second derivatives of an energy of points: a symmetric sparse matrix of 3x3 blocks.
//!
//! Kept in the bake's blocks of 4x4, whose fourth row has nothing but its diagonal.

use super::holds::{Hold, Holds};
use crate::sparse::{BLOCK, BlockCholesky, BlockMatrix, VECTORS};
use nalgebra::{Matrix3, Matrix4, Vector3};

/// A symmetric sparse matrix over points, and its factor.
pub struct PointMatrix {
    blocks: BlockMatrix,
    factor: BlockCholesky,
    /// The point at each place in the order of elimination.
    at_place: Vec<usize>,
}

impl PointMatrix {
    /// A matrix over `points` with room for these pairs of points and for the diagonal; all zero.
    pub fn new(points: usize, pairs: impl Iterator<Item = (usize, usize)>) -> Self {
        let blocks = BlockMatrix::new(points, pairs);
        let factor = BlockCholesky::new(&blocks);
        let mut at_place = vec![0; points];
        (0..points).for_each(|p| at_place[blocks.unknown(p) / BLOCK] = p);
        PointMatrix { blocks, factor, at_place }
    }

    /// Number of points.
    pub fn points(&self) -> usize {
        self.at_place.len()
    }

    /// Number of entries of the factor.
    pub fn factor_entries(&self) -> usize {
        self.factor.entry_count()
    }

    /// Where the block of two points is kept, if there is room for it.
    pub fn slot(&self, i: usize, j: usize) -> Option<usize> {
        self.blocks.slot(i, j)
    }

    /// Sets all entries to zero.
    pub fn clear(&mut self) {
        self.blocks.clear();
    }

    /// Adds d2E / dx_i dx_j of one term; its transpose at (j, i) is implied. For i = j, two copies of one point in the same
    /// term, both are added; a term's own diagonal block goes to [`PointMatrix::add_diagonal`].
    ///
    /// A pair that the matrix has no room for is left out: the pattern must come from the same objective.
    pub fn add(&mut self, i: usize, j: usize, block: &Matrix3<f64>) {
        if let Some(slot) = self.slot(i, j) {
            self.add_at(slot, i, j, block);
        }
    }

    /// The same where the place of the block is known.
    pub fn add_at(&mut self, slot: usize, i: usize, j: usize, block: &Matrix3<f64>) {
        self.blocks.add_mixed_positions(slot, i, j, block);
    }

    /// Adds d2E / dx_i^2 of one term.
    pub fn add_diagonal(&mut self, i: usize, block: &Matrix3<f64>) {
        if let Some(slot) = self.slot(i, i) {
            self.blocks.add_diagonal_positions(slot, block);
        }
    }

    /// Turns held points into their axes, and takes held directions out: rows and columns become those of the identity times `unit`.
    pub(super) fn hold(&mut self, holds: &Holds, unit: f64) {
        let hold_of: Vec<Option<&Hold>> = self.at_place.iter().map(|p| holds.get(*p)).collect();
        if hold_of.iter().all(Option::is_none) {
            return;
        }
        self.blocks.for_each_value(|row, column, value| {
            if hold_of[row].is_none() && hold_of[column].is_none() {
                return;
            }
            let mut block: Matrix3<f64> = value.fixed_view::<3, 3>(0, 0).into_owned();
            if let Some(h) = hold_of[row] {
                block = h.axes.transpose() * block;
                (0..3).filter(|k| h.held[*k]).for_each(|k| block.row_mut(k).fill(0.0));
            }
            if let Some(h) = hold_of[column] {
                block *= h.axes;
                (0..3).filter(|k| h.held[*k]).for_each(|k| block.column_mut(k).fill(0.0));
                if row == column {
                    (0..3).filter(|k| h.held[*k]).for_each(|k| block[(k, k)] = unit);
                }
            }
            value.fixed_view_mut::<3, 3>(0, 0).copy_from(&block);
        });
    }

    /// Factorizes the matrix with `rho` added to its diagonal; false when it is not positive definite.
    pub fn factorize(&mut self, rho: f64) -> bool {
        self.factor.factorize(&self.blocks, [rho, rho, rho, 1.0])
    }

    /// Solves A x = b with the last factor; held points are in their axes.
    pub(super) fn solve_turned(&self, b: &[Vector3<f64>]) -> Vec<Vector3<f64>> {
        let mut x = vec![[0.0; BLOCK]; VECTORS * self.points()];
        for (place, point) in self.at_place.iter().enumerate() {
            x[VECTORS * place][..3].copy_from_slice(b[*point].as_slice());
        }
        self.factor.solve_forward(&mut x, VECTORS);
        let mut x: Vec<[f64; BLOCK]> = x.into_iter().step_by(VECTORS).collect();
        self.factor.solve_backward(&mut x);
        let mut out = vec![Vector3::zeros(); self.points()];
        for (place, point) in self.at_place.iter().enumerate() {
            out[*point] = Vector3::new(x[place][0], x[place][1], x[place][2]);
        }
        out
    }

    /// Solves A x = b on the free directions; along held ones x is zero.
    pub fn solve(&self, holds: &Holds, b: &[Vector3<f64>]) -> Vec<Vector3<f64>> {
        let mut turned = b.to_vec();
        for (point, hold) in holds.iter() {
            turned[point] = hold.axes.transpose() * turned[point];
            (0..3).filter(|k| hold.held[*k]).for_each(|k| turned[point][k] = 0.0);
        }
        let mut x = self.solve_turned(&turned);
        for (point, hold) in holds.iter() {
            x[point] = hold.axes * x[point];
        }
        x
    }

    /// The matrix as a dense one over the points' coordinates, for tests and small studies.
    pub fn dense(&self) -> nalgebra::DMatrix<f64> {
        let n = 3 * self.points();
        let mut out = nalgebra::DMatrix::zeros(n, n);
        let values = self.blocks.values();
        for (k, (row, column)) in self.blocks.blocks().enumerate() {
            let (i, j) = (3 * self.at_place[row], 3 * self.at_place[column]);
            let block: Matrix4<f64> = values[k];
            let block = block.fixed_view::<3, 3>(0, 0);
            out.view_mut((i, j), (3, 3)).copy_from(&block);
            out.view_mut((j, i), (3, 3)).copy_from(&block.transpose());
        }
        out
    }
}
