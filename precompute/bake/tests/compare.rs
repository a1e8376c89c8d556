//! `yarnwise-bake compare` as its users run it.

use yarnwise_tests::program::Program;

/// A plain weave on two small grids, and another pattern.
fn databases() -> Program {
    let pattern = concat!(env!("CARGO_MANIFEST_DIR"), "/../../data/patterns/plain.yarn");
    let twill = concat!(env!("CARGO_MANIFEST_DIR"), "/../../data/patterns/twill.yarn");
    let bake = Program::new(env!("CARGO_BIN_EXE_yarnwise-bake"));
    bake.folder.write("coarse.txt", "0 0.4\n-0.3 0 0.3\n0 0.4\n");
    bake.folder.write("dense.txt", "0 0.2 0.4\n-0.3 0 0.3\n0 0.2 0.4\n");
    let make = |pattern: &str, grid: &str, output: &str| {
        bake.success(&["bake", pattern, "-o", output, "--grid", grid, "--material", "woven"]);
    };
    make(pattern, "dense.txt", "dense.ydb");
    make(twill, "coarse.txt", "twill.ydb");
    bake.success("db subset dense.ydb --grid coarse.txt -o coarse.ydb");
    bake
}

#[test]
fn sets_are_compared_and_reported() {
    let bake = databases();
    let json = |name: &str| serde_json::from_str::<serde_json::Value>(&bake.folder.text(name)).unwrap();
    let printed = bake.success(
        "compare coarse.ydb dense.ydb --strains random:200 --held-out 1 --html r.html --json-file r.json --csv r.csv",
    );
    assert!(printed.contains("Sets against the physics") && printed.contains("coarse"), "{printed}");
    let report = json("r.json");
    assert_eq!(report["reference"], "dense");
    assert!(report["sets"][0]["strains"]["all"]["largest"].as_f64().unwrap() > 0.0);
    assert!(report["sets"][1]["cost"]["bake_seconds"].as_f64().unwrap() > 0.0, "the log is beside the database");
    assert!(bake.folder.text("r.html").starts_with("<!doctype html>"));

    let report = bake.json("compare dense.ydb dense.ydb --held-out 0 --json");
    assert_eq!(report["sets"][0]["strains"]["all"]["largest"], 0.0);
    assert_eq!(report["sets"][1]["cost"]["name"], "dense (2)");

    for (arguments, reason) in [
        ("dense.ydb twill.ydb", "Compare sample sets of one pattern"),
        ("dense.ydb missing.ydb", "missing.ydb"),
        ("dense.ydb --strains many", "random:N is expected"),
        ("dense.ydb --clip none.bin", "none.bin"),
        ("dense.ydb --html .", "is a folder"),
    ] {
        let error = bake.failure(&format!("compare {arguments}"));
        assert!(error.matches("No such file").count() <= 1, "a cause is said once: {error}");
        assert!(error.contains(reason), "{arguments}: {error}");
    }
}
