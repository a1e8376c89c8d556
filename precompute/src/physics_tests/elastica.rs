//! A wavy yarn against Euler's elastica.
//!
//! A straight rod of length L per period that is pushed together to a period p becomes the elastica of modulus k with
//!
//!   p / L = 2 E(k) / K(k) - 1,   height = k L / K(k) from trough to crest,   energy = 32 B K (E - (1 - k^2) K) / L
//!
//! (four quarters of length L / 4; K and E are the complete elliptic integrals) [Love27, Chapter 19].

use super::*;

/// K(k) and E(k), by the arithmetic-geometric mean.
fn elliptic(k: f64) -> (f64, f64) {
    let (mut a, mut b, mut c) = (1.0, (1.0 - k * k).sqrt(), k);
    let (mut sum, mut power) = (0.5 * c * c, 1.0);
    // Twice as many digits each time.
    for _ in 0..8 {
        (a, b, c) = (0.5 * (a + b), (a * b).sqrt(), 0.5 * (a - b));
        sum += power * c * c;
        power *= 2.0;
    }
    let whole = PI / (2.0 * a);
    (whole, whole * (1.0 - sum))
}

#[test]
fn a_yarn_pushed_together_is_an_elastica() {
    let (length, period) = (0.05, 0.04);
    let soft = YarnMaterial { gamma: 1e-3, ..material() };
    let settle = |n: usize| {
        let wave = |i: usize| [period * i as f64 / n as f64, 0.0, 8e-3 * (TAU * i as f64 / n as f64).sin()];
        let mut data = pattern([period, 0.1], &[((0..n).map(wave).collect(), [1, 0])]).data().clone();
        data.vertices.iter_mut().for_each(|v| v.rest_length = length / n as f64);
        let cell = Cell::new(&Pattern::new(data).unwrap(), &soft).unwrap();
        let problem = planar(&cell, 0.0, 0.0, 0.0);
        // The wave is free to turn about its line: toward the end the matrix is nearly singular, and steps are short.
        let solved = solve(&problem, Start::Cold, &SolverSettings { tolerance: 1e-5, ..SolverSettings::default() });
        assert!(solved.converged, "{:e}", solved.residual);
        let state = problem.displaced_state(&solved.displacements);
        let height = |x: &Vector3<f64>| x.z;
        let low = state.position.iter().map(height).fold(f64::INFINITY, f64::min);
        let high = state.position.iter().map(height).fold(f64::NEG_INFINITY, nan_or_larger);
        (high - low, solved.energy.bend / cell.stiffness.bend)
    };
    let (mut low, mut high) = (0.0, 0.99);
    for _ in 0..60 {
        let k = 0.5 * (low + high);
        let (whole, second) = elliptic(k);
        *if 2.0 * second / whole - 1.0 > period / length { &mut low } else { &mut high } = k;
    }
    let (whole, second) = elliptic(low);
    let expected = (low * length / whole, 32.0 * whole * (second - (1.0 - low * low) * whole) / length);
    let error = |n: usize| {
        let found = settle(n);
        [(found.0 / expected.0 - 1.0).abs(), (found.1 / expected.1 - 1.0).abs()]
    };
    let (coarse, fine) = (error(32), error(64));
    assert!(fine.iter().all(|e| *e < 2e-3), "height and energy: {fine:?}");
    assert!(fine[1] < coarse[1] / 3.0, "second order: {coarse:?} {fine:?}");
}

/// Forces of a straight rod balance however hard it is pushed together, but not stably.
#[test]
fn a_search_from_a_neighbor_does_not_end_at_a_saddle() {
    let (n, length, period) = (32, 0.05, 0.04);
    let almost_straight = |i: usize| [period * i as f64 / n as f64, 0.0, 1e-14 * ((i * i) as f64).sin()];
    let mut data = pattern([period, 0.1], &[((0..n).map(almost_straight).collect(), [1, 0])]).data().clone();
    data.vertices.iter_mut().for_each(|v| v.rest_length = length / n as f64);
    let cell = Cell::new(&Pattern::new(data).unwrap(), &YarnMaterial { gamma: 1e-3, ..material() }).unwrap();
    let problem = planar(&cell, 0.0, 0.0, 0.0);
    let loose = SolverSettings { tolerance: 1e-2, ..SolverSettings::default() };
    let straight = solve(&problem, Start::Cold, &loose);
    assert!(straight.converged && straight.work.steps == 0, "the saddle is balanced: {:e}", straight.residual);
    let bent = solve(&problem, Start::From(&vec![[0.0; 4]; n].into()), &loose);
    assert!(
        bent.converged && bent.energy.total() < 0.1 * straight.energy.total(),
        "{:?} {:?}",
        bent.energy,
        straight.energy
    );
}

#[test]
fn elliptic_integrals_have_their_known_values() {
    let (whole, second) = elliptic(0.5f64.sqrt());
    assert!((whole - 1.854_074_677_301_372).abs() < 1e-14 && (second - 1.350_643_881_047_675_5).abs() < 1e-14);
}
