//! Energies, forces and equilibria against the published tables and numbers of an independent program.

use serde_json::Value;
use std::path::Path;
use yarnwise_lab::compare::{InterpolantOptions, Set, interpolant};
use yarnwise_lab::report::balance::{Balance, balance, balance_twists_relaxed, balances};
use yarnwise_lab::report::published::Published;
use yarnwise_lab::report::{cold, continued};
use yarnwise_precompute::cell::Cell;
use yarnwise_precompute::cell::energy::{Energy, Problem};
use yarnwise_precompute::equilibrium::settings::SolverSettings;
use yarnwise_precompute::sampling::{Continuation, SamplingSettings};
use yarnwise_shared::pattern::material::YarnMaterial;
use yarnwise_shared::table::Table;
use yarnwise_shared::table::database::{Database, DatabaseData};
use yarnwise_shared::table::grid::{Axis, Grid};
use yarnwise_shared::table::strain::Strain;

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
    let expected = numbers(expected);
    assert_eq!(expected.len(), got.len(), "{what}");
    for (g, e) in got.iter().zip(expected) {
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
    let material = YarnMaterial {
        young: number("young"),
        shear: number("shear"),
        gamma: number("gamma"),
        contact: number("contact"),
    };
    let cell = Cell::new(&published.pattern, &material).unwrap();
    let states = expected["states"].as_array().unwrap();
    assert!(states.len() > 1, "{model}: only {} states", states.len());
    for state in states {
        let strain = numbers(&state["strain"]);
        let what = format!("{model} at {strain:?}");
        let problem = Problem::planar(&cell, Strain::new(strain[0], strain[1], strain[2]));
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

fn cell_of(reference: &Path, model: &str, material: &str) -> (Published, Cell) {
    let published = Published::read(&reference.join("models").join(model)).unwrap();
    let cell = Cell::new(&published.pattern, &YarnMaterial::preset(material).unwrap()).unwrap();
    (published, cell)
}

/// The whole of each table: `yarnwise-bake study cold FOLDER --material NAME`.
#[test]
fn cold_starts_land_in_the_published_states() {
    let Some(reference) = yarnwise_tests::reference("cold_starts_land_in_the_published_states") else { return };
    // Model, material, tolerance, stride, bound on the median error in radii, least share of samples below 0.01 r.
    let cases = [
        ("stocktiniest_9", "fine", 1e-6, 1, 5e-5, 0.99),
        ("stocktiny", "fine", 1e-6, 101, 5e-5, 0.97),
        ("basket_9", "woven", 1e-6, 24, 5e-4, 0.9),
        ("stock_9", "knit", 5e-5, 48, 3e-3, 0.8),
    ];
    for (model, material, tolerance, stride, median, share) in cases {
        let (published, cell) = cell_of(&reference, model, material);
        let settings = SolverSettings { tolerance, ..SolverSettings::default() };
        let samples = cold::scattered(published.grid.sample_count(), stride);
        let all = cold::compare(&cell, &published, &samples, &settings);
        let errors = cold::errors(&all, |_| true).unwrap();
        assert!(errors.samples >= 15, "{model}: {errors:?}");
        assert!(errors.median < median && errors.matched >= share, "{model}: {errors:?}");
        assert!(all.iter().all(|c| c.solved.is_sound()), "{model}");
    }
}

/// The other tables: `yarnwise-bake study continuation FOLDER --material NAME` and `study interpolant`.
#[test]
fn continuation_is_smoother_than_the_published_table_and_its_interpolant_as_low_as_the_prototype() {
    let Some(reference) = yarnwise_tests::reference("continuation_is_smoother") else { return };
    let (published, cell) = cell_of(&reference, "stocktiniest_9", "fine");
    let settings = SamplingSettings::default();
    let ours = Continuation::new(&cell, &published.grid, &settings).unwrap().complete(|_| ());
    for figures in continued::figures(&cell, &published, &ours) {
        assert!(figures.roughness[0] > figures.roughness[1], "the published table is rougher: {figures:?}");
    }
    let values = ours.iter().flat_map(|c| c.solved.displacements.rounded()).collect();
    let table = Table::new(published.grid.clone(), cell.vertex_count(), values).unwrap();
    let data = DatabaseData::imported("ours", "stocktiniest", "test", published.pattern.clone(), table);
    let set = Set {
        name: "ours".to_owned(),
        path: reference,
        database: Database::new(data).unwrap(),
        disk_bytes: 0,
        bake_seconds: None,
    };
    let options = InterpolantOptions {
        material: YarnMaterial::preset("fine").unwrap(),
        solver: SolverSettings::default(),
        centers: None,
        random: 0,
        seed: 1,
    };
    // The mean logarithm of energy over that of equilibria at the centers of cells; of the prototype .00 .00 .01 .02, and .05 in the
    // last region with the weights that chose before.
    for (region, most) in interpolant(&set, &options).unwrap().regions.iter().zip([0.005, 0.01, 0.015, 0.025]) {
        assert!(region.centers.energy < most && region.centers.failed == 0, "{region:?}");
    }
}

/// The whole tables: `yarnwise-bake study balance FOLDER --material NAME`.
#[test]
fn published_states_are_in_balance() {
    let Some(reference) = yarnwise_tests::reference("published_states_are_in_balance") else { return };
    // Model, material, bound on the median of the unbalanced force over the elastic force.
    let cases = [
        ("stocktiniest_9", "fine", 2.5e-6),
        ("stocktiny", "fine", 2.5e-6),
        ("stock_9", "knit", 1e-4),
        ("rib_9", "knit", 1e-4),
        ("basket_9", "woven", 7e-4),
    ];
    for (model, material, bound) in cases {
        let (published, cell) = cell_of(&reference, model, material);
        let count = published.grid.sample_count();
        let samples = cold::scattered(count, count / 30);
        let median = |cell: &Cell| {
            let mut all = balances(cell, &published, &samples);
            all.sort_unstable_by(f64::total_cmp);
            all[all.len() / 2]
        };
        assert!(samples.len() >= 25 && median(&cell) < bound, "{model}: {:e}", median(&cell));
        let stiffer = YarnMaterial { contact: 1.02 * cell.material.contact, ..cell.material };
        let wrong = median(&Cell::new(&published.pattern, &stiffer).unwrap());
        assert!(wrong > 3.0 * bound, "{model}: two per cent more contact are noticed, {wrong:e}");
    }
}

#[test]
fn continuation_finds_the_same_bytes_on_any_number_of_threads() {
    let Some(reference) = yarnwise_tests::reference("continuation_finds_the_same_bytes") else { return };
    let (_, cell) = cell_of(&reference, "stocktiniest_9", "fine");
    let axis = |values: &[f64]| Axis::new("test", values.to_vec()).unwrap();
    let grid = Grid([axis(&[-0.1, 0.0, 0.3]), axis(&[-0.5, 0.0, 0.5]), axis(&[-0.1, 0.0, 0.3])]);
    let on = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| Continuation::new(&cell, &grid, &SamplingSettings::default()).unwrap().complete(|_| ()))
    };
    let one = on(1);
    assert_eq!(one, on(2));
    assert_eq!(one, on(4));
}
