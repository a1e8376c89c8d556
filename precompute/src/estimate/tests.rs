//! Estimates of a fabric whose parameters are known.

use super::test_truss::{TRUTH, Truss, truss};
use super::*;
use crate::fabric::Response;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use yarnwise_shared::random::Random;
use yarnwise_shared::table::strain::Strain;

/// The tension states of the specification's recovery.
pub(super) const TENSION: [[f64; 2]; 6] = [[0.03, 0.0], [0.1, 0.0], [0.2, 0.0], [0.05, 0.05], [0.1, 0.1], [0.2, 0.2]];

fn states(fabric: &dyn Fabric, strains: &[[f64; 2]]) -> Vec<Response> {
    strains.iter().map(|[sx, sy]| fabric.respond(Strain::new(*sx, 0.0, *sy)).unwrap()).collect()
}

fn start(factors: [f64; 3]) -> Wishes {
    let names = ["stretch", "bend", "contact"];
    let starts = (0..3).map(|k| (names[k].to_owned(), factors[k] * TRUTH[k])).collect();
    Wishes { starts, ..Wishes::default() }
}

fn estimation<'a>(fabric: &'a dyn Fabric, data: &[Response], wishes: &Wishes) -> Estimation<'a> {
    Estimation {
        fabric,
        unknowns: Sought::new(fabric.model(), &fabric.parameters(), wishes).unwrap(),
        observations: Observations::new("data", data, &[], 1.0).unwrap(),
        options: EstimateOptions::default(),
    }
}

pub(super) fn run(estimation: &Estimation) -> Estimated {
    let stop = AtomicBool::new(false);
    let done = estimation.run(None, ExecuteOptions { threads: 1, pool: None, stop: &stop }, &mut |_| {}).unwrap();
    let EstimateOutcome::Finished(estimated) = done else { panic!("it was not stopped") };
    *estimated
}

/// Largest relative error of the best values.
fn error(estimated: &Estimated) -> f64 {
    estimated.best.iter().zip(TRUTH).map(|(v, t)| (v / t - 1.0).abs()).fold(0.0, f64::max)
}

#[test]
fn the_truss_has_the_derivatives_that_it_says() {
    let (fabric, h): (_, f64) = (truss(), 1e-5);
    let strain = Strain::new(0.1, 0.0, 0.02);
    let (response, sensitivity) = fabric.respond_with_sensitivity(strain).unwrap();
    for kind in 0..3 {
        let at = |factor: f64| {
            let mut values = TRUTH;
            values[kind] *= factor;
            fabric.with_values(&values).unwrap().respond(strain).unwrap()
        };
        let (more, less) = (at(h.exp()), at((-h).exp()));
        let by_energy = (more.energy_density - less.energy_density) / (2.0 * h);
        assert!((by_energy - sensitivity.energy_density[kind]).abs() < 1e-8);
        for k in [0, 2] {
            let by_stress = (more.stress.unwrap()[k] - less.stress.unwrap()[k]) / (2.0 * h);
            assert!((by_stress - sensitivity.stress[kind][k]).abs() < 1e-7, "{kind} {k}");
        }
    }
    for k in [0, 2] {
        let sum: f64 = sensitivity.stress.iter().map(|s| s[k]).sum();
        assert!((sum - response.stress.unwrap()[k]).abs() < 1e-12, "energies are homogeneous of degree 1");
    }
}

#[test]
fn exact_data_give_the_parameters_back_from_far_away() {
    let fabric = truss();
    let data = states(&fabric, &TENSION);
    for factors in [[3.0, 1.0 / 3.0, 3.0], [0.3, 3.0, 0.3], [10.0, 10.0, 0.1]] {
        let found = run(&estimation(&fabric, &data, &start(factors)));
        assert!(error(&found) < 1e-3 && found.step_count() <= 15, "{factors:?} gave {:?}\n{found}", found.best);
        assert!(found.parameters.iter().all(|p| p.verdict == Verdict::Determined));
        assert_eq!(found.residuals.len(), 12, "the shear stress of a symmetric fabric is no datum");
    }
}

/// The reason for the default: the prior of the specification is felt.
#[test]
fn a_prior_pulls_towards_the_start() {
    let fabric = truss();
    let data = states(&fabric, &TENSION);
    let mut estimation = estimation(&fabric, &data, &start([10.0, 10.0, 0.1]));
    let without = error(&run(&estimation));
    estimation.options.prior = 1e-2;
    let with = error(&run(&estimation));
    assert!(with > 10.0 * without && with > 1e-4, "{without:e} {with:e}");
}

#[test]
fn heights_and_energies_give_the_parameters_back_too() {
    let fabric = truss();
    let data = states(&fabric, &[[0.0, 0.0], [0.05, 0.0], [0.1, 0.02], [0.2, 0.1]]);
    for quantities in [vec![Quantity::Energy], vec![Quantity::Stress, Quantity::Heights]] {
        let mut estimation = estimation(&fabric, &data, &start([2.0, 0.4, 2.0]));
        estimation.observations = Observations::new("data", &data, &quantities, 1.0).unwrap();
        let found = run(&estimation);
        assert!(error(&found) < 1e-3, "{quantities:?}\n{found}");
    }
}

/// Two random numbers of the normal distribution [Box, Muller 1958].
fn normal(random: &mut Random) -> f64 {
    let (a, b) = (1.0 - random.unit(), random.unit());
    (-2.0 * a.ln()).sqrt() * (std::f64::consts::TAU * b).cos()
}

/// Every stress changed by a random share.
pub(super) fn noisy(data: &[Response], share: f64, seed: u64) -> Vec<Response> {
    let mut random = Random::new(seed);
    let mut changed = |v: f64| v * (1.0 + share * normal(&mut random));
    data.iter().map(|r| Response { stress: r.stress.map(|s| s.map(&mut changed)), ..r.clone() }).collect()
}

#[test]
fn standard_errors_are_the_errors_that_noise_makes() {
    let fabric = truss();
    let exact = states(&fabric, &TENSION);
    let (mut squares, mut predicted) = ([0.0; 3], [0.0; 3]);
    for seed in 0..20 {
        let found = run(&estimation(&fabric, &noisy(&exact, 0.01, seed), &start([2.0, 0.5, 2.0])));
        for k in 0..3 {
            squares[k] += (found.best[k] / TRUTH[k]).ln().powi(2) / 20.0;
            predicted[k] += found.parameters[k].standard_error.unwrap().powi(2) / 20.0;
        }
    }
    for k in 0..3 {
        let ratio = (squares[k] / predicted[k]).sqrt();
        assert!((0.5..2.0).contains(&ratio), "parameter {k}: errors are {ratio} times what is predicted");
    }
}

#[test]
fn a_single_state_determines_nothing_and_says_so() {
    let fabric = truss();
    let found = run(&estimation(&fabric, &states(&fabric, &[[0.1, 0.05]]), &start([2.0, 0.5, 2.0])));
    assert_eq!(found.not_determined(), ["stretch", "bend", "contact"]);
    assert!(found.parameters.iter().all(|p| p.value.is_none()));
    let text = found.to_string();
    assert_eq!(text.matches("not determined by these data").count(), 3, "{text}");
    // With as many parameters given as the data lack, the others are determined.
    let wishes = Wishes { fixed: vec![("bend".into(), TRUTH[1]), ("contact".into(), TRUTH[2])], ..Wishes::default() };
    let found = run(&estimation(&fabric, &states(&fabric, &[[0.1, 0.05]]), &wishes));
    assert!(found.not_determined().is_empty() && (found.best[0] - 1.0).abs() < 1e-3, "{found}");
}

#[test]
fn parameters_that_act_alike_are_not_determined_and_the_others_are() {
    let fabric = Truss { values: [TRUTH.as_slice(), &[0.5]].concat(), twin: true, ..truss() };
    let data = states(&fabric, &TENSION);
    let wishes = Wishes { starts: vec![("stretch".into(), 2.0), ("twin".into(), 2.0)], ..Wishes::default() };
    let found = run(&estimation(&fabric, &data, &wishes));
    assert_eq!(found.not_determined(), ["contact", "twin"]);
    assert!((found.best[2] + found.best[3] - 1.0).abs() < 1e-3, "their sum is found: {:?}", found.best);
    assert!(found.parameters[0].standard_error.unwrap() < 1e-3);
    let [a, b] = ["contact", "twin"].map(|name| found.weakest.iter().find(|s| s.name == name).unwrap().share);
    assert!(a * b < 0.0 && a.hypot(b) > 0.99, "{:?}", found.weakest);
}

#[test]
fn bounds_are_kept_and_reported() {
    let fabric = truss();
    let data = states(&fabric, &TENSION);
    let wishes = Wishes { bounds: vec![("bend".into(), [0.05, 0.1])], ..Wishes::default() };
    let found = run(&estimation(&fabric, &data, &wishes));
    assert_eq!(found.parameters[1].verdict, Verdict::AtBound);
    assert!((found.best[1] - 0.05).abs() < 1e-12 && found.rms > 1e-3);
}

/// Data of a stiff fabric, a start that is soft.
#[test]
fn a_state_without_an_equilibrium_at_the_start_joins_when_it_has_one() {
    let withheld = |values: &[f64], s: Strain<f64>| s.sx > 0.15 && values[0] < 0.6;
    let fabric = Truss { withheld, ..truss() };
    let data = states(&fabric, &TENSION);
    let found = run(&estimation(&fabric, &data, &start([0.3, 1.0, 1.0])));
    assert!(found.aside.is_empty() && error(&found) < 1e-3, "{found}");
    assert_eq!((found.steps[0].states, found.steps.last().unwrap().states), (4, 6));
}

#[test]
fn a_state_that_never_has_an_equilibrium_is_left_out_and_named() {
    let data = states(&truss(), &TENSION);
    let fabric = Truss { withheld: |_, s| s.sx > 0.15, ..truss() };
    let found = run(&estimation(&fabric, &data, &start([0.3, 3.0, 0.3])));
    assert_eq!(found.aside.iter().map(|a| a.state).collect::<Vec<_>>(), [2, 5]);
    assert!(error(&found) < 1e-3 && found.to_string().contains("left out      state 2 (0.2, 0, 0): it is no stable"));
}

#[test]
fn a_state_that_loses_its_equilibrium_before_the_best_fit_is_left_out() {
    let data = states(&truss(), &TENSION);
    let fabric = Truss { withheld: |values, s| s.sx > 0.15 && values[1] < 0.03, ..truss() };
    let found = run(&estimation(&fabric, &data, &start([1.0, 2.0, 1.0])));
    assert!(error(&found) < 1e-3 && found.aside.len() == 2, "{found}");
    assert!(found.aside[0].reason.contains("loses its equilibrium on the way"));
}

#[test]
fn data_without_equilibria_or_numbers_are_refused() {
    let data = states(&truss(), &TENSION[..2]);
    let refused = |data: &[Response], quantities: &[Quantity]| {
        Observations::new("file.json", data, quantities, 1.0).unwrap_err().to_string()
    };
    let unstable: Vec<Response> = data.iter().map(|r| Response { stable: false, ..r.clone() }).collect();
    assert!(refused(&unstable, &[]).starts_with("file.json: none of its 2 states is a stable equilibrium"));
    assert!(refused(&[], &[]).contains("none of its 0 states"));
    let nan = [data[0].clone(), Response { stress: Some([1.0, f64::NAN, 0.0]), ..data[1].clone() }];
    assert!(refused(&nan, &[]).contains("the stress of state 1 is not a finite number"));
    let silent = [Response { heights: None, ..data[0].clone() }];
    assert!(refused(&silent, &[Quantity::Heights]).contains("state 0 has no heights"));
    let zero = [Response { energy_density: 0.0, stress: None, ..data[0].clone() }];
    assert!(refused(&zero, &[]).contains("its energies are all 0"));
    let fabric = Truss { withheld: |_, _| true, ..truss() };
    let stop = AtomicBool::new(false);
    let run = estimation(&fabric, &data, &Wishes::default());
    let failed =
        run.run(None, ExecuteOptions { threads: 1, pool: None, stop: &stop }, &mut |_| {}).unwrap_err().to_string();
    assert!(failed.contains("none of the states has an equilibrium where the search begins (state 0: "), "{failed}");
}

fn bytes(estimated: &Estimated) -> (String, Vec<u64>) {
    (serde_json::to_string(estimated).unwrap(), estimated.best.iter().map(|v| v.to_bits()).collect())
}

#[test]
fn threads_and_interruptions_change_no_bit() {
    let fabric = truss();
    let data = noisy(&states(&fabric, &TENSION), 0.01, 7);
    let estimation = estimation(&fabric, &data, &start([3.0, 0.3, 3.0]));
    let expected = bytes(&run(&estimation));
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("journal");
    let mut stops = 0;
    let mut recalled = AtomicUsize::new(0);
    loop {
        // Each run may solve three more states than are known.
        let stop = AtomicBool::new(false);
        let solved = AtomicUsize::new(0);
        let (mut journal, _) = Journal::open(&path, &estimation.description(), false).unwrap();
        *recalled.get_mut() = 0;
        let done = estimation.run(
            Some(&mut journal),
            ExecuteOptions { threads: 2, pool: None, stop: &stop },
            &mut |progress| match progress {
                EstimateProgress::State { recalled: true } => drop(recalled.fetch_add(1, Ordering::Relaxed)),
                EstimateProgress::State { recalled: false } if solved.fetch_add(1, Ordering::Relaxed) == 2 => {
                    stop.store(true, Ordering::Relaxed);
                }
                _ => {}
            },
        );
        match done.unwrap() {
            EstimateOutcome::Stopped => stops += 1,
            EstimateOutcome::Finished(found) => {
                assert!(bytes(&found) == expected, "after {stops} stops");
                break;
            }
        }
        assert!(stops < 1000, "it does not get on");
    }
    assert!(stops > 5 && *recalled.get_mut() > 20, "{stops} stops");
    // Negative control: another datum gives other bytes.
    let other = noisy(&states(&fabric, &TENSION), 0.01, 8);
    assert!(bytes(&run(&super::tests::estimation(&fabric, &other, &start([3.0, 0.3, 3.0])))) != expected);
}
