//! `yarnwise-bake estimate`, run as its user runs it.

use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;
use yarnwise_shared::parameters::Parameters;
use yarnwise_tests::program::{Program, finished};
use yarnwise_tests::seed;

const PROGRAM: &str = env!("CARGO_BIN_EXE_yarnwise-bake");
const START: &str = "--start stretch=1 --start bend=2.6e-9 --start contact=36";

fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data").join(name)
}

/// The program in a folder with `biaxial.json`, four states of plain weave made of woven yarn.
fn program() -> Program {
    let program = Program::new(PROGRAM);
    let pattern = data("patterns/plain.yarn");
    let arguments = ["experiment", "biaxial", pattern.to_str().unwrap(), "--material", "woven", "--strains", "0,0.1"];
    program.success(&[&arguments[..], &["-o", "biaxial.json"]].concat()[..]);
    program
}

fn changed(program: &Program, name: &str, change: impl FnOnce(&mut serde_json::Value)) {
    let mut value: serde_json::Value = serde_json::from_str(&program.folder.text("biaxial.json")).unwrap();
    change(&mut value);
    program.folder.write(name, value.to_string());
}

#[test]
fn an_experiment_gives_its_yarn_back_with_the_same_bytes_for_any_number_of_threads_and_kills() {
    let program = program();
    let estimate = |options: &str| format!("estimate biaxial.json --for yarn {START} {options}");
    let report = program.success(&estimate("--threads 1 --plots plots -o 1.json"));
    assert!(
        report.contains("stretch") && report.contains("weakest direction") && report.contains("file          1.json")
    );
    let parameters = Parameters::read(&program.folder.path("1.json")).unwrap().yarn("1.json").unwrap();
    let relative = |found: f64, truth: f64| (found / truth - 1.0).abs();
    assert!(relative(parameters.young, 1e5) < 1e-3 && relative(parameters.gamma, 0.1) < 1e-3, "{parameters:?}");
    assert!(relative(parameters.contact, 12.0) < 1e-3 && parameters.radius == Some(1e-3), "{parameters:?}");
    assert!(
        program.folder.text("plots/search.svg").contains("<svg")
            && !program.folder.text("plots/residuals.svg").contains("NaN")
    );
    program.success(&estimate("--threads 2 -o 2.json"));
    assert!(program.folder.bytes("2.json") == program.folder.bytes("1.json"));
    let mut random = seed::random("estimates_that_are_killed");
    let mut killed = 0;
    loop {
        let mut command = program.command(&estimate("--threads 2 -o killed.json"));
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(50 + random.below(200) as u64));
        child.kill().unwrap();
        if finished(child).unwrap().status.success() {
            break;
        }
        killed += 1;
        assert!(killed < 1000, "killed 1000 times, the estimate has not ended");
    }
    assert!(program.folder.bytes("killed.json") == program.folder.bytes("1.json"), "after {killed} kills");
    assert!(!program.folder.files().iter().any(|f| f.ends_with(".journal")), "{:?}", program.folder.files());
    // Negative control: other data give other bytes.
    changed(&program, "other.json", |v| v["states"][1]["stress"][0] = 1.5.into());
    program.success(&format!("estimate other.json --for yarn {START} -o other-yarn.json"));
    assert!(program.folder.bytes("other-yarn.json") != program.folder.bytes("1.json"));
}

#[test]
fn a_single_state_determines_nothing_and_the_file_holds_no_numbers() {
    let program = program();
    changed(&program, "single.json", |v| v["states"] = serde_json::json!([v["states"][1]]));
    let report = program.success("estimate single.json --for yarn -o yarn.json");
    assert_eq!(report.matches("not determined by these data").count(), 3, "{report}");
    let parameters = Parameters::read(&program.folder.path("yarn.json")).unwrap();
    assert!(parameters.estimated.iter().all(|e| e.value.0.is_none()) && parameters.estimated.len() == 3);
    assert!(parameters.yarn("yarn.json").unwrap_err().to_string().contains("not determined by the data"));
    let json =
        program.json("--json estimate single.json --for yarn --fix bend=7.854e-9 --fix contact=12 -o given.json");
    assert_eq!(json["parameters"][0]["verdict"], "determined", "{json}");
    assert!((json["parameters"][0]["value"].as_f64().unwrap() / 0.314159 - 1.0).abs() < 1e-3);
}

#[test]
fn shear_that_the_data_do_not_know_may_be_given() {
    let program = program();
    let estimate = |options: &str| {
        let report = program.success(&format!("estimate biaxial.json --for persistent --flat {options} -o p.json"));
        let written: serde_json::Value = serde_json::from_str(&program.folder.text("p.json")).unwrap();
        (report, written["model"]["persistent"]["shear"]["constant"].clone())
    };
    let (report, shear) = estimate("");
    assert!(report.contains("% at the start)") && shear.is_null(), "{report}");
    let (report, shear) = estimate("--fix shear=5e-4");
    assert!(report.contains("shear         5.0000e-4 N") && shear == 5e-4, "{report}");
}

#[test]
fn a_database_gives_yarns_persistent_contacts_and_membranes() {
    let program = Program::new(PROGRAM);
    let database = data("databases/plain.ydb");
    let run = |arguments: &[&str]| {
        let all = [&["estimate", database.to_str().unwrap(), "--for"], arguments].concat();
        program.success(&all[..])
    };
    run(&["yarn", "--states", "9", "-o", "yarn.json"]);
    let yarn = Parameters::read(&program.folder.path("yarn.json")).unwrap().yarn("yarn.json").unwrap();
    assert!((yarn.young / 1e5 - 1.0).abs() < 0.01 && (1.0..1.08).contains(&(yarn.gamma / 0.1)), "{yarn:?}");
    let report = run(&["persistent", "--use", "stress,heights", "-o", "persistent.json"]);
    assert!(report.contains("rest_length_x") && report.contains("shear"), "{report}");
    let persistent = Parameters::read(&program.folder.path("persistent.json")).unwrap();
    assert!(persistent.persistent("persistent.json").unwrap().crimp);
    for form in ["spline", "constants"] {
        run(&["membrane", "--form", form, "-o", "membrane.json"]);
        Parameters::read(&program.folder.path("membrane.json")).unwrap();
    }
}

#[test]
fn bad_input_is_one_clear_error() {
    let program = program();
    changed(&program, "empty.json", |v| v["states"] = serde_json::json!([]));
    changed(&program, "unsound.json", |v| {
        v["states"].as_array_mut().unwrap().iter_mut().for_each(|s| s["stable"] = false.into());
    });
    changed(&program, "single-yarn.json", |v| v["experiment"] = "single".into());
    changed(&program, "no-fabric.json", |v| drop(v.as_object_mut().unwrap().remove("fabric")));
    program.folder.write("text.json", "hello");
    program.success("pattern make weave --preset plain -o plain.yarn");
    for (arguments, message) in [
        ("empty.json --for yarn -o out.json", "empty.json: none of its 0 states is a stable equilibrium"),
        ("unsound.json --for yarn -o out.json", "unsound.json: none of its 4 states is a stable equilibrium"),
        ("single-yarn.json --for yarn -o out.json", "an experiment of the kind 'single' does not say"),
        ("no-fabric.json --for yarn -o out.json", "no-fabric.json: does not hold the fabric"),
        ("text.json --for yarn -o out.json", "text.json"),
        ("plain.yarn --for yarn -o out.json", "plain.yarn"),
        ("nowhere.json --for yarn -o out.json", "nowhere.json"),
        ("biaxial.json --for yarn -o biaxial.json", "is also an input"),
        (
            "biaxial.json --for yarn --bounds bend=2e-8..1e-8 -o out.json",
            "bounds bend: the lowest value 2e-8 is not below",
        ),
        ("biaxial.json --for yarn --bounds bend=1e-8 -o out.json", "is not NAME=LOW..HIGH"),
        (
            "biaxial.json --for yarn --bounds bend=1e-9..1e-8 --bounds bend=1e-7..1e-6 -o out.json",
            "--bounds bend: is given twice",
        ),
        ("biaxial.json --for yarn --fix bend=1e-9 --fix bend=1e-8 -o out.json", "--fix bend: is given twice"),
        ("biaxial.json --for yarn --start bend=1 --bounds bend=1e-9..1e-8 -o out.json", "is outside of its bounds"),
        ("biaxial.json --for yarn --fix glue=1 -o out.json", "no such parameter; it has stretch, bend, contact"),
        ("biaxial.json --for yarn --fix bend=nan -o out.json", "is not a finite number above 0"),
        ("biaxial.json --for yarn --prior -1 -o out.json", "--prior"),
        ("biaxial.json --for membrane --fix bend=1 -o out.json", "leave out --fix"),
    ] {
        let failure = program.failure(&format!("estimate {arguments}"));
        assert!(failure.contains(message), "{arguments}: {failure}");
        assert_eq!(failure.lines().filter(|l| l.starts_with("error")).count(), 1, "{failure}");
    }
    let left: Vec<String> = program.folder.files().into_iter().filter(|f| f.starts_with("out")).collect();
    assert!(left.is_empty(), "{left:?}");
}
