use super::*;
use nalgebra::{DMatrix, DVector, Matrix4};

/// A ring with chords, diagonally dominant but for `weight`, beside its dense twin in the order of elimination.
fn example(weight: f64) -> (BlockMatrix, DMatrix<f64>) {
    let pairs = [(0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (5, 0), (1, 4), (0, 6), (6, 3)];
    let mut matrix = BlockMatrix::new(7, pairs.into_iter());
    let mut dense = DMatrix::zeros(28, 28);
    let entry = |i: usize, j: usize| ((3 * i + 5 * j) as f64).sin();
    for (n, (i, j)) in pairs.into_iter().chain((0..7).map(|i| (i, i))).enumerate() {
        let slot = matrix.slot(i, j).unwrap();
        let (a, b) = (matrix.unknown(i), matrix.unknown(j));
        let mut block = Matrix4::from_fn(|r, c| entry(7 * n + r, c));
        if i == j {
            block = block + block.transpose() + Matrix4::identity() * weight;
            matrix.add_diagonal(slot, &block);
        } else {
            matrix.add_mixed(slot, i, j, &block);
            dense.view_mut((b, a), (4, 4)).copy_from(&block.transpose());
        }
        dense.view_mut((a, b), (4, 4)).copy_from(&block);
    }
    (matrix, dense)
}

#[test]
fn the_factor_solves_the_dense_system() {
    let (matrix, dense) = example(20.0);
    let mut factor = BlockCholesky::new(&matrix);
    assert!(factor.factorize(&matrix, [1.0, 1.0, 1.0, 0.5]));
    let shifted = dense + DMatrix::from_diagonal(&DVector::from_fn(28, |i, _| if i % 4 == 3 { 0.5 } else { 1.0 }));
    let b = DVector::from_fn(28, |i, _| (i as f64).cos());
    let mut x: Vec<[f64; 4]> = b.as_slice().chunks_exact(4).map(|c| [c[0], c[1], c[2], c[3]]).collect();
    let mut padded: Vec<[f64; 4]> = x.iter().flat_map(|x| [[0.0; 4], *x, [0.0; 4], x.map(|x| 2.0 * x)]).collect();
    factor.solve_forward(&mut padded, VECTORS);
    assert!(padded.iter().step_by(2).all(|x| *x == [0.0; 4]));
    assert!(padded.chunks_exact(4).all(|x| x[3] == x[1].map(|x| 2.0 * x)));
    x = padded.chunks_exact(4).map(|x| x[1]).collect();
    factor.solve_backward(&mut x);
    let x = DVector::from_column_slice(x.as_flattened());
    assert!((shifted * x - &b).norm() < 1e-12 * b.norm());
}

/// Many small panels, wide ones, and zeros that are stored: a strip of squares whose ends are joined, and a few chords.
#[test]
fn a_factor_of_many_panels_solves_the_dense_system() {
    let n = 90;
    let ring = (0..n).flat_map(|i| [(i, (i + 1) % n), (i, (i + 7) % n), (i, (i + 8) % n)]);
    let pairs: Vec<(usize, usize)> = ring.chain([(0, 44), (13, 60), (20, 71)]).collect();
    let mut matrix = BlockMatrix::new(n, pairs.iter().copied());
    let mut dense = DMatrix::zeros(4 * n, 4 * n);
    for (k, (i, j)) in pairs.iter().copied().chain((0..n).map(|i| (i, i))).enumerate() {
        let slot = matrix.slot(i, j).unwrap();
        let (a, b) = (matrix.unknown(i), matrix.unknown(j));
        let block = Matrix4::from_fn(|r, c| ((5 * k + 3 * r + 7 * c) as f64).sin());
        if i == j {
            let block = block + block.transpose() + Matrix4::identity() * 30.0;
            matrix.add_diagonal(slot, &block);
            dense.view_mut((a, b), (4, 4)).copy_from(&block);
        } else {
            matrix.add_mixed(slot, i, j, &block);
            dense.view_mut((a, b), (4, 4)).copy_from(&block);
            dense.view_mut((b, a), (4, 4)).copy_from(&block.transpose());
        }
    }
    let mut factor = BlockCholesky::new(&matrix);
    let widths = || factor.panels.iter().map(|p| p.width);
    assert!(widths().count() > 10 && widths().max() > Some(4) && widths().min() == Some(1));
    assert!(factor.factorize(&matrix, [0.0; 4]));
    let b = DVector::from_fn(4 * n, |i, _| (i as f64).cos());
    let mut x: Vec<[f64; 4]> = Vec::new();
    b.as_slice().chunks_exact(4).for_each(|c| x.extend([[c[0], c[1], c[2], c[3]], [0.0; 4], [0.0; 4], [0.0; 4]]));
    factor.solve_forward(&mut x, VECTORS);
    let mut x: Vec<[f64; 4]> = x.chunks_exact(VECTORS).map(|x| x[0]).collect();
    factor.solve_backward(&mut x);
    let x = DVector::from_column_slice(x.as_flattened());
    assert!((&dense * x - &b).norm() < 1e-12 * b.norm());
}

#[test]
fn a_matrix_with_a_negative_direction_is_refused() {
    let (matrix, dense) = example(3.0);
    assert!(dense.clone().cholesky().is_none());
    assert!(!BlockCholesky::new(&matrix).factorize(&matrix, [0.0; 4]));
    let least = dense.symmetric_eigenvalues().min();
    assert!(BlockCholesky::new(&matrix).factorize(&matrix, [1e-6 - least; 4]));
    assert!(!BlockCholesky::new(&matrix).factorize(&matrix, [-1e-6 - least; 4]));
    assert!(!BlockCholesky::new(&matrix).factorize(&matrix, [f64::NAN; 4]));
}
