//! `yarnwise-experiments cloth`, run as its user runs it, on the smallest sheets.

use serde_json::Value;
use yarnwise_tests::program::Program;

fn experiments() -> Program {
    Program::new(env!("CARGO_BIN_EXE_yarnwise-experiments"))
}

/// Every number of a document is finite, or null where there is nothing to take a mean of.
fn numbers(value: &Value) -> usize {
    match value {
        Value::Number(n) => {
            assert!(n.as_f64().is_some_and(f64::is_finite), "{n}");
            1
        }
        Value::Array(list) => list.iter().map(numbers).sum(),
        Value::Object(fields) => fields.values().map(numbers).sum(),
        _ => 0,
    }
}

#[test]
fn every_experiment_prints_its_figures_as_json_and_writes_its_plots() {
    let experiments = experiments();
    let cases = [
        ("stability --runs 1 --largest 10", "stability", vec!["stability.svg"]),
        ("aimex --runs 1 --largest 10", "aimex", vec!["aimex-differences.svg"]),
        ("preconditioner --runs 2 --largest 10", "preconditioner", vec!["preconditioner-constrained-n.svg"]),
        ("decomposition --runs 1 --largest 10", "decomposition", vec!["decomposition-ratio.svg"]),
        ("damping", "damping", vec!["energy-none.svg", "energy-projected-internal.svg"]),
    ];
    for (arguments, name, plots) in cases {
        let document = experiments.json(&format!("cloth {arguments} --json -o plots/{name}"));
        assert_eq!(document["experiment"], format!("cloth {name}"));
        assert!(numbers(&document["figures"]) > 5, "{document}");
        for plot in plots {
            let text = experiments.folder.bytes(&format!("plots/{name}/{plot}"));
            assert!(text.starts_with(b"<svg"), "{plot}");
        }
    }
}

#[test]
fn a_seed_gives_the_same_figures_again_and_is_printed() {
    let experiments = experiments();
    let figures = |seed: u32| {
        experiments.json(&format!("cloth preconditioner --runs 2 --largest 10 --seed {seed} --json"))["figures"].clone()
    };
    let first = figures(7);
    assert_eq!(first, figures(7));
    assert_ne!(first["cases"], figures(8)["cases"], "another seed must draw other sets");
    assert_eq!(first["seed"], 7);
    let table = experiments.success("cloth preconditioner --runs 1 --largest 5 --seed 7");
    assert!(table.contains("seed 7") && table.contains("A-Block"), "{table}");
}

#[test]
fn bad_numbers_and_outputs_are_refused_before_any_work() {
    let experiments = experiments();
    experiments.folder.write("file", "x");
    assert!(experiments.failure("cloth stability --largest 3").contains("--largest 3: the smallest sheet"));
    assert!(experiments.failure("cloth stability -o file").contains("is not a folder"));
    for bad in ["--runs 0", "--runs -1", "--runs 1e9", "--seed -1", "--seed x", "--largest -5"] {
        let run = experiments.run(&format!("cloth aimex {bad}"));
        assert_eq!(run.status.code(), Some(2), "{bad}: {}", run.stderr);
        assert!(run.stdout.is_empty() && run.stderr.starts_with("error: invalid value"), "{bad}: {}", run.stderr);
    }
}

#[test]
fn completions_and_man_pages_know_every_experiment() {
    let experiments = experiments();
    let completions = experiments.success("completions bash");
    assert!(completions.contains("preconditioner") && completions.contains("--largest"));
    experiments.success("man -o man");
    assert!(experiments.folder.path("man/yarnwise-experiments-cloth-aimex.1").is_file());
}
