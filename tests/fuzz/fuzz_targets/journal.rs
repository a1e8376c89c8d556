//! Opens journals of jobs; what was opened can be opened again.
#![no_main]

use std::sync::OnceLock;
use yarnwise_precompute::job::Journal;

static FOLDER: OnceLock<tempfile::TempDir> = OnceLock::new();

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let path = FOLDER.get_or_init(|| tempfile::tempdir().expect("a temporary folder")).path().join("journal");
    let description = [("job".to_owned(), "fuzz".to_owned())];
    std::fs::write(&path, bytes).expect("a file");
    let Ok((journal, opened)) = Journal::open(&path, &description, false) else { return };
    drop(journal);
    let (_, again) = Journal::open(&path, &description, false).expect("a journal that was opened");
    assert_eq!((again.records, again.cut), (opened.records, 0));
});
