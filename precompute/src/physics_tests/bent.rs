//! Bent cells: cylinders, their rigid motions, and what bending costs.

use super::*;
use crate::equilibrium::Solved;
use nalgebra::{Rotation3, Unit};
use yarnwise_shared::pattern::knit::{KnitChart, KnitOptions, knit};

const X: [f64; 2] = [1.0, 0.0];
const Y: [f64; 2] = [0.0, 1.0];

fn bent<'a>(cell: &'a Cell, strain: [f64; 3], direction: [f64; 2], lambda: f64) -> Problem<'a> {
    let [sx, sa, sy] = strain;
    Problem::bent(cell, Strain::new(sx, sa, sy), direction, lambda)
}

fn settle(problem: &Problem) -> Solved {
    let solved = solve(problem, Start::Cold, &SolverSettings::default());
    assert!(solved.is_sound(), "{:e} {:?}", solved.residual, solved.work);
    solved
}

/// Stockinette is not its own mirror image: it curls.
fn stockinette() -> Pattern {
    let chart = KnitChart::preset("stockinette").unwrap();
    knit(&chart, &KnitOptions::default()).unwrap()
}

fn soft() -> YarnMaterial {
    YarnMaterial::preset("knit").unwrap()
}

#[test]
fn a_straight_yarn_lies_on_the_cylinder_and_bends_like_a_beam() {
    let lambda = 40.0;
    let excess = |n: usize| {
        let cell = Cell::new(&straight(n, 0.02), &material()).unwrap();
        let problem = bent(&cell, [0.0; 3], X, lambda);
        let solved = settle(&problem);
        let state = problem.displaced_state(&solved.displacements);
        for x in &state.position {
            assert!((x.x.hypot(x.z - 1.0 / lambda) * lambda - 1.0).abs() < 1e-6, "{x}");
        }
        energy(&problem, &problem.affine_state()).bend / (0.5 * cell.stiffness.bend * lambda * lambda * 0.02) - 1.0
    };
    let (coarse, fine) = (excess(8).abs(), excess(16).abs());
    assert!(fine < 2e-3 && fine < coarse / 3.5, "second order: {coarse} {fine}");
    // Along the axis it stays straight.
    let cell = Cell::new(&straight(8, 0.02), &material()).unwrap();
    let across = bent(&cell, [0.0; 3], Y, lambda);
    assert!(energy(&across, &across.affine_state()).total() < 1e-25);
}

#[test]
fn energy_does_not_see_the_rigid_motions_of_the_cylinder_nor_which_copy_is_named() {
    let pattern = plain_weave(8);
    let cell = Cell::new(&pattern, &material()).unwrap();
    let (strain, lambda) = ([0.1, 0.2, -0.05], -60.0);
    let problem = bent(&cell, strain, X, lambda);
    let state = problem.affine_state();
    let before = energy(&problem, &state).total();
    let deformation = &problem.deformation;
    // The axis runs through the center of curvature above the origin, along the image of X2.
    let along = Unit::new_normalize(deformation.map(&Vector3::y()));
    let center = Vector3::z() / deformation.curvature();
    let turn = Rotation3::from_axis_angle(&along, 0.3);
    let mut moved = state.clone();
    moved.position.iter_mut().for_each(|x| *x = turn * (*x - center) + center + along.into_inner() * 2e-3);
    moved.frames.director.iter_mut().for_each(|d| *d = turn * *d);
    moved.frames.tangent.iter_mut().for_each(|t| *t = turn * *t);
    assert!((energy(&problem, &moved).total() / before - 1.0).abs() < 1e-9);
    // Toward the axis the fabric is squeezed: that is no symmetry.
    let mut nearer = state.clone();
    nearer.position.iter_mut().for_each(|x| *x += (center - *x) * 0.05);
    assert!((energy(&problem, &nearer).total() / before - 1.0).abs() > 1e-3);

    let mut data = pattern.data().clone();
    data.vertices[3].position[0] += data.period[0];
    data.vertices[2].edge.shift = [-1, 0];
    data.vertices[3].edge.shift = [1, 0];
    let other = Cell::new(&Pattern::new(data).unwrap(), &material()).unwrap();
    let renamed = bent(&other, strain, X, lambda);
    assert!((energy(&renamed, &renamed.affine_state()).total() / before - 1.0).abs() < 1e-9);
    let (a, b) = (settle(&problem), settle(&renamed));
    assert!((b.energy.total() / a.energy.total() - 1.0).abs() < 1e-6, "the constraints do not see it either");
}

#[test]
fn the_assembled_matrix_is_the_derivative_of_the_gradient_when_bent() {
    let cell = Cell::new(&plain_weave(6), &material()).unwrap();
    assert_derivatives(&bent(&cell, [0.05, 0.2, -0.1], [0.6, 0.8], 70.0));
}

/// Two cells in a row, bent, have twice the energy of one: copies lie where the fabric continues.
#[test]
fn a_larger_cell_finds_the_same_bent_state() {
    let one = plain_weave(8);
    for direction in [X, Y] {
        let energy = |pattern: &Pattern| {
            let cell = Cell::new(pattern, &material()).unwrap();
            settle(&bent(&cell, [0.1, 0.1, 0.05], direction, 50.0)).energy.total()
        };
        let ratio = energy(&tiled(&one, [2, 1])) / energy(&one);
        assert!((ratio / 2.0 - 1.0).abs() < 1e-6, "{direction:?}: {ratio}");
    }
}

#[test]
fn without_curvature_nothing_changes() {
    let cell = Cell::new(&plain_weave(8), &material()).unwrap();
    let flat = settle(&planar(&cell, 0.1, 0.2, 0.0));
    assert_eq!(settle(&bent(&cell, [0.1, 0.2, 0.0], Y, 0.0)), flat);
    let nearly = settle(&bent(&cell, [0.1, 0.2, 0.0], Y, 1e-3));
    for (a, b) in nearly.displacements.iter().zip(&flat.displacements) {
        assert!((0..3).all(|k| (a[k] - b[k]).abs() < 1e-3 * RADIUS), "{a:?} {b:?}");
    }
}

#[test]
fn bending_costs_energy_that_grows_as_the_square_of_the_curvature() {
    let relaxed = relax(&plain_weave(8), &material(), Period::Free, &SolverSettings::default()).unwrap();
    let cell = Cell::new(&relaxed.pattern, &material()).unwrap();
    for direction in [X, Y] {
        let energy = |lambda: f64| settle(&bent(&cell, [0.0; 3], direction, lambda)).energy.total();
        let rest = energy(0.0);
        let (one, two, back) = (energy(5.0) - rest, energy(10.0) - rest, energy(-5.0) - rest);
        assert!(one > 0.0 && (two / one - 4.0).abs() < 0.05, "{direction:?}: {one:e} {two:e}");
        assert!((back / one - 1.0).abs() < 0.01, "a plain weave has no front: {back:e} {one:e}");
    }
}

/// Bent the other way, the mirror image does the same; stockinette itself does not.
#[test]
fn the_mirror_image_bends_the_other_way() {
    let front = stockinette();
    let mut data = front.data().clone();
    for v in &mut data.vertices {
        v.position[2] *= -1.0;
        v.reference_director[2] *= -1.0;
        v.reference_twist *= -1.0;
        v.twist *= -1.0;
    }
    let back = Pattern::new(data).unwrap();
    for direction in [X, Y] {
        let find = |pattern: &Pattern, lambda: f64| {
            let cell = Cell::new(pattern, &soft()).unwrap();
            let solved = settle(&bent(&cell, [0.1, 0.0, 0.1], direction, lambda));
            assert!(solved.pullback_residual < 1e-9 * RADIUS, "{:e}", solved.pullback_residual);
            solved
        };
        let (there, mirrored, other) = (find(&front, 40.0), find(&back, -40.0), find(&front, -40.0));
        let ratio = |a: &Solved, b: &Solved| (a.energy.total() / b.energy.total() - 1.0).abs();
        assert!(ratio(&there, &mirrored) < 1e-6, "{direction:?}: {:?} {:?}", there.energy, mirrored.energy);
        assert!(ratio(&there, &other) > 1e-3, "{direction:?}: {:?} {:?}", there.energy, other.energy);
        for (a, b) in there.displacements.iter().zip(&mirrored.displacements) {
            let miss = [a[0] - b[0], a[1] - b[1], a[2] + b[2]].into_iter().map(f64::abs).fold(0.0, nan_or_larger);
            assert!(miss < 1e-2 * RADIUS, "{direction:?}: {miss:e}");
        }
    }
}

/// What every knitter knows: stockinette curls to the back at its sides, and to the front at its ends.
#[test]
fn stockinette_curls() {
    let relaxed = relax(&stockinette(), &soft(), Period::Free, &SolverSettings::default()).unwrap();
    let cell = Cell::new(&relaxed.pattern, &soft()).unwrap();
    let slope = |direction: [f64; 2]| {
        let energy = |lambda: f64| settle(&bent(&cell, [0.0; 3], direction, lambda)).energy.total();
        (energy(10.0) - energy(-10.0)) / energy(0.0)
    };
    let (sides, ends) = (slope(X), slope(Y));
    assert!(
        sides > 0.0 && ends < 0.0,
        "energy falls toward the back along x, toward the front along y: {sides} {ends}"
    );
}
