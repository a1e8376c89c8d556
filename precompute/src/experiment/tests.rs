//! Experiments against the specification's figures.

use super::in_plane::{InPlaneOptions, in_plane};
use super::pull_out::{PullOutOptions, pull_out};
use super::*;
use crate::spline::{SplineCell, SplineSettings};
use std::sync::OnceLock;
use yarnwise_shared::pattern::material::YarnMaterial;
use yarnwise_shared::pattern::weave::{Draft, WeaveOptions, weave};
use yarnwise_shared::pattern::{Pattern, PatternData};

fn plain() -> &'static SplineCell {
    static CELL: OnceLock<SplineCell> = OnceLock::new();
    CELL.get_or_init(|| {
        let pattern = weave(&Draft::preset("plain").unwrap(), &WeaveOptions::default()).unwrap();
        let mut data: PatternData = pattern.data().clone();
        data.vertices.iter_mut().for_each(|v| v.rest_length = 4.665 * data.radius / 4.0);
        let woven = YarnMaterial::preset("woven").unwrap();
        SplineCell::with_free_period(&Pattern::new(data).unwrap(), &woven, &SplineSettings::default()).unwrap()
    })
}

#[test]
fn a_single_yarn_pulls_with_its_stretch_stiffness() {
    let cell = plain();
    for response in single::stretched(cell, &[0.0, 0.01, 0.05]) {
        let [strain, ..] = response.strain;
        let expected = cell.yarns.stiffness.stretch * strain;
        assert!((response.stress.unwrap()[0] - expected).abs() < 1e-9 * cell.yarns.stiffness.stretch);
    }
}

#[test]
fn pulled_fabric_narrows_as_the_specification_says() {
    let table = [(0.02, -0.0150), (0.05, -0.0396), (0.1, -0.0765), (0.2, -0.1105)];
    let stretches: Vec<f64> = table.iter().map(|t| t.0).collect();
    let responses = uniaxial::free_width(plain(), &stretches, &|| ()).unwrap();
    for (response, (sx, expected)) in responses.iter().zip(table) {
        let [_, _, sy] = response.strain;
        assert!(response.is_sound() && (sy / expected - 1.0).abs() < 0.03, "{sx}: {sy} instead of {expected}");
    }
}

#[test]
fn a_yarn_that_slides_out_feels_friction_times_normal_forces() {
    let cell = plain();
    for (crossings, friction) in [(2, 0.2), (4, 0.3)] {
        let options =
            PullOutOptions { crossings, distance: 2.5e-3, ..PullOutOptions::new(cell.yarns.radius, friction) };
        let done = pull_out(cell, &options, &mut |_| ()).unwrap();
        let ratio = done.ratio(friction).unwrap();
        assert!((ratio - 1.0).abs() < 0.02, "{ratio}");
    }
}

#[test]
fn yarns_that_are_pulled_flatten_and_the_others_crimp() {
    let options = InPlaneOptions { periods: [2, 2], increments: 2, ..Default::default() };
    let done = in_plane(plain(), &options, &mut |_| ()).unwrap();
    let [first, .., last] = done.loads.as_slice() else { panic!("an increment is missing") };
    assert!(done.loads.iter().all(|l| l.converged));
    assert!(
        last.heights[0] < 0.95 * first.heights[0] && last.heights[1] > 1.01 * first.heights[1],
        "{first:?} {last:?}"
    );
    assert!(last.edge_force > first.edge_force);
}

#[test]
fn an_experiment_comes_back_from_its_file_and_faults_are_named() {
    let cell = plain();
    let mut experiment = Experiment::new(Kind::Biaxial, "spline", "plain", cell.yarns.radius, cell.period);
    experiment.fabric = Some(yarnwise_shared::pattern::pyp::to_text(&cell.pattern().unwrap()));
    let again = SplineCell::new(
        &experiment.remade_pattern("x").unwrap(),
        &YarnMaterial::preset("woven").unwrap(),
        &cell.settings,
    )
    .unwrap();
    let off = again.rest.iter().zip(&cell.rest).map(|(a, b)| (a - b).norm()).fold(0.0, f64::max);
    assert!(again.rest.len() == cell.rest.len() && off < 1e-6 * cell.yarns.radius, "the same cell: {off}");
    experiment.states = respond_all(cell, &strains::biaxial(&[0.0, 0.1]), &|| ()).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("plain.json");
    experiment.write(&path).unwrap();
    assert_eq!(Experiment::read(&path).unwrap(), experiment);
    let text = std::fs::read_to_string(&path).unwrap();
    let refusal = |text: &str| Experiment::parse(text.as_bytes(), "x.json").unwrap_err().to_string();
    assert!(refusal(&text.replace("yarnwise-experiment", "other")).contains("format is \"other\""));
    assert!(refusal(&text.replace("\"version\": 1", "\"version\": 7")).contains("version 7"));
    assert!(refusal(&text.replace("\"radius\"", "\"raduis\"")).contains("raduis"));
    assert!(refusal(&text[..text.len() / 2]).contains("x.json"));
    experiment.states[1].energy_density = f64::NAN;
    assert!(experiment.write(&path).unwrap_err().to_string().contains("state 2"));
    assert_eq!(std::fs::read_to_string(&path).unwrap(), text, "the old file stays");
}
