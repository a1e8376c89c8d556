//! `yarnwise-experiments yarn`, run as its user runs it, on the smallest sheets; figures that must hold where they are cheap.

use serde_json::Value;
use yarnwise_tests::program::Program;

fn experiments() -> Program {
    Program::new(env!("CARGO_BIN_EXE_yarnwise-experiments"))
}

/// The figures of an experiment.
fn figures(arguments: &str) -> Value {
    experiments().json(&format!("yarn {arguments} --json"))["figures"].clone()
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or(f64::NAN)
}

/// A relative error that stands in the figures.
fn small(error: &Value, bound: f64) -> bool {
    number(error).abs() < bound
}

/// Every number of a document is finite.
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
        ("rest-compression", "--draft twill-2-1", "rest-compression-twill-2-1.svg"),
        ("pulley", "--step 1", "pulley.svg"),
        ("pull-out", "--wefts 3 --distance 0.2 --stick", "pull-out-plain-0-3-3.svg"),
        ("shear-frame", "--size 4 --steps 6", "shear-frame-plain.svg"),
        ("shear-frame", "--size 4 --steps 10 --jam --amplitude 1", "shear-frame-jam-plain.svg"),
        ("hang", "--size 4 --time 0.02", "hang-top.svg"),
        ("swing", "--size 4 --time 0.02 --step 4", "swing-plain-lagged.svg"),
        ("wrinkle", "--size 8 --time 0.02 --rest 0.02", "wrinkle-height-plain.svg"),
        ("solver", "--size 6 --damping 0.05", "solver-plain--0-05-s--lagged-damping.svg"),
        ("speed", "--largest 10000 --steps 1 --warm-up 0 --tolerance 0.5 --newton 1", "speed.svg"),
    ];
    for (name, arguments, plot) in cases {
        let document = experiments.json(&format!("yarn {name} {arguments} --json -o plots"));
        assert_eq!(document["experiment"], format!("yarn {name}"));
        assert!(numbers(&document["figures"]) > 2, "{document}");
        let text = experiments.folder.bytes(&format!("plots/{plot}"));
        assert!(text.starts_with(b"<svg"), "{plot}");
    }
}

#[test]
fn compression_at_rest_is_that_of_the_closed_form_for_any_draft_and_radius() {
    let drafts = "plain,twill,satin,twill-2-1,satin-8,1110/0111/1011/1101,110100/011010";
    for material in ["", "--radius 0.1 --spacing 0.7 --bending 0.03"] {
        let figures = figures(&format!("rest-compression --draft {drafts} {material}"));
        let weaves = figures["weaves"].as_array().unwrap();
        assert_eq!(weaves.len(), 7);
        for weave in weaves {
            assert!(small(&weave["largest_error"], 1e-10), "{weave}");
        }
        let means: Vec<f64> = weaves.iter().take(4).map(|w| number(&w["mean"])).collect();
        for (mean, expected) in means.iter().zip([1.0, 0.25, 0.3, 0.5]) {
            assert!((mean - expected).abs() < 1e-10, "{means:?}");
        }
    }
    let plain = number(&figures("rest-compression")["plain_compression"]);
    assert!((plain - 5.826e-3).abs() < 1e-6, "{plain}");
}

#[test]
fn a_yarn_over_a_pulley_follows_the_closed_form() {
    for lengths in ["", "--left 4 --right 7 --time 25"] {
        let figures = figures(&format!("pulley --step 1,0.1 {lengths}"));
        let error = |run: usize| number(&figures["runs"][run]["error"]);
        assert!(error(0).abs() < 0.07 && error(1).abs() < 0.01, "{} {}", error(0), error(1));
    }
}

#[test]
fn pull_out_takes_the_force_of_the_recursion_and_sticks_below() {
    for case in ["--friction 0.1 --wefts 10", "--friction 0.3 --wefts 5"] {
        let figures = figures(&format!("pull-out {case} --stick"));
        let pull = &figures["pulls"][0];
        assert!(small(&pull["error"], 0.02), "{pull}");
        let stick = &pull["stick"];
        assert!(number(&stick["held_force"]) > 1e-3 && number(&stick["slid"]) > 1e-3, "{stick}");
        assert!(small(&stick["creep"], 1e-6) && small(&stick["left"], 1e-3), "{stick}");
    }
    // With floats, and wefts that friction hardly bows, from the draft alone.
    for draft in ["twill-2-1", "twill", "satin"] {
        let figures = figures(&format!("pull-out --draft {draft} --friction 0.1 --wefts 10"));
        let pull = &figures["pulls"][0];
        assert!(small(&pull["error"], 0.02) && small(&pull["straight_error"], 0.02), "{pull}");
    }
}

#[test]
fn the_shear_frame_has_the_slope_and_the_loop_of_the_closed_form() {
    let figures_of = |arguments: &str| figures(&format!("shear-frame {arguments}"))["loops"].clone();
    let loops = figures_of("--draft plain,twill-2-1,satin-8");
    let plain = &loops[0];
    assert!(small(&plain["slope_error"], 0.01) && small(&plain["height_error"], 0.01), "{plain}");
    assert!((number(&plain["slope"]) / 1.285 - 1.0).abs() < 0.01, "{plain}");
    assert!((number(&plain["height"]) / 0.1538 - 1.0).abs() < 0.01, "{plain}");
    for quantity in ["slope", "height"] {
        let [plain, twill, satin] = [0, 1, 2].map(|k| number(&loops[k][quantity]));
        assert!(plain > twill && twill > satin, "{quantity}: {plain} {twill} {satin}");
    }
    let smooth = &figures_of("--shear-friction 0")[0];
    assert!(number(&smooth["height"]).abs() < 1e-3 * number(&smooth["slope"]), "{smooth}");
}

#[test]
fn the_jam_is_as_hard_as_the_affine_force_says() {
    let figures = figures("shear-frame --jam");
    let jam = &figures["jams"][0];
    let force = |k: usize| &jam["forces"][k];
    for k in 0..4 {
        assert!(small(&force(k)["error"], 0.03), "{}", force(k));
    }
    for (k, expected) in [(1, 1.4), (3, 23.0)] {
        assert!((number(&force(k)["force"]) / expected - 1.0).abs() < 0.03, "{}", force(k));
    }
    let half = 0.5 * number(&jam["expected"]["height"]);
    assert!((number(&jam["back"]) / -half - 1.0).abs() < 0.05, "{jam}");
}

#[test]
fn strain_damping_leaves_the_swing_alone_and_lagged_damping_brakes_it() {
    let figures = figures("swing");
    let spread = |k: usize| number(&figures["spreads"][k]["spread"]);
    assert_eq!(figures["spreads"][0]["damping"], "strain");
    assert!(spread(0) < 0.01 && spread(1) > 0.1, "{} {}", spread(0), spread(1));
    assert!((number(&figures["runs"][0]["end"]) + 7.01).abs() < 0.01);
}

#[test]
fn lines_take_far_fewer_iterations_than_blocks() {
    let figures = figures("solver --size 32 --damping 0.05");
    let to_1e_6 = |solver: &str| {
        let counts = figures["counts"].as_array().unwrap();
        let count = counts.iter().find(|c| c["damping"] == "lagged" && c["solver"] == solver);
        number(&count.unwrap()["iterations"][1])
    };
    let (blocks, lines) = (to_1e_6("blocks, CG"), to_1e_6("lines, CG"));
    assert!((800.0..1600.0).contains(&blocks) && lines <= 160.0, "{blocks} {lines}");
}

#[test]
fn hanging_sheets_sag_in_the_order_of_their_weaves() {
    let figures = figures("hang --draft plain,twill-2-1,satin-8 --size 8 --gravity 30 --time 0.3");
    let sag = |k: usize| number(&figures["sheets"][k]["top"]);
    assert!(sag(0) < sag(1) && sag(1) < sag(2) && sag(0) > 0.0, "{} {} {}", sag(0), sag(1), sag(2));
}

#[test]
fn a_wrinkle_stays_with_shear_friction_alone() {
    let figures = figures("wrinkle --size 20 --step 10");
    let left = |k: usize| number(&figures["patches"][k]["left"]["height"]);
    let pulled = |k: usize| number(&figures["patches"][k]["pulled"]["height"]);
    assert_eq!(figures["patches"][1]["shear_friction"], 0.0);
    assert!(pulled(0) > 5.0 && pulled(1) > 5.0, "{} {}", pulled(0), pulled(1));
    assert!(left(0) > 1.0 && left(1) < 0.1, "{} {}", left(0), left(1));
}

#[test]
fn drafts_are_read_from_rows_and_files_and_what_is_wrong_is_named() {
    let experiments = experiments();
    experiments.folder.write("draft.txt", "110 # top weft\n011\n101\n");
    let of = |draft: &str| {
        experiments.json(&format!("yarn rest-compression --draft {draft} --json"))["figures"]["weaves"][0]["mean"]
            .clone()
    };
    assert_eq!(of("draft.txt"), of("110/011/101"));
    assert_eq!(of("draft.txt"), of("twill-2-1"));
    let failures = [
        ("rest-compression --draft nothing", "--draft nothing: neither a file nor rows"),
        ("rest-compression --draft 10/0", "row 2 has 1"),
        ("rest-compression --radius 0.6", "cannot be woven"),
        ("pull-out --friction -0.1", "friction is -0.1"),
        ("pull-out --distance 9", "use a longer --tail"),
        ("pulley --step 0", "--step 0: a number from"),
        ("pulley --left 5", "the yarn stays where it is"),
        ("pulley --time 100", "use a shorter time"),
        ("shear-frame --amplitude 2", "--amplitude 2: a number from"),
        ("speed --largest 10", "--largest 10: the smallest sheet has"),
        ("wrinkle --pull 1", "--pull 1: a number from"),
        ("hang --gravity nan", "--gravity NaN: a number from"),
    ];
    for (arguments, expected) in failures {
        let message = experiments.failure(&format!("yarn {arguments}"));
        assert!(message.contains(expected), "{arguments}: {message}");
    }
}
