//! The linear solve of a Newton step under constraints.
//!
//!   (H + rho M) p + C^T lambda = -g,   C p = 0
//!
//! H is sparse, most rows of C are dense (means over the cell or a yarn). They must not enter the factorized matrix, and
//! that matrix must be definite although H is blind to translations and to turning a whole yarn. So one vertex is
//! pinned by springs, and the twist of one edge a yarn; the factor is that of A = H + rho M + pins + a s s^T for the
//! (sparse) slide rows s. The pins are taken out again, and the constraints put in, by a small dense system in the
//! border B = [pins, C^T]:
//!
//!   p = A^-1 (-g - B z),   (D - B^T A^-1 B) z = -B^T A^-1 (-g),   D = diag(1 for pins, 0 for constraints).
//!
//! H + rho M is positive definite on the free directions if and only if A is and the border has as many negative
//! eigenvalues as there are constraints (Sylvester's law, Haynsworth's formula).

use crate::cell::constraints::Constraints;
use crate::sparse::{BLOCK, BlockCholesky, BlockMatrix, VECTORS};
use nalgebra::{Cholesky, DMatrix, DVector};

/// Weight of r theta in M; positions weigh 1. (physics of the published tables)
const TWIST_MASS: f64 = 0.5;

/// Factorization of matrices with one block pattern, and room for the solve.
pub(crate) struct Factorization {
    factor: BlockCholesky,
    /// L^-1 B and L^-1 (-g): block after block in the order of elimination, the columns' parts, padded with zeros.
    forward: Vec<[f64; BLOCK]>,
}

/// The columns of the border as sparse vectors over the unknowns (vertex order).
#[derive(Clone, Debug)]
pub(crate) struct Border {
    /// Unknowns that carry a pin.
    pub pins: Vec<usize>,
    columns: Vec<Vec<(usize, f64)>>,
    /// Stiffness of the pins, N/m.
    pub stiffness: f64,
}

impl Border {
    /// Pins on the position of vertex 0 and on the twist of each yarn in `yarn_starts`, then the constraints.
    pub(crate) fn new(constraints: &Constraints, yarn_starts: impl Iterator<Item = usize>, stiffness: f64) -> Self {
        let pins: Vec<usize> = (0..3).chain(yarn_starts.map(|v| BLOCK * v + 3)).collect();
        let root = stiffness.sqrt();
        let mut columns: Vec<Vec<(usize, f64)>> = pins.iter().map(|p| vec![(*p, root)]).collect();
        columns.extend(constraints.rows.iter().map(|r| r.entries.iter().map(|(i, c)| (*i, c * root)).collect()));
        Border { pins, columns, stiffness }
    }

    /// Number of vectors to solve for: the columns and the force, padded with zeros.
    fn vectors(&self) -> usize {
        (self.columns.len() + 1).next_multiple_of(VECTORS)
    }
}

impl Factorization {
    /// Analyzes the pattern of `matrix`.
    pub(crate) fn new(matrix: &BlockMatrix) -> Self {
        Factorization { factor: BlockCholesky::new(matrix), forward: Vec::new() }
    }

    /// Number of entries of the factor.
    pub(crate) fn factor_len(&self) -> usize {
        self.factor.entry_count()
    }

    /// Factorizes `matrix` + rho M; false when that is not positive definite, even with the springs.
    ///
    /// `matrix` must hold the pins and slide springs of [`add_springs`] already.
    pub(crate) fn factorize(&mut self, matrix: &BlockMatrix, rho: f64) -> bool {
        self.factor.factorize(matrix, [rho, rho, rho, TWIST_MASS * rho])
    }

    /// The step p of the matrix that was factorized last, or none when that is not positive definite on the free directions.
    pub(crate) fn step(&mut self, matrix: &BlockMatrix, gradient: &[f64], border: &Border) -> Option<Vec<f64>> {
        self.solve_forward(matrix, gradient, border);
        let (k, count) = (border.columns.len(), border.vectors());
        let gram = products(&self.forward, k + 1, count);
        let z =
            solve_border(&gram.view((0, 0), (k, k)).into_owned(), &gram.view((0, k), (k, 1)).column(0).into(), border)?;
        let free = |parts: &[[f64; BLOCK]]| -> [f64; BLOCK] {
            std::array::from_fn(|r| parts[k][r] - (0..k).map(|c| z[c] * parts[c][r]).sum::<f64>())
        };
        let mut free: Vec<[f64; BLOCK]> = self.forward.chunks_exact(count).map(free).collect();
        self.factor.solve_backward(&mut free);
        let step: Vec<f64> = (0..matrix.vertices()).flat_map(|v| free[matrix.unknown(v) / BLOCK]).collect();
        step.iter().all(|s| s.is_finite()).then_some(step)
    }

    /// B^T A^-1 B is the square of L^-1 B: the border needs the forward half of the solve only.
    fn solve_forward(&mut self, matrix: &BlockMatrix, gradient: &[f64], border: &Border) {
        let (k, count) = (border.columns.len(), border.vectors());
        self.forward.clear();
        self.forward.resize(count * matrix.vertices(), [0.0; BLOCK]);
        let mut set = |column: usize, unknown: usize, value: f64| {
            let place = matrix.unknown(unknown / BLOCK) / BLOCK;
            self.forward[count * place + column][unknown % BLOCK] = value;
        };
        for (column, entries) in border.columns.iter().enumerate() {
            entries.iter().for_each(|(unknown, value)| set(column, *unknown, *value));
        }
        gradient.iter().enumerate().for_each(|(unknown, g)| set(k, unknown, -g));
        self.factor.solve_forward(&mut self.forward, count);
    }
}

/// The products of each of the first `used` of `count` vectors with each, above the diagonal. `x` holds block after block the
/// vectors' parts.
fn products(x: &[[f64; BLOCK]], used: usize, count: usize) -> DMatrix<f64> {
    let mut out = DMatrix::zeros(used, used);
    for parts in x.chunks_exact(count) {
        for (d, b) in parts[..used].iter().enumerate() {
            for (c, a) in parts[..=d].iter().enumerate() {
                out[(c, d)] += (0..BLOCK).map(|r| a[r] * b[r]).sum::<f64>();
            }
        }
    }
    out
}

/// Adds the pins and the springs along the slide rows to the assembled matrix.
pub(crate) fn add_springs(matrix: &mut BlockMatrix, border: &Border, constraints: &Constraints) {
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

/// Solves (D - G) z = -b with D = 1 on the pins, by eliminating the constraints first; none unless the inertia is the one
/// of a definite problem. Of `gram` only the part above the diagonal is read.
fn solve_border(gram: &DMatrix<f64>, free: &DVector<f64>, border: &Border) -> Option<DVector<f64>> {
    let (k, pins) = (free.len(), border.pins.len());
    let m = k - pins;
    let symmetric = DMatrix::from_fn(k, k, |c, d| gram[(c.min(d), c.max(d))]);
    let inner = Cholesky::new(symmetric.view((pins, pins), (m, m)).into_owned())?;
    let mixed = symmetric.view((pins, 0), (m, pins)).into_owned();
    let carried = inner.solve(&mixed);
    let outer = DMatrix::identity(pins, pins) - symmetric.view((0, 0), (pins, pins)) + mixed.transpose() * &carried;
    let outer = Cholesky::new(outer)?;
    let (free_pins, free_rows) = (free.rows(0, pins).into_owned(), free.rows(pins, m).into_owned());
    // Constraint rows: G_cy y + G_cc l = b_c.  Pin rows: (1 - G_yy) y - G_yc l = -b_y.
    let shifted = mixed.transpose() * inner.solve(&free_rows) - free_pins;
    let y = outer.solve(&shifted);
    let l = inner.solve(&(free_rows - mixed * &y));
    Some(DVector::from_iterator(k, y.iter().chain(l.iter()).copied()))
}
