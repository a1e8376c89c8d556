//! Second derivatives of an energy of points: a symmetric sparse matrix of 3x3 blocks.

use super::blocks::Blocks;
use super::holds::{Hold, Holds};
use crate::sparse::{FrontCholesky, Lower, order_of_points};
use nalgebra::{Matrix3, Vector3};

/// A symmetric sparse matrix over points, and its factor.
pub struct PointMatrix {
    /// The place of each point in the order of elimination, and the point at each place.
    place: Vec<usize>,
    at_place: Vec<usize>,
    /// The lower triangle by columns: where each column begins, and its rows, the diagonal first.
    starts: Vec<usize>,
    rows: Vec<usize>,
    values: Vec<Matrix3<f64>>,
    factor: FrontCholesky,
}

impl PointMatrix {
    /// A matrix over points at `x` (m) with room for these pairs of points and for the diagonal; all zero. Where the points are decides
    /// on the order of elimination, and on nothing else.
    pub fn new(x: &[Vector3<f64>], pairs: impl Iterator<Item = (usize, usize)>) -> Self {
        let edges = distinct(x.len(), pairs);
        let place = order_of_points(x, &edges);
        let mut at_place = vec![0; x.len()];
        place.iter().enumerate().for_each(|(point, place)| at_place[*place] = point);
        let mut columns: Vec<Vec<usize>> = (0..x.len()).map(|k| vec![k]).collect();
        for (a, b) in &edges {
            let [a, b] = [place[*a], place[*b]];
            columns[a.min(b)].push(a.max(b));
        }
        columns.iter_mut().for_each(|rows| rows.sort_unstable());
        let mut starts = vec![0];
        let mut rows = Vec::new();
        for column in columns {
            rows.extend(column);
            starts.push(rows.len());
        }
        let factor = FrontCholesky::new(Lower { starts: &starts, rows: &rows });
        PointMatrix { values: vec![Matrix3::zeros(); rows.len()], place, at_place, starts, rows, factor }
    }

    /// Number of points.
    pub fn points(&self) -> usize {
        self.place.len()
    }

    /// Number of entries of the factor.
    pub fn factor_entries(&self) -> usize {
        self.factor.entry_count()
    }

    /// Multiplications of a factorization.
    pub fn factor_work(&self) -> f64 {
        self.factor.work()
    }

    /// Where the block of two points is kept, if there is room for it.
    pub fn slot(&self, i: usize, j: usize) -> Option<usize> {
        let (row, column) = (self.place[i].max(self.place[j]), self.place[i].min(self.place[j]));
        let range = self.starts[column]..self.starts[column + 1];
        self.rows[range.clone()].binary_search(&row).ok().map(|k| range.start + k)
    }

    /// Sets all entries to zero.
    pub fn clear(&mut self) {
        self.values.fill(Matrix3::zeros());
    }

    /// Turns held points into their axes, and takes held directions out: rows and columns become those of the identity times `unit`.
    pub(super) fn hold(&mut self, holds: &Holds, unit: f64) {
        let hold_of: Vec<Option<&Hold>> = self.at_place.iter().map(|p| holds.get(*p)).collect();
        if hold_of.iter().all(Option::is_none) {
            return;
        }
        for column in 0..self.points() {
            for k in self.starts[column]..self.starts[column + 1] {
                hold_block(&mut self.values[k], hold_of[self.rows[k]], hold_of[column]);
            }
            if let Some(hold) = hold_of[column] {
                let own = &mut self.values[self.starts[column]];
                (0..3).filter(|k| hold.held[*k]).for_each(|k| own[(k, k)] = unit);
            }
        }
    }

    /// Factorizes the matrix with `rho` added to its diagonal; false when it is not positive definite.
    pub fn factorize(&mut self, rho: f64) -> bool {
        self.factor.factorize(&self.values, rho)
    }

    /// Solves A x = b with the last factor; held points are in their axes.
    pub(super) fn solve_turned(&self, b: &[Vector3<f64>]) -> Vec<Vector3<f64>> {
        let mut x: Vec<f64> = self.at_place.iter().flat_map(|p| [b[*p].x, b[*p].y, b[*p].z]).collect();
        self.factor.solve(&mut x);
        self.place.iter().map(|place| Vector3::new(x[3 * place], x[3 * place + 1], x[3 * place + 2])).collect()
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
        for column in 0..self.points() {
            for k in self.starts[column]..self.starts[column + 1] {
                let (i, j) = (3 * self.at_place[self.rows[k]], 3 * self.at_place[column]);
                out.view_mut((i, j), (3, 3)).copy_from(&self.values[k]);
                out.view_mut((j, i), (3, 3)).copy_from(&self.values[k].transpose());
            }
        }
        out
    }
}

/// A pair that the matrix has no room for is left out: the pattern must come from the same objective.
impl Blocks for PointMatrix {
    fn add(&mut self, i: usize, j: usize, block: &Matrix3<f64>) {
        let Some(slot) = self.slot(i, j) else { return };
        let value = &mut self.values[slot];
        if self.place[i] >= self.place[j] {
            *value += block;
        }
        if self.place[i] <= self.place[j] {
            *value += block.transpose();
        }
    }

    fn add_diagonal(&mut self, i: usize, block: &Matrix3<f64>) {
        // The diagonal is the first of its column.
        self.values[self.starts[self.place[i]]] += block;
    }
}

/// Turns a block into the axes of what holds its row and its column, and takes held directions out.
fn hold_block(block: &mut Matrix3<f64>, row: Option<&Hold>, column: Option<&Hold>) {
    if let Some(hold) = row {
        *block = hold.axes.transpose() * *block;
        (0..3).filter(|k| hold.held[*k]).for_each(|k| block.row_mut(k).fill(0.0));
    }
    if let Some(hold) = column {
        *block *= hold.axes;
        (0..3).filter(|k| hold.held[*k]).for_each(|k| block.column_mut(k).fill(0.0));
    }
}

/// Pairs (a, b) with a < b, each once, sorted.
fn distinct(points: usize, pairs: impl Iterator<Item = (usize, usize)>) -> Vec<(usize, usize)> {
    let mut after: Vec<Vec<usize>> = vec![Vec::new(); points];
    pairs.filter(|(a, b)| a != b).for_each(|(a, b)| after[a.min(b)].push(a.max(b)));
    let mut out = Vec::new();
    for (a, after) in after.iter_mut().enumerate() {
        after.sort_unstable();
        after.dedup();
        out.extend(after.iter().map(|b| (a, *b)));
    }
    out
}
