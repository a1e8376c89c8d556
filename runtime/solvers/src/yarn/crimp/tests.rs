//! Derivatives against differences, the plain cell against its closed form, heights without history.

use super::crossing::{Crossing, Equilibrium, OuterGradient, OuterHessian};
use super::*;
use yarnwise_shared::random::Random;

/// Fitted to explicit yarns in plain weave, in units of R and k_s.
const LAW: CrimpLaw = CrimpLaw { stretch: 0.8165, bend: 0.1112, contact: 0.531, exponent: 1.969, radius: 1.0 };
/// Distance of yarns and rest length there.
const SPACING: f64 = 4.159;
const REST: f64 = 4.5569;

type Yarns = [[Option<Side>; 2]; 2];

fn side(length: f64, rest: f64, crosses: bool) -> Option<Side> {
    Some(Side { length, rest, crosses })
}

fn plain(warp: f64, weft: f64) -> Yarns {
    [warp, weft].map(|l| [side(l, REST, true); 2])
}

fn solve(law: &CrimpLaw, yarns: Yarns) -> Equilibrium {
    let out = Crossing { law, yarns }.solve().expect("some yarn rises");
    assert!(out.converged, "{yarns:?}");
    out
}

/// Uneven sides, floats and ends of yarns, pulled and slack.
fn cases() -> Vec<Yarns> {
    let mut random = Random::new(3);
    let mut r = |middle: f64, spread: f64| middle * (1.0 + spread * (2.0 * random.unit() - 1.0));
    let mut uneven = |crosses: [bool; 4]| {
        let mut side = |c: bool| side(r(SPACING, 0.12), r(REST, 0.02), c);
        [[side(crosses[0]), side(crosses[1])], [side(crosses[2]), side(crosses[3])]]
    };
    let mut cases: Vec<Yarns> = (0..6).map(|_| uneven([true; 4])).collect();
    cases.push(uneven([true, false, true, true]));
    cases.push(uneven([true, false, false, true]));
    cases.push(uneven([false, false, false, true]));
    let mut end = uneven([true; 4]);
    end[1][0] = None;
    cases.push(end);
    // Slack: warp and weft part.
    cases.push(plain(3.4, 3.5));
    cases
}

fn variables(yarns: &Yarns) -> OuterGradient {
    let sides = yarns.iter().flatten().flat_map(|s| s.map_or([0.0; 2], |s| [s.length, s.rest]));
    OuterGradient::from_iterator(sides)
}

fn moved(yarns: &Yarns, k: usize, by: f64) -> Yarns {
    let mut out = *yarns;
    if let Some(side) = &mut out[k / 4][k / 2 % 2] {
        *(if k.is_multiple_of(2) { &mut side.length } else { &mut side.rest }) += by;
    }
    out
}

#[test]
fn gradients_and_hessians_are_those_of_the_energy() {
    for yarns in cases() {
        let here = solve(&LAW, yarns);
        let e = 1e-4;
        // Of the fourth order: the energy is smooth away from first touch.
        let difference = |f: &dyn Fn(&Equilibrium) -> OuterGradient, k: usize| {
            let at = |by: f64| f(&solve(&LAW, moved(&yarns, k, by)));
            ((at(e) - at(-e)) * 8.0 - (at(2.0 * e) - at(-2.0 * e))) / (12.0 * e)
        };
        let (gradient, hessian) = (here.gradient(), here.hessian(Curvature::Exact));
        assert!(gradient.amax() > 1e-5 && hessian.amax() > 1e-3);
        for k in 0..8 {
            let energy = difference(&|q| OuterGradient::repeat(q.energy()), k)[0];
            let error = (energy - gradient[k]).abs() / gradient.amax();
            assert!(error < 1e-8, "{yarns:?}: gradient {k} {energy} {}", gradient[k]);
            let column = difference(&|q| q.gradient(), k);
            let error = (column - hessian.column(k)).amax() / hessian.amax();
            assert!(error < 1e-8, "{yarns:?}: Hessian {k}: {error}");
            let heights = difference(&|q| OuterGradient::from_fn(|j, _| if j < 2 { q.heights[j] } else { 0.0 }), k);
            let by = here.heights_by_outer();
            let error = (0..2).map(|j| (heights[j] - by[(j, k)]).abs()).fold(0.0, f64::max);
            assert!(error < 1e-8, "{yarns:?}: heights {k}: {error}");
        }
        assert!(variables(&yarns).iter().all(|v| *v >= 0.0));
    }
}

#[test]
fn the_positive_hessian_has_no_negative_direction_and_the_exact_one_has() {
    let mut negative = false;
    for yarns in cases() {
        let here = solve(&LAW, yarns);
        let smallest = |h: OuterHessian| h.symmetric_eigenvalues().min() / h.amax();
        let positive = smallest(here.hessian(Curvature::Positive));
        assert!(positive > -1e-12, "{yarns:?}: {positive}");
        negative |= smallest(here.hessian(Curvature::Exact)) < -1e-6;
    }
    assert!(negative, "otherwise nothing is shown");
}

#[test]
fn changes_with_parameters_are_those_of_differences_and_stresses_are_homogeneous() {
    type Field = fn(&mut CrimpLaw) -> &mut f64;
    type Change = fn(&Equilibrium) -> Sensitive;
    let laws: [(&str, Field, Change); 4] = [
        ("stretch", |l| &mut l.stretch, Equilibrium::by_stretch),
        ("bend", |l| &mut l.bend, Equilibrium::by_bend),
        ("contact", |l| &mut l.contact, Equilibrium::by_contact),
        ("exponent", |l| &mut l.exponent, Equilibrium::by_exponent),
    ];
    for yarns in cases() {
        let here = solve(&LAW, yarns);
        for (name, field, of) in laws {
            let at = |by: f64| {
                let mut law = LAW;
                *field(&mut law) *= by.exp();
                solve(&law, yarns)
            };
            let e = 1e-5;
            let change = of(&here);
            let gradient = (at(e).gradient() - at(-e).gradient()) / (2.0 * e);
            let error = (gradient - change.gradient).amax();
            assert!(error < 1e-8 * LAW.stretch, "{name} {yarns:?}: {error}");
            for k in 0..2 {
                let height = (at(e).heights[k] - at(-e).heights[k]) / (2.0 * e);
                assert!((height - change.heights[k]).abs() < 1e-7, "{name} {yarns:?} height {k}");
            }
        }
        let sum = here.by_stretch().gradient + here.by_bend().gradient;
        assert!((sum - here.gradient()).amax() < 1e-12, "twice as stiff, twice the stress");
    }
}

#[test]
fn the_plain_cell_is_the_closed_form_of_a_truss() {
    for (warp, weft) in [(SPACING, SPACING), (1.2 * SPACING, SPACING), (1.1 * SPACING, 0.97 * SPACING)] {
        let here = solve(&LAW, plain(warp, weft));
        let lengths = [warp, weft];
        let energy = |h: [f64; 2]| {
            let yarns: f64 = (0..2)
                .map(|k| {
                    let l = (lengths[k] * lengths[k] + 4.0 * h[k] * h[k]).sqrt();
                    let theta = 2.0 * (2.0 * h[k] / lengths[k]).atan();
                    0.5 * LAW.stretch * REST * (l / REST - 1.0).powi(2) + 0.5 * LAW.bend * theta * theta / REST
                })
                .sum();
            let delta = 0.5 * (h[0] + h[1]);
            yarns + LAW.contact * LAW.stretch * (1.0 - delta).max(0.0).powf(LAW.exponent)
        };
        let [a, b] = here.heights;
        assert!((here.energy() / energy([a, b]) - 1.0).abs() < 1e-14);
        for (da, db) in [(1e-4, 0.0), (-1e-4, 0.0), (0.0, 1e-4), (0.0, -1e-4), (1e-4, -1e-4)] {
            assert!(energy([a + da, b + db]) > here.energy(), "a minimum");
        }
        let e = 1e-5;
        let force = -(energy([a + e, b]) - energy([a - e, b])) / (2.0 * e);
        assert!(force.abs() < 1e-9, "in balance: {force}");
        assert!(here.normal_force() > 1e-3);
    }
}

#[test]
fn pulling_one_yarn_flattens_it_and_crimps_the_other() {
    let rest = solve(&LAW, plain(SPACING, SPACING));
    let pulled = solve(&LAW, plain(SPACING, 1.2 * SPACING));
    assert!(pulled.heights[1] < 0.8 * rest.heights[1] && pulled.heights[0] > 1.1 * rest.heights[0]);
    assert!(pulled.normal_force() > rest.normal_force());
    let parted = solve(&LAW, plain(3.4, 3.5));
    assert!(parted.normal_force() == 0.0 && parted.heights.iter().sum::<f64>() > 2.0);
    // Drawn straight while the other is slack: no height, and no contact.
    let limp = CrimpLaw { bend: 1e-4, ..LAW };
    let straight = solve(&limp, plain(1.02 * REST, 1.8));
    assert!(straight.heights[0] < 1e-9 && straight.heights[1] > 2.0 && straight.normal_force() == 0.0);
    assert!(straight.hessian(Curvature::Exact).iter().all(|v| v.is_finite()));
}

#[test]
fn floats_lie_a_radius_high_and_where_both_float_nothing_happens() {
    let flat = [side(SPACING, REST, false); 2];
    assert!(Crossing { law: &LAW, yarns: [flat, flat] }.solve().is_none());
    let here = solve(&LAW, [[side(SPACING, REST, true); 2], flat]);
    assert!(here.heights[1] == 1.0 && here.heights[0] > 0.5 && here.heights[0] < 1.1);
    // A yarn that turns on one side only turns half as much at the same height.
    let one = Passage::new(&LAW, &[side(SPACING, REST, true), side(SPACING, REST, false)], 0.9);
    let two = Passage::new(&LAW, &[side(SPACING, REST, true); 2], 0.9);
    assert!((two.bend / one.bend - 4.0).abs() < 1e-12 && (two.stretch / one.stretch - 2.0).abs() < 1e-12);
}

#[test]
fn extreme_sides_give_finite_forces() {
    for (length, rest) in [(1e-9, REST), (100.0, REST), (SPACING, 1e-3), (0.0, 1.0)] {
        for weft in [side(SPACING, REST, true), side(length, rest, true), None] {
            let yarns = [[side(length, rest, true); 2], [weft; 2]];
            let Some(out) = (Crossing { law: &LAW, yarns }).solve() else { continue };
            assert!(out.gradient().iter().all(|v| v.is_finite()), "{length} {rest}: {out:?}");
            assert!(out.hessian(Curvature::Positive).iter().all(|v| v.is_finite()), "{length} {rest}");
        }
    }
}
