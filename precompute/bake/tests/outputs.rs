//! No command overwrites what it reads, none begins work whose result it cannot write, and none minds a closed pipe.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use yarnwise_tests::program::{Program, output};

const PROGRAM: &str = env!("CARGO_BIN_EXE_yarnwise-bake");

/// The program in a folder with a pattern, a chart, axes, a database, its model folder and a clip.
struct Folder(Program);

impl Folder {
    fn new() -> Self {
        let folder = Folder(Program::new(PROGRAM));
        folder.succeed("pattern make weave --preset plain --vertices 4 -o p.yarn");
        folder.succeed("mesh make sheet --cells 3,2 --motion stretch-x --frames 3 -o clip.pc2");
        folder.succeed("mesh make sheet --cells 3,2 --motion stretch-x --frames 3 -o frames");
        fs::write(folder.path().join("chart.txt"), "KP\nPK\n").unwrap();
        fs::write(folder.path().join("axes.txt"), "0 0.1\n-0.1 0 0.1\n0 0.1\n").unwrap();
        folder.succeed("bake p.yarn --grid axes.txt --material woven -o d.ydb");
        folder.succeed("db export d.ydb -o model");
        folder
    }

    fn path(&self) -> &Path {
        self.0.folder.root()
    }

    fn succeed(&self, arguments: &str) -> String {
        self.0.success(arguments)
    }

    /// Every file below the folder, with its bytes.
    fn content(&self) -> Vec<(String, Vec<u8>)> {
        let mut out = Vec::new();
        let mut folders = vec![self.path().to_owned()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                } else {
                    out.push((path.display().to_string(), fs::read(&path).unwrap()));
                }
            }
        }
        out.sort();
        out
    }

    /// The command fails with one line that contains `expected`, and changes no file.
    fn refuses(&self, arguments: &str, expected: &str) {
        let before = self.content();
        let message = self.0.failure(arguments);
        assert!(message.contains(expected) && message.lines().count() == 1, "{arguments}: {message}");
        assert!(self.content() == before, "{arguments} changed a file");
    }
}

#[test]
fn no_command_overwrites_one_of_its_inputs() {
    let folder = Folder::new();
    let at = |name: &str| folder.path().join(name);
    fs::copy(at("d.ydb"), at("energy.svg")).unwrap();
    fs::copy(at("p.yarn"), at("q.ydb.log")).unwrap();
    fs::copy(at("p.yarn"), at("p_5.ydb")).unwrap();
    for arguments in [
        "bake p.yarn -o p.yarn",
        "bake p.yarn --grid axes.txt -o axes.txt",
        "bake q.ydb.log -o q.ydb",
        "bake --from d.ydb --subset axes.txt -o d.ydb",
        "relax p.yarn -o ./p.yarn",
        "pattern import p.yarn -o p.yarn",
        "pattern make knit --chart chart.txt -o chart.txt",
        "db subset d.ydb --grid axes.txt -o d.ydb",
        "db subset d.ydb --grid axes.txt -o axes.txt",
        "db inspect energy.svg --plots .",
        "mesh convert clip.pc2 -o clip.pc2",
        "mesh convert clip.pc2 --frame 0 -o clip.obj",
        "mesh convert clip.obj -o clip.pc2",
        "mesh convert frames -o frames",
        "compare d.ydb --html d.ydb",
        "compare d.ydb --csv d.ydb.log",
        "compare d.ydb --clip clip.pc2 --json-file clip.pc2",
        "study density p.yarn p_5.ydb --grids 5 -o .",
    ] {
        folder.refuses(arguments, "is also an input");
    }
    folder.refuses("db import model -o model/pyp", "is a file of the input model");
    folder.refuses("mesh convert frames -o frames/frame_00001.obj --frame 0", "is a file of the input frames");
}

/// A link to an input is the input.
#[cfg(unix)]
#[test]
fn links_do_not_help() {
    let folder = Folder::new();
    let at = |name: &str| folder.path().join(name);
    fs::hard_link(at("p.yarn"), at("hard.yarn")).unwrap();
    std::os::unix::fs::symlink("p.yarn", at("soft.yarn")).unwrap();
    for link in ["hard.yarn", "soft.yarn"] {
        for command in ["bake", "relax", "pattern import"] {
            folder.refuses(&format!("{command} p.yarn -o {link}"), "is also an input");
        }
    }
}

#[test]
fn outputs_are_checked_before_work_begins() {
    let folder = Folder::new();
    for command in [
        "bake p.yarn",
        "relax p.yarn",
        "pattern import p.yarn",
        "pattern make knit --preset rib1x1",
        "db import model",
        "db subset d.ydb --grid axes.txt",
    ] {
        folder.refuses(&format!("{command} -o model"), "is a folder");
        folder.refuses(&format!("{command} -o p.yarn/out"), "is not a folder");
        folder.refuses(&format!("{command} -o out/"), "is not the name of a file");
    }
    folder.refuses("pattern show p.yarn -o p.yarn/out.png", "is not a folder");
    folder.refuses("db export d.ydb -o p.yarn", "is not a folder");
    folder.refuses("db inspect d.ydb --plots p.yarn", "is not a folder");
    folder.refuses("compare d.ydb --html same --csv same", "is written twice");
    folder.refuses("mesh make sheet -o p.yarn", "is no format of clips");
    folder.refuses("mesh make sheet -o p.yarn/a.bin", "is not a folder");
    folder.refuses("study density p.yarn model/../p.yarn -o new", "is written twice");
}

/// What cannot fit into memory is refused in one line, not by the system.
#[test]
fn what_is_too_large_is_refused_in_one_line() {
    let folder = Folder::new();
    folder.refuses("mesh make sheet --cells 1000000,1000000 -o a.bin", "GB of memory");
    folder.refuses("mesh make tube --cells 18446744073709551615,1 -o a.bin", "GB of memory");
    folder.refuses("mesh make skirt --frames 18446744073709551615 -o a.bin", "GB of memory");
    folder.refuses("pattern make knit --preset rib1x1 --vertices 18446744073709551615 -o a.yarn", "vertices");
    folder.refuses("pattern make weave --preset plain --vertices 1000000000000 -o a.yarn", "vertices");
}

/// A bake that the limit of its process does not allow ends in one line that names the cure, before it has begun.
#[cfg(target_os = "linux")]
#[test]
fn a_bake_beyond_the_limit_of_memory_is_refused_in_one_line() {
    let folder = Folder::new();
    for (kilobytes, arguments) in
        [(100_000, "--grid axes.txt"), (400_000, "--grid 31 --bending"), (700_000, "--grid 31 --bending")]
    {
        let bake = format!("bake p.yarn --material woven --threads 2 {arguments} -o e.ydb");
        let script = format!("ulimit -v {kilobytes}; exec \"$0\" {bake}");
        let mut command = Command::new("bash");
        command.current_dir(folder.path()).args(["-c", &script, PROGRAM]).stdin(Stdio::null());
        let output = command.output().unwrap();
        let message = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{kilobytes}: {message}");
        assert!(message.lines().count() == 1 && message.contains("of memory"), "{kilobytes}: {message}");
        assert!(message.contains("choose a smaller --grid"), "{kilobytes}: {message}");
    }
}

/// A reader that closes its end is no error of the program, on either stream.
#[cfg(unix)]
#[test]
fn closed_pipes_end_in_silence() {
    let folder = Folder::new();
    for arguments in [
        "pattern check p.yarn",
        "pattern make knit --preset rib1x1 -o k.yarn",
        "relax p.yarn --material woven -o r.yarn",
        "bake p.yarn --grid axes.txt --material woven -o e.ydb",
        "db inspect d.ydb",
        "db inspect d.ydb --json",
        "mesh check clip.pc2",
        "compare d.ydb --held-out 0",
        "completions bash",
        "--help",
    ] {
        for pipe in ["| true", "| head -1", "2>&1 | true"] {
            let script = format!("set -o pipefail; \"$0\" {arguments} {pipe}");
            let mut command = Command::new("bash");
            command.current_dir(folder.path()).args(["-c", &script, PROGRAM]).stdin(Stdio::null());
            let output = output(&mut command);
            let message = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "{arguments} {pipe}: {message}");
            assert!(!message.contains("panicked") && !message.contains("internal error"), "{arguments}: {message}");
        }
    }
}

/// Every command that prints figures prints them as JSON too, and nothing else on standard output.
#[test]
fn figures_come_as_json() {
    let folder = Folder::new();
    for (arguments, pointer) in [
        ("pattern make knit --preset rib1x1 -o k.yarn", "/vertices"),
        ("pattern import p.yarn -o p.pyp", "/period/0"),
        ("pattern check p.yarn", "/0/crossings"),
        ("pattern show p.yarn --pixels 64 -o p.png", "/pixels/0"),
        ("relax p.yarn --material woven -o r.yarn", "/at_rest/energy"),
        ("bake p.yarn --grid axes.txt --material woven -o e.ydb", "/solve_seconds"),
        ("db inspect d.ydb", "/tables/0/samples"),
        ("db import model -o i.ydb", "/size/file_bytes"),
        ("db export d.ydb -o exported", "/samples"),
        ("db subset d.ydb --grid axes.txt -o s.ydb", "/samples"),
        ("mesh check clip.pc2", "/strains/sx/1"),
        ("mesh make tube -o t.bin", "/faces"),
        ("mesh convert clip.pc2 -o c.bin", "/frames"),
        ("compare d.ydb --held-out 0", "/sets/0/cost/samples"),
        ("study refinement p.yarn --material woven --grids axes.txt", "/grids/0/regions/0/median"),
        ("study balance model --material woven", "/regions/0/samples"),
        ("study cold model --material woven", "/samples"),
        ("study continuation model --material woven", "/solves"),
    ] {
        let json = folder.0.json(&format!("{arguments} --json"));
        assert!(json.pointer(pointer).is_some_and(serde_json::Value::is_number), "{arguments}: {json}");
    }
}

#[test]
fn strains_beyond_the_table_are_reported() {
    let folder = Folder::new();
    folder.succeed("mesh make sheet --motion stretch-x --amount 1.5 --frames 3 -o far.bin");
    let far = folder.succeed("mesh check far.bin");
    assert!(far.contains("warning: sx reaches from 0.000 to 1.500, the default grid of a bake covers"), "{far}");
    assert!(folder.succeed("mesh check clip.pc2").contains("nothing is wrong"), "half of it is covered");
    let near = folder.succeed("mesh check clip.pc2 --database d.ydb");
    assert!(near.contains("d.ydb covers 0.000 to 0.100") && near.contains("0 errors, 1 warning"), "{near}");
}
