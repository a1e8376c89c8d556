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
//! Records are appended with one `write` each: after the process dies in whatever way, at most the last record is incomplete,
//! and it is cut off when the journal is opened again. A crash of the whole machine may lose what the system had not yet
//! written to disk, so the file is flushed to disk every few seconds and at the end: a flush costs milliseconds, a
//! sample seldom more.

use crate::{Error, Result};
use std::collections::HashMap;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

pub(super) const MAGIC: [u8; 8] = *b"\x8aYWJ1\r\n\n";
pub(super) const HEAD: usize = 16;
pub(super) const FRAME: usize = 8;
/// Wave, task, seconds.
pub(super) const RECORD_HEAD: usize = 16;
const FLUSH_EVERY: Duration = Duration::from_secs(5);

/// A result that an earlier run left.
#[derive(Clone, Debug, PartialEq)]
pub struct Record {
    /// Processor time of the task, s.
    pub seconds: f64,
    /// The result as the plan encoded it.
    pub bytes: Vec<u8>,
}

/// An open journal: no other process can have it open at the same time.
#[derive(Debug)]
pub struct Journal {
    file: File,
    path: PathBuf,
    /// Where the last whole record ends.
    end: u64,
    records: HashMap<(u32, u32), Record>,
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
            flushed: Instant::now(),
            is_empty: true,
        };
        let mut opened = Opened::default();
        match found? {
            Head::None => journal.begin(&head)?,
            _ if restart => journal.begin(&head)?,
            Head::Description(found) if found == description => {
                journal.load(head.len() as u64, length)?;
                opened = Opened { records: journal.records.len(), cut: length - journal.end };
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

    /// Keeps a result. When it cannot be written, the journal is as it was before.
    pub fn append(&mut self, wave: u32, task: u32, seconds: f64, bytes: &[u8]) -> Result<()> {
        let frame = frame(wave, task, seconds, bytes);
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

    /// Removes the file if no task is finished: nothing is lost, and a corrected job is not refused.
    pub fn remove_if_empty(self) -> Result<()> {
        if self.is_empty { self.remove() } else { Ok(()) }
    }

    /// Whether the journal of a job with this description holds a whole record.
    fn has_record(&mut self, description: &str, length: u64) -> Result<bool> {
        let start = (HEAD + description.len()) as u64;
        let read = self.file.seek(SeekFrom::Start(start)).and_then(|_| read_record(&mut &self.file, length - start));
        Ok(read.map_err(|e| Error::io(&self.path, e))?.is_some())
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
        let read = (|| {
            self.file.seek(SeekFrom::Start(start))?;
            let mut reader = BufReader::with_capacity(1 << 20, &self.file);
            self.end = start;
            while let Some((key, record, bytes)) = read_record(&mut reader, length - self.end)? {
                self.end += bytes;
                self.is_empty = false;
                // A result that could not be used was found again and appended later: the later one counts.
                self.records.insert(key, record);
            }
            self.file.set_len(self.end)?;
            self.file.seek(SeekFrom::Start(self.end))
        })();
        read.map(drop).map_err(|e| Error::io(&self.path, e))
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

pub(crate) fn describe(description: &[(String, String)]) -> String {
    description.iter().map(|(name, value)| format!("{name} = {}\n\n", value.trim_end().replace("\n\n", "\n"))).collect()
}

/// The first paragraph that differs, in words.
fn difference(there: &str, here: &str) -> String {
    let paragraphs = |text: &str| -> Vec<(String, String)> {
        let split = |p: &str| p.split_once(" = ").map(|(n, v)| (n.to_owned(), v.to_owned()));
        text.split("\n\n").filter_map(split).collect()
    };
    let (there, here) = (paragraphs(there), paragraphs(here));
    let value = |of: &[(String, String)], name: &str| of.iter().find(|(n, _)| n == name).map(|(_, v)| v.clone());
    for (name, _) in there.iter().chain(&here) {
        let (a, b) = (value(&there, name), value(&here, name));
        let short = |v: &Option<String>| v.as_ref().is_none_or(|v| v.len() <= 60);
        match (&a, &b) {
            _ if a == b => {}
            (Some(a), Some(b)) if short(&Some(a.clone())) && short(&Some(b.clone())) => {
                return format!("its {name} is {a}, here it is {b}");
            }
            (Some(_), None) => return format!("it has a {name}, this job has none"),
            (None, Some(_)) => return format!("it has no {name}, this job has one"),
            _ => return format!("its {name} is a different one"),
        }
    }
    "its description is a different one".to_owned()
}

fn head(description: &str) -> Vec<u8> {
    let mut out = MAGIC.to_vec();
    out.extend((description.len() as u32).to_le_bytes());
    out.extend(crc32fast::hash(description.as_bytes()).to_le_bytes());
    out.extend(description.as_bytes());
    out
}

/// The head of a journal.
enum Head {
    /// An empty file, or the incomplete head of this very job.
    None,
    /// The description of the job that it belongs to.
    Description(String),
    /// A journal whose description cannot be read.
    Damaged,
}

fn read_head(file: &mut File, path: &Path, length: u64, expected: &[u8]) -> Result<Head> {
    let mut start = Vec::new();
    file.take(expected.len() as u64).read_to_end(&mut start).map_err(|e| Error::io(path, e))?;
    if (start.len() as u64) == length && start.len() < expected.len() && expected.starts_with(&start) {
        return Ok(Head::None);
    }
    if start.len() < MAGIC.len() || !start.starts_with(&MAGIC) {
        let problem =
            "is in the way: it is not a journal of this program; move it, or choose another output".to_owned();
        return Err(Error::Journal { path: path.to_owned(), problem });
    }
    let Some(numbers) = start.get(8..HEAD) else { return Ok(Head::Damaged) };
    let described = u64::from(u32_at(numbers, 0));
    if described > length - HEAD as u64 {
        return Ok(Head::Damaged);
    }
    let mut description = Vec::new();
    let read = file.seek(SeekFrom::Start(HEAD as u64)).and_then(|_| file.take(described).read_to_end(&mut description));
    read.map_err(|e| Error::io(path, e))?;
    if crc32fast::hash(&description) != u32_at(numbers, 4) {
        return Ok(Head::Damaged);
    }
    Ok(String::from_utf8(description).map_or(Head::Damaged, Head::Description))
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
}

fn frame(wave: u32, task: u32, seconds: f64, bytes: &[u8]) -> Vec<u8> {
    let mut body = Vec::with_capacity(RECORD_HEAD + bytes.len());
    body.extend(wave.to_le_bytes());
    body.extend(task.to_le_bytes());
    body.extend(seconds.to_le_bytes());
    body.extend(bytes);
    let mut out = Vec::with_capacity(FRAME + body.len());
    out.extend((body.len() as u32).to_le_bytes());
    out.extend(crc32fast::hash(&body).to_le_bytes());
    out.extend(body);
    out
}

type Key = (u32, u32);

/// The next record and its size in the file, of which `left` bytes remain; `None` where no whole record follows.
fn read_record(reader: &mut impl Read, left: u64) -> io::Result<Option<(Key, Record, u64)>> {
    let mut frame = [0; FRAME];
    if left < FRAME as u64 {
        return Ok(None);
    }
    reader.read_exact(&mut frame)?;
    let length = u64::from(u32_at(&frame, 0));
    // A file system may leave zeros behind after a crash: a length of 0 is no record.
    if length < RECORD_HEAD as u64 || length > left - FRAME as u64 {
        return Ok(None);
    }
    let mut body = vec![0; length as usize];
    reader.read_exact(&mut body)?;
    if crc32fast::hash(&body) != u32_at(&frame, 4) {
        return Ok(None);
    }
    let bytes = body.split_off(RECORD_HEAD);
    let seconds = f64::from_le_bytes([8, 9, 10, 11, 12, 13, 14, 15].map(|i| body[i]));
    Ok(Some(((u32_at(&body, 0), u32_at(&body, 4)), Record { seconds, bytes }, FRAME as u64 + length)))
}
