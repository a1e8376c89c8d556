use super::super::order_of_points;
use super::*;
use nalgebra::{DMatrix, DVector, Vector3};

/// A sheet of `n` x `n` points closed on itself, each joined with the four around it, and a few chords: its pattern in the order of
/// elimination, its values, and its dense twin.
fn sheet(n: usize, weight: f64) -> (Vec<usize>, Vec<usize>, Vec<Matrix3<f64>>, DMatrix<f64>) {
    let points: Vec<Vector3<f64>> = (0..n * n).map(|k| Vector3::new((k / n) as f64, (k % n) as f64, 0.0)).collect();
    let mut edges: Vec<(usize, usize)> = (0..n * n)
        .flat_map(|k| [(k, (k + n) % (n * n)), (k, k / n * n + (k + 1) % n)])
        .chain([(0, n * n / 2 + 1), (3, 7 * n)])
        .filter(|(a, b)| a != b && (*a).max(*b) < n * n)
        .map(|(a, b)| (a.min(b), a.max(b)))
        .collect();
    edges.sort_unstable();
    edges.dedup();
    let place = order_of_points(&points, &edges);
    let mut entries: Vec<(usize, usize)> =
        edges.iter().map(|(a, b)| (place[*a].min(place[*b]), place[*a].max(place[*b]))).collect();
    entries.extend((0..n * n).map(|k| (k, k)));
    entries.sort_unstable();
    let starts = (0..=n * n).map(|c| entries.partition_point(|e| e.0 < c)).collect();
    let rows = entries.iter().map(|e| e.1).collect();
    let mut dense = DMatrix::zeros(3 * n * n, 3 * n * n);
    let mut values = Vec::new();
    for (k, (column, row)) in entries.iter().enumerate() {
        let mut block = Matrix3::from_fn(|r, c| ((5 * k + 3 * r + 7 * c) as f64).sin());
        if row == column {
            block = block + block.transpose() + Matrix3::identity() * weight;
        }
        dense.view_mut((3 * column, 3 * row), (3, 3)).copy_from(&block.transpose());
        dense.view_mut((3 * row, 3 * column), (3, 3)).copy_from(&block);
        values.push(block);
    }
    (starts, rows, values, dense)
}

#[test]
fn fronts_of_all_sizes_solve_the_dense_system() {
    for n in [1, 2, 3, 5, 12] {
        let (starts, rows, values, dense) = sheet(n, 20.0);
        let mut factor = FrontCholesky::new(Lower { starts: &starts, rows: &rows });
        assert!(n < 12 || factor.fronts.iter().any(|f| f.children.len() > 1), "remainders are added");
        assert!(factor.factorize(&values, 0.5));
        let shifted = dense + DMatrix::identity(3 * n * n, 3 * n * n) * 0.5;
        let b = DVector::from_fn(3 * n * n, |i, _| (i as f64).cos());
        let mut x: Vec<f64> = b.as_slice().to_vec();
        factor.solve(&mut x);
        let x = DVector::from_column_slice(&x);
        assert!((shifted * x - &b).norm() < 1e-12 * b.norm(), "{n} x {n}");
    }
}

#[test]
fn a_matrix_with_a_negative_direction_is_refused() {
    let (starts, rows, values, dense) = sheet(7, 3.0);
    let least = dense.symmetric_eigenvalues().min();
    assert!(least < 0.0);
    let mut factor = FrontCholesky::new(Lower { starts: &starts, rows: &rows });
    assert!(!factor.factorize(&values, 0.0));
    assert!(factor.factorize(&values, 1e-6 - least));
    assert!(!factor.factorize(&values, -1e-6 - least));
    assert!(!factor.factorize(&values, f64::NAN));
}
