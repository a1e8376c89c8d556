//! The bytes of a journal: its head and its records.

use crate::{Error, Result};
use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::path::Path;

pub(in crate::job) const MAGIC: [u8; 8] = *b"\x8aYWJ1\r\n\n";
pub(in crate::job) const HEAD: usize = 16;
pub(in crate::job) const FRAME: usize = 8;
/// Wave, task, seconds.
pub(in crate::job) const RECORD_HEAD: usize = 16;

/// What a record belongs to: a wave and one of its tasks.
pub(in crate::job) type Key = (u32, u32);

/// A result that an earlier run left.
#[derive(Clone, Debug, PartialEq)]
pub struct Record {
    /// Processor time of the task, s.
    pub seconds: f64,
    /// The result as the plan encoded it.
    pub bytes: Vec<u8>,
}

/// What a journal keeps besides results, under keys that no task has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Note<'a> {
    /// The tasks of a wave, where they follow from results and not from the input alone.
    Tasks {
        /// The wave.
        wave: u32,
    },
    /// That the rest of a wave, or of the tree that begins with it, was left to others.
    Left {
        /// The wave.
        wave: u32,
    },
    /// What was decided when a part of the job was done.
    Decision {
        /// The number of the part.
        part: u32,
    },
    /// Something that its results were computed with. A journal may have several.
    Mark(&'a str),
}

/// The task of a note about a wave, and the wave of a mark.
const NO_TASK: u32 = u32::MAX;
const LEFT: u32 = u32::MAX - 1;
/// The wave of a decision.
const DECISION: u32 = u32::MAX - 1;

impl Note<'_> {
    pub(super) fn key(self) -> Key {
        match self {
            Note::Tasks { wave } => (wave, NO_TASK),
            Note::Left { wave } => (wave, LEFT),
            Note::Decision { part } => (DECISION, part),
            // Two marks of one hash would be one too many to remember; there are a handful.
            Note::Mark(name) => (NO_TASK, crc32fast::hash(name.as_bytes()) >> 1),
        }
    }

    /// Whether a key is that of a note.
    pub(in crate::job) fn has(key: Key) -> bool {
        key.0 >= DECISION || key.1 >= LEFT
    }

    /// Whether a key is that of a mark.
    pub(super) fn is_mark(key: Key) -> bool {
        key.0 == NO_TASK
    }
}

pub(crate) fn describe(description: &[(String, String)]) -> String {
    description.iter().map(|(name, value)| format!("{name} = {}\n\n", value.trim_end().replace("\n\n", "\n"))).collect()
}

/// The first paragraph that differs, in words.
pub(super) fn difference(there: &str, here: &str) -> String {
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

pub(super) fn head(description: &str) -> Vec<u8> {
    let mut out = MAGIC.to_vec();
    out.extend((description.len() as u32).to_le_bytes());
    out.extend(crc32fast::hash(description.as_bytes()).to_le_bytes());
    out.extend(description.as_bytes());
    out
}

/// The head of a journal.
pub(super) enum Head {
    /// An empty file, or the incomplete head of this very job.
    None,
    /// The description of the job that it belongs to.
    Description(String),
    /// A journal whose description cannot be read.
    Damaged,
}

pub(super) fn read_head(file: &mut File, path: &Path, length: u64, expected: &[u8]) -> Result<Head> {
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

pub(super) fn frame(wave: u32, task: u32, seconds: f64, bytes: &[u8]) -> Vec<u8> {
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

/// The next record and its size in the file, of which `left` bytes remain; `None` where no whole record follows.
pub(super) fn read_record(reader: &mut impl Read, left: u64) -> io::Result<Option<(Key, Record, u64)>> {
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

/// Reads the whole records from `start` on of a file of `length` bytes; where they end.
pub(super) fn read_records(file: &File, start: u64, length: u64, keep: &mut dyn FnMut(Key, Record)) -> io::Result<u64> {
    (&mut &*file).seek(SeekFrom::Start(start))?;
    let mut reader = BufReader::with_capacity(1 << 20, file);
    let mut end = start;
    while let Some((key, record, bytes)) = read_record(&mut reader, length - end)? {
        end += bytes;
        keep(key, record);
    }
    Ok(end)
}

/// Where the records of a journal with this description begin.
pub(super) fn records_start(description: &str) -> u64 {
    (HEAD + description.len()) as u64
}
