//! Real processes that are killed, that run out of disk, that meet each other.
//!
//! The child is this very test program, asked to run the test `child` alone.

use crate::{expected, walk};
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::AtomicBool;
use std::time::Duration;
use yarnwise_precompute::job::{ExecuteOptions, execute};
use yarnwise_shared::file::write_atomically;
use yarnwise_tests::program::{finished, output};
use yarnwise_tests::seed;

const FOLDER: &str = "YARNWISE_TEST_JOB_FOLDER";

/// Not a test of its own: what the child process does.
#[test]
fn child() {
    let Some(folder) = std::env::var_os(FOLDER) else { return };
    let folder = Path::new(&folder);
    let mut plan = walk::Walk::default();
    let stop = AtomicBool::new(false);
    let result = walk::open(folder, false).and_then(|(mut journal, _)| {
        execute(&mut plan, &mut journal, ExecuteOptions { threads: 2, pool: None, stop: &stop }, &mut |_| Ok(()))?;
        Ok(journal)
    });
    let done = result.and_then(|journal| {
        write_atomically(&folder.join("out"), |w| w.write_all(&plan.bytes()))?;
        journal.remove()
    });
    if let Err(error) = done {
        eprintln!("error: {error}");
        std::process::exit(1);
    }
}

fn program() -> String {
    std::env::current_exe().unwrap().to_str().unwrap().to_owned()
}

const ARGUMENTS: [&str; 3] = ["child::child", "--exact", "--nocapture"];

fn start(folder: &Path) -> std::process::Child {
    let mut command = Command::new(program());
    command.args(ARGUMENTS).env(FOLDER, folder).stdout(Stdio::null()).stderr(Stdio::piped());
    command.spawn().unwrap()
}

/// Kills per test run: few by default, `YARNWISE_KILLS=50` for the full proof.
fn kills() -> usize {
    std::env::var("YARNWISE_KILLS").ok().map_or(8, |n| n.parse().expect("YARNWISE_KILLS is a number"))
}

/// A job that advances at all between two kills has ended long before.
const MOST_KILLS: usize = 1000;

#[test]
fn killed_at_random_moments_it_ends_with_the_same_bytes() {
    let expected = expected();
    let mut random = seed::random("killed_at_random_moments_it_ends_with_the_same_bytes");
    let (mut killed, mut jobs) = (0, 0);
    while killed < kills() {
        let folder = tempfile::tempdir().unwrap();
        let before = killed;
        loop {
            let mut child = start(folder.path());
            std::thread::sleep(Duration::from_millis(random.below(250) as u64));
            // Killed the hard way (SIGKILL), unless it is already done.
            child.kill().unwrap();
            if child.wait().unwrap().success() {
                break;
            }
            killed += 1;
            assert!(killed - before < MOST_KILLS, "killed {MOST_KILLS} times, the job has not ended");
        }
        jobs += 1;
        assert!(fs::read(folder.path().join("out")).unwrap() == expected, "after {killed} kills");
        let files = fs::read_dir(folder.path()).unwrap().flatten().map(|f| f.file_name());
        let leftovers: Vec<_> = files.filter(|name| name == "journal").collect();
        assert!(leftovers.is_empty(), "the journal is removed when the outcome is safe");
    }
    eprintln!("{killed} kills in {jobs} jobs");
}

/// A limit on the size of files stands for a full disk: writes fail in the middle of a record just the same.
#[cfg(unix)]
#[test]
fn a_full_disk_is_reported_and_loses_nothing() {
    let (expected, folder) = (expected(), tempfile::tempdir().unwrap());
    let mut sizes = Vec::new();
    for kilobytes in [1, 8, 24, 24, 80] {
        // Without the trap the system ends the process by a signal instead of refusing the write.
        let script = format!("trap '' XFSZ; ulimit -f {kilobytes}; exec \"$0\" \"$@\"");
        let mut limited = Command::new("bash");
        limited.arg("-c").arg(script).arg(program()).args(ARGUMENTS);
        let output = limited_output(&mut limited, folder.path());
        assert!(output.contains("is safe in") && output.contains("run the same command again"), "{output}");
        let length = fs::metadata(folder.path().join("journal")).unwrap().len();
        assert!(length <= kilobytes * 1024);
        sizes.push(length);
    }
    assert!(sizes.is_sorted(), "each run kept what earlier ones found: {sizes:?}");
    assert!(finished(start(folder.path())).unwrap().status.success());
    assert!(fs::read(folder.path().join("out")).unwrap() == expected);
}

#[cfg(unix)]
fn limited_output(command: &mut Command, folder: &Path) -> String {
    let output = output(command.env(FOLDER, folder));
    assert!(!output.status.success());
    String::from_utf8(output.stderr).unwrap()
}

#[test]
fn a_second_process_is_turned_away() {
    let folder = tempfile::tempdir().unwrap();
    let (journal, _) = walk::open(folder.path(), false).unwrap();
    let output = finished(start(folder.path())).unwrap();
    assert!(!output.status.success());
    assert!(String::from_utf8(output.stderr).unwrap().contains("another process is at work"));
    drop(journal);
    assert!(finished(start(folder.path())).unwrap().status.success());
}
