//! Energies, forces and equilibria against the published tables and numbers of an independent program.

use serde_json::Value;
use std::path::Path;
use yarnwise_precompute::cell::Cell;
use yarnwise_precompute::cell::energy::{Energy, Problem};
use yarnwise_precompute::cell::kinematics::LargeScale;
use yarnwise_precompute::report::balance::{Balance, balance, balance_twists_relaxed};
use yarnwise_precompute::report::published::Published;
use yarnwise_shared::material::Material;
use yarnwise_shared::strain::Strain;

const MODELS: [(&str, &str); 5] = [
    ("stocktiniest", "stocktiniest_9"),
    ("stocktiny", "stocktiny"),
    ("stockinette", "stock_9"),
    ("cartridge_belt_rib", "rib_9"),
    ("basket", "basket_9"),
];

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|v| v.as_f64().unwrap()).collect()
}

fn parts(energy: &Energy) -> [f64; 4] {
    [energy.stretch, energy.bend, energy.twist, energy.contact]
}

/// The numbers are printed with nine digits.
fn assert_close(what: &str, got: [f64; 4], expected: &Value) {
    for (g, e) in got.iter().zip(numbers(expected)) {
        assert!((g - e).abs() <= 1e-8 * e.abs() + 1e-16, "{what}: {g:e}, expected {e:e}");
    }
}

fn assert_balance(what: &str, got: &Balance, expected: &Value) {
    assert_close(&format!("{what}, energy"), parts(&got.energy), &expected["energy"]);
    assert_close(&format!("{what}, gradient"), got.gradient_norm, &expected["gradient_norm"]);
    assert_close(&format!("{what}, gradient by twist"), got.twist_gradient_norm, &expected["twist_gradient_norm"]);
}

fn sample_of(published: &Published, strain: &[f64]) -> usize {
    let index = |k: usize| published.grid.0[k].values().iter().position(|v| (v - strain[k]).abs() < 1e-9).unwrap();
    published.grid.sample([index(0), index(1), index(2)])
}

fn check_pattern(reference: &Path, model: &str, expected: &Value) {
    let published = Published::read(&reference.join("models").join(model)).unwrap();
    let number = |k: &str| expected[k].as_f64().unwrap();
    let material =
        Material { young: number("young"), shear: number("shear"), gamma: number("gamma"), contact: number("contact") };
    let cell = Cell::new(&published.pattern, &material).unwrap();
    for state in expected["states"].as_array().unwrap() {
        let strain = numbers(&state["strain"]);
        let what = format!("{model} at {strain:?}");
        let deformation = LargeScale::planar(Strain::new(strain[0], strain[1], strain[2]), published.pattern.period());
        let problem = Problem::new(&cell, deformation);
        assert_eq!(problem.contact.exclusion as u64, state["exclusion"].as_u64().unwrap(), "{what}");
        let nodes = (problem.contact.nodes.iter().min().unwrap(), problem.contact.nodes.iter().max().unwrap());
        assert_eq!([*nodes.0 as f64, *nodes.1 as f64].to_vec(), numbers(&state["quadrature_nodes"]), "{what}");
        assert_balance(&format!("{what}, affine"), &balance(&problem, &problem.affine_state()), &state["affine"]);
        let at = problem.displaced_state(&published.sample(sample_of(&published, &strain)));
        assert_balance(&format!("{what}, published"), &balance(&problem, &at), &state["published"]);
        let relaxed = balance_twists_relaxed(&problem, &at);
        assert_close(&what, parts(&relaxed.energy), &state["published"]["energy_twist_relaxed"]);
        for (got, key) in [
            (balance(&problem, &at).residual, "projected_residual"),
            (relaxed.residual, "projected_residual_twist_relaxed"),
        ] {
            let expected = state["published"][key].as_f64().unwrap();
            assert!((got / expected - 1.0).abs() < 2e-3, "{what}, {key}: {got:e}, expected {expected:e}");
        }
    }
}

#[test]
fn energies_and_forces_agree_term_by_term_with_an_independent_program() {
    let Some(reference) = yarnwise_tests::reference("energies_and_forces_agree_term_by_term") else { return };
    let json: Value = serde_json::from_slice(&std::fs::read(reference.join("energies.json")).unwrap()).unwrap();
    for (pattern, model) in MODELS {
        check_pattern(&reference, model, &json[pattern]);
    }
}
