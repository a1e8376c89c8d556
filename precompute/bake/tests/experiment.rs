//! `yarnwise-bake experiment`, run as its user runs it.

use std::path::{Path, PathBuf};
use yarnwise_tests::program::Program;

fn program() -> Program {
    Program::new(env!("CARGO_BIN_EXE_yarnwise-bake"))
}

fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data").join(name)
}

/// The program, run on a file of ours.
fn arguments<'a>(experiment: &'a str, file: &'a Path, options: &'a str) -> Vec<&'a str> {
    [&["experiment", experiment, file.to_str().unwrap()][..], &options.split_whitespace().collect::<Vec<_>>()].concat()
}

#[test]
fn weaves_are_made_of_woven_yarn_and_databases_of_their_own() {
    let program = program();
    let young = |file: &str, options: &str| {
        let (file, options) = (data(file), format!("{options} --strains 0 -o out.json"));
        program.success(&arguments("biaxial", &file, &options)[..]);
        let written: serde_json::Value = serde_json::from_str(&program.folder.text("out.json")).unwrap();
        let material = |name: &str| written["material"][name].as_f64().unwrap();
        [material("young"), material("gamma")]
    };
    let woven = young("patterns/plain.yarn", "--material woven");
    assert_eq!(young("patterns/plain.yarn", ""), woven);
    assert_eq!(young("databases/plain.ydb", ""), woven);
    let knit = young("patterns/stockinette.yarn", "--period fixed");
    assert_eq!(young("databases/stockinette.ydb", "--period fixed"), knit);
    assert_eq!(young("databases/plain.ydb", "--material knit"), knit);
    assert_ne!(knit, woven);
    assert_eq!(young("databases/plain.ydb", "--young 2e5"), [2e5, woven[1]]);
}

#[test]
fn bad_input_is_one_clear_error_before_any_work() {
    let program = program();
    let (plain, database) = (data("patterns/plain.yarn"), data("databases/plain.ydb"));
    program.folder.write("text.json", "hello");
    for (experiment, file, options, message) in [
        ("pull-out", &plain, "--friction nan", "--friction NaN: a number from 0 to 2 is expected"),
        ("pull-out", &plain, "--friction -1", "--friction -1"),
        ("pull-out", &plain, "--increment 0", "--increment 0: a number from 0.001 to 1"),
        ("pull-out", &plain, "--distance 0.1", "--distance 0.1: a number from 0.25 to 1000"),
        ("pull-out", &plain, "--crossings 65", "--crossings 65: a whole number from 1 to 64"),
        ("pull-out", &plain, "--model persistent", "--model: the experiment pull-out is for"),
        ("in-plane", &plain, "--friction 3", "--friction 3"),
        ("in-plane", &plain, "--increments 0", "--increments 0"),
        ("in-plane", &plain, "--periods 0,1", "--periods 0"),
        ("in-plane", &plain, "--stretch 7", "--stretch 7"),
        ("biaxial", &plain, "--parameters text.json", "--parameters: is for --model persistent"),
        ("biaxial", &plain, "--model persistent --parameters nowhere.json", "nowhere.json"),
        ("biaxial", &plain, "--model persistent --parameters text.json", "text.json"),
        ("biaxial", &plain, "--model persistent --picture out.png", "--picture: persistent contacts"),
        ("biaxial", &database, "--model database --picture out.png", "--picture: databases are drawn by"),
        ("biaxial", &plain, "--span 0", "the length of a span is 0 radii"),
        ("biaxial", &plain, "--strains nan", "--strains NaN"),
        ("biaxial", &plain, "--model database", "plain.yarn"),
    ] {
        let all = format!("{options} -o out.json");
        let failure = program.failure(&arguments(experiment, file, &all)[..]);
        assert!(failure.contains(message), "{experiment} {options}: {failure}");
        assert_eq!(failure.lines().filter(|l| l.starts_with("error")).count(), 1, "{failure}");
    }
    let left: Vec<String> = program.folder.files().into_iter().filter(|f| f.starts_with("out")).collect();
    assert!(left.is_empty(), "{left:?}");
}
