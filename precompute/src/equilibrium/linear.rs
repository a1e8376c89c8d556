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
use crate::cell::constraints::Constraints;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt::factor::LltRegularization;
use faer::sparse::linalg::cholesky::{
    CholeskySymbolicParams, LltRef, SymbolicCholesky, SymmetricOrdering, factorize_symbolic_cholesky,
};
use faer::sparse::{SparseColMatRef, SymbolicSparseColMat};
use faer::{Conj, MatMut, Par, Side, Spec};
use nalgebra::{Cholesky, DMatrix, DVector};

/// Weight of r theta in M; positions weigh 1. (physics of the published tables)
const TWIST_MASS: f64 = 0.5;

/// Symbolic and numeric factorisation of matrices with one block pattern.
pub struct Factorization {
    pattern: SymbolicSparseColMat<usize>,
    symbolic: SymbolicCholesky<usize>,
    values: Vec<f64>,
    factor: Vec<f64>,
    memory: MemBuffer,
    border: Vec<f64>,
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

    /// Number of pins and constraints.
    pub fn column_count(&self) -> usize {
        self.columns.len()
    }
}

impl Factorization {
    /// Analyses the pattern of `matrix`; `columns` is the number of right-hand sides to come.
    pub fn new(matrix: &BlockMatrix, columns: usize) -> Self {
        let pattern = matrix.scalar_pattern();
        let symbolic = factorize_symbolic_cholesky(
            pattern.as_ref(),
            Side::Upper,
            SymmetricOrdering::Identity,
            CholeskySymbolicParams::default(),
        );
        let symbolic = match symbolic {
            Ok(symbolic) => symbolic,
            // Fails only where memory or the index type does not suffice: patterns are limited to 2^20 vertices.
            Err(error) => panic!("analysis of a matrix of {} unknowns: {error:?}", pattern.nrows()),
        };
        let request = symbolic
            .factorize_numeric_llt_scratch::<f64>(Par::Seq, Spec::default())
            .or(symbolic.solve_in_place_scratch::<f64>(columns, Par::Seq));
        let factor = vec![0.0; symbolic.len_val()];
        Factorization {
            pattern,
            values: Vec::new(),
            factor,
            memory: MemBuffer::new(request),
            symbolic,
            border: Vec::new(),
        }
    }

    /// Number of entries of the factor.
    pub fn factor_len(&self) -> usize {
        self.factor.len()
    }

    /// The step p for `matrix` + rho M, or none when that is not positive definite on the free directions.
    ///
    /// `matrix` must hold the pins and slide springs of [`add_springs`] already.
    pub fn step(&mut self, matrix: &BlockMatrix, rho: f64, gradient: &[f64], border: &Border) -> Option<Vec<f64>> {
        matrix.scalar_values([rho, rho, rho, TWIST_MASS * rho], &mut self.values);
        let a = SparseColMatRef::new(self.pattern.as_ref(), &self.values);
        let stack = MemStack::new(&mut self.memory);
        let factor = self
            .symbolic
            .factorize_numeric_llt(
                &mut self.factor,
                a,
                Side::Upper,
                LltRegularization::default(),
                Par::Seq,
                stack,
                Spec::default(),
            )
            .ok()?;
        let stack = MemStack::new(&mut self.memory);
        solve_bordered(&factor, matrix, gradient, border, &mut self.border, stack)
    }
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

fn solve_bordered(
    factor: &LltRef<'_, usize, f64>,
    matrix: &BlockMatrix,
    gradient: &[f64],
    border: &Border,
    work: &mut Vec<f64>,
    stack: &mut MemStack,
) -> Option<Vec<f64>> {
    let n = gradient.len();
    let k = border.columns.len();
    let place = |unknown: usize| matrix.unknown(unknown / BLOCK) + unknown % BLOCK;
    work.clear();
    work.resize(n * (k + 1), 0.0);
    for (c, column) in border.columns.iter().enumerate() {
        column.iter().for_each(|(i, v)| work[n * c + place(*i)] = *v);
    }
    gradient.iter().enumerate().for_each(|(i, g)| work[n * k + place(i)] = -g);
    factor.solve_in_place_with_conj(Conj::No, MatMut::from_column_major_slice_mut(work, n, k + 1), Par::Seq, stack);
    let product =
        |c: usize, d: usize| -> f64 { border.columns[c].iter().map(|(i, v)| v * work[n * d + place(*i)]).sum() };
    let gram = DMatrix::from_fn(k, k, |c, d| 0.5 * (product(c, d) + product(d, c)));
    let free = DVector::from_fn(k, |c, _| product(c, k));
    let z = solve_border(&gram, &free, border.pins.len())?;
    let combine = |i: usize| {
        let at = place(i);
        (0..k).fold(work[n * k + at], |sum, c| sum - z[c] * work[n * c + at])
    };
    let step: Vec<f64> = (0..n).map(combine).collect();
    step.iter().all(|s| s.is_finite()).then_some(step)
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
