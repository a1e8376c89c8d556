//! What the journal accepts, cuts off and refuses.

use crate::walk::{description, open};
use std::fs;
use std::path::Path;
use yarnwise_precompute::job::Journal;

fn filled(folder: &Path, records: u32) {
    let (mut journal, _) = open(folder, false).unwrap();
    for i in 0..records {
        journal.append(i / 10, i % 10, 0.25, &vec![i as u8; 3 * i as usize]).unwrap();
    }
}

fn check(folder: &Path, expected: u32) {
    let (mut journal, opened) = open(folder, false).unwrap();
    assert_eq!(opened.records, expected as usize);
    for i in 0..expected {
        let record = journal.take(i / 10, i % 10).unwrap();
        assert_eq!((record.seconds, record.bytes), (0.25, vec![i as u8; 3 * i as usize]));
    }
    assert_eq!(journal.take(expected / 10, expected % 10), None);
}

#[test]
fn cut_anywhere_it_keeps_every_whole_record_and_can_be_continued() {
    let whole = {
        let folder = tempfile::tempdir().unwrap();
        filled(folder.path(), 12);
        fs::read(folder.path().join("journal")).unwrap()
    };
    let sizes: Vec<usize> = (0..12).map(|i| 24 + 3 * i).collect();
    let head = whole.len() - sizes.iter().sum::<usize>();
    for length in 0..=whole.len() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal");
        fs::write(&path, &whole[..length]).unwrap();
        let complete =
            (0..=12).rev().find(|n| head + sizes[..*n].iter().sum::<usize>() <= length).unwrap_or_default() as u32;
        check(folder.path(), complete);
        let (mut journal, opened) = open(folder.path(), false).unwrap();
        assert_eq!(opened.cut, 0, "the first opening has cut the incomplete record off");
        for i in complete..12 {
            journal.append(i / 10, i % 10, 0.25, &vec![i as u8; 3 * i as usize]).unwrap();
        }
        drop(journal);
        check(folder.path(), 12);
    }
}

#[test]
fn what_follows_damage_is_not_trusted() {
    let folder = tempfile::tempdir().unwrap();
    filled(folder.path(), 12);
    let path = folder.path().join("journal");
    let mut bytes = fs::read(&path).unwrap();
    let from_end = 24 + 33 + 24 + 30 + 5;
    let at = bytes.len() - from_end;
    bytes[at] ^= 1;
    fs::write(&path, &bytes).unwrap();
    let (_, opened) = open(folder.path(), false).unwrap();
    assert_eq!((opened.records, opened.cut), (9, 24 + 33 + 24 + 30 + 24 + 27));
    fs::write(&path, [&bytes[..at - 46], &[0; 4096]].concat()).unwrap();
    assert!(open(folder.path(), false).unwrap().1.records >= 8, "zeros at the end are not records");
}

#[test]
fn another_job_is_refused_with_the_difference_and_the_cure() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("journal");
    filled(folder.path(), 3);
    let refuse = |description: &[(String, String)]| Journal::open(&path, description, false).unwrap_err().to_string();
    let message = refuse(&description("2"));
    assert!(message.contains("its seed is 1, here it is 2") && message.contains("--restart"), "{message}");
    let mut other = description("1");
    other[2].1.push('4');
    assert!(refuse(&other).contains("its pattern is a different one"));
    other.remove(2);
    assert!(refuse(&other).contains("it has a pattern, this job has none"));
    check(folder.path(), 3);
    let (mut journal, opened) = Journal::open(&path, &other, true).unwrap();
    assert_eq!(opened.records, 0);
    journal.append(0, 0, 0.25, b"found").unwrap();
    drop(journal);
    assert!(open(folder.path(), false).unwrap_err().to_string().contains("another job"));
}

/// A job may fail for bad input before anything is solved; the corrected one must not be refused because of it.
#[test]
fn a_journal_without_a_finished_task_is_replaced_by_any_job() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("journal");
    filled(folder.path(), 0);
    let (mut journal, opened) = Journal::open(&path, &description("2"), false).unwrap();
    assert_eq!((opened.records, opened.cut), (0, 0));
    journal.append(0, 0, 0.25, b"found").unwrap();
    drop(journal);
    let message = open(folder.path(), false).unwrap_err().to_string();
    assert!(message.contains("its seed is 2, here it is 1"), "one finished task is kept: {message}");
    // The first record cut short, as by a kill: nothing is finished either.
    let bytes = fs::read(&path).unwrap();
    fs::write(&path, &bytes[..bytes.len() - 1]).unwrap();
    open(folder.path(), false).unwrap();
}

#[test]
fn a_job_that_fails_before_its_first_task_leaves_no_journal() {
    let folder = tempfile::tempdir().unwrap();
    let (journal, _) = open(folder.path(), false).unwrap();
    journal.remove_if_empty().unwrap();
    assert!(!folder.path().join("journal").exists());
    filled(folder.path(), 1);
    let (journal, _) = open(folder.path(), false).unwrap();
    journal.remove_if_empty().unwrap();
    check(folder.path(), 1);
}

#[test]
fn two_processes_cannot_have_the_same_journal() {
    let folder = tempfile::tempdir().unwrap();
    let (journal, _) = open(folder.path(), false).unwrap();
    for restart in [false, true] {
        let message = open(folder.path(), restart).unwrap_err().to_string();
        assert!(message.contains("another process is at work"), "{message}");
    }
    drop(journal);
    open(folder.path(), false).unwrap();
}

#[test]
fn a_file_of_another_kind_is_never_overwritten() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("journal");
    for text in ["my diary, page one, which is rather long", "short"] {
        fs::write(&path, text).unwrap();
        for restart in [false, true] {
            let message = open(folder.path(), restart).unwrap_err().to_string();
            assert!(message.contains("is not a journal"), "{message}");
        }
        assert_eq!(fs::read_to_string(&path).unwrap(), text);
    }
}

#[test]
fn a_damaged_head_is_reported_and_restarted() {
    let folder = tempfile::tempdir().unwrap();
    filled(folder.path(), 3);
    let path = folder.path().join("journal");
    let mut bytes = fs::read(&path).unwrap();
    bytes[30] ^= 4;
    fs::write(&path, &bytes).unwrap();
    assert!(open(folder.path(), false).unwrap_err().to_string().contains("discard it with --restart"));
    assert_eq!(open(folder.path(), true).unwrap().1.records, 0);
}
