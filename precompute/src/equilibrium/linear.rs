//! The linear solve of a Newton step under constraints.
//!
//!   (H + rho M) p + C^T lambda = -g,   C p = 0
//!
//! H is sparse, most rows of C are dense (means over the cell or a yarn). They must not enter the factorised matrix, and
//! that matrix must be definite although H is blind to translations and to turning a whole yarn. So one vertex is
//! pinned by springs, and the twist of one edge a yarn; the factor is that of A = H + rho M + pins + a s s^T for the
//! (sparse) slide rows s. The pins are taken out again, and the constraints put in, by a small dense system in the
//! border B = [pins, C^T]:
//!
//!   p = A^-1 (-g - B z),   (D - B^T A^-1 B) z = -B^T A^-1 (-g),   D = diag(1 for pins, 0 for constraints).
//!
//! H + rho M is positive definite on the free directions if and only if A is and the border has as many negative
//! eigenvalues as there are constraints (Sylvester's law, Haynsworth's formula).

use super::blocks::{BLOCK, BlockMatrix};
use super::cholesky::BlockCholesky;
use crate::cell::constraints::Constraints;
use nalgebra::{Cholesky, DMatrix, DVector};

/// Weight of r theta in M; positions weigh 1. (physics of the published tables)
const TWIST_MASS: f64 = 0.5;

/// Factorisation of matrices with one block pattern, and room for the solve.
pub struct Factorization {
    factor: BlockCholesky,
    /// L^-1 B column by column, and L^-1 (-g) last; in the order of elimination.
    forward: Vec<Vec<[f64; BLOCK]>>,
}

/// The columns of the border as sparse vectors over the unknowns (vertex order).
#[derive(Clone, Debug)]
pub struct Border {
    /// Unknowns that carry a pin.
    pub pins: Vec<usize>,
    columns: Vec<Vec<(usize, f64)>>,
    /// Stiffness of the pins, N/m.
    pub stiffness: f64,
}

impl Border {
    /// Pins on the position of vertex 0 and on the twist of each yarn in `yarn_starts`, then the constraints.
    pub fn new(constraints: &Constraints, yarn_starts: impl Iterator<Item = usize>, stiffness: f64) -> Self {
        let pins: Vec<usize> = (0..3).chain(yarn_starts.map(|v| BLOCK * v + 3)).collect();
        let root = stiffness.sqrt();
        let mut columns: Vec<Vec<(usize, f64)>> = pins.iter().map(|p| vec![(*p, root)]).collect();
        columns.extend(constraints.rows.iter().map(|r| r.entries.iter().map(|(i, c)| (*i, c * root)).collect()));
        Border { pins, columns, stiffness }
    }
}

impl Factorization {
    /// Analyses the pattern of `matrix`.
    pub fn new(matrix: &BlockMatrix) -> Self {
        Factorization { factor: BlockCholesky::new(matrix), forward: Vec::new() }
    }

    /// Number of entries of the factor.
    pub fn factor_len(&self) -> usize {
        self.factor.entry_count()
    }

    /// The step p for `matrix` + rho M, or none when that is not positive definite on the free directions.
    ///
    /// `matrix` must hold the pins and slide springs of [`add_springs`] already.
    pub fn step(&mut self, matrix: &BlockMatrix, rho: f64, gradient: &[f64], border: &Border) -> Option<Vec<f64>> {
        if !self.factor.factorize(matrix, [rho, rho, rho, TWIST_MASS * rho]) {
            return None;
        }
        self.solve_forward(matrix, gradient, border);
        let (free, columns) = self.forward.split_last_mut()?;
        let k = columns.len();
        let gram = DMatrix::from_fn(k, k, |c, d| if c <= d { dot(&columns[c], &columns[d]) } else { 0.0 });
        let gram = DMatrix::from_fn(k, k, |c, d| gram[(c.min(d), c.max(d))]);
        let along = DVector::from_fn(k, |c, _| dot(&columns[c], free));
        let z = solve_border(&gram, &along, border.pins.len())?;
        for (column, z) in columns.iter().zip(z.iter()) {
            let entries = column.as_flattened().iter();
            free.as_flattened_mut().iter_mut().zip(entries).for_each(|(f, c)| *f -= z * c);
        }
        self.factor.solve_backward(free);
        let step: Vec<f64> = (0..matrix.vertices()).flat_map(|v| free[matrix.unknown(v) / BLOCK]).collect();
        step.iter().all(|s| s.is_finite()).then_some(step)
    }

    /// B^T A^-1 B is the square of L^-1 B: the border needs the forward half of the solve only.
    fn solve_forward(&mut self, matrix: &BlockMatrix, gradient: &[f64], border: &Border) {
        self.forward.resize(border.columns.len() + 1, Vec::new());
        let place = |unknown: usize| (matrix.unknown(unknown / BLOCK) / BLOCK, unknown % BLOCK);
        let solve = |column: &mut Vec<[f64; BLOCK]>, entries: &mut dyn Iterator<Item = (usize, f64)>| {
            column.clear();
            column.resize(matrix.vertices(), [0.0; BLOCK]);
            let mut first = usize::MAX;
            for (unknown, value) in entries {
                let (block, r) = place(unknown);
                column[block][r] = value;
                first = first.min(block);
            }
            self.factor.solve_forward(column, first);
        };
        let (free, columns) = match self.forward.split_last_mut() {
            Some(parts) => parts,
            None => return,
        };
        for (column, entries) in columns.iter_mut().zip(&border.columns) {
            solve(column, &mut entries.iter().copied());
        }
        solve(free, &mut gradient.iter().map(|g| -g).enumerate());
    }
}

fn dot(a: &[[f64; BLOCK]], b: &[[f64; BLOCK]]) -> f64 {
    // Four sums side by side: one would wait for itself.
    let mut sums = [0.0; BLOCK];
    for (a, b) in a.iter().zip(b) {
        (0..BLOCK).for_each(|r| sums[r] += a[r] * b[r]);
    }
    sums.iter().sum()
}

/// Adds the pins and the springs along the slide rows to the assembled matrix.
pub fn add_springs(matrix: &mut BlockMatrix, border: &Border, constraints: &Constraints) {
    let mut add = |entries: &[(usize, f64)]| {
        let mut block = nalgebra::Matrix4::zeros();
        for (i, a) in entries {
            for (j, b) in entries {
                block[(i % BLOCK, j % BLOCK)] += border.stiffness * a * b;
            }
        }
        let vertex = entries[0].0 / BLOCK;
        if let Some(slot) = matrix.slot(vertex, vertex) {
            matrix.add_diagonal(slot, &block);
        }
    };
    border.pins.iter().for_each(|p| add(&[(*p, 1.0)]));
    constraints.slides.iter().for_each(|s| add(&constraints.rows[*s].entries));
}

/// Solves (D - G) z = -b with D = 1 on the first `pins` entries, by eliminating the constraints first; none unless
/// the inertia is the one of a definite problem.
fn solve_border(gram: &DMatrix<f64>, free: &DVector<f64>, pins: usize) -> Option<DVector<f64>> {
    let k = free.len();
    let m = k - pins;
    let inner = Cholesky::new(gram.view((pins, pins), (m, m)).into_owned())?;
    let mixed = gram.view((pins, 0), (m, pins)).into_owned();
    let carried = inner.solve(&mixed);
    let outer = DMatrix::identity(pins, pins) - gram.view((0, 0), (pins, pins)) + mixed.transpose() * &carried;
    let outer = Cholesky::new(outer)?;
    let (free_pins, free_rows) = (free.rows(0, pins).into_owned(), free.rows(pins, m).into_owned());
    // Constraint rows: G_cy y + G_cc l = b_c.  Pin rows: (1 - G_yy) y - G_yc l = -b_y.
    let shifted = mixed.transpose() * inner.solve(&free_rows) - free_pins;
    let y = outer.solve(&shifted);
    let l = inner.solve(&(free_rows - mixed * &y));
    Some(DVector::from_iterator(k, y.iter().chain(l.iter()).copied()))
}
