//! `yarnwise-bake bake`, run as its user runs it.

mod small;

use small::BAKE;
use std::fs;
use std::process::{Command, Stdio};
use std::time::Duration;
use yarnwise_shared::table::database::{self, SampleStatus};
use yarnwise_tests::program::{Program, finished, output, wait_until};
use yarnwise_tests::seed;

const PROGRAM: &str = env!("CARGO_BIN_EXE_yarnwise-bake");

fn bake() -> Program {
    small::bake(PROGRAM)
}

fn kills() -> usize {
    std::env::var("YARNWISE_KILLS").ok().map_or(5, |n| n.parse().expect("YARNWISE_KILLS is a number"))
}

#[test]
fn a_bake_gives_the_same_bytes_for_any_number_of_threads() {
    let bake = bake();
    let report = bake.success(&format!("{BAKE} --threads 1 -o 1.ydb"));
    assert!(
        report.contains("125 samples, ") && report.contains("roughness") && report.contains("1.ydb.log"),
        "{report}"
    );
    for threads in [2, 4] {
        bake.success(&format!("{BAKE} --threads {threads} -o {threads}.ydb"));
        assert!(bake.folder.bytes(&format!("{threads}.ydb")) == bake.folder.bytes("1.ydb"), "{threads} threads");
    }
    bake.success(&format!("{BAKE} --residual 1e-5 -o other.ydb"));
    assert!(bake.folder.bytes("other.ydb") != bake.folder.bytes("1.ydb"), "another setting must give other bytes");
}

#[test]
fn a_bake_holds_equilibria_and_its_log_every_solve() {
    let bake = bake();
    bake.success(&format!("{BAKE} -o out.ydb"));
    assert_eq!(bake.folder.files(), ["axes.txt", "out.ydb", "out.ydb.log", "plain.pyp"]);
    let database = database::read(&bake.folder.path("out.ydb")).unwrap();
    let converged = database.samples().iter().filter(|s| s.status == SampleStatus::Converged).count();
    assert!(converged >= 120, "{converged} of 125 samples are equilibria");
    let sound = database.samples().iter().filter(|s| s.status == SampleStatus::Converged);
    assert!(sound.clone().all(|s| s.residual.unwrap() <= 1e-6 && s.energy_density.unwrap() > 0.0));
    assert_eq!(database.settings()["start"], "continuation");
    let text = bake.folder.text("out.ydb.log");
    let lines: Vec<Vec<&str>> = text.lines().map(|l| l.split('\t').collect()).collect();
    assert!(lines.iter().all(|l| l.len() == lines[0].len()));
    let first = lines[1..].iter().filter(|l| l[1] == "0").count();
    assert_eq!(first, 125, "each sample is solved for the first time once");
    for (sample, record) in database.samples().iter().enumerate() {
        let from = record.started_from.map_or("-".to_owned(), |s| s.to_string());
        let kept = |l: &&Vec<&str>| l[2] == sample.to_string() && l[6] == from;
        assert!(lines.iter().any(|l| kept(&l)), "sample {sample} from {from} is not in the log");
    }
}

/// A bake that advances at all between two kills has ended long before.
const MOST_KILLS: usize = 1000;

#[test]
fn killed_at_random_moments_a_bake_ends_with_the_same_bytes() {
    let bake = bake();
    bake.success(&format!("{BAKE} -o whole.ydb"));
    let mut random = seed::random("killed_at_random_moments_a_bake_ends_with_the_same_bytes");
    let mut killed = 0;
    while killed < kills() {
        let solves = |log: &str| log.lines().count();
        let before = killed;
        loop {
            let mut command = bake.command(&format!("{BAKE} --threads 2 -o killed.ydb"));
            let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
            std::thread::sleep(Duration::from_millis(random.below(400) as u64));
            child.kill().unwrap();
            if child.wait().unwrap().success() {
                break;
            }
            killed += 1;
            assert!(killed - before < MOST_KILLS, "killed {MOST_KILLS} times, the bake has not ended");
        }
        assert!(bake.folder.bytes("killed.ydb") == bake.folder.bytes("whole.ydb"), "after {killed} kills");
        let (a, b) = (bake.folder.bytes("killed.ydb.log"), bake.folder.bytes("whole.ydb.log"));
        assert_eq!(solves(&String::from_utf8(a).unwrap()), solves(&String::from_utf8(b).unwrap()));
        assert!(!bake.folder.files().contains(&"killed.ydb.journal".to_owned()));
        fs::remove_file(bake.folder.path("killed.ydb")).unwrap();
    }
}

#[cfg(unix)]
#[test]
fn a_full_disk_is_reported_and_the_bake_resumes_later() {
    let bake = bake();
    bake.success(&format!("{BAKE} -o whole.ydb"));
    // Without the trap the system ends the process by a signal instead of refusing the write.
    let script = format!("trap '' XFSZ; ulimit -f 24; exec \"$0\" {BAKE} -o small.ydb");
    let output = output(Command::new("bash").current_dir(bake.folder.root()).args(["-c", &script, PROGRAM]));
    let message = String::from_utf8(output.stderr).unwrap();
    assert!(!output.status.success());
    assert!(message.contains("is safe in small.ydb.journal") && message.contains("same command again"), "{message}");
    assert!(!bake.folder.files().contains(&"small.ydb".to_owned()));
    let again = bake.run(&format!("{BAKE} -o small.ydb"));
    assert!(again.status.success());
    assert!(again.stderr.contains("solves of an earlier run are kept"));
    assert!(bake.folder.bytes("small.ydb") == bake.folder.bytes("whole.ydb"));
}

/// SIGTERM, as schedulers send it, takes the same way as Ctrl-C.
#[cfg(unix)]
#[test]
fn interrupted_politely_it_says_how_to_resume() {
    let bake = bake();
    bake.success(&format!("{BAKE} -o whole.ydb"));
    let mut command = bake.command(&format!("{BAKE} --threads 1 -o out.ydb"));
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let log = bake.folder.path("out.ydb.log");
    wait_until("ten solves", || fs::read_to_string(&log).map_or(0, |text| text.lines().count()) >= 10);
    assert!(Command::new("kill").args(["-TERM", &child.id().to_string()]).status().unwrap().success());
    let output = finished(child).expect("it ends");
    let message = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(130), "{message}");
    assert!(message.contains("are safe in out.ydb.journal; run the same command again to resume"), "{message}");
    let other = bake.failure("bake plain.pyp --grid axes.txt --material knit -o out.ydb");
    assert!(other.contains("another job: its material is E 100000 ") && other.contains("--restart"), "{other}");
    bake.success(&format!("{BAKE} -o out.ydb"));
    assert!(bake.folder.bytes("out.ydb") == bake.folder.bytes("whole.ydb"));
}

#[test]
fn bad_input_is_refused_before_anything_is_written() {
    let bake = bake();
    bake.folder.write("unsorted.txt", "0 0.2 0.1\n-0.4 0 0.4\n0 0.1\n");
    bake.folder.write("nonzero.txt", "0.1 0.2\n-0.4 0 0.4\n0 0.1\n");
    bake.folder.write("single.txt", "0\n-0.4 0 0.4\n0 0.1\n");
    bake.folder.write("crushed.txt", "-1 0 1\n-0.4 0 0.4\n0 0.1\n");
    bake.folder.write("sheared.txt", "0 1\n-0.4 0 1\n0 0.1\n");
    bake.folder.write("huge.txt", "0 1\n-0.4 0 0.4\n0 1e30\n");
    let plain = bake.folder.text("plain.pyp");
    let with_radius = |radius: &str| {
        let mut lines: Vec<String> = plain.lines().map(str::to_owned).collect();
        let header: Vec<&str> = lines[1].split_whitespace().collect();
        lines[1] = format!("{} {} {radius} {}", header[0], header[1], header[3]);
        lines.join("\n")
    };
    bake.folder.write("thin.pyp", with_radius("1e-7"));
    bake.folder.write("thick.pyp", with_radius("0.01"));
    bake.folder.write("through.pyp", with_radius("0.0025"));
    bake.folder.write("negative.pyp", with_radius("-0.001"));
    bake.folder.write("unclosed.pyp", plain.replacen("0 1 0 0", "0 2 0 0", 1));
    let before = bake.folder.files();
    let cases = [
        ("bake plain.pyp --grid unsorted.txt", "line 1: axis sx: value 3 (0.1) is not above value 2 (0.2)"),
        ("bake plain.pyp --grid nonzero.txt", "axis sx: has no value 0"),
        ("bake plain.pyp --grid single.txt", "has 1 value,"),
        ("bake plain.pyp --grid crushed.txt", "stay above -1"),
        ("bake plain.pyp --grid sheared.txt", "stay below 1"),
        ("bake plain.pyp --grid huge.txt", "axis sy: ends at 1000"),
        ("bake plain.pyp --tolerance inf", "--tolerance inf: must be a positive number of radii"),
        ("bake plain.pyp --tolerance -1e-3", "--tolerance -0.001: must be a positive number of radii"),
        ("bake plain.pyp --grid 8", "8 is not a published grid"),
        ("bake plain.pyp --grid missing.txt", "neither a file with axes nor one of the published grids"),
        ("bake plain.pyp --young -5", "Young's modulus is -5"),
        ("bake plain.pyp --gamma NaN", "gamma is NaN"),
        ("bake plain.pyp --contact inf", "contact stiffness is inf"),
        ("bake plain.pyp --material silk", "material silk: is not known"),
        ("bake plain.pyp --residual 0", "--residual is 0"),
        ("bake missing.pyp", "missing.pyp"),
        ("bake thin.pyp", "is the radius right?"),
        ("bake thick.pyp", "radius"),
        ("bake through.pyp", "run through each other: their center lines are 0."),
        ("bake negative.pyp", "radius"),
        ("bake unclosed.pyp", "vertex 2"),
        ("bake plain.pyp --young NaN", "Young's modulus is NaN"),
        ("bake plain.pyp --shear 0", "the shear modulus is 0"),
        ("relax through.pyp", "run through each other"),
        ("relax plain.pyp --gamma -1", "gamma is -1"),
    ];
    for (arguments, expected) in cases {
        let message = bake.failure(&format!("{arguments} -o out.ydb"));
        assert!(message.contains(expected), "{arguments}: {message}");
        assert_eq!(message.lines().count(), 1, "{arguments}: {message}");
        assert_eq!(bake.folder.files(), before, "{arguments} has written something");
    }
    for residual in ["NaN", "0"] {
        let message = bake.failure(&format!("study refinement plain.pyp --residual {residual}"));
        assert!(message.contains(&format!("--residual is {residual}")), "{message}");
    }
}

#[test]
fn a_subset_is_taken_without_solving() {
    let bake = bake();
    bake.success(&format!("{BAKE} --lossless -o dense.ydb"));
    bake.folder.write("coarse.txt", "-0.1 0 0.2\n-0.4 0 0.4\n-0.1 0 0.2\n");
    bake.success("bake --from dense.ydb --subset coarse.txt --lossless -o a.ydb");
    bake.success("db subset dense.ydb --grid coarse.txt --lossless -o b.ydb");
    assert!(bake.folder.bytes("a.ydb") == bake.folder.bytes("b.ydb"));
    let read = |name: &str| database::read(&bake.folder.path(name)).unwrap();
    let (dense, coarse) = (read("dense.ydb"), read("a.ydb"));
    assert_eq!(coarse.samples().len(), 27);
    for (sample, old) in dense.table().grid().subset(coarse.table().grid()).unwrap().into_iter().enumerate() {
        assert_eq!(coarse.table().sample(sample), dense.table().sample(old));
        assert_eq!(coarse.samples()[sample].energy_density, dense.samples()[old].energy_density);
    }
    assert!(bake.failure("bake --from dense.ydb --subset 9 -o c.ydb").contains("has no sample at -0.2"));
}

#[test]
fn plots_and_pictures_are_drawn() {
    let bake = bake();
    bake.folder.write("small.txt", "-0.1 0 0.2\n-0.4 0 0.4\n-0.1 0 0.2\n");
    bake.success("bake plain.pyp --grid small.txt --material woven -o small.ydb");
    bake.success("db inspect small.ydb --plots plots --picture 0.1,0.2,-0.05 --picture 0,0,0");
    for name in ["energy.svg", "jumps.svg", "residuals.svg"] {
        let svg = bake.folder.text(&format!("plots/{name}"));
        assert!(svg.starts_with("<svg") && svg.ends_with("</svg>\n") && !svg.contains("NaN"), "{name}");
    }
    assert!(bake.folder.bytes("plots/fabric_0.1_0.2_-0.05.png").len() > 1000);
    assert!(bake.folder.bytes("plots/fabric_0_0_0.png") != bake.folder.bytes("plots/fabric_0.1_0.2_-0.05.png"));
    let outside = bake.run("db inspect small.ydb --plots plots --picture 0.5,0,0");
    assert!(outside.stderr.contains("sx: 0.5 is outside"));
}

const BENT: &str = "bake plain.pyp --grid small.txt --material woven --lossless --bending=-40,0,60";

#[test]
fn bending_adds_two_tables_that_agree_with_the_plane() {
    let bake = bake();
    bake.folder.write("small.txt", "-0.1 0 0.2\n-0.4 0 0.4\n-0.1 0 0.2\n");
    bake.folder.write("bent.txt", "# 1/m\n-40 0 60\n");
    let report = bake.success(&format!("{BENT} --threads 1 -o 1.ydb"));
    assert!(report.contains("bending     162 samples") && report.contains("pullback    to "), "{report}");
    bake.success("bake plain.pyp --grid small.txt --material woven --lossless --bending=bent.txt --threads 3 -o 3.ydb");
    assert!(bake.folder.bytes("3.ydb") == bake.folder.bytes("1.ydb"), "the number of threads changes nothing");
    let database = database::read(&bake.folder.path("1.ydb")).unwrap();
    let bending = database.bending().unwrap();
    for (table, samples) in [(&bending.x, &bending.x_samples), (&bending.y, &bending.y_samples)] {
        assert_eq!(table.grid().0[3].values(), [-40.0, 0.0, 60.0]);
        for sample in 0..27 {
            assert_eq!(table.sample(sample + 27), database.table().sample(sample), "without curvature it is the plane");
        }
        let sound = samples.iter().filter(|s| s.status == SampleStatus::Converged).count();
        assert!(sound >= 76, "{sound} of 81");
        let rest = table.grid().sample([1, 1, 1, 1]);
        assert_eq!(table.rest_sample(), Some(rest));
        let energy = |sample: usize| samples[sample].energy_density.unwrap();
        assert!(energy(rest) < energy(rest - 27) && energy(rest - 27) < energy(rest + 27), "the more it is bent");
    }
    assert!(bending.x != bending.y);
    bake.success("db export 1.ydb -o model");
    bake.success("db import model --lossless -o back.ydb");
    let back = database::read(&bake.folder.path("back.ydb")).unwrap();
    assert_eq!((&back.bending().unwrap().x, &back.bending().unwrap().y), (&bending.x, &bending.y));
    let shown = bake.success("db inspect 1.ydb --plots plots");
    assert!(shown.contains("bending x, 81 samples") && shown.contains("axis curvature"), "{shown}");
    assert!(bake.folder.text("plots/bending.svg").contains("curvature"));
    // Seen from the side, fabric that is bent rises; the more so the further it is bent.
    bake.success("db inspect 1.ydb --plots plots --picture 0,0,0,x:60 --picture 0,0,0,x:0 --picture 0,0,0,y:-40");
    let height = |name: &str| {
        let size =
            yarnwise_picture::Picture::read(&bake.folder.path(format!("plots/fabric_0_0_0_{name}.png"))).unwrap();
        f64::from(size.height.min(size.width)) / f64::from(size.height.max(size.width))
    };
    assert!(height("x0") < 0.5 * height("x60") && height("x0") < 0.5 * height("y-40"));
    for (place, why) in [("0,0,0,x:61", "axis curvature"), ("0,0,0,z:1", "x:40"), ("0,0,0,x:NaN", "x:40")] {
        let refused = bake.run(&format!("db inspect 1.ydb --plots plots --picture {place}"));
        let message = refused.stderr;
        assert!(!refused.status.success() && message.contains(why), "{message}");
    }
    let log = bake.folder.text("1.ydb.log");
    let first = |line: &&str| line.contains("\tx\t") && line.split('\t').nth(1) == Some("0");
    assert_eq!(log.lines().filter(first).count(), 54);
}

#[test]
fn killed_while_it_bends_a_bake_ends_with_the_same_bytes() {
    let bake = bake();
    bake.folder.write("small.txt", "-0.1 0 0.2\n-0.4 0 0.4\n-0.1 0 0.2\n");
    bake.success(&format!("{BENT} -o whole.ydb"));
    let mut child = bake.command(&format!("{BENT} -o killed.ydb")).stderr(Stdio::null()).spawn().unwrap();
    let log = bake.folder.path("killed.ydb.log");
    wait_until("ten bent samples", || {
        assert!(child.try_wait().unwrap().is_none(), "too fast to be killed");
        fs::read_to_string(&log).map_or(0, |text| text.matches("\ty\t").count()) >= 10
    });
    child.kill().unwrap();
    child.wait().unwrap();
    let again = bake.run(&format!("{BENT} -o killed.ydb"));
    assert!(again.stderr.contains("solves of an earlier run are kept"));
    assert!(bake.folder.bytes("killed.ydb") == bake.folder.bytes("whole.ydb"));
}

#[test]
fn curvatures_that_cannot_be_are_refused() {
    let bake = bake();
    let cases = [
        ("--bending=10,20", "has no value 0"),
        ("--bending=0", "is neither a file with curvatures nor numbers"),
        ("--bending=0,", "has 1 value,"),
        ("--bending=0,-20,20", "is not above value 1"),
        ("--bending=-1000,0,1000", "bends the fabric too far"),
        ("--bending=0,nan", "is not a finite number"),
    ];
    for (option, expected) in cases {
        let message = bake.failure(&format!("{BAKE} {option} -o out.ydb"));
        assert!(message.contains(expected) && message.lines().count() == 1, "{option}: {message}");
        assert_eq!(bake.folder.files(), ["axes.txt", "plain.pyp"], "{option} has written something");
    }
}

#[test]
fn a_relaxed_pattern_is_an_equilibrium_of_its_own() {
    let bake = bake();
    let report = bake.success("relax plain.pyp --material woven -o rest.yarn");
    for line in
        ["energy, uJ a cell", "period x, mm", "gauge x, warps per cm", "gauge y, wefts per cm", "written    rest.yarn"]
    {
        assert!(report.contains(line), "{report}");
    }
    bake.folder.write("rest.txt", "-0.01 0 0.01\n-0.01 0 0.01\n-0.01 0 0.01\n");
    bake.success("bake rest.yarn --grid rest.txt --material woven --lossless -o rest.ydb");
    let database = database::read(&bake.folder.path("rest.ydb")).unwrap();
    let rest = database.table().rest_sample().unwrap();
    let radius = database.pattern().radius();
    let moved = |sample: usize| {
        let largest = |d: &[f32; 4]| d[..3].iter().map(|c| f64::from(c.abs())).fold(0.0, f64::max);
        database.table().sample(sample).iter().map(largest).fold(0.0, f64::max) / radius
    };
    assert!(moved(rest) < 1e-4, "the rest state moves by {} r", moved(rest));
    assert!(moved(0) > 1e-3, "strained fabric must move");
    let lowest = database.samples().iter().map(|s| s.energy_density.unwrap()).fold(f64::INFINITY, f64::min);
    let at_rest = database.samples()[rest].energy_density.unwrap();
    assert!(at_rest <= lowest * (1.0 + 1e-9), "with its period free, no strain lowers the energy");
    assert!(bake.failure("relax plain.pyp --young nan -o x.yarn").contains("Young's modulus is NaN"));
}
