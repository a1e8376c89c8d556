//! Yarns as splines, estimated from their own answers and from a bake.

use super::tests::{TENSION, noisy, run};
use super::*;
use crate::baked::BakedFabric;
use crate::fabric::Response;
use crate::spline::{SplineCell, SplineSettings};
use yarnwise_shared::pattern::material::YarnMaterial;
use yarnwise_shared::pattern::weave::{Draft, WeaveOptions, weave};
use yarnwise_shared::pattern::{Pattern, PatternData};
use yarnwise_shared::table::strain::Strain;

/// Plain weave of 4.665 radii of straight yarn a crossing, at the period where nothing pulls.
pub(super) fn plain() -> SplineCell {
    plain_with(&SplineSettings::default())
}

fn plain_with(settings: &SplineSettings) -> SplineCell {
    let pattern = weave(&Draft::preset("plain").unwrap(), &WeaveOptions::default()).unwrap();
    let mut data: PatternData = pattern.data().clone();
    let crossings: f64 = data.period.iter().map(|p| p / (4.0 * data.radius)).sum::<f64>() / 2.0;
    let vertices = pattern.yarns()[0].vertices.len() as f64;
    for v in &mut data.vertices {
        v.rest_length = 4.665 * data.radius * crossings / vertices;
    }
    let woven = YarnMaterial::preset("woven").unwrap();
    SplineCell::with_free_period(&Pattern::new(data).unwrap(), &woven, settings).unwrap()
}

/// Mild compression beside tension.
const BOTH: [[f64; 2]; 8] =
    [[0.03, 0.0], [0.1, 0.0], [0.2, 0.0], [0.05, 0.05], [0.2, 0.2], [0.2, -0.05], [0.05, -0.03], [-0.04, 0.0]];

fn states(fabric: &dyn Fabric, strains: &[[f64; 2]]) -> Vec<Response> {
    strains.iter().map(|[sx, sy]| fabric.respond(Strain::new(*sx, 0.0, *sy)).unwrap()).collect()
}

fn started(fabric: &dyn Fabric, factors: [f64; 3]) -> Wishes {
    let starts = fabric.parameters().into_iter().zip(factors).map(|(p, f)| (p.name, f * p.value));
    Wishes { starts: starts.collect(), ..Wishes::default() }
}

fn estimation<'a>(fabric: &'a dyn Fabric, data: &[Response], wishes: &Wishes) -> Estimation<'a> {
    Estimation {
        fabric,
        unknowns: Sought::new(fabric.model(), &fabric.parameters(), wishes).unwrap(),
        observations: Observations::new("data", data, &[], 1.0).unwrap(),
        options: EstimateOptions::default(),
    }
}

fn errors(fabric: &dyn Fabric, found: &Estimated) -> Vec<f64> {
    fabric.parameters().iter().zip(&found.best).map(|(p, v)| v / p.value - 1.0).collect()
}

#[test]
fn stresses_and_energies_change_with_the_parameters_as_they_say() {
    let fabric = plain();
    let h: f64 = 1e-4;
    for [sx, sa, sy] in [[0.1, 0.0, 0.0], [0.05, 0.2, 0.05], [0.2, 0.0, -0.05]] {
        let strain = Strain::new(sx, sa, sy);
        let (response, sensitivity) = fabric.respond_with_sensitivity(strain).unwrap();
        let stress = response.stress.unwrap();
        let scale = stress.iter().fold(0.0, |m: f64, s| m.max(s.abs()));
        let kinds = response.kinds.unwrap();
        for (k, kind) in [kinds.stretch, kinds.bend, kinds.contact].into_iter().enumerate() {
            assert!((sensitivity.energy_density[k] - kind).abs() <= 1e-8 * kinds.total());
            let at = |factor: f64| {
                let mut values: Vec<f64> = fabric.parameters().iter().map(|p| p.value).collect();
                values[k] *= factor;
                fabric.with_values(&values).unwrap().respond(strain).unwrap().stress.unwrap()
            };
            let (more, less) = (at(h.exp()), at((-h).exp()));
            for c in 0..3 {
                let difference = (more[c] - less[c]) / (2.0 * h);
                let error = (difference - sensitivity.stress[k][c]).abs() / scale;
                assert!(error < 1e-4, "({sx}, {sa}, {sy}): stress {c} by parameter {k} is {error:e} off");
            }
        }
        for c in 0..3 {
            let sum: f64 = sensitivity.stress.iter().map(|s| s[c]).sum();
            assert!((sum - stress[c]).abs() < 1e-8 * scale, "a row sums to {sum:e}, the stress is {:e}", stress[c]);
        }
    }
}

#[test]
fn exact_data_give_the_yarn_back() {
    let fabric = plain();
    for (strains, factors) in [
        (TENSION.as_slice(), [3.0, 1.0 / 3.0, 3.0]),
        (&TENSION, [0.3, 3.0, 0.3]),
        (&TENSION, [10.0, 10.0, 0.1]),
        (&BOTH, [10.0, 10.0, 0.1]),
    ] {
        let data = states(&fabric, strains);
        let found = run(&estimation(&fabric, &data, &started(&fabric, factors)));
        let errors = errors(&fabric, &found);
        assert!(errors.iter().all(|e| e.abs() < 1e-3) && found.step_count() <= 15, "{factors:?}: {errors:?}\n{found}");
        assert!(found.aside.is_empty() && found.not_determined().is_empty(), "{found}");
    }
}

#[test]
fn noise_makes_the_errors_that_the_yarns_report_predicts() {
    // What is estimated are the parameters of this very model: it may be coarse.
    let fabric = plain_with(&SplineSettings { span: 1.2, ..SplineSettings::default() });
    let exact = states(&fabric, &TENSION);
    let (mut squares, mut predicted) = ([0.0; 3], [0.0; 3]);
    for seed in 0..20 {
        let found = run(&estimation(&fabric, &noisy(&exact, 0.01, seed), &started(&fabric, [1.5, 0.7, 1.5])));
        let errors = errors(&fabric, &found);
        for k in 0..3 {
            squares[k] += errors[k].ln_1p().powi(2) / 20.0;
            predicted[k] += found.parameters[k].standard_error.unwrap().powi(2) / 20.0;
        }
    }
    for k in 0..3 {
        let ratio = (squares[k] / predicted[k]).sqrt();
        assert!((0.5..2.0).contains(&ratio), "parameter {k}: errors are {ratio} times what is predicted");
    }
}

#[test]
fn the_energies_of_a_bake_give_its_yarn_back() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../data/databases/plain.ydb");
    let database = yarnwise_shared::table::database::read(std::path::Path::new(path)).unwrap();
    let material = *database.material().unwrap();
    let fabric = SplineCell::new(database.pattern(), &material, &SplineSettings::default()).unwrap();
    let samples = BakedFabric::new(database, "plain.ydb").unwrap().samples();
    // Rest, tension, one shear, one of both: thirds of sx and sy, quarters of sa.
    let nine = [[0, 0, 0], [0, 0, 1], [0, 0, 2], [0, 0, 3], [1, 0, 1], [1, 0, 2], [2, 0, 2], [0, 1, 0], [1, 1, 1]];
    let of = |[i, j, k]: [u32; 3]| {
        let wanted = [f64::from(i) / 3.0, f64::from(j) / 4.0, f64::from(k) / 3.0];
        let is_it = |r: &&Response| (0..3).all(|c| (r.strain[c] - wanted[c]).abs() < 1e-9);
        Response { stress: None, ..samples.iter().find(is_it).unwrap().clone() }
    };
    let data: Vec<Response> = nine.into_iter().map(of).collect();
    let found = run(&estimation(&fabric, &data, &started(&fabric, [2.0, 0.4, 2.0])));
    let errors = errors(&fabric, &found);
    assert!(errors[0].abs() < 0.01 && (0.0..0.08).contains(&errors[1]), "{errors:?}");
    assert!((-0.3..-0.15).contains(&errors[2]) && found.largest < 0.01, "{errors:?} {found}");
    let error = |k: usize| found.parameters[k].standard_error.unwrap();
    assert!(error(2) > error(0) && error(2) > error(1));
}
