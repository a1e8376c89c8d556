//! Crimp as an unknown of each crossing: statics of a period and time steps agree, crimp goes from yarn to yarn, momentum stays.
#![cfg(feature = "yarn-level")]

use nalgebra::Vector3;
use serde_json::{Value, json};
use std::path::Path;
use yarnwise_shared::parameters::{
    CrossingContact, Family, Model, Parameters, PersistentParameters, ShearStiffness, Value as Known,
};
use yarnwise_shared::pattern::weave::Draft;
use yarnwise_shared::random::Random;
use yarnwise_shared::table::strain::Strain;
use yarnwise_solvers::hybrid::scene::Scene as HybridScene;
use yarnwise_solvers::yarn::cell::{CellModel, FabricCell};
use yarnwise_solvers::yarn::model::{Family as Yarns, Sheet};
use yarnwise_solvers::yarn::scene::Scene;
use yarnwise_solvers::yarn::{
    CrimpMaterial, Precision, YarnMaterial, YarnOptions, YarnPin, YarnPreconditioner, YarnSimulation,
};

/// Yarns of the tank top's size, with the ratios of crimp that fit explicit yarns in plain weave.
fn material() -> YarnMaterial {
    let crimp = CrimpMaterial { rest_length: [1.094e-3; 2], contact: 0.53, exponent: 1.97, bend: Some(1.5e-8) };
    YarnMaterial {
        radius: 0.24e-3,
        crimp: Some(crimp),
        mass_damping: 0.0,
        stiffness_damping: 0.0,
        // So that bent yarns do not push their way out of the last crossings.
        friction: 1.0,
        ..YarnMaterial::default()
    }
}

fn sheet(n: usize, draft: &str, material: YarnMaterial) -> (Sheet, YarnSimulation) {
    let sheet = Sheet::new(n, n, Draft::preset(draft).unwrap(), material);
    let mut simulation = YarnSimulation::new(sheet.weave().unwrap(), YarnOptions::default());
    simulation.gravity = Vector3::zeros();
    (sheet, simulation)
}

fn momentum(simulation: &YarnSimulation) -> Vector3<f64> {
    simulation.state().momenta.iter().map(|p| Vector3::new(p[0], p[1], p[2])).sum()
}

#[test]
fn a_stretched_sheet_has_the_heights_and_forces_of_its_period() {
    let (sheet, mut simulation) = sheet(12, "plain", material());
    let mut state = simulation.state().clone();
    state.positions.iter_mut().for_each(|x| *x = Vector3::new(1.08 * x.x, 1.02 * x.y, 0.0));
    simulation.set_state(state);
    let (m, law) = (material(), simulation.stiffness().crimp.unwrap());
    let model = CellModel::flat(law.stretch, law.bend, m.radius, [m.spacing; 2]);
    let model = model.with_crimp(m.crimp.unwrap().rest_length, law.contact, law.exponent);
    let cell = FabricCell::new(&sheet.draft, model).unwrap();
    let period = cell.respond(&Strain::new(0.08, 0.0, 0.02)).unwrap();
    let at = sheet.crossing(6, 6);
    let (heights, expected) = (simulation.state().heights[at], period.heights.unwrap()[0]);
    for c in 0..2 {
        assert!((heights[c] / expected[c] - 1.0).abs() < 1e-12, "{heights:?} {expected:?}");
    }
    assert!(heights[1] < 0.9 * heights[0], "the pulled wefts are flatter");
    let force = simulation.state().compression[at];
    assert!((force / period.normal_forces[0] - 1.0).abs() < 1e-10 && force > 0.0);
}

#[test]
fn momentum_is_kept_and_energy_is_not_gained() {
    for precision in [Precision::Single, Precision::Double] {
        let (_, mut simulation) = sheet(6, "twill", material());
        simulation.options.precision = precision;
        let mut state = simulation.state().clone();
        let mut random = Random::new(2);
        for v in &mut state.velocities {
            (0..3).for_each(|k| v[k] = 0.2 * (random.unit() - 0.4));
        }
        simulation.set_state(state);
        let (before, energy) = (momentum(&simulation), simulation.energies().total());
        assert!(before.norm() > 0.0);
        let mut last = energy;
        for _ in 0..20 {
            simulation.step(2e-4).unwrap();
            last = simulation.energies().total();
            assert!(last < 1.001 * energy, "{last} after {energy}");
        }
        assert!(last < 0.99 * energy, "backward Euler takes energy from what swings");
        let change = (momentum(&simulation) - before).norm() / before.norm();
        assert!(change < 1e-12, "{precision:?}: {change}");
    }
}

/// How much narrower a long sheet gets in the middle that is pulled by 8 %.
fn narrowing(crimp: bool) -> f64 {
    let own = material();
    let material = YarnMaterial {
        crimp: own.crimp.filter(|_| crimp),
        mass_damping: 100.0,
        stiffness_damping: 1e-4,
        shear: 1e3,
        shear_friction: 0.0,
        ..own
    };
    let (warps, wefts) = (16, 5);
    let sheet = Sheet::new(warps, wefts, Draft::preset("plain").unwrap(), material);
    let mut simulation = YarnSimulation::new(sheet.weave().unwrap(), YarnOptions::default());
    simulation.gravity = Vector3::zeros();
    let mut state = simulation.state().clone();
    state.positions.iter_mut().for_each(|x| x.x *= 1.08);
    simulation.set_state(state);
    let ends = (0..wefts).flat_map(|j| [false, true].map(|far| sheet.end(Yarns::Weft, j, far)));
    simulation.guide(ends.map(|n| (n as u32, simulation.state().positions[n])).collect(), 0.0);
    simulation.advance(0.1).unwrap();
    let y = |j: usize| simulation.state().positions[sheet.crossing(warps / 2, j)].y;
    1.0 - (y(wefts - 1) - y(0)) / ((wefts as f64 - 1.0) * material.spacing)
}

#[test]
fn a_pulled_sheet_gets_narrower_with_crimp_only() {
    let (crimped, flat) = (narrowing(true), narrowing(false));
    assert!(crimped > 0.01, "{crimped}");
    assert!(flat.abs() < 1e-3, "{flat}");
}

#[test]
fn every_preconditioner_but_one_steps_yarns_with_crimp() {
    let run = |preconditioner| {
        let (_, mut simulation) = sheet(5, "plain", YarnMaterial { stiffness_damping: 1e-3, ..material() });
        simulation.options = YarnOptions {
            preconditioner,
            newton_iterations: 20,
            newton_tolerance: 1e-8,
            tolerance: 1e-10,
            ..YarnOptions::default()
        };
        simulation.gravity = Vector3::new(0.0, -9.81, 3.0);
        simulation.pins = vec![YarnPin::still(vec![0, 20])];
        let reports: Vec<_> = (0..5).map(|_| simulation.step(1e-3)).collect::<Result<_, _>>()?;
        Ok::<_, yarnwise_solvers::Error>((simulation.state().positions[12], reports))
    };
    let (expected, reports) = run(YarnPreconditioner::CoarseBlocks).unwrap();
    assert!(reports.iter().all(|r| r.rejected == 0), "{reports:?}");
    for kind in [YarnPreconditioner::Blocks, YarnPreconditioner::Lines, YarnPreconditioner::CoarseLines] {
        let (found, _) = run(kind).unwrap();
        assert!((found - expected).norm() < 1e-7, "{kind:?}: {}", (found - expected).norm());
    }
    let problem = run(YarnPreconditioner::WarpWeftWarp).unwrap_err().to_string();
    assert!(problem.contains("warp-weft-warp"), "{problem}");
}

fn parameters(crimp: bool) -> Parameters {
    let rest_length = if crimp { 1.1e-3 } else { 1e-3 };
    let family =
        Family { stretch: Known::from(2.0), bend: 3e-9.into(), rest_length: rest_length.into(), spacing: 1e-3.into() };
    let contact = CrossingContact { stiffness: 0.5.into(), exponent: 2.0.into() };
    let model = PersistentParameters {
        weft: family,
        warp: family,
        crimp,
        contact: crimp.then_some(contact),
        shear: ShearStiffness::Constant(6e-4.into()),
        friction: None,
        radius: 0.24e-3.into(),
        density: Some(600.0.into()),
    };
    Parameters::new("a test", Vec::new(), Vec::new(), Model::Persistent(model))
}

fn yarn_scene(file: &str) -> Value {
    json!({"cloth": {"sheet": {"extent": {"yarns": [4, 3]}}}, "material": {"friction": 0.1}, "parameters": file})
}

fn build_yarns(scene: &Value, folder: &Path) -> Result<YarnSimulation, String> {
    let path = folder.join("scene.json");
    std::fs::write(&path, scene.to_string()).unwrap();
    let scene = Scene::read(&path).map_err(|e| e.to_string())?;
    assert!(scene.files().count() == 1);
    scene.build("scene.json", folder).map_err(|e| e.to_string())
}

#[test]
fn scenes_take_estimated_parameters() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    parameters(true).write(&folder.join("crimped.json")).unwrap();
    parameters(false).write(&folder.join("flat.json")).unwrap();
    let simulation = build_yarns(&yarn_scene("crimped.json"), folder).unwrap();
    let material = simulation.weave().material;
    assert_eq!((material.friction, material.density, material.radius), (0.1, 600.0, 0.24e-3));
    assert!((simulation.stiffness().stretch / 2.0 - 1.0).abs() < 1e-12);
    let crossing = simulation.weave().links[0][1].node().unwrap();
    let rest = simulation.weave().arcs[crossing][0] - simulation.weave().arcs[0][0];
    assert!((rest / 1.1e-3 - 1.0).abs() < 1e-12, "yarn between crossings is longer than their distance: {rest}");
    let flat = build_yarns(&yarn_scene("flat.json"), folder).unwrap();
    assert!(flat.weave().material.crimp.is_none() && flat.state().heights.is_empty());
    // Parsed without a folder, the file is found when the scene is built.
    let scene = Scene::parse(yarn_scene("crimped.json").to_string().as_bytes(), "x").unwrap();
    assert_eq!(scene.build("x", folder).unwrap().weave().material, material);

    let hybrid = |file: &str| {
        let scene =
            json!({"cloth": {"sheet": {"cells": [2, 2], "crossings": 5}}, "region": "half", "parameters": file});
        let path = folder.join("hybrid.json");
        std::fs::write(&path, scene.to_string()).unwrap();
        let scene = HybridScene::read(&path).map_err(|e| e.to_string())?;
        scene.build("hybrid.json", folder).map(|c| c.model().weave().material.density).map_err(|e| e.to_string())
    };
    assert_eq!(hybrid("flat.json"), Ok(600.0));
    let problem = hybrid("crimped.json").unwrap_err();
    assert!(problem.contains("crimp"), "{problem}");
}

#[test]
fn bad_parameters_files_are_one_clear_error() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let good = serde_json::to_value(parameters(true)).unwrap();
    let problem = |change: &dyn Fn(&mut Value)| {
        let mut file = good.clone();
        change(&mut file);
        std::fs::write(folder.join("p.json"), file.to_string()).unwrap();
        build_yarns(&yarn_scene("p.json"), folder).err().unwrap_or_default()
    };
    assert_eq!(problem(&|_| ()), "");
    let model = "persistent";
    type Case<'c> = (&'c str, &'c dyn Fn(&mut Value));
    let cases: [Case; 7] = [
        ("model.persistent.weft.bend is null", &|v| v["model"][model]["weft"]["bend"] = Value::Null),
        ("stretch is 3 for wefts", &|v| v["model"][model]["weft"]["stretch"] = json!(3.0)),
        ("spacing is 0.002 for wefts", &|v| v["model"][model]["weft"]["spacing"] = json!(2e-3)),
        ("thicker", &|v| v["model"][model]["radius"] = json!(0.6e-3)),
        ("crimp.rest_length", &|v| v["model"][model]["warp"]["rest_length"] = json!(0.1)),
        ("crimp.exponent", &|v| v["model"][model]["contact"]["exponent"] = json!(1.0)),
        ("version is 9", &|v| v["version"] = json!(9)),
    ];
    for (expected, change) in cases {
        let found = problem(change);
        assert!(found.contains(expected) && found.contains("p.json"), "{expected}: {found}");
    }
    let missing = build_yarns(&yarn_scene("nowhere.json"), folder).unwrap_err();
    assert!(missing.contains("nowhere.json"), "{missing}");
}
