//! Journals of other processes: read without taking them.

use super::frame::{Head, Key, Note, Record, describe, difference, head, read_head, read_records};
use crate::{Error, Result};
use std::collections::HashMap;
use std::fs::File;
use std::io;
use std::path::Path;

/// What a journal holds.
#[derive(Clone, Debug, Default)]
pub struct Records {
    pub(super) found: HashMap<Key, Record>,
}

impl Records {
    /// Reads the journal at `path` of the job with this `description`; none where there is no journal, or one without a single
    /// record. It is not locked: another process may be appending to it, and what it has not finished writing is left out.
    pub fn read(path: &Path, description: &[(String, String)]) -> Result<Option<Self>> {
        let mut file = match File::open(path) {
            Ok(file) => file,
            Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(e) => return Err(Error::io(path, e)),
        };
        let length = file.metadata().map_err(|e| Error::io(path, e))?.len();
        let description = describe(description);
        let head = head(&description);
        let found = match read_head(&mut file, path, length, &head)? {
            Head::None => return Ok(None),
            Head::Description(found) => found,
            Head::Damaged => {
                let problem = "the head of the journal is damaged; remove it and solve what it held again".to_owned();
                return Err(Error::Journal { path: path.to_owned(), problem });
            }
        };
        let mut records = Records::default();
        let start = super::frame::records_start(&found);
        let read = read_records(&file, start, length, &mut |key, record| {
            records.found.insert(key, record);
        });
        read.map_err(|e| Error::io(path, e))?;
        if records.found.is_empty() {
            return Ok(None);
        }
        if found != description {
            let difference = difference(&found, &description);
            return Err(Error::ForeignJournal { path: path.to_owned(), difference });
        }
        Ok(Some(records))
    }

    /// How many results there are.
    pub fn len(&self) -> usize {
        self.found.keys().filter(|key| !Note::has(**key)).count()
    }

    /// Whether there is not a single result.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}
