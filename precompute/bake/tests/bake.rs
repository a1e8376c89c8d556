//! `yarnwise-bake bake`, run as its user runs it.

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::Duration;
use yarnwise_shared::pattern::weave::{Draft, WeaveOptions, weave};
use yarnwise_shared::table::database::{self, SampleStatus};

const PROGRAM: &str = env!("CARGO_BIN_EXE_yarnwise-bake");

/// A folder with a small woven pattern `plain.pyp` and a grid `axes.txt` of 5 x 5 x 5 strains.
struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Self {
        let folder = Folder(tempfile::tempdir().unwrap());
        let options = WeaveOptions { radius: 1e-3, vertices_per_crossing: 4, ..WeaveOptions::default() };
        let pattern = weave(&Draft::preset("plain").unwrap(), &options).unwrap();
        yarnwise_shared::pattern::write(&pattern, &folder.0.path().join("plain.pyp")).unwrap();
        folder.write("axes.txt", "-0.1 -0.05 0 0.1 0.2\n-0.4 -0.2 0 0.2 0.4\n-0.1 -0.05 0 0.1 0.2\n");
        folder
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.path().join(name), text).unwrap();
    }

    fn bytes(&self, name: &str) -> Vec<u8> {
        fs::read(self.path().join(name)).unwrap()
    }

    fn files(&self) -> Vec<String> {
        let entries = fs::read_dir(self.path()).unwrap();
        let mut names: Vec<String> = entries.map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    fn command(&self, arguments: &str) -> Command {
        let mut command = Command::new(PROGRAM);
        command.current_dir(self.path()).args(arguments.split_whitespace());
        command
    }

    fn run(&self, arguments: &str) -> Output {
        self.command(arguments).output().unwrap()
    }

    fn succeed(&self, arguments: &str) -> String {
        let output = self.run(arguments);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }

    /// The last line of what a failing command complains about.
    fn fail(&self, arguments: &str) -> String {
        let output = self.run(arguments);
        assert!(!output.status.success(), "{arguments} succeeds");
        assert!(output.stdout.is_empty());
        String::from_utf8(output.stderr).unwrap()
    }
}

const BAKE: &str = "bake plain.pyp --grid axes.txt --material woven";

fn kills() -> usize {
    std::env::var("YARNWISE_KILLS").ok().map_or(5, |n| n.parse().expect("YARNWISE_KILLS is a number"))
}

#[test]
fn a_bake_gives_the_same_bytes_for_any_number_of_threads() {
    let folder = Folder::new();
    let report = folder.succeed(&format!("{BAKE} --threads 1 -o 1.ydb"));
    assert!(
        report.contains("125 samples, ") && report.contains("roughness") && report.contains("1.ydb.log"),
        "{report}"
    );
    for threads in [2, 4] {
        folder.succeed(&format!("{BAKE} --threads {threads} -o {threads}.ydb"));
        assert!(folder.bytes(&format!("{threads}.ydb")) == folder.bytes("1.ydb"), "{threads} threads");
    }
    folder.succeed(&format!("{BAKE} --residual 1e-5 -o other.ydb"));
    assert!(folder.bytes("other.ydb") != folder.bytes("1.ydb"), "another setting must give other bytes");
}

#[test]
fn a_bake_holds_equilibria_and_its_log_every_solve() {
    let folder = Folder::new();
    folder.succeed(&format!("{BAKE} -o out.ydb"));
    assert_eq!(folder.files(), ["axes.txt", "out.ydb", "out.ydb.log", "plain.pyp"]);
    let database = database::read(&folder.path().join("out.ydb")).unwrap();
    let converged = database.samples().iter().filter(|s| s.status == SampleStatus::Converged).count();
    assert!(converged >= 120, "{converged} of 125 samples are equilibria");
    let sound = database.samples().iter().filter(|s| s.status == SampleStatus::Converged);
    assert!(sound.clone().all(|s| s.residual.unwrap() <= 1e-6 && s.energy_density.unwrap() > 0.0));
    assert_eq!(database.settings()["start"], "continuation");
    let text = String::from_utf8(folder.bytes("out.ydb.log")).unwrap();
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

#[test]
fn killed_at_random_moments_a_bake_ends_with_the_same_bytes() {
    let folder = Folder::new();
    folder.succeed(&format!("{BAKE} -o whole.ydb"));
    let mut random = std::time::UNIX_EPOCH.elapsed().unwrap().subsec_nanos();
    let mut killed = 0;
    while killed < kills() {
        let solves = |log: &str| log.lines().count();
        loop {
            random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let mut command = folder.command(&format!("{BAKE} --threads 2 -o killed.ydb"));
            let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
            std::thread::sleep(Duration::from_millis(u64::from(random >> 16) % 400));
            child.kill().unwrap();
            if child.wait().unwrap().success() {
                break;
            }
            killed += 1;
        }
        assert!(folder.bytes("killed.ydb") == folder.bytes("whole.ydb"), "after {killed} kills");
        let (a, b) = (folder.bytes("killed.ydb.log"), folder.bytes("whole.ydb.log"));
        assert_eq!(solves(&String::from_utf8(a).unwrap()), solves(&String::from_utf8(b).unwrap()));
        assert!(!folder.files().contains(&"killed.ydb.journal".to_owned()));
        fs::remove_file(folder.path().join("killed.ydb")).unwrap();
    }
}

#[cfg(unix)]
#[test]
fn a_full_disk_is_told_and_the_bake_goes_on_later() {
    let folder = Folder::new();
    folder.succeed(&format!("{BAKE} -o whole.ydb"));
    // Without the trap the system ends the process by a signal instead of refusing the write.
    let script = format!("trap '' XFSZ; ulimit -f 24; exec \"$0\" {BAKE} -o small.ydb");
    let output = Command::new("bash").current_dir(folder.path()).args(["-c", &script, PROGRAM]).output().unwrap();
    let message = String::from_utf8(output.stderr).unwrap();
    assert!(!output.status.success());
    assert!(message.contains("is safe in small.ydb.journal") && message.contains("same command again"), "{message}");
    assert!(!folder.files().contains(&"small.ydb".to_owned()));
    let again = folder.run(&format!("{BAKE} -o small.ydb"));
    assert!(again.status.success());
    assert!(String::from_utf8(again.stderr).unwrap().contains("solves of an earlier run are kept"));
    assert!(folder.bytes("small.ydb") == folder.bytes("whole.ydb"));
}

/// SIGTERM, as schedulers send it, takes the same way as Ctrl-C.
#[cfg(unix)]
#[test]
fn interrupted_politely_it_says_how_to_go_on() {
    let folder = Folder::new();
    folder.succeed(&format!("{BAKE} -o whole.ydb"));
    let mut command = folder.command(&format!("{BAKE} --threads 1 -o out.ydb"));
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let log = folder.path().join("out.ydb.log");
    while fs::read_to_string(&log).map_or(0, |text| text.lines().count()) < 10 {
        std::thread::sleep(Duration::from_millis(5));
    }
    assert!(Command::new("kill").args(["-TERM", &child.id().to_string()]).status().unwrap().success());
    let output = child.wait_with_output().unwrap();
    let message = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(130), "{message}");
    assert!(message.contains("are safe in out.ydb.journal; run the same command again to go on"), "{message}");
    let other = folder.fail("bake plain.pyp --grid axes.txt --material knit -o out.ydb");
    assert!(other.contains("another job: its material is E 100000 ") && other.contains("--restart"), "{other}");
    folder.succeed(&format!("{BAKE} -o out.ydb"));
    assert!(folder.bytes("out.ydb") == folder.bytes("whole.ydb"));
}

#[test]
fn bad_input_is_refused_before_anything_is_written() {
    let folder = Folder::new();
    folder.write("unsorted.txt", "0 0.2 0.1\n-0.4 0 0.4\n0 0.1\n");
    folder.write("nonzero.txt", "0.1 0.2\n-0.4 0 0.4\n0 0.1\n");
    folder.write("single.txt", "0\n-0.4 0 0.4\n0 0.1\n");
    folder.write("crushed.txt", "-1 0 1\n-0.4 0 0.4\n0 0.1\n");
    folder.write("sheared.txt", "0 1\n-0.4 0 1\n0 0.1\n");
    let plain = String::from_utf8(folder.bytes("plain.pyp")).unwrap();
    let with_radius = |radius: &str| {
        let mut lines: Vec<String> = plain.lines().map(str::to_owned).collect();
        let header: Vec<&str> = lines[1].split_whitespace().collect();
        lines[1] = format!("{} {} {radius} {}", header[0], header[1], header[3]);
        lines.join("\n")
    };
    folder.write("thin.pyp", &with_radius("1e-7"));
    folder.write("thick.pyp", &with_radius("0.01"));
    folder.write("through.pyp", &with_radius("0.0025"));
    folder.write("negative.pyp", &with_radius("-0.001"));
    folder.write("unclosed.pyp", &plain.replacen("0 1 0 0", "0 2 0 0", 1));
    let before = folder.files();
    let cases = [
        ("bake plain.pyp --grid unsorted.txt", "line 1: axis sx: value 2 (0.1) is not above value 1 (0.2)"),
        ("bake plain.pyp --grid nonzero.txt", "axis sx: has no value 0"),
        ("bake plain.pyp --grid single.txt", "has 1 values"),
        ("bake plain.pyp --grid crushed.txt", "stay above -1"),
        ("bake plain.pyp --grid sheared.txt", "stay below 1"),
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
        let message = folder.fail(&format!("{arguments} -o out.ydb"));
        assert!(message.contains(expected), "{arguments}: {message}");
        assert_eq!(message.lines().count(), 1, "{arguments}: {message}");
        assert_eq!(folder.files(), before, "{arguments} has written something");
    }
    for tolerance in ["NaN", "0"] {
        let message = folder.fail(&format!("study refinement plain.pyp --tolerance {tolerance}"));
        assert!(message.contains(&format!("--tolerance is {tolerance}")), "{message}");
    }
}

#[test]
fn a_subset_is_taken_without_solving() {
    let folder = Folder::new();
    folder.succeed(&format!("{BAKE} --lossless -o dense.ydb"));
    folder.write("coarse.txt", "-0.1 0 0.2\n-0.4 0 0.4\n-0.1 0 0.2\n");
    folder.succeed("bake --from dense.ydb --subset coarse.txt --lossless -o a.ydb");
    folder.succeed("db subset dense.ydb --grid coarse.txt --lossless -o b.ydb");
    assert!(folder.bytes("a.ydb") == folder.bytes("b.ydb"));
    let read = |name: &str| database::read(&folder.path().join(name)).unwrap();
    let (dense, coarse) = (read("dense.ydb"), read("a.ydb"));
    assert_eq!(coarse.samples().len(), 27);
    for (sample, old) in dense.table().grid().subset(coarse.table().grid()).unwrap().into_iter().enumerate() {
        assert_eq!(coarse.table().sample(sample), dense.table().sample(old));
        assert_eq!(coarse.samples()[sample].energy_density, dense.samples()[old].energy_density);
    }
    assert!(folder.fail("bake --from dense.ydb --subset 9 -o c.ydb").contains("has no sample at -0.2"));
}

#[test]
fn plots_and_pictures_are_drawn() {
    let folder = Folder::new();
    folder.write("small.txt", "-0.1 0 0.2\n-0.4 0 0.4\n-0.1 0 0.2\n");
    folder.succeed("bake plain.pyp --grid small.txt --material woven -o small.ydb");
    folder.succeed("db inspect small.ydb --plots plots --picture 0.1,0.2,-0.05 --picture 0,0,0");
    for name in ["energy.svg", "jumps.svg", "residuals.svg"] {
        let svg = String::from_utf8(folder.bytes(&format!("plots/{name}"))).unwrap();
        assert!(svg.starts_with("<svg") && svg.ends_with("</svg>\n") && !svg.contains("NaN"), "{name}");
    }
    assert!(folder.bytes("plots/fabric_0.1_0.2_-0.05.png").len() > 1000);
    assert!(folder.bytes("plots/fabric_0_0_0.png") != folder.bytes("plots/fabric_0.1_0.2_-0.05.png"));
    let outside = folder.run("db inspect small.ydb --plots plots --picture 0.5,0,0");
    assert!(String::from_utf8(outside.stderr).unwrap().contains("sx: 0.5 is outside"));
}

const BENT: &str = "bake plain.pyp --grid small.txt --material woven --lossless --bending=-40,0,60";

#[test]
fn bending_adds_two_tables_that_agree_with_the_plane() {
    let folder = Folder::new();
    folder.write("small.txt", "-0.1 0 0.2\n-0.4 0 0.4\n-0.1 0 0.2\n");
    folder.write("bent.txt", "# 1/m\n-40 0 60\n");
    let report = folder.succeed(&format!("{BENT} --threads 1 -o 1.ydb"));
    assert!(report.contains("bending     162 samples") && report.contains("pullback    to "), "{report}");
    folder
        .succeed("bake plain.pyp --grid small.txt --material woven --lossless --bending=bent.txt --threads 3 -o 3.ydb");
    assert!(folder.bytes("3.ydb") == folder.bytes("1.ydb"), "the number of threads changes nothing");
    let database = database::read(&folder.path().join("1.ydb")).unwrap();
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
    folder.succeed("db export 1.ydb --npy model");
    folder.succeed("db import model --lossless -o back.ydb");
    let back = database::read(&folder.path().join("back.ydb")).unwrap();
    assert_eq!((&back.bending().unwrap().x, &back.bending().unwrap().y), (&bending.x, &bending.y));
    let shown = folder.succeed("db inspect 1.ydb --plots plots");
    assert!(shown.contains("bending x, 81 samples") && shown.contains("axis curvature"), "{shown}");
    assert!(String::from_utf8(folder.bytes("plots/bending.svg")).unwrap().contains("curvature"));
    // Seen from the side, fabric that is bent rises; the more so the further it is bent.
    folder.succeed("db inspect 1.ydb --plots plots --picture 0,0,0,x:60 --picture 0,0,0,x:0 --picture 0,0,0,y:-40");
    let height = |name: &str| {
        let size = image::load_from_memory(&folder.bytes(&format!("plots/fabric_0_0_0_{name}.png"))).unwrap();
        f64::from(size.height().min(size.width())) / f64::from(size.height().max(size.width()))
    };
    assert!(height("x0") < 0.5 * height("x60") && height("x0") < 0.5 * height("y-40"));
    for (place, why) in [("0,0,0,x:61", "axis curvature"), ("0,0,0,z:1", "x:40"), ("0,0,0,x:NaN", "x:40")] {
        let refused = folder.run(&format!("db inspect 1.ydb --plots plots --picture {place}"));
        let message = String::from_utf8(refused.stderr).unwrap();
        assert!(!refused.status.success() && message.contains(why), "{message}");
    }
    let log = String::from_utf8(folder.bytes("1.ydb.log")).unwrap();
    assert_eq!(log.lines().filter(|l| l.contains("\tx\t")).count(), 54);
}

#[test]
fn killed_while_it_bends_a_bake_ends_with_the_same_bytes() {
    let folder = Folder::new();
    folder.write("small.txt", "-0.1 0 0.2\n-0.4 0 0.4\n-0.1 0 0.2\n");
    folder.succeed(&format!("{BENT} -o whole.ydb"));
    let mut child = folder.command(&format!("{BENT} -o killed.ydb")).stderr(Stdio::null()).spawn().unwrap();
    let log = folder.path().join("killed.ydb.log");
    while fs::read_to_string(&log).map_or(0, |text| text.matches("\ty\t").count()) < 10 {
        assert!(child.try_wait().unwrap().is_none(), "too fast to be killed");
        std::thread::sleep(Duration::from_millis(2));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let again = folder.run(&format!("{BENT} -o killed.ydb"));
    assert!(String::from_utf8(again.stderr).unwrap().contains("solves of an earlier run are kept"));
    assert!(folder.bytes("killed.ydb") == folder.bytes("whole.ydb"));
}

#[test]
fn curvatures_that_cannot_be_are_refused() {
    let folder = Folder::new();
    let cases = [
        ("--bending=10,20", "has no value 0"),
        ("--bending=0", "is neither a file with curvatures nor numbers"),
        ("--bending=0,", "has 1 values"),
        ("--bending=0,-20,20", "is not above value 0"),
        ("--bending=-1000,0,1000", "bends the fabric too far"),
        ("--bending=0,nan", "is not a finite number"),
    ];
    for (option, expected) in cases {
        let message = folder.fail(&format!("{BAKE} {option} -o out.ydb"));
        assert!(message.contains(expected) && message.lines().count() == 1, "{option}: {message}");
        assert_eq!(folder.files(), ["axes.txt", "plain.pyp"], "{option} has written something");
    }
}

#[test]
fn a_relaxed_pattern_is_an_equilibrium_of_its_own() {
    let folder = Folder::new();
    let report = folder.succeed("relax plain.pyp --material woven -o rest.yarn");
    for line in
        ["energy, uJ a cell", "period x, mm", "gauge x, warps per cm", "gauge y, wefts per cm", "written    rest.yarn"]
    {
        assert!(report.contains(line), "{report}");
    }
    folder.write("rest.txt", "-0.01 0 0.01\n-0.01 0 0.01\n-0.01 0 0.01\n");
    folder.succeed("bake rest.yarn --grid rest.txt --material woven --lossless -o rest.ydb");
    let database = database::read(&folder.path().join("rest.ydb")).unwrap();
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
    assert!(folder.fail("relax plain.pyp --young nan -o x.yarn").contains("Young's modulus is NaN"));
}
