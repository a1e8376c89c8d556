//! `docs/reference/database-format.md` is correct: the file printed in it reads as it says, and a reader written from it
//! agrees with ours.

use std::path::{Path, PathBuf};
use std::process::Command;
use yarnwise_shared::pattern::material::YarnMaterial;
use yarnwise_shared::pattern::pyp;
use yarnwise_shared::table::Table;
use yarnwise_shared::table::database::{self, Database, DatabaseData, Encoding, Kinds, SampleRecord, SampleStatus};
use yarnwise_shared::table::grid::{Axis, Grid};
use yarnwise_tests::announce;
use yarnwise_tests::program::output;

fn docs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().join("docs/reference")
}

fn axis(values: &[f64]) -> Axis {
    Axis::new("test", values.to_vec()).unwrap()
}

/// The database of the document's example: one vertex, eight samples.
fn tiny() -> Database {
    let pattern = "*pattern\n0.01 0.01 0.001 1\n*Q\n0 0 0 0\n*E\n0 0 1 0\n*RL\n0.01\n*RefD1\n0 0 1\n";
    let grid = Grid([axis(&[0.0, 1.0]), axis(&[0.0, 0.5]), axis(&[0.0, 1.0])]);
    let value = |sample: usize| {
        let [sx, sa, sy] = grid.coordinates(sample);
        [sx * 1e-3, 0.0, sy * sx * -2e-4, sa * 0.1].map(|v| v as f32)
    };
    let values = (0..8).map(value).collect();
    Database::new(DatabaseData {
        name: "tiny".into(),
        origin: "doc".into(),
        tool: "test".into(),
        pattern: pyp::parse(pattern.as_bytes(), "tiny").unwrap(),
        material: None,
        settings: [("a".to_owned(), "b".to_owned())].into(),
        table: Table::new(grid.clone(), 1, values).unwrap(),
        samples: vec![SampleRecord::IMPORTED; 8],
        bending: None,
    })
    .unwrap()
}

fn dump(bytes: &[u8]) -> String {
    let row = |(i, row): (usize, &[u8])| {
        let hex: Vec<String> = row.iter().map(|b| format!("{b:02x}")).collect();
        format!("{:04x}  {}\n", 16 * i, hex.join(" "))
    };
    bytes.chunks(16).enumerate().map(row).collect()
}

/// The bytes of the hex dump of the document.
fn printed_file() -> Vec<u8> {
    let text = std::fs::read_to_string(docs().join("database-format.md")).unwrap();
    let block = text.split("```").find(|block| block.starts_with("hexdump")).unwrap_or_default();
    let rows = block.lines().filter_map(|line| line.split_once("  "));
    rows.flat_map(|(_, hex)| hex.split_whitespace()).map(|byte| u8::from_str_radix(byte, 16).unwrap()).collect()
}

#[test]
fn the_printed_file_reads_as_the_document_says() {
    let fresh = dump(&database::to_bytes(&tiny(), &Encoding::default()).unwrap());
    let name = "docs/reference/database-format.md";
    let version = database::inspect(&printed_file(), name).map(|info| info.version).ok();
    assert_eq!(version, Some(database::VERSION), "the example should be:\n{fresh}");
    let read = database::parse(&printed_file(), name);
    let read = read.unwrap_or_else(|e| panic!("{e}\nthe example should be:\n{fresh}"));
    assert_eq!(read.name(), tiny().name());
    assert_eq!(read.pattern(), tiny().pattern());
    assert_eq!(read.table().grid(), tiny().table().grid());
    for (a, b) in read.table().values().iter().zip(tiny().table().values()) {
        assert!(a.iter().zip(b).all(|(a, b)| (a - b).abs() <= 2e-3), "{a:?} is not {b:?}\n{fresh}");
        assert!((0..3).all(|c| (a[c] - b[c]).abs() <= 2e-6), "{a:?} is not {b:?}\n{fresh}");
    }
}

/// A database that uses everything the format has, small enough for slow readers.
fn full() -> Database {
    let grid = Grid([axis(&[-0.2, 0.0, 0.5, 1.0]), axis(&[-0.5, 0.0, 0.5]), axis(&[-0.2, 0.0, 1.0])]);
    let bend = Grid([axis(&[0.0, 1.0]), axis(&[0.0, 0.5]), axis(&[0.0, 0.5, 1.0]), axis(&[-90.0, 0.0, 90.0])]);
    let pattern = "*pattern\n0.02 0.01 0.001 4\n*Q\n0 0 0 0\n0.005 0 0.001 0\n0.01 0 0 0\n0.015 0 -0.001 0.3\n*E\n0 1 0 0\n\
                   1 2 0 0\n2 3 0 0\n3 0 1 0\n*RL\n0.005\n0.005\n0.005\n0.005\n*RefD1\n0 1 0\n0 1 0\n0 1 0\n0 1 0\n";
    let record = |i: usize| SampleRecord {
        status: SampleStatus::ALL[i % 4],
        energy_density: (i % 3 != 2).then_some(i as f64 * 0.37),
        kinds: i
            .is_multiple_of(3)
            .then(|| Kinds::from([0.5, 0.25, 0.125, 0.125].map(|share| share * (i as f64 * 0.37)))),
        stress: (i % 5 != 1).then(|| [i as f64, -0.25 * i as f64, 1e-9]),
        residual: (i % 3 != 2).then_some(1e-9 / (i + 1) as f64),
        iterations: i as u32 * 7,
        started_from: (i > 0).then_some(i as u32 / 2),
    };
    Database::new(DatabaseData {
        name: "full".into(),
        origin: "made for a test, with a text long enough for a length of more than one byte".repeat(5),
        tool: "test".into(),
        pattern: pyp::parse(pattern.as_bytes(), "full").unwrap(),
        material: Some(YarnMaterial { young: 5e5, shear: 2e5, gamma: 0.1, contact: 3.0 }),
        settings: [("a".to_owned(), "b".to_owned()), ("c".to_owned(), "d".to_owned())].into(),
        table: table(grid),
        samples: (0..36).map(record).collect(),
        bending: Some(database::BendingTables {
            x: table(bend.clone()),
            y: table(bend),
            x_samples: (0..36).map(record).collect(),
            y_samples: (0..36).map(record).collect(),
        }),
    })
    .unwrap()
}

fn table<const N: usize>(grid: Grid<N>) -> Table<N> {
    let value = |i: usize| {
        let s: f64 = grid.coordinates(i / 4).iter().zip([1.0, 0.7, -0.4, 0.002]).map(|(c, w)| c * w).sum();
        let v = (i % 4) as f64;
        [s * 1e-3, (s * v).sin() * 5e-4, s * s * 1e-3, (s * 9.0 + v).cos()].map(|v| v as f32)
    };
    let values = (0..4 * grid.sample_count()).map(value).collect();
    Table::new(grid, 4, values).unwrap()
}

fn python_has_zstandard() -> bool {
    Command::new("python3").args(["-c", "import zstandard"]).output().is_ok_and(|o| o.status.success())
}

#[test]
fn a_reader_written_from_the_document_agrees_with_ours() {
    if !python_has_zstandard() {
        announce("SKIPPED a_reader_written_from_the_document_agrees_with_ours: python3 has no package zstandard");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    for encoding in [Encoding::default(), Encoding::Lossless] {
        let path = folder.path().join("full.ydb");
        database::write(&full(), &path, &encoding).unwrap();
        let theirs = read_by_python(&path);
        assert_eq!((&theirs["version"], &theirs["settings"]["c"]), (&2.into(), &"d".into()));
        assert_agrees(&database::read(&path).unwrap(), &theirs);
    }
    let old = docs().join("../../shared/src/table/database/version-1.ydb");
    let theirs = read_by_python(&old);
    assert_eq!((&theirs["version"], &theirs["tables"][2]["records"][5]["energy_density"]), (&1.into(), &1.5.into()));
    assert_agrees(&database::read(&old).unwrap(), &theirs);
}

fn read_by_python(path: &Path) -> serde_json::Value {
    let output = output(Command::new("python3").arg(docs().join("read_database.py")).arg(path).arg("--values"));
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// Numbers that are known all or not at all.
fn numbers<const K: usize>(values: Option<[f64; K]>) -> [Option<f64>; K] {
    values.map_or([None; K], |values| values.map(Some))
}

fn assert_agrees(ours: &Database, theirs: &serde_json::Value) {
    assert_eq!(theirs["origin"], ours.origin());
    assert_eq!(theirs["material"]["gamma"].as_f64(), ours.material().map(|m| m.gamma));
    assert_eq!(pyp::parse(theirs["pattern"].as_str().unwrap().as_bytes(), "theirs").unwrap(), *ours.pattern());
    let bending = ours.bending().unwrap();
    let tables = [
        (ours.table().values(), ours.samples()),
        (bending.x.values(), &bending.x_samples[..]),
        (bending.y.values(), &bending.y_samples[..]),
    ];
    for (i, (values, samples)) in tables.into_iter().enumerate() {
        let table = &theirs["tables"][i];
        assert_eq!(table["values"].as_array().unwrap().len(), values.len());
        for (j, value) in values.iter().enumerate() {
            for c in 0..4 {
                // JSON carries enough digits for every f32, not always the last bit of an f64.
                assert_eq!(table["values"][j][c].as_f64().unwrap() as f32, value[c], "table {i}, {j}, {c}");
            }
        }
        for (j, sample) in samples.iter().enumerate() {
            let record = &table["records"][j];
            assert_eq!(record["status"], sample.status.name());
            let narrow = |v: Option<f64>| v.map(|v| v as f32);
            assert_eq!(narrow(record["energy_density"].as_f64()), narrow(sample.energy_density));
            let kind = |name: &str| record["kinds"][name].as_f64();
            assert_eq!(Kinds::NAMES.map(kind).map(narrow), numbers(sample.kinds.map(|k| k.values())).map(narrow));
            let stress = [0, 1, 2].map(|k| record["stress"][k].as_f64());
            assert_eq!(stress.map(narrow), numbers(sample.stress).map(narrow));
            assert_eq!(narrow(record["residual"].as_f64()), narrow(sample.residual));
            assert_eq!(record["iterations"], sample.iterations);
            assert_eq!(record["started_from"].as_u64(), sample.started_from.map(u64::from));
        }
    }
}
