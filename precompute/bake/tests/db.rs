//! The command line of databases, run as its user runs it.

use std::path::Path;
use yarnwise_shared::pattern::pyp;
use yarnwise_shared::table::Table;
use yarnwise_shared::table::database::{self, Database, DatabaseData};
use yarnwise_shared::table::grid::{Axis, Grid};
use yarnwise_shared::table::model_folder;
use yarnwise_tests::program::Program;

/// A small model folder at `path`.
fn make_model(path: &Path) {
    let pattern = "*pattern\n0.01 0.01 0.001 2\n*Q\n0 0 0 0\n0.005 0 0 0\n*E\n0 1 0 0\n1 0 1 0\n*RL\n0.005\n0.005\n\
                   *RefD1\n0 0 1\n0 0 1\n";
    let axis = |values: &[f64]| Axis::new("test", values.to_vec()).unwrap();
    let grid = Grid([axis(&[-0.1, 0.0, 1.0]), axis(&[-0.5, 0.0, 0.5]), axis(&[-0.1, 0.0, 1.0])]);
    let value = |sample: usize, vertex: f64| {
        let [sx, sa, sy] = grid.coordinates(sample);
        [sx * 1e-3, sy * 1e-3 * vertex, sa * sx * 1e-3, sa].map(|v| v as f32)
    };
    let values = (0..grid.sample_count()).flat_map(|s| [value(s, 1.0), value(s, 2.0)]).collect();
    let pattern = pyp::parse(pattern.as_bytes(), "test").unwrap();
    let table = Table::new(grid.clone(), 2, values).unwrap();
    let database = Database::new(DatabaseData::imported("small", "", "", pattern, table));
    model_folder::write(&database.unwrap(), path).unwrap();
}

/// The program with a model folder `model` in its own.
fn bake() -> Program {
    let bake = Program::new(env!("CARGO_BIN_EXE_yarnwise-bake"));
    make_model(&bake.folder.path("model"));
    bake
}

#[test]
fn a_lossless_import_exports_the_same_numbers() {
    let bake = bake();
    let printed = bake.success("db import model -o cloth.ydb --lossless");
    assert!(printed.contains("lossless"), "{printed}");
    bake.success("db export cloth.ydb -o exported");
    for name in ["pyp", "sxsasy/axes.txt", "sxsasy/data.npy"] {
        let read = |root: &str| bake.folder.bytes(&format!("{root}/{name}"));
        assert!(read("model") == read("exported"), "{name} differs");
    }
    assert!(bake.failure("db export cloth.ydb --npy exported").contains("not an empty folder"));
}

#[test]
fn importing_twice_gives_the_same_bytes() {
    let bake = bake();
    bake.success("db import model -o a.ydb");
    bake.success("db import model -o b.ydb");
    assert!(bake.folder.bytes("a.ydb") == bake.folder.bytes("b.ydb"));
}

#[test]
fn inspect_shows_what_is_in_a_database() {
    let bake = bake();
    bake.success("db import model -o cloth.ydb --tolerance 0.001");
    let text = bake.success("db inspect cloth.ydb");
    for part in [
        "2 vertices on 1 yarn,",
        "axis sa",
        "27 imported",
        "within 1.00e-3 radii and 1.00e-3 rad",
        "ms to read",
        "jumps along sx",
        "at rest",
        "energy density   unknown",
        "    by kind        unknown\n",
        "stress           unknown",
    ] {
        assert!(text.contains(part), "'{part}' is missing:\n{text}");
    }
    let json = bake.json("db inspect cloth.ydb --json");
    assert_eq!(json["tables"][0]["imported"], 27);
    assert_eq!(json["tables"][0]["axes"][1][0], -0.5);
    assert_eq!(json["pattern"]["vertices"], 2);
    assert_eq!(json["size"]["file_bytes"], bake.folder.bytes("cloth.ydb").len());
    assert!((json["tables"][0]["largest"]["radii"].as_f64().unwrap() - 5.0f64.sqrt()).abs() < 0.3);
}

#[test]
fn completing_a_database_that_lacks_nothing_changes_no_value() {
    let bake = bake();
    let plain = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data/databases/plain.ydb");
    std::fs::copy(plain, bake.folder.path("plain.ydb")).unwrap();
    let printed = bake.success("db complete plain.ydb -o again.ydb");
    assert!(printed.contains("0 samples completed, 125 had energies by kind before, 0 not found again"), "{printed}");
    let read = |name: &str| database::read(&bake.folder.path(name)).unwrap();
    assert_eq!(read("again.ydb"), read("plain.ydb"));
    let json = bake.json("db inspect again.ydb --json");
    let table = &json["tables"][0];
    assert_eq!(
        (&json["size"]["version"], &table["with_kinds"], &table["with_stress"]),
        (&2.into(), &125.into(), &125.into())
    );
    let text = bake.success("db inspect again.ydb");
    for part in ["    of bend        1.1625e-2 to ", "  stress by sa     -2.6188e0 to 2.6188e0 N/m\n"] {
        assert!(text.contains(part), "'{part}' is missing:\n{text}");
    }
    bake.success("db import model -o cloth.ydb");
    assert!(bake.failure("db complete cloth.ydb -o new.ydb").contains("cloth.ydb: has no material"));
    assert!(bake.failure("db complete plain.ydb -o plain.ydb").contains("plain.ydb"));
}

#[test]
fn wrong_input_gets_one_message() {
    let bake = bake();
    for (arguments, reason) in [
        ("db import none -o cloth.ydb", "holds no folder 'sxsasy'"),
        ("db inspect none", "none"),
        ("db inspect model", "is a folder"),
        ("db import model -o model", "is a folder"),
        ("db import model -o cloth.ydb --tolerance 0", "must be a positive number"),
    ] {
        let message = bake.failure(arguments);
        assert!(message.contains(reason), "{arguments}: {message}");
    }
    assert!(!bake.folder.has("cloth.ydb"), "a failed import leaves no file");
    bake.folder.write("model/sxsasy/axes.txt", "0 1\n0 1\n0 one\n");
    let message = bake.failure("db import model -o cloth.ydb");
    assert!(message.contains("axes.txt, line 3: axis sy, value 2: 'one' is not a number"), "{message}");
    bake.folder.write("cloth.ydb", "*pattern");
    assert!(bake.failure("db inspect cloth.ydb").contains("is not a Yarnwise database"));
}

#[test]
fn help_reads_like_help() {
    let help = bake().success("db import --help");
    for part in ["model folder", "--output <FILE>", "--lossless", "--tolerance <RADII>", "[default: 0.002]"] {
        assert!(help.contains(part), "'{part}' is missing:\n{help}");
    }
}
