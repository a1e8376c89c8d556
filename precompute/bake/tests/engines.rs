//! Campaigns on the engines that clusters have: Slurm with three nodes and HyperQueue with three workers, on this machine.
//!
//! Each runs in name spaces of its own (`unshare`): there is no network but the loopback, and whatever it starts ends with it. Where the
//! engines cannot be installed or name spaces are not allowed, the tests are skipped, which is seen.

#![cfg(target_os = "linux")]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use yarnwise_tests::announce;
use yarnwise_tests::program::{Program, output};

const PROGRAM: &str = env!("CARGO_BIN_EXE_yarnwise-bake");

/// A folder and a pattern whose names have what shells take for their own.
const FOLDER: &str = "it's a \"folder\" & $HOME";
const QUAINT: &str = "rib's $1 & \"2\"";

/// Seven databases, of which one is cut into shards; `output` is the folder of the databases.
fn campaign(output: &str) -> String {
    let quaint = QUAINT.replace('"', "\\\"");
    format!(
        r#"
output = "{output}"
patterns = ["rib.yarn", "stockinette.yarn", {{ name = "quaint one", file = "patterns/{quaint}.yarn", relax = "fixed" }}]
materials = ["knit", {{ name = "soft", like = "knit", young = 2e5 }}]
grids = [9, {{ name = "few", sx = [-0.1, 0, 0.2], sa = [-0.4, 0, 0.4], sy = [-0.1, 0, 0.2] }}]
bending = [false]

[[override]]
pattern = "rib"
grid = "9"
shards = 3

[[exclude]]
grid = "9"
material = "soft"

[[exclude]]
grid = "9"
pattern = ["stockinette", "quaint one"]
"#
    )
}

/// The program in a folder with a campaign `many.toml`, and `single.toml`, the same into another folder.
fn program() -> Program {
    let bake = Program::new(PROGRAM);
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data/patterns");
    for (preset, file) in
        [("rib1x1", "rib"), ("stockinette", "stockinette"), ("stockinette", &format!("patterns/{QUAINT}"))]
    {
        let pattern = std::fs::read(data.join(format!("{preset}.yarn"))).unwrap();
        bake.folder.write(&format!("{FOLDER}/{file}.yarn"), pattern);
    }
    bake.folder.write(&format!("{FOLDER}/many.toml"), campaign("many"));
    bake.folder.write(&format!("{FOLDER}/single.toml"), campaign("single"));
    bake
}

fn file(name: &str) -> String {
    format!("{FOLDER}/{name}")
}

fn databases(bake: &Program, folder: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(bake.folder.path(file(folder))).unwrap();
    let mut paths: Vec<PathBuf> =
        entries.map(|e| e.unwrap().path()).filter(|p| p.extension().is_some_and(|e| e == "ydb")).collect();
    paths.sort();
    paths
}

/// Bakes each database of the campaign by a process of its own; their names.
fn bake_singly(bake: &Program) -> Vec<String> {
    bake.success(&["campaign", "run", &file("single.toml")]);
    let names: Vec<String> =
        databases(bake, "single").iter().map(|p| p.file_name().unwrap().to_str().unwrap().to_owned()).collect();
    assert_eq!(names.len(), 7, "{names:?}");
    names
}

fn check_bytes(bake: &Program, names: &[String]) {
    for name in names {
        let [one, many] = ["single", "many"].map(|folder| bake.folder.bytes(&file(&format!("{folder}/{name}"))));
        assert!(one == many, "{name}");
    }
    let left = std::fs::read_dir(bake.folder.path(file("many"))).unwrap().map(|e| e.unwrap().file_name());
    let left: Vec<_> =
        left.filter(|n| n.to_string_lossy().contains("journal") || n.to_string_lossy().ends_with(".part")).collect();
    assert!(left.is_empty(), "{left:?}");
}

/// Says why a test is skipped.
fn skip(test: &str, why: &str) {
    announce(&format!("SKIPPED {test}: {why}; scripts/setup.sh installs what it needs"));
}

fn succeeds(command: &mut Command) -> bool {
    command.stdin(std::process::Stdio::null()).output().is_ok_and(|output| output.status.success())
}

/// A command in name spaces of its own: no network, no other processes, and none left when it ends.
fn alone(root: bool) -> Command {
    let mut command = Command::new("unshare");
    command.args(["--net", "--pid", "--mount", "--ipc", "--fork", "--kill-child", "--mount-proc"]);
    if !root {
        command.arg("--map-root-user");
    }
    command
}

fn is_root() -> bool {
    Command::new("id").arg("-u").output().is_ok_and(|output| output.stdout == b"0\n")
}

fn text(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

fn script(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/engines").join(name)
}

#[test]
fn slurm_runs_a_campaign_while_a_node_and_a_task_are_killed() {
    let test = "slurm_runs_a_campaign_while_a_node_and_a_task_are_killed";
    let has = |program: &str| {
        succeeds(Command::new("sh").args(["-c", &format!("PATH=$PATH:/usr/sbin command -v {program}")]))
    };
    if !["slurmctld", "slurmd", "sbatch", "munged", "ip"].into_iter().all(has) {
        return skip(test, "there is no Slurm");
    }
    if !is_root() || !succeeds(alone(true).arg("true")) {
        return skip(test, "its daemons need root and name spaces of their own");
    }
    let bake = program();
    let names = bake_singly(&bake);
    bake.success(&[
        "campaign",
        "plan",
        &file("many.toml"),
        "--emit",
        "slurm",
        "--seconds",
        "1",
        "-o",
        &file("plan.sh"),
    ]);
    // Short: a socket's path has at most 107 bytes.
    let folder = yarnwise_tests::folder::Folder::new();
    let outputs = names.iter().map(|name| bake.folder.path(file(&format!("many/{name}"))));
    let run = output(
        alone(true)
            .env("PATH", format!("{}:/usr/sbin:/sbin", std::env::var("PATH").unwrap_or_default()))
            .current_dir(bake.folder.root())
            .args([Path::new("bash"), &script("run_slurm.sh"), folder.root(), &bake.folder.path(file("plan.sh"))])
            .args(outputs),
    );
    assert!(run.status.success(), "{}", text(&run));
    let said = text(&run);
    assert!(said.contains("killed a shard on n") && said.contains("killed node n"), "{said}");
    check_bytes(&bake, &names);
}

/// A Python with the package, in `folder`; none where it cannot be had.
fn python(folder: &Path) -> Option<PathBuf> {
    let there = folder.join("python");
    let made = succeeds(Command::new("python3").args(["-m", "venv"]).arg(&there))
        && succeeds(Command::new(there.join("bin/pip")).args(["install", "--quiet", "hyperqueue==0.27.0"]));
    let python = there.join("bin/python3");
    // Job files are read by a module of Python 3.11.
    (made && succeeds(Command::new(&python).args(["-c", "import hyperqueue, tomllib"]))).then_some(python)
}

#[test]
fn hyperqueue_runs_a_campaign_while_a_worker_and_a_task_are_killed() {
    let test = "hyperqueue_runs_a_campaign_while_a_worker_and_a_task_are_killed";
    if !succeeds(alone(is_root()).arg("true")) {
        return skip(test, "name spaces of its own are not allowed");
    }
    let folder = yarnwise_tests::folder::Folder::new();
    let Some(python) = python(folder.root()) else {
        return skip(test, "Python's package hyperqueue cannot be installed");
    };
    let bake = program();
    let names = bake_singly(&bake);
    bake.success(&[
        "campaign",
        "plan",
        &file("many.toml"),
        "--emit",
        "hyperqueue",
        "--seconds",
        "1",
        "-o",
        &file("plan.toml"),
    ]);
    let run = output(
        alone(is_root())
            .current_dir(bake.folder.root())
            .args([&python, &script("run_hyperqueue.py")])
            .args([folder.root(), &bake.folder.path(file("plan.toml"))]),
    );
    let said = text(&run);
    assert!(run.status.success(), "{said}");
    assert!(said.contains("killed a shard") && said.contains("killed a worker"), "{said}");
    check_bytes(&bake, &names);
}

/// Without an engine: what GNU parallel would do with the files of a list, in a shell.
#[test]
fn a_list_is_commands_for_a_shell_in_stages() {
    let bake = program();
    let names = bake_singly(&bake);
    let printed = bake.success(&["campaign", "plan", &file("many.toml"), "--emit", "list", "--seconds", "1"]);
    bake.success(&["campaign", "plan", &file("many.toml"), "--emit", "list", "--seconds", "1", "-o", &file("list")]);
    let mut stages: Vec<PathBuf> =
        std::fs::read_dir(bake.folder.path(file("list"))).unwrap().map(|e| e.unwrap().path()).collect();
    stages.sort();
    let lines = |path: &PathBuf| std::fs::read_to_string(path).unwrap();
    let commands: String = stages.iter().map(lines).collect();
    let without_remarks: String =
        printed.lines().filter(|l| !l.starts_with("# stage ")).map(|l| format!("{l}\n")).collect();
    assert_eq!(without_remarks, commands, "the files hold what is printed without a folder");
    assert!(printed.starts_with(&format!("# stage 1 of {}: relax\n", stages.len())));
    for (number, path) in stages.iter().enumerate() {
        for (n, line) in lines(path).lines().enumerate() {
            let run = output(Command::new("sh").current_dir(bake.folder.root()).args(["-c", line]));
            assert!(run.status.success(), "{}, line {n}: {}", path.display(), text(&run));
            // Run twice, a task does no harm.
            if number < 3 && n == 0 {
                assert!(output(Command::new("sh").current_dir(bake.folder.root()).args(["-c", line])).status.success());
            }
        }
    }
    check_bytes(&bake, &names);
}
