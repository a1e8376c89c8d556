//! Jobs survive interruption: the same bytes come out however often and in whatever way they were stopped.
#![allow(clippy::print_stderr, reason = "a test that does less than it could says so")]

mod child;
mod journal;
mod walk;

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use walk::Walk;
use yarnwise_precompute::job::{Event, ExecuteOptions, Outcome, execute};

/// The bytes of an uninterrupted run on one thread.
fn expected() -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    run(folder.path(), 1, &AtomicBool::new(false), |_| {}).unwrap()
}

/// Runs the walk in `folder`; its bytes if it came to its end.
fn run(folder: &Path, threads: usize, stop: &AtomicBool, mut each: impl FnMut(usize)) -> Option<Vec<u8>> {
    let mut plan = Walk::default();
    let (mut journal, _) = walk::open(folder, false).unwrap();
    let mut finished = 0;
    let outcome = execute(&mut plan, &mut journal, ExecuteOptions { threads, pool: None, stop }, &mut |event| {
        if let Event::Finished { recalled: false, .. } = event {
            finished += 1;
            each(finished);
        }
        Ok(())
    });
    match outcome.unwrap() {
        Outcome::Finished => Some(plan.bytes()),
        Outcome::Stopped | Outcome::Left => None,
    }
}

#[test]
fn the_number_of_threads_does_not_matter() {
    let expected = expected();
    assert!(expected.len() > 100_000, "the walk must have thousands of tasks to mean something");
    for threads in [2, 4, 7] {
        let folder = tempfile::tempdir().unwrap();
        assert!(run(folder.path(), threads, &AtomicBool::new(false), |_| {}).unwrap() == expected, "{threads} threads");
    }
}

#[test]
fn a_stopped_job_resumes_where_it_was_and_ends_the_same() {
    let (expected, folder) = (expected(), tempfile::tempdir().unwrap());
    let (mut runs, mut tasks) = (0, 0);
    let bytes = loop {
        let (stop, mut last) = (AtomicBool::new(false), 0);
        let outcome = run(folder.path(), 3, &stop, |finished| {
            last = finished;
            stop.store(finished >= 700, Ordering::Relaxed);
        });
        (runs, tasks) = (runs + 1, tasks + last);
        assert!(runs < 1000, "the job does not advance");
        if let Some(bytes) = outcome {
            break bytes;
        }
        // Those in flight are finished, none is begun after.
        assert!((700..=700 + 3).contains(&last), "{last} tasks before the stop");
    };
    assert!(runs > 3, "{runs} runs");
    assert!(bytes == expected);
    let mut plan = Walk::default();
    assert_eq!(tasks, walk::count(&mut plan), "every task was run exactly once");
}

#[test]
fn a_finished_journal_is_recalled_without_work() {
    let (expected, folder) = (expected(), tempfile::tempdir().unwrap());
    run(folder.path(), 2, &AtomicBool::new(false), |_| {}).unwrap();
    let again = run(folder.path(), 2, &AtomicBool::new(false), |_| panic!("nothing is left to do"));
    assert!(again.unwrap() == expected);
}
