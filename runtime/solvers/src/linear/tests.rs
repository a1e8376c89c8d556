//! The methods against dense solves: piecewise parts, parts that need whole vectors, and mixtures of both.

use super::*;
use nalgebra::{DMatrix, DVector, Matrix3, SMatrix, Vector3};

/// A dense matrix as an operator that takes whole vectors only.
struct Dense<'a> {
    matrix: &'a DMatrix<f64>,
    entries_per_node: usize,
}

impl Operator for Dense<'_> {
    fn rows(&self) -> usize {
        self.matrix.nrows() / self.entries_per_node
    }

    fn apply(&self, x: &[f64], y: &mut [f64]) {
        y.copy_from_slice((self.matrix * DVector::from_column_slice(x)).as_slice());
    }
}

/// The same by pieces.
struct DensePieces<'a>(Dense<'a>);

impl PiecewiseOperator for DensePieces<'_> {
    fn rows(&self) -> usize {
        Operator::rows(&self.0)
    }

    fn apply_piece(&self, x: &[f64], first: usize, y: &mut [f64]) {
        let rows = self.0.matrix.rows(first, y.len());
        y.copy_from_slice((rows * DVector::from_column_slice(x)).as_slice());
    }
}

fn rule(max_iterations: usize) -> StoppingRule {
    StoppingRule { plain_residual: true, negligible: 0.0, tolerance_squared: 1e-26, max_iterations }
}

fn waves(n: usize, frequency: f64) -> DVector<f64> {
    DVector::from_fn(n, |i, _| (i as f64 * frequency).sin())
}

fn dense_of(n: usize, apply: impl Fn(&mut [f64])) -> DMatrix<f64> {
    let mut matrix = DMatrix::identity(n, n);
    matrix.column_iter_mut().for_each(|mut column| apply(column.as_mut_slice()));
    matrix
}

/// (S A S + I − S) x = S (b − A (I − S) z) + (I − S) z, by dense LU.
fn dense_solution(a: &DMatrix<f64>, s: &DMatrix<f64>, b: &DVector<f64>, z: &DVector<f64>) -> DVector<f64> {
    let identity = DMatrix::identity(a.nrows(), a.nrows());
    let prescribed = (&identity - s) * z;
    let rhs = s * (b - a * &prescribed) + &prescribed;
    (s * a * s + identity - s).lu().solve(&rhs).unwrap()
}

/// Six points in a ring with chords; one fixed, one on a line, one in a plane.
struct Ring {
    a: DMatrix<f64>,
    constraints: Vec<Constraint>,
    b: DVector<f64>,
    z: DVector<f64>,
}

fn direction(k: usize) -> Vector3<f64> {
    Vector3::new((k as f64).sin(), (2.0 * k as f64).cos(), 0.3 + k as f64).normalize()
}

fn ring() -> Ring {
    let n = 6;
    let mut a = DMatrix::from_fn(3 * n, 3 * n, |i, j| if i == j { 1.0 + 0.2 * (i / 3) as f64 } else { 0.0 });
    let pairs = [(0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (5, 0), (0, 3), (1, 4)];
    for (k, (i, j)) in pairs.into_iter().enumerate() {
        let d = direction(k);
        let block = d * d.transpose() * (38.5 + k as f64) + Matrix3::identity() * 1.5;
        for (row, column, sign) in [(i, i, 1.0), (j, j, 1.0), (i, j, -1.0), (j, i, -1.0)] {
            let mut part = a.fixed_view_mut::<3, 3>(3 * row, 3 * column);
            part += block * sign;
        }
    }
    let mut constraints = vec![Constraint::Free; n];
    constraints[1] = Constraint::Fixed;
    constraints[3] = Constraint::Plane(direction(9));
    constraints[4] = Constraint::Line(direction(4));
    let z = DVector::from_fn(3 * n, |i, _| (i as f64 * 0.7).cos());
    Ring { a, constraints, b: waves(3 * n, 1.3), z }
}

impl Ring {
    fn filter(&self) -> BlockFilter<'_, Constraint, 3> {
        BlockFilter(&self.constraints)
    }

    fn preconditioner(&self, kind: PreconditionerKind) -> BlockDiagonal<Sym3, 3> {
        let block = |i: usize| Sym3::from_matrix(&self.a.fixed_view::<3, 3>(3 * i, 3 * i).into());
        let diagonal: Vec<Sym3> = (0..self.constraints.len()).map(block).collect();
        BlockDiagonal::new(kind, &diagonal, &self.constraints)
    }

    fn operator(&self) -> DensePieces<'_> {
        DensePieces(Dense { matrix: &self.a, entries_per_node: 3 })
    }

    fn solve(&self, kind: PreconditionerKind, most: usize) -> (DVector<f64>, SolveReport) {
        let mut x = DVector::repeat(self.b.len(), 0.1);
        let (b, z) = (self.b.as_slice(), self.z.as_slice());
        let p = self.preconditioner(kind);
        let report = mpcg(&self.operator(), &self.filter(), &p, b, z, x.as_mut_slice(), &rule(most));
        (x, report)
    }

    fn dense_solution(&self) -> DVector<f64> {
        let s = dense_of(self.b.len(), |e| Filter::apply(&self.filter(), e));
        dense_solution(&self.a, &s, &self.b, &self.z)
    }
}

const KINDS: [PreconditionerKind; 3] =
    [PreconditionerKind::None, PreconditionerKind::BlockDiagonal, PreconditionerKind::Constrained];

#[test]
fn every_preconditioner_reaches_the_dense_solution() {
    let mut ring = ring();
    for kind in KINDS {
        let (x, report) = ring.solve(kind, 200);
        let error = (x - ring.dense_solution()).norm();
        assert!(report.converged && error < 1e-10, "{kind:?}: error {error}, {report:?}");
    }
    // Negative control: with another right-hand side the old solution is wrong.
    let expected = ring.dense_solution();
    ring.b[0] += 0.1;
    let (x, _) = ring.solve(PreconditionerKind::Constrained, 200);
    assert!((x - expected).norm() > 1e-3);
}

#[test]
fn prescribed_parts_are_kept() {
    let ring = ring();
    let (x, _) = ring.solve(PreconditionerKind::Constrained, 200);
    assert_eq!(x.rows(3, 3), ring.z.rows(3, 3));
    let Constraint::Plane(xi) = ring.constraints[3] else { panic!() };
    let part = |v: &DVector<f64>| xi.dot(&v.fixed_rows::<3>(9));
    assert!((part(&x) - part(&ring.z)).abs() < 1e-12);
}

#[test]
fn too_few_iterations_are_reported() {
    let (_, report) = ring().solve(PreconditionerKind::None, 2);
    assert_eq!((report.iterations, report.converged, report.row_products), (2, false, 24));
}

#[test]
fn a_node_alone_takes_one_iteration_with_its_block() {
    let a = DMatrix::identity(3, 3) * 2.0;
    let constraints = [Constraint::Plane(Vector3::x())];
    let p = BlockDiagonal::new(PreconditionerKind::Constrained, &[Sym3::scaled_identity(2.0)], &constraints);
    let (a, filter) = (Dense { matrix: &a, entries_per_node: 3 }, BlockFilter::<_, 3>(&constraints));
    let mut x = [0.0; 3];
    let rule = StoppingRule { plain_residual: false, tolerance_squared: 1e-20, ..rule(10) };
    let report = mpcg(&a, &filter, &p, &[2.0, 4.0, 6.0], &[7.0, 0.0, 0.0], &mut x, &rule);
    assert!(report.iterations <= 1 && report.converged);
    assert_eq!(x, [7.0, 2.0, 3.0]);
}

#[test]
fn parts_that_hide_their_pieces_change_no_bit() {
    struct Hidden<T>(T);
    impl<T: PiecewiseOperator> Operator for Hidden<T> {
        fn rows(&self) -> usize {
            PiecewiseOperator::rows(&self.0)
        }
        fn apply(&self, x: &[f64], y: &mut [f64]) {
            Operator::apply(&self.0, x, y);
        }
    }
    impl<T: PiecewiseFilter> Filter for Hidden<T> {
        fn apply(&self, v: &mut [f64]) {
            Filter::apply(&self.0, v);
        }
    }
    impl<T: PiecewisePreconditioner> Preconditioner for Hidden<T> {
        fn apply_inverse(&self, r: &[f64], h: &mut [f64]) {
            Preconditioner::apply_inverse(&self.0, r, h);
        }
    }
    /// Neighbors joined by springs of unit stiffness.
    #[derive(Clone, Copy)]
    struct Chain(usize);
    impl PiecewiseOperator for Chain {
        fn rows(&self) -> usize {
            self.0 / 3
        }
        fn apply_piece(&self, x: &[f64], first: usize, y: &mut [f64]) {
            for (i, y) in (first..).zip(y) {
                let at = |i: usize| x.get(i).copied().unwrap_or(0.0);
                *y = 2.1 * at(i) - at(i + 1) - at(i.wrapping_sub(1));
            }
        }
    }
    // Above the length from which pieces are shared among threads.
    let n = 5 * PIECE + 45;
    let constraints: Vec<Constraint> =
        (0..n / 3).map(|i| if i % 7 == 0 { Constraint::Plane(direction(i)) } else { Constraint::Free }).collect();
    let blocks = vec![Sym3::scaled_identity(2.1); n / 3];
    let (b, z) = (waves(n, 0.37), waves(n, 0.01));
    let filter = || BlockFilter::<_, 3>(&constraints);
    let blocks = || BlockDiagonal::new(PreconditionerKind::Constrained, &blocks, &constraints);
    let solve = |a: &dyn Operator, filter: &dyn Filter, p: &dyn Preconditioner| {
        let mut x = vec![0.0; n];
        let report = mpcg(a, filter, p, b.as_slice(), z.as_slice(), &mut x, &rule(25));
        assert!(report.iterations > 10);
        x
    };
    let fused = solve(&Chain(n), &filter(), &blocks());
    assert_eq!(fused, solve(&Hidden(Chain(n)), &Hidden(filter()), &Hidden(blocks())));
    assert_eq!(fused, solve(&Chain(n), &Hidden(filter()), &blocks()));
    assert_eq!(fused, solve(&Hidden(Chain(n)), &filter(), &Hidden(blocks())));
    // Negative control: another filter is seen.
    assert_ne!(fused, solve(&Chain(n), &Unfiltered, &blocks()));
}

/// The filter of enriched kinematics, F = I − B (Bᵀ B)⁻¹ Bᵀ: each entry depends on all [Casafranca20, Eq. 3].
struct Coupling {
    b: DMatrix<f64>,
    inverse: DMatrix<f64>,
}

impl Coupling {
    fn new(b: DMatrix<f64>) -> Self {
        let inverse = (b.transpose() * &b).try_inverse().unwrap();
        Coupling { b, inverse }
    }
}

impl Filter for Coupling {
    fn apply(&self, v: &mut [f64]) {
        let coarse = &self.inverse * self.b.tr_mul(&DVector::from_column_slice(v));
        let out = &self.b * coarse;
        v.iter_mut().zip(out.iter()).for_each(|(v, o)| *v -= o);
    }
}

/// (D + U Uᵀ)⁻¹ by Woodbury's identity: a diagonal and a correction of low rank.
struct LowRank {
    diagonal: DVector<f64>,
    u: DMatrix<f64>,
    small: DMatrix<f64>,
}

impl LowRank {
    fn new(diagonal: DVector<f64>, u: DMatrix<f64>) -> Self {
        let scaled = DMatrix::from_diagonal(&diagonal.map(f64::recip)) * &u;
        let small = (DMatrix::identity(u.ncols(), u.ncols()) + u.tr_mul(&scaled)).try_inverse().unwrap();
        LowRank { diagonal, u, small }
    }
}

impl Preconditioner for LowRank {
    fn apply_inverse(&self, r: &[f64], h: &mut [f64]) {
        let scaled = DVector::from_column_slice(r).component_div(&self.diagonal);
        let correction = &self.u * (&self.small * self.u.tr_mul(&scaled));
        h.copy_from_slice((scaled - correction.component_div(&self.diagonal)).as_slice());
    }
}

/// A stiff low-rank part over a soft tridiagonal matrix, and the parts of a filtered problem with it.
fn enriched() -> (DMatrix<f64>, Coupling, LowRank) {
    let n = 60;
    let diagonal = DVector::from_fn(n, |i, _| 1.0 + 30.0 * (i % 7) as f64);
    let u = DMatrix::from_fn(n, 5, |i, j| 40.0 * ((i * (j + 1)) as f64 * 0.3 + j as f64).sin());
    let mut a = &u * u.transpose() + DMatrix::from_diagonal(&diagonal);
    for i in 1..n {
        a[(i, i - 1)] -= 0.3;
        a[(i - 1, i)] -= 0.3;
    }
    let hats = DMatrix::from_fn(n, 6, |i, j| (1.0 - (i as f64 / 10.0 - j as f64 - 0.4).abs()).max(0.0));
    (a, Coupling::new(hats), LowRank::new(diagonal, u))
}

#[test]
fn whole_vector_parts_reach_the_dense_solution() {
    let (a, filter, low_rank) = enriched();
    let n = a.nrows();
    let (b, z) = (waves(n, 1.1), waves(n, 0.2));
    let solve = |filter: &dyn Filter, p: &dyn Preconditioner| {
        let mut x = DVector::zeros(n);
        let operator = Dense { matrix: &a, entries_per_node: 5 };
        let report = mpcg(&operator, filter, p, b.as_slice(), z.as_slice(), x.as_mut_slice(), &rule(1000));
        assert!(report.converged, "{report:?}");
        (x, report.iterations)
    };
    let s = dense_of(n, |e| filter.apply(e));
    assert!((&s * &s - &s).norm() < 1e-12, "the filter is not a projection");
    let expected = dense_solution(&a, &s, &b, &z);
    let (x, iterations) = solve(&filter, &low_rank);
    assert!((&x - &expected).norm() < 1e-9 * expected.norm(), "{}", (&x - &expected).norm());
    let (plain, plain_iterations) = solve(&filter, &Unpreconditioned);
    assert!((&plain - &expected).norm() < 1e-6 * expected.norm());
    assert!(2 * iterations < plain_iterations, "{iterations} iterations with it, {plain_iterations} without");
    // Negative control: a filter with one changed entry has another solution, and the comparison sees it.
    let mut hats = filter.b.clone();
    hats[(7, 0)] += 0.1;
    let (other, _) = solve(&Coupling::new(hats), &low_rank);
    assert!((other - &expected).norm() > 1e-4 * expected.norm());
}

#[test]
fn conjugate_gradients_take_a_function_and_nodes_of_five_entries() {
    let n = 20;
    let mut a = DMatrix::from_fn(5 * n, 5 * n, |i, j| if i / 5 == j / 5 { 0.4 } else { 0.0 });
    for i in 0..5 * n {
        a[(i, i)] += 3.0 + (i % 5) as f64 * 50.0;
        if i >= 5 {
            a[(i, i - 5)] = -1.0;
            a[(i - 5, i)] = -1.0;
        }
    }
    let operator = MatrixFree {
        rows: n,
        product: |x: &[f64], y: &mut [f64]| y.copy_from_slice((&a * DVector::from_column_slice(x)).as_slice()),
    };
    let inverse = |i: usize| a.fixed_view::<5, 5>(5 * i, 5 * i).clone_owned().try_inverse().unwrap();
    let blocks = BlockDiagonal::<SMatrix<f64, 5, 5>, 5>::from_inverses((0..n).map(inverse).collect());
    let mut b = waves(5 * n, 0.9);
    let expected = a.clone().lu().solve(&b).unwrap();
    let solve = |b: &DVector<f64>, p: &dyn Preconditioner| {
        let mut x = DVector::zeros(5 * n);
        let report = conjugate_gradients(&operator, p, b.as_slice(), x.as_mut_slice(), &rule(500));
        assert!(report.converged, "{report:?}");
        (x, report)
    };
    let (x, report) = solve(&b, &blocks);
    assert!((&x - &expected).norm() < 1e-11);
    assert_eq!(report.row_products, (report.iterations as u64 + 1) * n as u64);
    let (mut r, mut rested) = (b.clone(), DVector::zeros(5 * n));
    let from_rest =
        mpcg_from_rest(&operator, &Unfiltered, &blocks, r.as_mut_slice(), rested.as_mut_slice(), &rule(500));
    assert_eq!(from_rest.row_products, from_rest.iterations as u64 * n as u64);
    assert_eq!((rested, from_rest.iterations), (x, report.iterations), "the same bits");
    assert!(r.norm() < 1e-9 * b.norm() && r.norm() > 0.0);
    assert!(report.iterations < solve(&b, &Unpreconditioned).1.iterations);
    // Negative control.
    b[50] += 1e-3;
    assert!((solve(&b, &blocks).0 - expected).norm() > 1e-6);
}

#[test]
fn a_non_finite_right_hand_side_is_not_converged() {
    let a = DMatrix::identity(3, 3);
    let mut x = [0.0; 3];
    let operator = Dense { matrix: &a, entries_per_node: 3 };
    let report = conjugate_gradients(&operator, &Unpreconditioned, &[1.0, f64::NAN, 0.0], &mut x, &rule(10));
    assert!(!report.converged);
}
