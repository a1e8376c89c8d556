//! The file that keeps what a job has found so far.
//!
//! ```text
//! head     magic (8 bytes), length of the description u32, its CRC-32 u32, description (UTF-8)
//! records  length u32, CRC-32 u32 of what follows, wave u32, task u32, seconds f64, result (bytes of the plan)
//! ```
//!
//! Numbers are little endian. The description says everything that determines the job's outcome, as `name = value` in
//! paragraphs, so that a journal is never continued by another job and the difference can be named. A journal without a single
//! finished task is worth nothing, and any job replaces it.
//!
//! Besides results there are *notes*, with task or wave numbers that no task has: the tasks of a wave that follow from results, so that
//! who continues the journal need not derive them again; what was decided when a part of the job was done; and *marks*, what results
//! were computed with.
//!
//! Several processes can share a job: each keeps what it finds in a journal of its own, looks up in the united journal what
//! was found before, and another process takes their records over into the united one. A result belongs to its task, whichever process found
//! it, so that journals can be united in any order and more than once.
//!
//! Records are appended with one `write` each: after the process dies in whatever way, at most the last record is incomplete,
//! and it is cut off when the journal is opened again. A crash of the whole machine may lose what the system had not yet
//! written to disk, so the file is flushed to disk every few seconds and at the end: a flush costs milliseconds, a
//! sample seldom more.

mod frame;
mod read;

pub(crate) use frame::describe;
pub(super) use frame::{FRAME, HEAD, MAGIC, RECORD_HEAD};
pub use frame::{Note, Record};
pub use read::Records;

use crate::{Error, Result};
use frame::{Head, Key, difference, frame, head, read_head, read_records, records_start};
use std::collections::{BTreeMap, HashMap};
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

const FLUSH_EVERY: Duration = Duration::from_secs(5);

/// An open journal: no other process can have it open at the same time.
#[derive(Debug)]
pub struct Journal {
    file: File,
    path: PathBuf,
    /// Where the last whole record ends.
    end: u64,
    records: HashMap<Key, Record>,
    /// What is written before the first result.
    mark: Option<String>,
    /// Whether results that are appended can be taken out again.
    remembers: bool,
    flushed: Instant,
    /// Whether it holds no record at all.
    is_empty: bool,
}

/// What [`Journal::open`] found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Opened {
    /// Results of an earlier run.
    pub records: usize,
    /// Bytes of an incomplete record that were cut off.
    pub cut: u64,
}

/// What [`Journal::unite`] did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct United {
    /// Results that were new.
    pub added: usize,
    /// Results that were there before, with other bytes: those that were there are kept.
    pub differing: usize,
}

impl Journal {
    /// Opens the journal at `path`, or begins one, for the job with this `description`.
    ///
    /// `restart` discards the results of an earlier run, of this or another job.
    pub fn open(path: &Path, description: &[(String, String)], restart: bool) -> Result<(Self, Opened)> {
        let mut file = open_locked(path)?;
        let description = describe(description);
        let length = file.metadata().map_err(|e| Error::io(path, e))?.len();
        let head = head(&description);
        let found = read_head(&mut file, path, length, &head);
        let mut journal = Journal {
            file,
            path: path.to_owned(),
            end: 0,
            records: HashMap::new(),
            mark: None,
            remembers: false,
            flushed: Instant::now(),
            is_empty: true,
        };
        let mut opened = Opened::default();
        match found? {
            Head::None => journal.begin(&head)?,
            _ if restart => journal.begin(&head)?,
            Head::Description(found) if found == description => {
                journal.load(head.len() as u64, length)?;
                let records = journal.records.keys().filter(|key| !Note::has(**key)).count();
                opened = Opened { records, cut: length - journal.end };
            }
            // Nothing is lost: the other job has not finished a single task, perhaps because its input was wrong.
            Head::Description(found) if !journal.has_record(&found, length)? => journal.begin(&head)?,
            Head::Description(found) => {
                return Err(Error::AnotherJob { path: path.to_owned(), difference: difference(&found, &description) });
            }
            Head::Damaged => {
                let problem = "the head of the journal is damaged; discard it with --restart".to_owned();
                return Err(Error::Journal { path: path.to_owned(), problem });
            }
        }
        Ok((journal, opened))
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Takes out the result of a task that an earlier run left.
    pub fn take(&mut self, wave: u32, task: u32) -> Option<Record> {
        self.records.remove(&(wave, task))
    }

    /// The result of a task that an earlier run left.
    pub fn peek(&self, wave: u32, task: u32) -> Option<&Record> {
        self.records.get(&(wave, task))
    }

    /// What a note says.
    pub fn note(&self, note: Note) -> Option<&[u8]> {
        self.records.get(&note.key()).map(|record| record.bytes.as_slice())
    }

    /// Keeps a note, unless it is there.
    pub fn keep_note(&mut self, note: Note, bytes: &[u8]) -> Result<()> {
        if self.note(note).is_some() {
            return Ok(());
        }
        let record = Record { seconds: 0.0, bytes: bytes.to_vec() };
        self.write(note.key(), &record)?;
        self.records.insert(note.key(), record);
        Ok(())
    }

    /// Says what the results are computed with that are appended from now on.
    pub fn mark(&mut self, mark: &str) {
        self.mark = Some(mark.to_owned()).filter(|mark| self.note(Note::Mark(mark)).is_none());
    }

    /// What its results were computed with, in alphabetic order.
    pub fn marks(&self) -> Vec<String> {
        let marks = self.records.iter().filter(|(key, _)| Note::is_mark(**key));
        let mut names: Vec<String> = marks.map(|(_, r)| String::from_utf8_lossy(&r.bytes).into_owned()).collect();
        names.sort_unstable();
        names
    }

    /// Keeps a result. When it cannot be written, the journal is as it was before.
    pub fn append(&mut self, wave: u32, task: u32, seconds: f64, bytes: &[u8]) -> Result<()> {
        if let Some(mark) = self.mark.take() {
            let kept = self.keep_note(Note::Mark(&mark), mark.as_bytes());
            kept.inspect_err(|_| self.mark = Some(mark))?;
        }
        let record = Record { seconds, bytes: bytes.to_vec() };
        self.write((wave, task), &record)?;
        if self.remembers {
            self.records.insert((wave, task), record);
        }
        Ok(())
    }

    /// Whether results that are appended from now on can be taken out, too, as those of earlier runs can.
    pub fn remember(&mut self, remember: bool) {
        self.remembers = remember;
    }

    /// Looks up in `records`, too, what was found before; they stay where they are.
    pub fn consult(&mut self, records: Records) {
        for (key, record) in records.found {
            self.records.entry(key).or_insert(record);
        }
    }

    /// The mean processor time of its results, s; none without results.
    pub fn mean_seconds(&self) -> Option<f64> {
        let results = self.records.iter().filter(|(key, _)| !Note::has(**key));
        let (sum, count) = results.fold((0.0, 0), |(sum, count), (_, record)| (sum + record.seconds, count + 1));
        (count > 0).then(|| sum / f64::from(count))
    }

    /// Takes over what is new in `records`, and leaves it on the disk.
    pub fn unite(&mut self, records: Records) -> Result<United> {
        let mut united = United::default();
        for (key, record) in records.found.into_iter().collect::<BTreeMap<_, _>>() {
            match self.records.get(&key) {
                Some(known) => united.differing += usize::from(!Note::has(key) && known.bytes != record.bytes),
                None => {
                    self.write(key, &record)?;
                    united.added += usize::from(!Note::has(key));
                    self.records.insert(key, record);
                }
            }
        }
        self.flush()?;
        Ok(united)
    }

    fn write(&mut self, key: Key, record: &Record) -> Result<()> {
        let frame = frame(key.0, key.1, record.seconds, &record.bytes);
        let written = self.file.write_all(&frame).and_then(|()| {
            self.end += frame.len() as u64;
            self.is_empty = false;
            if self.flushed.elapsed() < FLUSH_EVERY {
                return Ok(());
            }
            self.flushed = Instant::now();
            self.file.sync_data()
        });
        written.map_err(|e| {
            // If even this fails, the incomplete record is cut off when the journal is opened again.
            let _ = self.file.set_len(self.end).and_then(|()| self.file.seek(SeekFrom::Start(self.end)));
            Error::unwritable(&self.path, e, &self.path)
        })
    }

    /// Makes sure that everything is on disk.
    pub fn flush(&mut self) -> Result<()> {
        self.file.sync_data().map_err(|e| Error::unwritable(&self.path, e, &self.path))
    }

    /// Sets the file's time: those who look at it from another machine see that its job is at work. Nothing depends on it.
    pub fn beat(&self) {
        let _ = self.file.set_modified(std::time::SystemTime::now());
    }

    /// Removes the file: the job is done and its outcome is safe elsewhere.
    pub fn remove(self) -> Result<()> {
        std::fs::remove_file(&self.path).map_err(|e| Error::io(&self.path, e))
    }

    /// Removes the journal at `path`, unless another process has it open.
    pub fn discard(path: &Path) -> Result<()> {
        let file = match OpenOptions::new().read(true).write(true).open(path) {
            Ok(file) => file,
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(()),
            Err(e) => return Err(Error::io(path, e)),
        };
        if file.try_lock().is_err() || !is_at(&file, path) {
            return Err(Error::Busy { path: path.to_owned() });
        }
        std::fs::remove_file(path).map_err(|e| Error::io(path, e))
    }

    /// Removes the file if no task is finished: nothing is lost, and a corrected job is not refused.
    pub fn remove_if_empty(self) -> Result<()> {
        if self.is_empty { self.remove() } else { Ok(()) }
    }

    /// Whether the journal of a job with this description holds a whole record.
    fn has_record(&mut self, description: &str, length: u64) -> Result<bool> {
        let mut any = false;
        let read = read_records(&self.file, records_start(description), length, &mut |_, _| any = true);
        read.map_err(|e| Error::io(&self.path, e))?;
        Ok(any)
    }

    /// Begins anew.
    fn begin(&mut self, head: &[u8]) -> Result<()> {
        let written = self.file.set_len(0).and_then(|()| {
            self.file.seek(SeekFrom::Start(0))?;
            self.file.write_all(head)?;
            self.file.sync_all()
        });
        self.end = head.len() as u64;
        written.map_err(|e| Error::io(&self.path, e))
    }

    /// Reads all whole records and cuts off what follows them.
    fn load(&mut self, start: u64, length: u64) -> Result<()> {
        let Journal { file, records, .. } = self;
        let read = read_records(file, start, length, &mut |key, record| {
            // A result that could not be used was found again and appended later: the later one counts.
            records.insert(key, record);
        });
        let cut = read.and_then(|end| {
            (self.end, self.is_empty) = (end, self.records.is_empty());
            self.file.set_len(end)?;
            self.file.seek(SeekFrom::Start(end))
        });
        cut.map(drop).map_err(|e| Error::io(&self.path, e))
    }
}

impl Drop for Journal {
    fn drop(&mut self) {
        // Closing would not be enough while a process that was being started at this moment still has the file, too.
        let _ = self.file.unlock();
    }
}

/// Opens the file, made if need be, and locks it until it is closed; the system also closes it when the process dies.
fn open_locked(path: &Path) -> Result<File> {
    if let Some(folder) = path.parent().filter(|f| !f.as_os_str().is_empty()) {
        std::fs::create_dir_all(folder).map_err(|e| Error::io(folder, e))?;
    }
    loop {
        let open = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path);
        let file = open.map_err(|e| Error::io(path, e))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(Error::Busy { path: path.to_owned() }),
            Err(TryLockError::Error(e)) => return Err(Error::io(path, e)),
        }
        // Between opening and locking, the process that had it may have finished and removed it.
        if is_at(&file, path) {
            return Ok(file);
        }
    }
}

#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    match (file.metadata(), std::fs::metadata(path)) {
        (Ok(a), Ok(b)) => (a.dev(), a.ino()) == (b.dev(), b.ino()),
        _ => false,
    }
}

#[cfg(not(unix))]
fn is_at(_: &File, path: &Path) -> bool {
    path.exists()
}
