//! Versions of the format, and how many yarns and vertices a file says that it has.
//!
//! Version 2 states both, so that a file that was cut off is noticed; version 1 has neither line and is still read.

use super::MAGIC;
use crate::text::{self, Line};
use crate::{Error, Result};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Version {
    One,
    Two,
}

/// The version in the first line of a file.
pub(super) fn parse(line: Option<Line<'_>>, origin: &str) -> Result<Version> {
    let Some(line) = line else { return Err(Error::invalid(origin, "is empty")) };
    let mut words = line.words();
    if words.next() != Some(MAGIC) {
        return Err(line.error(origin, format!("a .yarn file begins with the line '{MAGIC} 2'")));
    }
    match (words.next(), words.next()) {
        (Some("1"), None) => Ok(Version::One),
        (Some("2"), None) => Ok(Version::Two),
        _ => Err(line.error(
            origin,
            format!("'{}': this program reads versions 1 and 2 of the format", text::shorten(line.text)),
        )),
    }
}

/// What the lines `yarns N` and `vertices N` say.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Counts {
    pub(super) yarns: Option<usize>,
    pub(super) vertices: Option<usize>,
}

impl Counts {
    /// The number of a line `yarns N` or `vertices N`.
    pub(super) fn parse(line: &Line<'_>, key: &str, values: &[&str], origin: &str) -> Result<usize> {
        let number = if let [word] = values { word.parse().ok() } else { None };
        number.ok_or_else(|| line.error(origin, format!("{key}: one whole number is expected")))
    }

    /// Compares with what the text holds; a note where the file cannot be compared.
    pub(super) fn check(
        &self,
        version: Version,
        found: [usize; 2],
        text: &str,
        origin: &str,
        notes: &mut Vec<String>,
    ) -> Result<()> {
        if version == Version::One {
            notes.push(format!(
                "{origin}: is in version 1 of the format, which does not say how many vertices it has: a truncated \
                 file would not be noticed. Write it again with 'yarnwise-bake pattern import'"
            ));
            return Ok(());
        }
        for (stated, found, what) in [(self.yarns, found[0], "yarns"), (self.vertices, found[1], "vertices")] {
            let missing = || Error::invalid(origin, format!("the line '{what} {found}' is missing"));
            let stated = stated.ok_or_else(missing)?;
            if stated != found {
                let problem = format!(
                    "the line '{what} {stated}' does not fit: the file holds {found}. It is cut off, or that line needs a new number"
                );
                return Err(Error::invalid(origin, problem));
            }
        }
        if !text.ends_with('\n') {
            let problem = "the last line does not end: the file is cut off, or needs a line break there";
            return Err(Error::text(origin, text.lines().count(), problem));
        }
        Ok(())
    }
}
