//! `yarnwise-bake campaign`, run as its user runs it.

use serde_json::Value;
use std::fs;
use std::process::{Command, Stdio};
use std::time::Duration;
use yarnwise_shared::pattern::weave::{Draft, WeaveOptions, weave};
use yarnwise_tests::program::{Program, finished, output, wait_until};
use yarnwise_tests::seed;

const PROGRAM: &str = env!("CARGO_BIN_EXE_yarnwise-bake");

/// Eight bakes of two weaves that take a second or two together.
const SMALL: &str = r#"
output = "out"
patterns = ["plain.pyp", { name = "b", file = "basket.pyp", relax = "fixed" }]
materials = ["woven", { name = "soft", like = "woven", young = 5e4 }]
grids = ["axes.txt", { name = "tiny", sx = [0, 0.1], sa = [0, 0.2], sy = [0, 0.1] }]

[bake]
residual = 1e-5

[[override]]
pattern = "b"
grid = "tiny"
bending = [false, { name = "curl", curvatures = [-20, 0, 20] }]
rounds = 1

[[exclude]]
pattern = "b"
material = "soft"
"#;

/// The names of its bakes.
const NAMES: [&str; 7] = [
    "plain-woven-axes-flat",
    "plain-woven-tiny-flat",
    "plain-soft-axes-flat",
    "plain-soft-tiny-flat",
    "b-woven-axes-flat",
    "b-woven-tiny-flat",
    "b-woven-tiny-curl",
];

/// The program in a folder with two patterns, a file of axes and the campaign `small.toml`.
fn program() -> Program {
    let program = Program::new(PROGRAM);
    let options = WeaveOptions { radius: 1e-3, vertices_per_crossing: 4, ..WeaveOptions::default() };
    for draft in ["plain", "basket"] {
        let pattern = weave(&Draft::preset(draft).unwrap(), &options).unwrap();
        yarnwise_shared::pattern::write(&pattern, &program.folder.path(format!("{draft}.pyp"))).unwrap();
    }
    program.folder.write("axes.txt", "-0.05 0 0.1 0.2\n-0.2 0 0.2\n-0.05 0 0.1 0.2\n");
    program.folder.write("small.toml", SMALL);
    program
}

fn database(name: &str) -> String {
    format!("out/{name}.ydb")
}

/// The bytes of all databases, which are all there.
fn databases(program: &Program) -> Vec<Vec<u8>> {
    NAMES.iter().map(|name| program.folder.bytes(&database(name))).collect()
}

/// The steps of a status or a run by name.
fn steps<'a>(report: &'a Value, list: &str, field: &str) -> Vec<(&'a str, &'a str)> {
    let text = |value: &'a Value| value.as_str().unwrap();
    report[list].as_array().unwrap().iter().map(|step| (text(&step["name"]), text(&step[field]))).collect()
}

#[test]
fn a_campaign_gives_the_bytes_of_single_bakes_and_is_not_done_twice() {
    let program = program();
    let checked = program.success("campaign check small.toml");
    assert!(checked.contains("7 bakes") && checked.contains("done        0 of 8"), "{checked}");
    assert!(!program.folder.path("out").exists(), "a check writes nothing");
    let report = program.json("--json campaign run small.toml --threads 3");
    let ends = steps(&report, "steps", "end");
    assert_eq!(ends.len(), 8);
    assert!(ends.iter().all(|(_, end)| *end == "done"), "{ends:?}");
    let names: Vec<&str> = ends[1..].iter().map(|(name, _)| *name).collect();
    assert_eq!(names, NAMES);
    // The same as single commands.
    program.success("relax basket.pyp -o b-woven.yarn --material woven --period fixed");
    assert!(program.folder.bytes("b-woven.yarn") == program.folder.bytes("out/rest/b-woven.yarn"));
    program.folder.write("tiny.txt", "0 0.1\n0 0.2\n0 0.1\n");
    let single = [
        "plain.pyp --grid axes.txt --material woven",
        "plain.pyp --grid tiny.txt --material woven",
        "plain.pyp --grid axes.txt --material woven --young 5e4",
        "plain.pyp --grid tiny.txt --material woven --young 5e4",
        "b-woven.yarn --grid axes.txt --material woven",
        "b-woven.yarn --grid tiny.txt --material woven --rounds 1",
        "b-woven.yarn --grid tiny.txt --material woven --rounds 1 --bending=-20,0,20",
    ];
    for (name, arguments) in NAMES.iter().zip(single) {
        program.success(&format!("bake {arguments} --residual 1e-5 -o single.ydb"));
        assert!(program.folder.bytes("single.ydb") == program.folder.bytes(&database(name)), "{name}");
    }
    let files = program.folder.files();
    assert!(!files.iter().any(|file| file.ends_with(".journal") || file.ends_with(".failed")), "{files:?}");
    let before = fs::metadata(program.folder.path(database(NAMES[0]))).unwrap().modified().unwrap();
    let again = program.json("--json campaign run small.toml");
    assert!(steps(&again, "steps", "end").iter().all(|(_, end)| *end == "kept"), "{again}");
    assert_eq!(fs::metadata(program.folder.path(database(NAMES[0]))).unwrap().modified().unwrap(), before);
    assert!(program.success("campaign check small.toml").contains("done        8 of 8"));
}

#[test]
fn only_what_is_named_is_done_and_what_it_needs() {
    let program = program();
    program.success("campaign run small.toml --only b-woven-tiny-*");
    let status = program.json("--json campaign status small.toml");
    assert_eq!(steps(&status, "rests", "standing"), [("b-woven", "done")]);
    for (name, standing) in steps(&status, "bakes", "standing") {
        assert_eq!(standing, if name.starts_with("b-woven-tiny") { "done" } else { "waiting" }, "{name}");
    }
    let message = program.failure("campaign run small.toml --only nothing");
    assert!(message.contains("--only nothing: the campaign has no such bake"), "{message}");
}

/// Every fault of a file is found at once, with its line.
#[test]
fn all_faults_are_reported_at_once_and_nothing_is_written() {
    let program = program();
    program.folder.write("bad-axes.txt", "0.1 0.2\n-0.2 0 0.2\n0 0.1\n");
    program.folder.write("not-a-pattern.yarn", "hello\n");
    let text = r#"name = "bad"
patterns = ["missing.pyp", "not-a-pattern.yarn", "plain.pyp", "plain.pyp", { nam = "x", file = "plain.pyp" }]
materials = ["silk", { name = "soft", young = 5e4 }, { name = "hard", like = "woven", young = -1 }, "woven"]
grids = [8, "bad-axes.txt", { name = "t", sx = [0, 1], sa = [0, 1], sy = [0, 1] }, 5]
bending = [true, { name = "one", curvatures = [1, 2] }]
naming = "{pattern}-{color}"
speed = 3

[bake]
residual = 2
tolerance = "lossles"
start = true
thread = 4

[[override]]
pattern = "rib*"
rounds = 5

[[override]]
grid = "5"

[[exclude]]
material = "woollen"
"#;
    program.folder.write("bad.toml", text);
    let before = program.folder.files();
    let run = program.run("campaign check bad.toml");
    assert_eq!(run.status.code(), Some(1), "{}", run.stderr);
    let expected = [
        "line 2: missing.pyp: ",
        "line 2: not-a-pattern.yarn: is not a pattern",
        "line 2: pattern 'plain' is there twice",
        "line 2: a pattern has no field 'nam'; there are name, file, relax",
        "line 3: material silk: is not known",
        "line 3: a material needs shear, gamma, contact, or 'like'",
        "line 3: young is -1, a number from 1e0 to 1e13 Pa is expected",
        "line 4: grid: 8 is not a published grid",
        "line 4: grid bad-axes: axis sx: has no value 0",
        "line 4: grid t: axis sa: ends at 1: ",
        "line 5: bending one: has no value 0",
        "line 6: naming has {color}, there are {pattern}",
        "line 7: a campaign has no field 'speed'; there are name, output, naming, patterns",
        "line 10: residual is 2, a number from 1e-12 to 1e-1 is expected",
        "line 11: tolerance is 'lossles', one of lossless is expected",
        "line 12: start is true or false, one of continuation, cold is expected",
        "line 13: [bake] has no field 'thread'; there are residual,",
        "line 15: pattern 'rib*' is none of the campaign's; there are missing, not-a-pattern, plain\n",
        "line 19: an override changes nothing",
        "line 22: material 'woollen' is none of the campaign's; there are silk, hard, woven\n",
    ];
    for part in expected {
        assert!(run.stderr.contains(part), "'{part}' is missing in\n{}", run.stderr);
    }
    assert_eq!(run.stderr.lines().count(), expected.len(), "each once:\n{}", run.stderr);
    assert!(run.stderr.lines().all(|line| line.starts_with("error: bad.toml, line ")), "{}", run.stderr);
    let json = program.run("--json campaign check bad.toml");
    let faults: Value = serde_json::from_str(&json.stdout).unwrap();
    assert_eq!(faults["faults"].as_array().unwrap().len(), run.stderr.lines().count());
    // What does not pass the check is not run.
    let refused = program.run("campaign run bad.toml");
    assert_eq!((refused.status.code(), &refused.stderr), (Some(1), &run.stderr));
    assert_eq!(program.folder.files(), before, "nothing is written");
}

#[test]
fn outputs_that_collide_or_are_inputs_are_refused() {
    let program = program();
    let with = |lines: &str| {
        let lists = "patterns = [\"plain.pyp\"]\nmaterials = [\"woven\", \"knit\"]\ngrids = [5]\n";
        program.folder.write("c.toml", format!("{lines}\n{lists}"));
        program.run("campaign check c.toml").stderr
    };
    let twice = with("naming = \"{pattern}-{grid}\"");
    assert!(twice.contains("c/plain-5.ydb: 2 bakes are written there"), "{twice}");
    let outside = with("naming = \"../{pattern}-{material}\"");
    assert!(outside.contains("naming must stay inside of the output folder"), "{outside}");
    let file = with("output = \"plain.pyp\"");
    assert!(file.contains("plain.pyp: is not a folder"), "{file}");
    fs::copy(program.folder.path("plain.pyp"), program.folder.path("p-woven.ydb")).unwrap();
    program.folder.write(
        "d.toml",
        "output = \".\"\nnaming = \"p-{material}\"\npatterns = [\"p-woven.ydb\"]\nmaterials = [\"woven\"]\n",
    );
    let input = program.run("campaign check d.toml").stderr;
    assert!(input.contains("is also an input") || input.contains("is not a Yarnwise database"), "{input}");
    assert!(!with("").contains("error"), "without these lines nothing is wrong");
}

#[test]
fn too_little_memory_or_a_folder_that_cannot_be_written_is_found_before_anything_runs() {
    let program = program();
    let axis: Vec<String> = (0..250).map(|i| (f64::from(i) * 1e-3).to_string()).collect();
    let axis = axis.join(", ");
    program.folder.write(
        "huge.toml",
        format!(
            "patterns = [\"plain.pyp\"]\nmaterials = [\"woven\"]\n\
             grids = [{{ name = \"huge\", sx = [{axis}], sa = [{axis}], sy = [{axis}] }}, 5]\n"
        ),
    );
    let huge = program.run("campaign check huge.toml").stderr;
    assert!(huge.contains("plain-woven-huge-flat: "), "{huge}");
    assert!(huge.contains("of memory") || huge.contains("displacements that a database can hold"), "{huge}");
    assert!(!huge.contains("plain-woven-5"), "the small one is fine: {huge}");
    program.folder.write("file", "in the way");
    program.folder.write("blocked.toml", SMALL.replace("\"out\"", "\"file/out\""));
    let blocked = program.run("campaign check blocked.toml").stderr;
    assert_eq!(blocked.lines().count(), 1, "one line for a folder, not one for each output: {blocked}");
    assert!(blocked.contains("output folder") && blocked.contains("is not a folder"), "{blocked}");
    // Where not even the superuser can write.
    if cfg!(target_os = "linux") {
        program.folder.write("read-only.toml", SMALL.replace("\"out\"", "\"/proc/yarnwise\""));
        for command in ["check", "run"] {
            let refused = program.run(&format!("campaign {command} read-only.toml"));
            assert_eq!(refused.status.code(), Some(1));
            assert_eq!(refused.stderr.lines().count(), 1, "{}", refused.stderr);
            assert!(refused.stderr.contains("its folder cannot be written to"), "{}", refused.stderr);
        }
    }
}

#[test]
fn a_database_of_another_job_is_reported_and_kept() {
    let program = program();
    fs::create_dir(program.folder.path("out")).unwrap();
    program.success(&format!("bake plain.pyp --grid axes.txt --material knit -o {}", database(NAMES[0])));
    let other = program.folder.bytes(&database(NAMES[0]));
    let message = program.run("campaign run small.toml").stderr;
    assert!(
        message.contains("is the database of another job: its material is a different one; move it away"),
        "{message}"
    );
    // A relaxed pattern of another job, too.
    fs::remove_file(program.folder.path(database(NAMES[0]))).unwrap();
    fs::create_dir(program.folder.path("out/rest")).unwrap();
    fs::copy(program.folder.path("plain.pyp"), program.folder.path("out/rest/b-woven.yarn")).unwrap();
    let message = program.run("campaign run small.toml").stderr;
    assert!(message.contains("b-woven.yarn: is a pattern that this campaign did not make"), "{message}");
    fs::remove_file(program.folder.path("out/rest/b-woven.yarn")).unwrap();
    program.success("campaign run small.toml");
    // What was changed afterwards is not taken for the campaign's.
    let path = program.folder.path(database(NAMES[1]));
    fs::write(&path, &other).unwrap();
    let status = program.json("--json campaign status small.toml");
    let standing = steps(&status, "bakes", "standing");
    assert_eq!(standing[1], (NAMES[1], "failed"), "{status}");
    assert!(program.folder.bytes(&database(NAMES[1])) == other);
}

#[test]
fn one_bake_that_fails_does_not_stop_the_others_and_is_retried() {
    let program = program();
    // Something that is not a journal is where one would be: found only when the bake begins.
    fs::create_dir(program.folder.path("out")).unwrap();
    let blocked = format!("{}.journal", database(NAMES[2]));
    program.folder.write(&blocked, "this is no journal, and must not be lost");
    let run = program.run("--json campaign run small.toml");
    assert_eq!(run.status.code(), Some(1), "{}", run.stderr);
    let report: Value = serde_json::from_str(&run.stdout).unwrap();
    for (name, end) in &steps(&report, "steps", "end")[1..] {
        assert_eq!(*end, if *name == NAMES[2] { "failed" } else { "done" }, "{name}");
    }
    assert!(run.stderr.contains("is in the way: it is not a journal of this program"), "{}", run.stderr);
    let status = program.json("--json campaign status small.toml");
    let failed = &status["bakes"][2];
    assert_eq!(failed["standing"], "failed", "{status}");
    assert!(failed["problem"].as_str().unwrap().contains("is in the way"), "{status}");
    fs::remove_file(program.folder.path(&blocked)).unwrap();
    let again = program.json("--json campaign run small.toml");
    let ends = steps(&again, "steps", "end");
    assert!(ends[1..].iter().all(|(name, end)| *end == if *name == NAMES[2] { "done" } else { "kept" }), "{ends:?}");
    assert!(
        !program.folder.path(format!("{}.failed", database(NAMES[2]))).exists(),
        "the reason is gone with the cause"
    );
}

#[test]
fn a_pattern_that_does_not_come_to_rest_leaves_its_bakes_out() {
    let program = program();
    program.folder.write("few.toml", format!("{SMALL}\n[relax]\nperiod = \"none\"\nmax_steps = 2\n"));
    let run = program.run("--json campaign run few.toml");
    assert_eq!(run.status.code(), Some(1));
    let report: Value = serde_json::from_str(&run.stdout).unwrap();
    for (name, end) in steps(&report, "steps", "end") {
        assert_eq!(end, if name.starts_with("b-") { "failed" } else { "done" }, "{name}");
    }
    assert!(run.stderr.contains("is not at rest after 2 steps"), "{}", run.stderr);
    assert!(run.stdout.contains("its pattern b-woven is not at rest"), "{}", run.stdout);
    let status = program.json("--json campaign status few.toml");
    assert_eq!(steps(&status, "rests", "standing"), [("b-woven", "failed")]);
}

/// Waits until all logs together have this many lines.
fn wait_for_solves(program: &Program, solves: usize) {
    let lines = |name: &str| {
        let log = program.folder.path(format!("{}.log", database(name)));
        fs::read_to_string(log).map_or(0, |text| text.lines().count().saturating_sub(1))
    };
    wait_until("some solves", || NAMES.iter().map(|name| lines(name)).sum::<usize>() >= solves);
}

#[test]
fn interrupted_politely_it_resumes_with_the_same_bytes() {
    let whole = program();
    whole.success("campaign run small.toml");
    let program = program();
    let mut command = program.command("campaign run small.toml --threads 1");
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    wait_for_solves(&program, 10);
    assert!(Command::new("kill").args(["-TERM", &child.id().to_string()]).status().unwrap().success());
    let ended = finished(child).expect("it ends");
    let message = String::from_utf8(ended.stdout).unwrap();
    assert_eq!(ended.status.code(), Some(130), "{message}");
    assert!(message.contains("run the same command again for what is not done"), "{message}");
    let status = program.json("--json campaign status small.toml");
    let standing = steps(&status, "bakes", "standing");
    assert!(standing.iter().any(|(_, standing)| *standing == "interrupted"), "{status}");
    assert!(standing.iter().all(|(_, standing)| *standing != "running"), "{status}");
    program.success("campaign run small.toml");
    assert!(databases(&program) == databases(&whole));
}

#[test]
fn killed_at_random_moments_it_ends_with_the_same_bytes() {
    let whole = program();
    whole.success("campaign run small.toml");
    let expected = databases(&whole);
    let mut random = seed::random("killed_at_random_moments_it_ends_with_the_same_bytes");
    let program = program();
    let mut killed = 0;
    while killed < 1000 {
        let mut command = program.command("campaign run small.toml");
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        // The check at its beginning takes its time.
        std::thread::sleep(Duration::from_millis(100 + random.below(600) as u64));
        child.kill().unwrap();
        if child.wait().unwrap().success() {
            break;
        }
        killed += 1;
    }
    assert!(killed < 1000, "killed {killed} times, the campaign has not ended");
    program.success("campaign run small.toml");
    assert!(databases(&program) == expected, "after {killed} kills");
    let left = program.folder.files();
    assert!(!left.iter().any(|file| file.ends_with(".journal")), "{left:?}");
}

/// A status is read-only and takes no lock: it can be asked while a run is at work, which ends as if it had not been looked at.
#[test]
fn a_status_can_be_asked_while_it_runs() {
    let program = program();
    let mut command = program.command("campaign run small.toml --threads 1");
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    wait_for_solves(&program, 5);
    let (mut running, mut asked, mut left) = (0, 0, None);
    while child.try_wait().unwrap().is_none() {
        let status = program.json("--json campaign status small.toml");
        running += usize::from(status["counts"]["running"].as_u64().unwrap() > 0);
        left = status["left_core_seconds"].as_f64().or(left);
        asked += 1;
    }
    assert!(child.wait().unwrap().success(), "the run was disturbed");
    assert!(running > 0, "asked {asked} times");
    assert!(left.is_some_and(|seconds| seconds >= 0.0));
    let table = program.success("campaign status small.toml");
    assert!(table.contains("plain-woven-axes-flat") && table.contains("samples converged"), "{table}");
    assert!(table.lines().last().unwrap().starts_with("small: 8 done"), "{table}");
}

#[test]
fn two_runs_at_once_share_the_work() {
    let whole = program();
    whole.success("campaign run small.toml");
    let program = program();
    let spawn = || {
        let mut command = program.command("--json campaign run small.toml --threads 1");
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    };
    let runs = [spawn(), spawn()].map(|child| finished(child).expect("it ends"));
    let mut done = 0;
    for run in &runs {
        let report: Value = serde_json::from_slice(&run.stdout).unwrap_or_else(|e| panic!("{e}: {run:?}"));
        let ends = steps(&report, "steps", "end");
        assert!(ends.iter().all(|(_, end)| ["done", "kept", "busy", "failed"].contains(end)), "{ends:?}");
        assert!(!ends.iter().any(|(_, end)| *end == "failed"), "{}", String::from_utf8_lossy(&run.stderr));
        done += ends[1..].iter().filter(|(_, end)| *end == "done").count();
    }
    assert!(done >= NAMES.len(), "{done} of {} are done", NAMES.len());
    assert!(databases(&program) == databases(&whole));
}

#[cfg(unix)]
#[test]
fn a_full_disk_is_reported_of_each_bake_and_nothing_is_lost() {
    let whole = program();
    whole.success("campaign run small.toml");
    let program = program();
    // Files of 24 KiB at most: the small ones fit, the others do not. Without the trap the system ends the process by a signal.
    let script = "trap '' XFSZ; ulimit -f 24; exec \"$0\" campaign run small.toml";
    let ended = output(Command::new("bash").current_dir(program.folder.root()).args(["-c", script, PROGRAM]));
    assert_eq!(ended.status.code(), Some(1));
    let text = String::from_utf8(ended.stdout).unwrap();
    assert!(text.contains("failed") && text.contains("What is finished is safe in"), "{text}");
    let again = program.json("--json campaign run small.toml");
    assert!(steps(&again, "steps", "end").iter().any(|(_, end)| *end == "kept"), "{again}");
    assert!(databases(&program) == databases(&whole));
}

#[test]
fn a_report_has_figures_and_pictures_of_every_database() {
    let program = program();
    program.success("campaign run small.toml --only *-tiny-* b-woven");
    let said = program.success("campaign report small.toml -o page.html --pixels 120");
    assert!(said.contains("page.html: 4 databases, 3 are not there yet"), "{said}");
    let html = program.folder.text("page.html");
    assert!(html.starts_with("<!doctype html>") && html.ends_with("</html>\n"));
    // Letters of pictures may say anything.
    let text: String =
        html.split("base64,").map(|part| part.split_once("\"><figcap").map_or(part, |(_, rest)| rest)).collect();
    assert!(text.len() < html.len() / 2 && !text.contains("NaN"), "{text}");
    for outside in ["http:", "https:", "src=\"/", "<link"] {
        let plain = text.replace("http://www.w3.org/2000/svg", "");
        assert!(!plain.contains(outside), "{outside}: a page that needs nothing else");
    }
    assert_eq!(html.matches("<article").count(), 4);
    // At rest and stretched each, and one is bent.
    assert_eq!(html.matches("src=\"data:image/png;base64,").count(), 9);
    for name in NAMES {
        assert!(html.contains(name), "{name}");
    }
    assert_eq!(html.matches("<span class=\"state waiting\">").count(), 3);
    let report = program.json("--json campaign report small.toml -o page.html --pixels 120");
    let first = &report["databases"][0];
    assert!(
        first["converged"].as_u64().unwrap() > 0 && first["logged"]["core_seconds"].as_f64().unwrap() > 0.0,
        "{first}"
    );
    let message = program.failure("campaign report small.toml -o small.toml");
    assert!(message.contains("is also an input"), "{message}");
    // In the folder of the databases, unless another place is named.
    program.success("campaign report small.toml --pixels 120");
    assert!(program.folder.path("out/report.html").exists());
}

#[test]
fn a_file_that_is_no_campaign_is_refused() {
    let program = program();
    program.folder.write("cut.toml", &SMALL[..SMALL.len() / 2]);
    program.folder.write("binary.toml", [0u8, 159, 146, 150]);
    program.folder.write("empty.toml", "");
    for (file, expected) in [
        ("cut.toml", "line "),
        ("binary.toml", "is not text"),
        ("empty.toml", "a campaign needs the list patterns"),
        ("missing.toml", "missing.toml: "),
        ("plain.pyp", "plain.pyp, line 1: "),
    ] {
        for command in ["check", "run", "status", "report"] {
            let run = program.run(&format!("campaign {command} {file}"));
            assert_eq!(run.status.code(), Some(1), "{command} {file}");
            assert!(run.stderr.contains(expected), "{command} {file}: {}", run.stderr);
            assert!(run.stdout.is_empty());
        }
    }
}
