use super::*;
use crate::newton::{Objective, PointMatrix};
use crate::spline::SplineSettings;
use nalgebra::DVector;
use std::sync::OnceLock;
use yarnwise_shared::pattern::material::YarnMaterial;
use yarnwise_shared::pattern::weave::{Draft, WeaveOptions, weave};
use yarnwise_shared::pattern::{VertexLine, pattern_of_vertices};
use yarnwise_shared::random::Random;

fn woven() -> YarnMaterial {
    YarnMaterial::preset("woven").unwrap()
}

fn plain() -> &'static SplineCell {
    static CELL: OnceLock<SplineCell> = OnceLock::new();
    CELL.get_or_init(|| {
        let pattern = weave(&Draft::preset("plain").unwrap(), &WeaveOptions::default()).unwrap();
        SplineCell::with_free_period(&pattern, &woven(), &SplineSettings::default()).unwrap()
    })
}

fn bend(axis: usize, curvature: f64) -> Bend {
    Bend { strain: Strain::new(0.0, 0.0, 0.0), axis, curvature }
}

fn density(cell: &SplineCell, state: &BentState) -> f64 {
    state.energy.total() / cell.area()
}

/// Straight yarns along x, as far apart as `spacing` (m).
fn free_yarns(spacing: f64) -> SplineCell {
    let positions = (0..8).map(|k| Vector3::new(k as f64 * spacing / 8.0, 0.5 * spacing, 0.0)).collect();
    let line = VertexLine { positions, rest_lengths: vec![spacing / 8.0; 8], shift: [1, 0] };
    let pattern = pattern_of_vertices([spacing; 2], 1e-3, &[line], "free yarns").unwrap();
    SplineCell::new(&pattern, &woven(), &SplineSettings::default()).unwrap()
}

#[test]
fn forces_and_stiffness_of_a_bent_cell_agree_with_differences_of_its_energy() {
    let cell = plain();
    let r = cell.yarns.radius;
    for axis in [0, 1] {
        let bend = Bend { strain: Strain::new(0.05, 0.1, 0.02), axis, curvature: 0.03 / r };
        let state = cell.solve_bent(&bend);
        let mut objective = BentObjective::new(cell, bend.deformation(cell.period, bend.curvature));
        objective.load = 1e-3;
        objective.refresh(&state.q);
        let mut random = Random::new(7);
        let mut shaken = |size: f64| -> Vec<Vector3<f64>> {
            state.q.iter().map(|_| Vector3::from_fn(|_, _| random.between([-size, size]))).collect()
        };
        let q: Vec<Vector3<f64>> = state.q.iter().zip(shaken(0.03 * r)).map(|(q, s)| q + s).collect();
        let d = shaken(1.0);
        objective.refresh(&q);
        let at = |s: f64| -> Vec<Vector3<f64>> { q.iter().zip(&d).map(|(q, d)| q + d * (s * 1e-6 * r)).collect() };
        let derivatives = |q: &[Vector3<f64>]| {
            let mut pairs = Vec::new();
            objective.couplings(&mut |a, b| pairs.push((a, b)));
            let mut matrix = PointMatrix::new(q, pairs.into_iter());
            let mut gradient = vec![Vector3::zeros(); q.len()];
            objective.derivatives(q, &mut gradient, &mut matrix);
            let flat: Vec<f64> = gradient.iter().flat_map(|g| g.iter().copied()).collect();
            (DVector::from_vec(flat), matrix)
        };
        let flat = DVector::from_iterator(3 * d.len(), d.iter().flat_map(|v| v.iter().copied()));
        let (gradient, matrix) = derivatives(&q);
        let slope = (objective.value(&at(1.0)) - objective.value(&at(-1.0))) / (2e-6 * r);
        let along = gradient.dot(&flat);
        assert!((slope - along).abs() < 1e-7 * along.abs(), "{slope} {along}");
        let product = matrix.dense() * &flat;
        let difference = (derivatives(&at(1.0)).0 - derivatives(&at(-1.0)).0) / (2e-6 * r);
        assert!(
            (&difference - &product).norm() < 1e-7 * product.norm(),
            "{}",
            (difference - &product).norm() / product.norm()
        );
    }
}

#[test]
fn yarns_that_touch_nothing_bend_as_beams() {
    let spacing = 8e-3;
    let cell = free_yarns(spacing);
    let expected = cell.yarns.stiffness.bend / spacing;
    for curvature in [5.0, 20.0, -20.0] {
        let state = cell.solve_bent(&bend(0, curvature));
        assert!(state.converged && state.stable, "{curvature}");
        let found = state.moment / curvature;
        assert!((found / expected - 1.0).abs() < 1e-4, "{curvature}: {found} instead of {expected}");
        let stored = 2.0 * density(&cell, &state) / (curvature * curvature);
        assert!((stored / expected - 1.0).abs() < 1e-4, "{curvature}: {stored} instead of {expected}");
    }
    // Along y nothing holds them at the height of the surface.
    assert!(!cell.solve_bent(&bend(1, 20.0)).stable);
}

#[test]
fn the_moment_is_the_slope_of_the_energies_of_equilibria() {
    let cell = plain();
    let (curvature, step) = (30.0, 0.5);
    for axis in [0, 1] {
        let [less, at, more] = [curvature - step, curvature, curvature + step].map(|c| cell.solve_bent(&bend(axis, c)));
        assert!(less.converged && at.converged && more.converged && at.stable);
        let slope = (density(cell, &more) - density(cell, &less)) / (2.0 * step);
        assert!((slope / at.moment - 1.0).abs() < 1e-3, "{slope} {}", at.moment);
    }
}

/// A plain weave is the same from both sides and along both axes, and is stiffer than its yarns of one family would be alone.
#[test]
fn plain_weave_bends_alike_to_both_sides_and_along_both_axes() {
    let cell = plain();
    let states = [(0, 20.0), (0, -20.0), (1, 20.0)].map(|(axis, c)| cell.solve_bent(&bend(axis, c)));
    let flat = cell.solve_bent(&bend(0, 0.0));
    assert!(flat.moment.abs() < 1e-3 * states[0].moment, "{}", flat.moment);
    let gained = states.each_ref().map(|s| density(cell, s) - density(cell, &flat));
    assert!(gained[0] > 0.0);
    for (state, gain) in states.iter().zip(gained) {
        assert!(state.converged && state.stable);
        assert!((gain / gained[0] - 1.0).abs() < 1e-4, "{gained:?}");
    }
    assert!((states[1].moment / states[0].moment + 1.0).abs() < 1e-4);
}
