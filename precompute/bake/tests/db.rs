//! The command line of databases, run as its user runs it.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};
use yarnwise_shared::pattern::pyp;
use yarnwise_shared::table::Table;
use yarnwise_shared::table::database::{Database, DatabaseData, SampleRecord};
use yarnwise_shared::table::grid::{Axis, Grid};
use yarnwise_shared::table::model_folder;

fn bake(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_yarnwise-bake")).args(arguments).output().unwrap()
}

fn stdout(output: &Output) -> String {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout.clone()).unwrap()
}

/// The one message of a command that fails.
fn failure(arguments: &[&str]) -> String {
    let output = bake(arguments);
    assert!(!output.status.success(), "{arguments:?} succeeds");
    assert!(output.stdout.is_empty());
    let message = String::from_utf8(output.stderr).unwrap();
    assert_eq!(message.lines().count(), 1, "{message}");
    message
}

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
    let database = Database::new(DatabaseData {
        name: "small".into(),
        origin: String::new(),
        tool: String::new(),
        pattern: pyp::parse(pattern.as_bytes(), "test").unwrap(),
        material: None,
        settings: Default::default(),
        samples: vec![SampleRecord::IMPORTED; grid.sample_count()],
        table: Table::new(grid.clone(), 2, values).unwrap(),
        bending: None,
    });
    model_folder::write(&database.unwrap(), path).unwrap();
}

struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Self {
        let folder = Folder(tempfile::tempdir().unwrap());
        make_model(&folder.0.path().join("model"));
        folder
    }

    fn path(&self, name: &str) -> String {
        self.0.path().join(name).to_str().unwrap().to_owned()
    }
}

#[test]
fn a_lossless_import_exports_the_same_numbers() {
    let folder = Folder::new();
    let (model, file, exported) = (folder.path("model"), folder.path("cloth.ydb"), folder.path("exported"));
    let told = stdout(&bake(&["db", "import", &model, "-o", &file, "--lossless"]));
    assert!(told.contains("lossless"), "{told}");
    stdout(&bake(&["db", "export", &file, "--npy", &exported]));
    for name in ["pyp", "sxsasy/axes.txt", "sxsasy/data.npy"] {
        let read = |root: &str| fs::read(Path::new(root).join(name)).unwrap();
        assert!(read(&model) == read(&exported), "{name} differs");
    }
    assert!(failure(&["db", "export", &file, "--npy", &exported]).contains("not an empty folder"));
}

#[test]
fn importing_twice_gives_the_same_bytes() {
    let folder = Folder::new();
    let (model, a, b) = (folder.path("model"), folder.path("a.ydb"), folder.path("b.ydb"));
    stdout(&bake(&["db", "import", &model, "-o", &a]));
    stdout(&bake(&["db", "import", &model, "-o", &b]));
    assert!(fs::read(a).unwrap() == fs::read(b).unwrap());
}

#[test]
fn inspect_tells_what_is_in_a_database() {
    let folder = Folder::new();
    let (model, file) = (folder.path("model"), folder.path("cloth.ydb"));
    stdout(&bake(&["db", "import", &model, "-o", &file, "--tolerance", "0.001"]));
    let text = stdout(&bake(&["db", "inspect", &file]));
    for part in [
        "2 vertices on 1 yarn,",
        "axis sa",
        "27 imported",
        "within 1.00e-3 radii and 1.00e-3 rad",
        "ms to read",
        "jumps along sx",
        "at rest",
        "energy density   unknown",
    ] {
        assert!(text.contains(part), "'{part}' is missing:\n{text}");
    }
    let json: serde_json::Value = serde_json::from_str(&stdout(&bake(&["db", "inspect", &file, "--json"]))).unwrap();
    assert_eq!(json["tables"][0]["imported"], 27);
    assert_eq!(json["tables"][0]["axes"][1][0], -0.5);
    assert_eq!(json["pattern"]["vertices"], 2);
    assert_eq!(json["size"]["file_bytes"], fs::metadata(&file).unwrap().len());
    assert!((json["tables"][0]["largest"]["radii"].as_f64().unwrap() - 5.0f64.sqrt()).abs() < 0.3);
}

#[test]
fn wrong_input_gets_one_message() {
    let folder = Folder::new();
    let (model, file, none) = (folder.path("model"), folder.path("cloth.ydb"), folder.path("none"));
    assert!(failure(&["db", "import", &none, "-o", &file]).contains("holds no folder 'sxsasy'"));
    assert!(failure(&["db", "inspect", &none]).contains("none"));
    assert!(failure(&["db", "inspect", &model]).contains("is a folder"));
    assert!(failure(&["db", "import", &model, "-o", &model]).contains("is a folder"));
    assert!(failure(&["db", "import", &model, "-o", &file, "--tolerance", "0"]).contains("must be a positive number"));
    assert!(!Path::new(&file).exists(), "a failed import leaves no file");
    fs::write(folder.path("model/sxsasy/axes.txt"), "0 1\n0 1\n0 one\n").unwrap();
    let message = failure(&["db", "import", &model, "-o", &file]);
    assert!(message.contains("axes.txt, line 3: axis sy, value 1: 'one' is not a number"), "{message}");
    fs::write(&file, b"*pattern").unwrap();
    assert!(failure(&["db", "inspect", &file]).contains("is not a Yarnwise database"));
}

#[test]
fn help_reads_like_help() {
    let help = stdout(&bake(&["db", "import", "--help"]));
    for part in ["model folder", "--output <FILE>", "--lossless", "--tolerance <RADII>", "[default: 0.002]"] {
        assert!(help.contains(part), "'{part}' is missing:\n{help}");
    }
}
