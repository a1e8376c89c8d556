//! A look at a journal that another process may be writing: read-only, and without a lock that would disturb it.

use super::journal::{FRAME, HEAD, MAGIC, Note, RECORD_HEAD};
use crate::{Error, Result};
use std::fs::{File, Metadata};
use std::io::{self, BufReader, Read};
use std::path::Path;
use std::time::{Duration, SystemTime};

/// Descriptions are not longer than this: they hold a pattern.
const MAX_DESCRIPTION: u64 = 1 << 30;

/// A job is alive when its journal changed within this time. Journals beat four times as often, and clocks of machines that share a folder
/// differ by little.
const ALIVE: Duration = Duration::from_secs(60);

/// What a journal says of its job.
#[derive(Clone, Debug, PartialEq)]
pub struct Peeked {
    /// What determines the job's outcome, as `name = value` in paragraphs; none while it is being written.
    pub description: Option<String>,
    /// Results that it holds.
    pub records: usize,
    /// Processor time that they took, s.
    pub core_seconds: f64,
    /// Time since it changed.
    pub age: Duration,
    /// Whether a process is at work on it.
    pub is_alive: bool,
}

/// Looks at the journal at `path`; none where there is none.
///
/// Whether its job is at work is known from the lock on this machine's own disks, and elsewhere from the time of the last change.
pub fn peek(path: &Path) -> Result<Option<Peeked>> {
    let file = match File::open(path) {
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(None),
        opened => opened.map_err(|e| Error::io(path, e))?,
    };
    let read = file.metadata().and_then(|meta| Ok((look(&file, meta.len())?, meta)));
    let ((description, records, core_seconds), meta) = read.map_err(|e| Error::io(path, e))?;
    let age = meta.modified().ok().and_then(|at| SystemTime::now().duration_since(at).ok()).unwrap_or_default();
    let is_alive = lock::is_held(&meta).unwrap_or(age < ALIVE);
    Ok(Some(Peeked { description, records, core_seconds, age, is_alive }))
}

/// The description, how many results there are and the seconds they took. Results themselves are passed over.
fn look(file: &File, length: u64) -> io::Result<(Option<String>, usize, f64)> {
    let mut reader = BufReader::with_capacity(1 << 12, file);
    let mut head = [0; HEAD];
    if length < HEAD as u64 {
        return Ok((None, 0, 0.0));
    }
    reader.read_exact(&mut head)?;
    let described = u64::from(u32_at(&head, MAGIC.len()));
    if head[..MAGIC.len()] != MAGIC || described > MAX_DESCRIPTION || HEAD as u64 + described > length {
        return Ok((None, 0, 0.0));
    }
    let mut description = Vec::new();
    (&mut reader).take(described).read_to_end(&mut description)?;
    let (mut at, mut records, mut seconds) = (HEAD as u64 + described, 0, 0.0);
    let mut record = [0; FRAME + RECORD_HEAD];
    while at + record.len() as u64 <= length {
        reader.read_exact(&mut record)?;
        let body = u64::from(u32_at(&record, 0));
        at += FRAME as u64 + body;
        if body < RECORD_HEAD as u64 || at > length {
            break;
        }
        if !Note::has((u32_at(&record, FRAME), u32_at(&record, FRAME + 4))) {
            records += 1;
            seconds += f64::from_le_bytes(std::array::from_fn(|i| record[FRAME + 8 + i]));
        }
        reader.seek_relative((body - RECORD_HEAD as u64) as i64)?;
    }
    Ok((String::from_utf8(description).ok(), records, seconds))
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(std::array::from_fn(|i| bytes[at + i]))
}

#[cfg(target_os = "linux")]
mod lock {
    //! Locks as Linux lists them: to see one, none must be taken.

    use super::Metadata;
    use std::os::unix::fs::MetadataExt;

    /// File systems of this machine alone whose files the list names as their metadata do.
    const LOCAL: [&str; 6] = ["ext2", "ext3", "ext4", "xfs", "tmpfs", "f2fs"];

    /// Whether a process of this machine holds a lock on a file; none where that does not say enough: other machines may see the
    /// file, too.
    pub(super) fn is_held(meta: &Metadata) -> Option<bool> {
        let [major, minor] = numbers(meta.dev());
        let place = format!("{major:02x}:{minor:02x}:{}", meta.ino());
        let locks = std::fs::read_to_string("/proc/locks").ok()?;
        if locks.lines().any(|line| line.split_whitespace().any(|word| word == place)) {
            return Some(true);
        }
        is_local(&format!("{major}:{minor}")).then_some(false)
    }

    fn is_local(device: &str) -> bool {
        let mounts = std::fs::read_to_string("/proc/self/mountinfo").unwrap_or_default();
        let kind = mounts.lines().find_map(|line| {
            let (before, after) = line.split_once(" - ")?;
            (before.split_whitespace().nth(2)? == device).then(|| after.split_whitespace().next())?
        });
        kind.is_some_and(|kind| LOCAL.contains(&kind))
    }

    /// Major and minor number of a device, as Linux packs them.
    fn numbers(device: u64) -> [u64; 2] {
        [(device >> 8 & 0xfff) | (device >> 32 & !0xfff), (device & 0xff) | (device >> 12 & !0xff)]
    }
}

#[cfg(not(target_os = "linux"))]
mod lock {
    /// Other systems do not say who holds locks.
    pub(super) fn is_held(_: &super::Metadata) -> Option<bool> {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job::Journal;

    #[test]
    fn a_journal_is_looked_at_while_it_is_written_and_after() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.journal");
        assert_eq!(peek(&path).unwrap(), None);
        let description = [("pattern".to_owned(), "rib".to_owned())];
        let (mut journal, _) = Journal::open(&path, &description, false).unwrap();
        let empty = peek(&path).unwrap().unwrap();
        assert_eq!((empty.records, empty.is_alive), (0, true));
        assert_eq!(empty.description.as_deref(), Some("pattern = rib\n\n"));
        journal.append(0, 0, 0.5, &[1; 1000]).unwrap();
        journal.append(1, 7, 0.25, b"").unwrap();
        let two = peek(&path).unwrap().unwrap();
        assert_eq!((two.records, two.core_seconds, two.is_alive), (2, 0.75, true));
        // Looking takes no lock: the journal could be written all the while, and can be opened again at once.
        drop(journal);
        let bytes = std::fs::read(&path).unwrap();
        for end in 0..bytes.len() {
            std::fs::write(&path, &bytes[..end]).unwrap();
            let cut = peek(&path).unwrap().unwrap();
            assert!(cut.records < 2 && cut.core_seconds <= 0.5, "cut at {end}: {cut:?}");
        }
        std::fs::write(&path, &bytes).unwrap();
        let left = peek(&path).unwrap().unwrap();
        assert_eq!(left.records, 2);
        assert!(!left.is_alive || lock::is_held(&std::fs::metadata(&path).unwrap()).is_none(), "no process is at work");
        Journal::open(&path, &description, false).unwrap();
        std::fs::write(&path, b"something else that is longer than a head").unwrap();
        assert_eq!(peek(&path).unwrap().unwrap().description, None);
    }
}
