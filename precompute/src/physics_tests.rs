//! The physics of a whole cell, from rods to equilibrium, against closed forms, invariances and differences.

mod bent;
mod elastica;
mod sliding;
mod stress;

use crate::cell::Cell;
use crate::cell::energy::{Energy, Problem};
use crate::cell::state::State;
use crate::equilibrium::assembly::{Assembly, Gradient};
use crate::equilibrium::settings::SolverSettings;
use crate::equilibrium::{Start, solve};
use crate::relax::{Period, relax};
use nalgebra::Vector3;
use std::f64::consts::{PI, TAU};
use yarnwise_shared::pattern::material::YarnMaterial;
use yarnwise_shared::pattern::transport::orthonormalized;
use yarnwise_shared::pattern::{Edge, Pattern, PatternData, Vertex};
use yarnwise_shared::table::strain::Strain;

const RADIUS: f64 = 1e-3;

fn material() -> YarnMaterial {
    YarnMaterial { young: 1e5, shear: 4e4, gamma: 0.1, contact: 12.0 }
}

/// Yarns given by their points and the shift of their last edge; edges are at rest as drawn.
fn pattern(period: [f64; 2], yarns: &[(Vec<[f64; 3]>, [i32; 2])]) -> Pattern {
    let mut vertices = Vec::new();
    for (points, shift) in yarns {
        let first = vertices.len();
        for (i, p) in points.iter().enumerate() {
            let last = i + 1 == points.len();
            let (to, shift) = if last { (first, *shift) } else { (first + i + 1, [0, 0]) };
            let next = points[(i + 1) % points.len()];
            let offset = [f64::from(shift[0]) * period[0], f64::from(shift[1]) * period[1], 0.0];
            let edge: Vector3<f64> = Vector3::from_fn(|k, _| next[k] + offset[k] - p[k]);
            let across = orthonormalized(&Vector3::z(), &edge.normalize());
            vertices.push(Vertex {
                position: *p,
                twist: 0.0,
                edge: Edge { to: to as u32, shift },
                rest_length: edge.norm(),
                rest_curvature: [0.0; 2],
                rest_twist: 0.0,
                reference_director: across.into(),
                reference_twist: 0.0,
            });
        }
    }
    Pattern::new(PatternData { period, radius: RADIUS, vertices }).unwrap()
}

fn straight(n: usize, length: f64) -> Pattern {
    let points = (0..n).map(|i| [length * i as f64 / n as f64, 0.0, 0.0]).collect();
    pattern([length, 0.1], &[(points, [1, 0])])
}

/// A plain weave: two yarns each way, over and under.
fn plain_weave(n: usize) -> Pattern {
    let (spacing, height) = (4e-3, 0.9e-3);
    let period = 2.0 * spacing;
    let wave = |s: f64, phase: f64| height * (TAU * s / period + phase).cos();
    let along = |i: usize| period * i as f64 / n as f64;
    let mut yarns = Vec::new();
    for k in 0..2 {
        let (offset, phase) = (spacing * k as f64, PI * k as f64);
        yarns.push(((0..n).map(|i| [along(i), offset, wave(along(i), phase)]).collect(), [1, 0]));
    }
    for k in 0..2 {
        let (offset, phase) = (spacing * k as f64, PI * (k + 1) as f64);
        yarns.push(((0..n).map(|i| [offset, along(i), wave(along(i), phase)]).collect(), [0, 1]));
    }
    pattern([period, period], &yarns)
}

fn planar<'a>(cell: &'a Cell, sx: f64, sa: f64, sy: f64) -> Problem<'a> {
    Problem::planar(cell, Strain::new(sx, sa, sy))
}

/// The larger one; unlike `f64::max`, NaN if either is NaN, so that a comparison with the result fails.
pub(crate) fn nan_or_larger(a: f64, b: f64) -> f64 {
    if a.is_nan() || a > b { a } else { b }
}

fn energy(problem: &Problem, state: &State) -> Energy {
    problem.energy(state, &problem.pairs(&state.position, 0.0))
}

#[test]
fn a_straight_rod_stretches_like_a_spring() {
    let cell = Cell::new(&straight(7, 0.02), &material()).unwrap();
    for strain in [-0.05, 0.1, 0.4] {
        let problem = planar(&cell, strain, 0.0, 0.0);
        let e = energy(&problem, &problem.affine_state());
        let expected = 0.5 * cell.stiffness.stretch * strain * strain * 0.02;
        assert!((e.total() / expected - 1.0).abs() < 1e-12, "{e:?}");
    }
}

#[test]
fn a_ring_bends_like_a_circle() {
    let ring = |n: usize| {
        let points = (0..n).map(|i| (TAU * i as f64 / n as f64).sin_cos()).map(|(s, c)| [0.01 * c, 0.01 * s, 0.0]);
        let cell = Cell::new(&pattern([0.1, 0.1], &[(points.collect(), [0, 0])]), &material()).unwrap();
        let problem = planar(&cell, 0.0, 0.0, 0.0);
        energy(&problem, &problem.affine_state()).bend / (0.5 * cell.stiffness.bend * TAU / 0.01) - 1.0
    };
    let (coarse, fine) = (ring(20).abs(), ring(40).abs());
    assert!(fine < 0.01 && fine < coarse / 3.5, "second order: {coarse} {fine}");
}

#[test]
fn a_twisted_rod_costs_what_theory_says() {
    let mut data = straight(10, 0.02).data().clone();
    data.vertices.iter_mut().for_each(|v| v.rest_twist = 0.03);
    let cell = Cell::new(&Pattern::new(data).unwrap(), &material()).unwrap();
    let problem = planar(&cell, 0.0, 0.0, 0.0);
    let e = energy(&problem, &problem.affine_state());
    // 10 joints turned by 0.03 over 20 mm: 1/2 C (0.3 / 0.02)^2 0.02.
    let expected = 0.5 * cell.stiffness.twist * (0.3f64 / 0.02).powi(2) * 0.02;
    assert!((e.twist / expected - 1.0).abs() < 1e-12 && (e.total() - e.twist).abs() < 1e-20, "{e:?}");
}

#[test]
fn energy_does_not_see_translations_nor_which_copy_is_named() {
    let pattern = plain_weave(8);
    let cell = Cell::new(&pattern, &material()).unwrap();
    let problem = planar(&cell, 0.1, 0.2, -0.05);
    let state = problem.affine_state();
    let before = energy(&problem, &state);
    assert!(before.contact > 0.0);
    let mut shifted = state.clone();
    shifted.position.iter_mut().for_each(|x| *x += Vector3::new(1e-3, -3e-3, 7e-3));
    assert!((energy(&problem, &shifted).total() / before.total() - 1.0).abs() < 1e-10);

    let mut data = pattern.data().clone();
    data.vertices[3].position[0] += data.period[0];
    data.vertices[2].edge.shift = [-1, 0];
    data.vertices[3].edge.shift = [1, 0];
    let other = Cell::new(&Pattern::new(data).unwrap(), &material()).unwrap();
    let problem = planar(&other, 0.1, 0.2, -0.05);
    let renamed = energy(&problem, &problem.affine_state());
    assert!((renamed.total() / before.total() - 1.0).abs() < 1e-10);
}

#[test]
fn the_assembled_matrix_is_the_derivative_of_the_gradient() {
    let cell = Cell::new(&plain_weave(6), &material()).unwrap();
    assert_derivatives(&planar(&cell, 0.05, 0.2, -0.1));
}

/// A state with contact, off any symmetry: gradient and assembled matrix against differences of the energy.
fn assert_derivatives(problem: &Problem) {
    let cell = problem.cell;
    let mut state = problem.affine_state();
    let wobble = |i: usize, k: usize| 0.15 * RADIUS * ((3 * i + 5 * k) as f64).sin();
    let position = state.position.iter().enumerate().map(|(i, x)| x + Vector3::from_fn(|k, _| wobble(i, k))).collect();
    let twist = (0..state.twist.len()).map(|i| 0.2 * (i as f64).cos()).collect();
    state = state.moved(cell, &problem.links, position, twist);
    let pairs = problem.pairs(&state.position, 0.5 * RADIUS);
    let mut assembly = Assembly::new(problem, &pairs, &vec![true; pairs.pairs.len()]);
    let mut gradient = Gradient::default();
    assert!(assembly.assemble(problem, &state, &pairs, &mut gradient, &mut ()));
    let n = 4 * state.position.len();
    let direction: Vec<f64> = (0..n).map(|i| ((7 * i) as f64).sin()).collect();
    let along = |step: f64| {
        let position = state.position.iter().enumerate();
        let position = position.map(|(i, x)| x + Vector3::from_fn(|k, _| step * direction[4 * i + k])).collect();
        let twist = (0..state.twist.len()).map(|i| state.twist[i] + step * direction[4 * i + 3] / RADIUS).collect();
        energy(problem, &state.moved(cell, &problem.links, position, twist)).total()
    };
    let slope: f64 = gradient.total().iter().zip(&direction).map(|(g, d)| g * d).sum();
    let curvature = assembly.matrix.quadratic_form(&direction);
    assert!(slope.abs() > 1e-6 && curvature.abs() > 1e-3);
    for step in [1e-6, 4e-7] {
        let (up, down, here) = (along(step), along(-step), along(0.0));
        assert!(((up - down) / (2.0 * step) / slope - 1.0).abs() < 1e-3, "{step}");
        assert!(((up - 2.0 * here + down) / (step * step) / curvature - 1.0).abs() < 1e-2, "{step}");
    }
}

/// `tiles` copies of a pattern as one.
fn tiled(one: &Pattern, tiles: [i32; 2]) -> Pattern {
    let period = one.period();
    let n = one.vertices().len();
    let mut vertices = Vec::new();
    for copy in 0..tiles[0] * tiles[1] {
        let at = [copy % tiles[0], copy / tiles[0]];
        for v in one.vertices() {
            let mut v = *v;
            (0..2).for_each(|k| v.position[k] += period[k] * f64::from(at[k]));
            let to = [at[0] + v.edge.shift[0], at[1] + v.edge.shift[1]];
            let other = to[0].rem_euclid(tiles[0]) + tiles[0] * to[1].rem_euclid(tiles[1]);
            let shift = [to[0].div_euclid(tiles[0]), to[1].div_euclid(tiles[1])];
            v.edge = Edge { to: v.edge.to + (other as usize * n) as u32, shift };
            vertices.push(v);
        }
    }
    let period = [period[0] * f64::from(tiles[0]), period[1] * f64::from(tiles[1])];
    Pattern::new(PatternData { period, radius: one.radius(), vertices }).unwrap()
}

/// Two by two copies of a cell, stretched, have four times its energy.
#[test]
fn a_larger_cell_finds_the_same_state_in_tension() {
    let one = plain_weave(8);
    let settle = |pattern: &Pattern| {
        let cell = Cell::new(pattern, &material()).unwrap();
        solve(&planar(&cell, 0.2, 0.1, 0.1), Start::Cold, &SolverSettings::default())
    };
    let (small, large) = (settle(&one), settle(&tiled(&one, [2, 2])));
    assert!(small.converged && large.converged);
    assert!((large.energy.total() / small.energy.total() / 4.0 - 1.0).abs() < 1e-6, "{small:?} {large:?}");
}

#[test]
fn a_relaxed_pattern_stays_as_it_is() {
    for period in [Period::Fixed, Period::Free] {
        let relaxed = relax(&plain_weave(8), &material(), period, &SolverSettings::default()).unwrap();
        assert!(relaxed.is_sound(), "{period:?}: {:?}", relaxed.residual);
        assert!(relaxed.energy_after.total() < relaxed.energy_before.total());
        let cell = Cell::new(&relaxed.pattern, &material()).unwrap();
        let rest = solve(&planar(&cell, 0.0, 0.0, 0.0), Start::Cold, &SolverSettings::default());
        let moved = rest.displacements.iter().flatten().map(|d| d.abs()).fold(0.0, nan_or_larger);
        assert!(moved < 1e-9 * RADIUS, "{period:?}: {moved}");
        if period == Period::Free {
            let stretched = |sx, sy| solve(&planar(&cell, sx, 0.0, sy), Start::Cold, &SolverSettings::default());
            let least = rest.energy.total();
            for (sx, sy) in [(0.01, 0.0), (-0.01, 0.0), (0.0, 0.01), (0.0, -0.01)] {
                assert!(stretched(sx, sy).energy.total() > least, "{sx} {sy}");
            }
        }
    }
}
