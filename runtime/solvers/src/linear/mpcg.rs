//! The modified preconditioned conjugate gradient method with the Ascher-Boxerman corrections.
//!
//! [Boxerman03, Fig. 5.2]. Against Baraff and Witkin's original it starts from S x0 + (I − S) z, where x0 is the last
//! step's solution, and it measures progress against b̂ = S (b − A (I − S) z), the right-hand side of the projected
//! problem.

use super::vector::in_pieces;
use super::{Filter, Operator, Preconditioner, dot};

/// When to stop.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MpcgOptions {
    /// tol²: the solve ends when δ ≤ tol² b̂ᵀ P⁻¹ b̂.
    pub tolerance_squared: f64,
    /// Whether also rᵀ r ≤ tol² b̂ᵀ b̂ is asked for. The thesis's measure weighs stiff directions so little that the
    /// rigid motion of a taut sheet in its own plane may go unsolved: a tilted sheet would not fall straight down.
    pub plain_residual: bool,
    /// rᵀ r that is nothing but rounding in b: a solve that reaches it is done, however small b̂ is. A cloth that falls at
    /// its final speed has forces that cancel; what is left of them means nothing, and to solve for it blows it up.
    pub negligible: f64,
    /// The most iterations; a solve that needs more is reported as not converged.
    pub max_iterations: usize,
}

/// What a solve took.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct MpcgReport {
    /// Iterations.
    pub iterations: usize,
    /// Products of a row of A with a vector, the `RV count` of the thesis, those before the first iteration included: two, or
    /// one where nothing is prescribed but rest.
    pub row_products: u64,
    /// Whether the tolerance was met.
    pub converged: bool,
}

/// Solves S A x = S b, (I − S) x = (I − S) z.
///
/// On entry `x` is the guess x0, on return the solution; its prescribed part equals that of `z` exactly as far as
/// rounding lets it. An iteration is three passes over the vectors.
pub fn mpcg(
    a: &impl Operator,
    filter: &impl Filter,
    preconditioner: &impl Preconditioner,
    b: &[f64],
    z: &[f64],
    x: &mut [f64],
    options: &MpcgOptions,
) -> MpcgReport {
    let n = x.len();
    let mut memory = vec![0.0; 3 * n];
    let (r, rest) = memory.split_at_mut(n);
    let (p, s) = rest.split_at_mut(n);

    // b̂ = S (b − A (I − S) z), and the vector to start from.
    let [prescribed] = in_pieces([p, x], |first, [p, x]| {
        let z = &z[first..first + p.len()];
        filter.impose(first, p, z);
        filter.impose(first, x, z);
        [dot(p, p)]
    });
    // Where nothing is prescribed but rest, as on a pinned sheet, the product is known.
    let products_before = if prescribed == 0.0 { 1 } else { 2 };
    let [b_delta, b_plain] = in_pieces([r, s], |first, [r, s]| {
        if prescribed != 0.0 {
            a.apply(p, first, s);
        }
        subtract(&b[first..], s, r);
        filter.apply(first, r);
        preconditioner.apply_inverse(first, r, s);
        [dot(r, s), dot(r, r)]
    });
    let (goal, plain_goal) = (options.tolerance_squared * b_delta, options.tolerance_squared * b_plain);
    let unsolved = |delta: f64, plain: f64| {
        plain > options.negligible && (delta > goal || (options.plain_residual && plain > plain_goal))
    };

    let [mut delta, mut plain] = in_pieces([r, p, s], |first, [r, p, s]| {
        a.apply(x, first, s);
        subtract(&b[first..], s, r);
        filter.apply(first, r);
        preconditioner.apply_inverse(first, r, p);
        filter.apply(first, p);
        [dot(r, p), dot(r, r)]
    });

    let mut iterations = 0;
    // The comparison is written so that NaN ends the loop, as not converged.
    while unsolved(delta, plain) && iterations < options.max_iterations {
        let [curvature] = in_pieces([s], |first, [s]| {
            a.apply(p, first, s);
            filter.apply(first, s);
            [dot(&p[first..first + s.len()], s)]
        });
        // Not a number once the residual has reached rounding: x must not follow.
        if curvature.is_nan() || curvature <= 0.0 {
            break;
        }
        let alpha = delta / curvature;
        let delta_old = delta;
        // s becomes h = P⁻¹ r as soon as r has taken it in.
        [delta, plain] = in_pieces([x, r, s], |first, [x, r, s]| {
            for (((x, r), s), p) in x.iter_mut().zip(r.iter_mut()).zip(&*s).zip(&p[first..]) {
                *x += alpha * p;
                *r -= alpha * s;
            }
            preconditioner.apply_inverse(first, r, s);
            [dot(r, s), dot(r, r)]
        });
        let beta = delta / delta_old;
        in_pieces([p], |first, [p]| {
            for (p, h) in p.iter_mut().zip(&s[first..]) {
                *p = h + beta * *p;
            }
            filter.apply(first, p);
            []
        });
        iterations += 1;
    }
    MpcgReport {
        iterations,
        row_products: (iterations as u64 + products_before) * a.rows() as u64,
        converged: !delta.is_nan() && !unsolved(delta, plain),
    }
}

fn subtract(b: &[f64], s: &[f64], r: &mut [f64]) {
    for ((r, b), s) in r.iter_mut().zip(b).zip(s) {
        *r = b - s;
    }
}

#[cfg(test)]
mod tests {
    use super::super::*;
    use super::*;
    use nalgebra::{DMatrix, DVector, Vector3};

    struct Problem {
        matrix: BlockMatrix,
        dense: DMatrix<f64>,
        constraints: Vec<Constraint>,
        b: Vec<f64>,
        z: Vec<f64>,
    }

    /// Six particles in a ring with chords; one fixed, one on a line, one in a plane.
    fn problem() -> Problem {
        let n = 6;
        let direction = |k: usize| Vector3::new((k as f64).sin(), (2.0 * k as f64).cos(), 0.3 + k as f64).normalize();
        let pairs = [(0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (5, 0), (0, 3), (1, 4)];
        let connections: Vec<Connection> = pairs
            .iter()
            .enumerate()
            .map(|(k, (i, j))| Connection { i: *i, j: *j, block: AxialBlock::new(&direction(k), 40.0 + k as f64, 1.5) })
            .collect();
        let rows: Vec<Option<u32>> = (0..n as u32).map(Some).collect();
        let mut matrix = BlockMatrix::default();
        matrix.assemble((0..n).map(|i| 1.0 + 0.2 * i as f64), &connections, &rows);
        let mut dense = DMatrix::zeros(3 * n, 3 * n);
        for column in 0..3 * n {
            let mut e = vec![0.0; 3 * n];
            e[column] = 1.0;
            let mut y = vec![0.0; 3 * n];
            matrix.rows(0..n).apply(&e, 0, &mut y);
            dense.set_column(column, &DVector::from_vec(y));
        }
        let mut constraints = vec![Constraint::Free; n];
        constraints[1] = Constraint::Fixed;
        constraints[3] = Constraint::Plane(direction(9));
        constraints[4] = Constraint::Line(direction(4));
        let b = (0..3 * n).map(|i| (i as f64 * 1.3).sin()).collect();
        let z = (0..3 * n).map(|i| (i as f64 * 0.7).cos()).collect();
        Problem { matrix, dense, constraints, b, z }
    }

    fn solve(problem: &Problem, kind: PreconditionerKind) -> (Vec<f64>, MpcgReport) {
        let rows = problem.matrix.rows(0..problem.matrix.len());
        let p = BlockPreconditioner::new(kind, rows.diagonal(), &problem.constraints);
        let mut x = vec![0.1; problem.b.len()];
        let options =
            MpcgOptions { plain_residual: true, negligible: 0.0, tolerance_squared: 1e-26, max_iterations: 200 };
        let report = mpcg(&rows, &ParticleFilter(&problem.constraints), &p, &problem.b, &problem.z, &mut x, &options);
        (x, report)
    }

    /// (S A S + I − S) x = S (b − A (I − S) z) + (I − S) z, by dense LU.
    fn dense_solution(problem: &Problem) -> DVector<f64> {
        let n = problem.b.len();
        let mut s = DMatrix::zeros(n, n);
        for column in 0..n {
            let mut e = vec![0.0; n];
            e[column] = 1.0;
            ParticleFilter(&problem.constraints).apply(0, &mut e);
            s.set_column(column, &DVector::from_vec(e));
        }
        let identity = DMatrix::identity(n, n);
        let prescribed = (&identity - &s) * DVector::from_vec(problem.z.clone());
        let rhs = &s * (DVector::from_vec(problem.b.clone()) - &problem.dense * &prescribed) + &prescribed;
        (&s * &problem.dense * &s + identity - s).lu().solve(&rhs).unwrap()
    }

    #[test]
    fn every_preconditioner_reaches_the_dense_solution() {
        let mut problem = problem();
        for kind in [PreconditionerKind::None, PreconditionerKind::BlockDiagonal, PreconditionerKind::Constrained] {
            let (x, report) = solve(&problem, kind);
            let error = (DVector::from_vec(x) - dense_solution(&problem)).norm();
            assert!(report.converged && error < 1e-10, "{kind:?}: error {error}, {report:?}");
        }
        // Negative control: with another right-hand side the old solution is wrong.
        let expected = dense_solution(&problem);
        problem.b[0] += 0.1;
        let (x, _) = solve(&problem, PreconditionerKind::Constrained);
        assert!((DVector::from_vec(x) - expected).norm() > 1e-3);
    }

    #[test]
    fn prescribed_parts_are_kept() {
        let problem = problem();
        let (x, _) = solve(&problem, PreconditionerKind::Constrained);
        assert_eq!(x[3..6], problem.z[3..6]);
        let Constraint::Plane(xi) = problem.constraints[3] else { panic!() };
        let part = |v: &[f64]| xi.dot(&Vector3::new(v[9], v[10], v[11]));
        assert!((part(&x) - part(&problem.z)).abs() < 1e-12);
    }

    #[test]
    fn too_few_iterations_are_reported() {
        let problem = problem();
        let rows = problem.matrix.rows(0..problem.matrix.len());
        let p = BlockPreconditioner::default();
        let mut x = vec![0.0; problem.b.len()];
        let options =
            MpcgOptions { plain_residual: true, negligible: 0.0, tolerance_squared: 1e-26, max_iterations: 2 };
        let report = mpcg(&rows, &ParticleFilter(&problem.constraints), &p, &problem.b, &problem.z, &mut x, &options);
        assert_eq!((report.iterations, report.converged, report.row_products), (2, false, 24));
    }

    #[test]
    fn a_particle_alone_takes_one_iteration_with_its_block() {
        let mut matrix = BlockMatrix::default();
        matrix.assemble([2.0].into_iter(), &[], &[Some(0)]);
        let rows = matrix.rows(0..1);
        let constraints = [Constraint::Plane(Vector3::x())];
        let p = BlockPreconditioner::new(PreconditionerKind::Constrained, rows.diagonal(), &constraints);
        let mut x = vec![0.0; 3];
        let options =
            MpcgOptions { plain_residual: false, negligible: 0.0, tolerance_squared: 1e-20, max_iterations: 10 };
        let report =
            mpcg(&rows, &ParticleFilter(&constraints), &p, &[2.0, 4.0, 6.0], &[7.0, 0.0, 0.0], &mut x, &options);
        assert!(report.iterations <= 1 && report.converged);
        assert_eq!(x, [7.0, 2.0, 3.0]);
    }
}
