//! `yarnwise-bake compare` as its users run it.

use std::path::Path;
use std::process::{Command, Output};

fn bake(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_yarnwise-bake")).args(arguments).current_dir(folder).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// A plain weave on two small grids, and another pattern.
fn databases(folder: &Path) {
    let pattern = concat!(env!("CARGO_MANIFEST_DIR"), "/../../data/patterns/plain.yarn");
    let twill = concat!(env!("CARGO_MANIFEST_DIR"), "/../../data/patterns/twill.yarn");
    std::fs::write(folder.join("coarse.txt"), "0 0.4\n-0.3 0 0.3\n0 0.4\n").unwrap();
    std::fs::write(folder.join("dense.txt"), "0 0.2 0.4\n-0.3 0 0.3\n0 0.2 0.4\n").unwrap();
    let make = |pattern: &str, grid: &str, output: &str| {
        let done = bake(folder, &["bake", pattern, "-o", output, "--grid", grid, "--material", "woven"]);
        assert!(done.status.success(), "{}", text(&done.stderr));
    };
    make(pattern, "dense.txt", "dense.ydb");
    make(twill, "coarse.txt", "twill.ydb");
    let done = bake(folder, &["db", "subset", "dense.ydb", "--grid", "coarse.txt", "-o", "coarse.ydb"]);
    assert!(done.status.success(), "{}", text(&done.stderr));
}

#[test]
fn sets_are_compared_and_reported() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    databases(folder);

    let reports = ["--html", "r.html", "--json", "r.json", "--csv", "r.csv"];
    let mut arguments = vec!["compare", "coarse.ydb", "dense.ydb", "--strains", "random:200", "--held-out", "1"];
    arguments.extend(reports);
    let done = bake(folder, &arguments);
    assert!(done.status.success(), "{}", text(&done.stderr));
    let printed = text(&done.stdout);
    assert!(printed.contains("Sets against the physics") && printed.contains("coarse"), "{printed}");
    let json: serde_json::Value = serde_json::from_slice(&std::fs::read(folder.join("r.json")).unwrap()).unwrap();
    assert_eq!(json["reference"], "dense");
    assert!(json["sets"][0]["strains"]["all"]["largest"].as_f64().unwrap() > 0.0);
    assert!(json["sets"][1]["cost"]["bake_seconds"].as_f64().unwrap() > 0.0, "the log is beside the database");
    assert!(std::fs::read_to_string(folder.join("r.html")).unwrap().starts_with("<!doctype html>"));

    let again = bake(folder, &["compare", "dense.ydb", "dense.ydb", "--held-out", "0", "--json", "same.json"]);
    assert!(again.status.success(), "{}", text(&again.stderr));
    let json: serde_json::Value = serde_json::from_slice(&std::fs::read(folder.join("same.json")).unwrap()).unwrap();
    assert_eq!(json["sets"][0]["strains"]["all"]["largest"], 0.0);
    assert_eq!(json["sets"][1]["cost"]["name"], "dense (2)");

    for (arguments, reason) in [
        (vec!["dense.ydb", "twill.ydb"], "Compare sample sets of one pattern"),
        (vec!["dense.ydb", "missing.ydb"], "missing.ydb"),
        (vec!["dense.ydb", "--strains", "many"], "random:N is expected"),
        (vec!["dense.ydb", "--clip", "none.bin"], "none.bin"),
        (vec!["dense.ydb", "--html", "."], "is a folder"),
    ] {
        let done = bake(folder, &[&["compare"], arguments.as_slice()].concat());
        let error = text(&done.stderr);
        assert!(error.matches("No such file").count() <= 1, "a cause is said once: {error}");
        assert!(
            !done.status.success() && error.contains(reason) && !error.contains("panicked"),
            "{arguments:?}: {error}"
        );
    }
}
