//! `yarnwise-experiments hybrid`, run as its user runs it, on small sheets; figures that must hold.

use serde_json::Value;
use yarnwise_tests::program::Program;

fn experiments() -> Program {
    Program::new(env!("CARGO_BIN_EXE_yarnwise-experiments"))
}

fn figures(arguments: &str) -> Value {
    experiments().json(&format!("hybrid {arguments} --json"))["figures"].clone()
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or(f64::NAN)
}

/// Iterations of a solver to an error of 1e-3.
fn iterations(figures: &Value, solver: &str, step: f64) -> f64 {
    let counts = figures["counts"].as_array().expect("counts");
    let of = |c: &&Value| c["solver"] == solver && (number(&c["step"]) / step - 1.0).abs() < 1e-9;
    number(&counts.iter().find(of).unwrap_or_else(|| panic!("{solver}"))["iterations"][2])
}

#[test]
fn iterations_are_those_of_the_paper_and_fewer_with_lines() {
    let figures = figures("iterations");
    let at = |solver: &str, ms: f64| iterations(&figures, solver, 1e-3 * ms);
    assert!(at("filtered, none", 0.1) >= 150.0);
    assert!(at("filtered, paper's", 0.1) <= 65.0);
    assert_eq!(at("filtered, paper's", 0.1), at("reduced, blended mass", 0.1));
    assert!(at("reduced, lines", 0.1) <= 15.0);
    assert!(at("reduced, lines", 1.0) <= 100.0);
    let finer = self::figures("iterations --size 80 --cell 10 --step 1 --preconditioner coarse");
    assert!(iterations(&finer, "reduced, lines + coarse", 1e-3) <= 160.0);
}

#[test]
fn the_patch_test_holds() {
    let patch =
        |arguments: &str| figures(&format!("patch {arguments}"))["patches"].as_array().expect("patches").clone();
    for p in patch("--region half --mode stretch") {
        let errors: Vec<f64> = (0..2).map(|k| number(&p["errors"][k])).collect();
        assert!(errors[0] < 0.003 && errors[1] < 0.01, "{p}");
        if p["dead_load"] == false {
            assert!(errors[0] > 1e-4, "blending is felt: {p}");
        }
    }
    for p in patch("--region island --mode stretch,biaxial,shear --strain 0.01") {
        match p["dead_load"].as_bool() {
            Some(true) => assert!(number(&p["displacement"]) < 1e-6, "{p}"),
            _ => assert!((1e-3..0.08).contains(&number(&p["errors"][0])), "{p}"),
        }
    }
}

/// Triangles that know nothing of the yarns but their energies.
#[test]
fn the_patch_test_holds_with_estimated_triangles() {
    let patch = |arguments: &str| {
        let arguments = format!("patch --region half --mode stretch --size 40 {arguments}");
        figures(&arguments)["patches"].as_array().expect("patches").clone()
    };
    let patches = patch("--triangles estimated-constants,estimated-splines --strain 0.01,0.1");
    assert_eq!(patches.len(), 8);
    for p in &patches {
        // Constants are for small strains: St. Venant-Kirchhoff's law itself is off at large ones, whatever its constants.
        let large = p["triangles"] == "estimated-constants" && number(&p["strain"]) > 0.05;
        assert!(number(&p["errors"][0]) < if large { 0.1 } else { 0.01 }, "{p}");
        // With the dead load, which takes off what blending does, nothing is left where triangles store what yarns do.
        if p["triangles"] == "estimated-splines" && p["dead_load"] == true {
            assert!(number(&p["errors"][0]) < 1e-3, "{p}");
        }
    }
    // Negative control: triangles of another fabric, from a file, do not hold it.
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("soft.json");
    let soft = r#"{"format": "yarnwise-parameters", "version": 1,
        "model": {"membrane": {"in_plane": {"constants": {"c11": 500, "c22": 500, "c12": 0, "c66": 5}}}}}"#;
    std::fs::write(&path, soft).unwrap();
    for p in patch(&format!("--triangles parameters --parameters {} --strain 0.01", path.display())) {
        assert!(p["dead_load"] == true || number(&p["errors"][0]) > 0.02, "{p}");
    }
}

#[test]
fn limits_are_the_solvers_of_the_parts() {
    let f = figures("limits --size 18 --cell 6 --energy-steps 40");
    assert_eq!(f["bits"], serde_json::json!([true, true]));
    assert!(number(&f["all_yarns"]) < 1e-10 && number(&f["enriched"]) < 1e-10, "{f}");
    assert!(number(&f["motion"][0]) > 1.0 && number(&f["motion"][1]) > 1.0, "{f}");
    assert!(number(&f["momentum"]) < 1e-10 && number(&f["largest_gain"]) <= 0.0, "{f}");
}

#[test]
fn swings_and_speed_print_their_figures_and_write_plots() {
    let experiments = experiments();
    for (name, arguments, plot) in [
        ("swing", "--size 18 --cell 6 --steps 5 --iterations 10", "swing-10.svg"),
        ("speed", "--size 40 --steps 1 --warm-up 0 --tolerance 0.1 --newton 1", "speed.svg"),
        ("iterations", "--size 18 --cell 6 --step 1", "iterations-1000-us.svg"),
        ("limits", "--size 18 --cell 6 --steps 2 --energy-steps 2", "energy.svg"),
        ("patch", "--size 24 --cell 6 --region half --mode stretch --strain 0.01", "patch.svg"),
    ] {
        let document = experiments.json(&format!("hybrid {name} {arguments} --json -o plots"));
        assert_eq!(document["experiment"], format!("hybrid {name}"));
        assert!(experiments.folder.bytes(&format!("plots/{plot}")).starts_with(b"<svg"), "{plot}");
    }
    let swing = figures("swing --size 18 --cell 6 --steps 10 --iterations 10");
    let error = |name: &str| {
        let swings = swing["swings"].as_array().expect("swings");
        number(&swings.iter().find(|s| s["preconditioner"] == name).expect("a swing")["error"])
    };
    assert!(error("none") > error("paper's") && error("paper's") > error("lines"), "{swing}");
}

#[test]
fn bad_input_is_refused_in_one_line() {
    let experiments = experiments();
    for (arguments, expected) in [
        ("iterations --size 41", "not a multiple"),
        ("iterations --size 40 --cell 4 --region nowhere.txt", "nowhere.txt"),
        ("patch --strain nan", "--strain"),
        ("speed --tolerance 0", "--tolerance"),
        ("swing --preconditioner wrong", "--preconditioner"),
    ] {
        let text = experiments.failure(&format!("hybrid {arguments}"));
        assert!(text.contains(expected), "{arguments}: {text}");
    }
}
