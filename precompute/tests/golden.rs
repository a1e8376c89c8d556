//! A tiny bake finds what it found before: a change of results is noticed, and the identity of journals must change with it.
//!
//! Displacements are hashed after rounding to a ten-thousandth of a yarn radius or radian, energies to six digits, energies by kind and
//! stresses to a ten-thousandth of the energy: other processors have
//! vectors of other lengths and add in another order, which changes the last bits and nothing else. A change of the method moves
//! some vertex by more.

use std::path::Path;
use std::sync::atomic::AtomicBool;
use yarnwise_precompute::bake::{Bake, BakeOutcome, METHOD_HASH, RunOptions, StartMode};
use yarnwise_precompute::sampling::SamplingSettings;
use yarnwise_shared::pattern;
use yarnwise_shared::pattern::material::YarnMaterial;
use yarnwise_shared::table::Table;
use yarnwise_shared::table::database::{self, Database, Encoding, SampleRecord};
use yarnwise_shared::table::grid::{Axis, Grid};

/// Plain weave: tension, shear and compression, flat and bent.
fn tiny() -> Bake {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../data/patterns/plain.yarn");
    let axis = |name: &str, values: &[f64]| Axis::new(name, values.to_vec()).unwrap();
    Bake {
        name: "tiny".to_owned(),
        origin: "plain.yarn".to_owned(),
        tool: "test".to_owned(),
        pattern: pattern::read(&file).unwrap(),
        material: YarnMaterial::preset("woven").unwrap(),
        grid: Grid([axis("sx", &[-0.05, 0.0, 0.2]), axis("sa", &[0.0, 0.2, 0.4]), axis("sy", &[0.0, 0.15])]),
        curvatures: Some(axis("curvature", &[0.0, 30.0])),
        start: StartMode::Continuation,
        settings: SamplingSettings::default(),
    }
}

fn baked(threads: usize) -> Database {
    let folder = tempfile::tempdir().unwrap();
    let output = folder.path().join("tiny.ydb");
    let stop = AtomicBool::new(false);
    let options = RunOptions { threads, pool: None, restart: false, encoding: Encoding::Lossless, stop: &stop };
    let outcome = tiny().run(&output, options, &mut |_| ()).unwrap();
    assert!(matches!(outcome, BakeOutcome::Finished(_)));
    database::read(&output).unwrap()
}

/// FNV-1a, 64 bits: short, and the same everywhere.
struct Hash(u64);

impl Hash {
    fn add(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }

    fn add_table<const N: usize>(&mut self, table: &Table<N>, samples: &[SampleRecord], radius: f64) {
        let units = [radius, radius, radius, 1.0].map(|unit| 1e-4 * unit);
        for (value, unit) in table.values().iter().flat_map(|d| d.iter().zip(units)) {
            self.add(&((f64::from(*value) / unit).round() as i64).to_le_bytes());
        }
        for sample in samples {
            let energy = sample.energy_density.map_or("-".to_owned(), |e| format!("{e:.5e}"));
            self.add(format!("{} {energy} {:?};", sample.status.name(), sample.started_from).as_bytes());
            let unit = 1e-4 * sample.energy_density.unwrap_or(1.0);
            let kinds = sample.kinds.map_or([f64::NAN; 4], |k| k.values());
            for value in kinds.into_iter().chain(sample.stress.unwrap_or([f64::NAN; 3])) {
                self.add(format!("{} ", (value / unit).round() + 0.0).as_bytes());
            }
        }
    }
}

fn hash(database: &Database) -> String {
    let radius = database.pattern().radius();
    let bending = database.bending().expect("the tiny bake is bent");
    let mut hash = Hash(0xcbf2_9ce4_8422_2325);
    hash.add_table(database.table(), database.samples(), radius);
    hash.add_table(&bending.x, &bending.x_samples, radius);
    hash.add_table(&bending.y, &bending.y_samples, radius);
    format!("{:016x}", hash.0)
}

#[test]
fn a_tiny_bake_finds_what_it_found_before() {
    let found = hash(&baked(1));
    assert_eq!(
        found, METHOD_HASH,
        "bakes find other states than before. If that is not intended, something is broken. If it is, write {found} into \
         METHOD_HASH in precompute/src/bake/mod.rs (journals of before are then refused instead of continued), bake the \
         databases in data/ anew, and say in CHANGELOG.md what changed"
    );
}

#[test]
fn the_number_of_threads_changes_nothing_and_a_moved_vertex_is_noticed() {
    let (one, two) = (baked(1), baked(2));
    assert_eq!(one.table().values(), two.table().values());
    assert_eq!(hash(&one), hash(&two));
    let mut data = two.into_data();
    let mut values = data.table.values().to_vec();
    values[7][0] += 2e-4 * data.pattern.radius() as f32;
    data.table = Table::new(data.table.grid().clone(), data.table.vertices(), values).unwrap();
    assert_ne!(hash(&Database::new(data).unwrap()), hash(&one), "the hash must see a vertex that moved");
}
