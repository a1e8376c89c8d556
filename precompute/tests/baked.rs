//! A database as a model of fabric: it says what is stored, refuses what is not, and completes what an earlier program left out.

use std::path::Path;
use std::sync::atomic::AtomicBool;
use yarnwise_precompute::bake::{Bake, BakeOutcome, Completed, RunOptions, StartMode, complete};
use yarnwise_precompute::baked::{BakedFabric, Knowledge, require};
use yarnwise_precompute::fabric::Fabric;
use yarnwise_precompute::sampling::SamplingSettings;
use yarnwise_shared::pattern;
use yarnwise_shared::pattern::material::YarnMaterial;
use yarnwise_shared::table::Table;
use yarnwise_shared::table::database::{self, Database, DatabaseData, Encoding, SampleRecord, Tolerance};
use yarnwise_shared::table::grid::{Axis, Grid};
use yarnwise_shared::table::strain::Strain;

fn data(path: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../data").join(path)
}

fn plain() -> Database {
    database::read(&data("databases/plain.ydb")).unwrap()
}

fn fabric() -> BakedFabric {
    BakedFabric::new(plain(), "plain.ydb").unwrap()
}

/// As an earlier program wrote it.
fn without_kinds_and_stress(database: Database) -> Database {
    let mut data = database.into_data();
    let strip = |records: &mut Vec<SampleRecord>| records.iter_mut().for_each(|r| (r.kinds, r.stress) = (None, None));
    strip(&mut data.samples);
    if let Some(bending) = &mut data.bending {
        strip(&mut bending.x_samples);
        strip(&mut bending.y_samples);
    }
    Database::new(data).unwrap()
}

#[test]
fn a_sample_is_answered_with_what_is_stored() {
    let (fabric, database) = (fabric(), plain());
    assert_eq!(fabric.samples().len(), 125);
    for (i, response) in fabric.samples().iter().enumerate() {
        let record = &database.samples()[i];
        assert_eq!(response.strain, database.table().grid().coordinates(i));
        assert_eq!(
            (Some(response.energy_density), response.kinds, response.stress),
            (record.energy_density, record.kinds, record.stress)
        );
        assert_eq!(*response, fabric.respond(response.strain()).unwrap());
        assert!(response.is_sound());
    }
}

/// Pulled yarns flatten and the others crimp; at rest both are alike.
#[test]
fn heights_are_those_of_the_yarns_that_run_along_each_axis() {
    let (fabric, r) = (fabric(), plain().pattern().radius());
    let heights = |sx, sy| fabric.respond(Strain::new(sx, 0.0, sy)).unwrap().heights.unwrap().map(|h| h / r);
    let third = plain().table().grid().0[0].values()[2];
    let [[x, y], [pulled, other], [other_y, pulled_y]] = [heights(0.0, 0.0), heights(third, 0.0), heights(0.0, third)];
    assert!((x - y).abs() < 0.01 && (0.9..1.05).contains(&x), "{x} {y}");
    assert!(pulled < 0.7 * x && other > 1.1 * y, "{pulled} {other}");
    assert!((pulled - pulled_y).abs() < 0.01 && (other - other_y).abs() < 0.01, "{pulled_y} {other_y}");
}

#[test]
fn energies_by_kind_are_the_derivatives_and_add_up_to_the_energy() {
    let fabric = fabric();
    let names: Vec<_> = fabric.parameters().into_iter().map(|p| (p.name, p.value)).collect();
    let r: f64 = 1e-3;
    assert_eq!(
        names.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(),
        ["stretch", "bend", "twist", "contact"]
    );
    assert!((names[0].1 - 1e5 * std::f64::consts::PI * r * r).abs() < 1e-12 && names[3].1 == 12.0, "{names:?}");
    let (response, sensitivity) = fabric.respond_with_sensitivity(Strain::new(0.0, 0.5, 0.0)).unwrap();
    let sum: f64 = sensitivity.energy_density.iter().sum();
    assert!((sum - response.energy_density).abs() < 1e-12 * sum);
    assert!(sensitivity.energy_density[1] > 0.2 * sum, "a sheared weave bends: {sensitivity:?}");
    assert!(sensitivity.stress.is_empty() && sensitivity.heights.is_empty());
}

#[test]
fn what_is_not_stored_is_refused_with_the_cure() {
    let between = fabric().respond(Strain::new(0.05, 0.0, 0.0)).unwrap_err().to_string();
    assert!(between.starts_with("plain.ydb: has no sample at (sx 0.05, sa 0, sy 0)"), "{between}");
    assert!(between.contains("the nearest are (sx 0, sa 0, sy 0), (sx 0.33"), "{between}");
    let beyond = fabric().respond(Strain::new(7.0, f64::NAN, 0.0)).unwrap_err().to_string();
    assert!(beyond.contains("the nearest are (sx 1, sa -0.5, sy 0)"), "{beyond}");
    let made = fabric().with_values(&[1.0; 4]).err().unwrap().to_string();
    assert!(made.contains("a database cannot be made of other values: bake"), "{made}");

    let old = without_kinds_and_stress(plain());
    let refusal = |needed| require(&old, "old.ydb", needed).unwrap_err().to_string();
    assert!(require(&old, "old.ydb", Knowledge::Energies).is_ok());
    assert!(refusal(Knowledge::Stress).contains("old.ydb: this database has no stresses: bake it again"));
    assert!(refusal(Knowledge::Kinds).contains("no energies by kind: bake it again with this program, or add them"));
    let sensitivity = BakedFabric::new(old, "old.ydb").unwrap().respond_with_sensitivity(Strain::new(0.0, 0.0, 0.0));
    assert_eq!(sensitivity.unwrap_err().to_string(), refusal_of_kinds());

    let DatabaseData { pattern, table, .. } = plain().into_data();
    let imported = Database::new(DatabaseData::imported("i", "o", "t", pattern, table)).unwrap();
    assert!(
        BakedFabric::new(imported.clone(), "i.ydb")
            .unwrap_err()
            .to_string()
            .contains("i.ydb: this database has no material")
    );
    assert!(
        require(&imported, "i.ydb", Knowledge::Energies).unwrap_err().to_string().contains("has no energies: bake its")
    );
    assert!(complete(imported, "i.ydb").unwrap_err().to_string().contains("i.ydb: has no material"));
}

fn refusal_of_kinds() -> String {
    require(&without_kinds_and_stress(plain()), "old.ydb", Knowledge::Kinds).unwrap_err().to_string()
}

/// A small bake in the plane and bent, as its file holds it.
fn baked() -> Database {
    let axis = |name: &str, values: &[f64]| Axis::new(name, values.to_vec()).unwrap();
    let bake = Bake {
        name: "small".to_owned(),
        origin: "plain.yarn".to_owned(),
        tool: "test".to_owned(),
        pattern: pattern::read(&data("patterns/plain.yarn")).unwrap(),
        material: YarnMaterial::preset("woven").unwrap(),
        grid: Grid([axis("sx", &[-0.05, 0.0, 0.2]), axis("sa", &[0.0, 0.3]), axis("sy", &[0.0, 0.15])]),
        curvatures: Some(axis("curvature", &[0.0, 30.0])),
        start: StartMode::Continuation,
        settings: SamplingSettings::default(),
    };
    let folder = tempfile::tempdir().unwrap();
    let (output, stop) = (folder.path().join("small.ydb"), AtomicBool::new(false));
    let encoding = Encoding::Quantized(Tolerance::default());
    let options = RunOptions { threads: 2, pool: None, restart: false, encoding, stop: &stop };
    assert!(matches!(bake.run(&output, options, &mut |_| ()).unwrap(), BakeOutcome::Finished(_)));
    database::read(&output).unwrap()
}

fn size(v: &[f64]) -> f64 {
    v.iter().map(|c| c * c).sum::<f64>().sqrt()
}

/// The largest difference of energies by kind and of stresses, as a fraction of the energy and of the stress.
fn differences(a: &[SampleRecord], b: &[SampleRecord]) -> [f64; 2] {
    let apart = |a: &[f64], b: &[f64]| size(&a.iter().zip(b).map(|(a, b)| a - b).collect::<Vec<_>>());
    let mut out = [0.0f64; 2];
    for (a, b) in a.iter().zip(b) {
        let (ka, kb) = (a.kinds.unwrap().values(), b.kinds.unwrap().values());
        out[0] = out[0].max(apart(&ka, &kb) / a.energy_density.unwrap());
        assert_eq!(a.stress.is_some(), b.stress.is_some());
        if let (Some(a), Some(b)) = (a.stress, b.stress) {
            out[1] = out[1].max(apart(&a, &b) / size(&a));
        }
    }
    out
}

#[test]
fn a_database_without_kinds_and_stress_is_completed_to_what_a_bake_stores() {
    let whole = baked();
    let bending = whole.bending().unwrap();
    let flat = |s: &SampleRecord| s.stress.is_some();
    assert!(whole.samples().iter().all(flat) && bending.x_samples[..12].iter().all(flat));
    assert!(!bending.x_samples[12..].iter().any(flat), "bent samples have no stress");
    let (again, counts) = complete(without_kinds_and_stress(whole.clone()), "small.ydb").unwrap();
    assert_eq!(counts, Completed { samples: 60, known: 0, completed: 60, lost: 0 });
    assert_eq!(again.table(), whole.table());
    let tables = again.bending().unwrap();
    for (a, b) in [
        (whole.samples(), again.samples()),
        (&bending.x_samples, &tables.x_samples),
        (&bending.y_samples, &tables.y_samples),
    ] {
        let [kinds, stress] = differences(a, b);
        assert!(kinds < 1e-5 && stress < 1e-4, "{kinds:e} {stress:e}");
    }
    assert!(
        differences(&whole.samples()[..6], &whole.samples()[6..])[0] > 1e-2,
        "the comparison must see another strain"
    );
    assert_eq!(
        complete(whole.clone(), "small.ydb").unwrap(),
        (whole, Completed { samples: 60, known: 60, completed: 0, lost: 0 })
    );
}

#[test]
fn a_state_that_is_not_the_stored_one_is_not_taken_for_it() {
    let old = without_kinds_and_stress(baked());
    let mut data = old.clone().into_data();
    data.samples[3].energy_density = data.samples[3].energy_density.map(|e| 1.001 * e);
    let mut values = data.table.values().to_vec();
    let vertices = data.table.vertices();
    values[7 * vertices + 5][2] += 0.3 * data.pattern.radius() as f32;
    data.table = Table::new(data.table.grid().clone(), vertices, values).unwrap();
    let (again, counts) = complete(Database::new(data).unwrap(), "small.ydb").unwrap();
    assert_eq!((counts.completed, counts.lost), (58, 2));
    let unknown: Vec<usize> = (0..12).filter(|i| again.samples()[*i].kinds.is_none()).collect();
    assert_eq!(unknown, [3, 7]);
}
