//! Grids that people type: knit charts and weave drafts.

use super::MAX_VERTICES;
use crate::text::shorten;
use crate::{Error, Result};

/// How a kind of grid is typed.
pub(super) struct Typed<T: 'static> {
    /// What it is called in messages.
    pub(super) origin: &'static str,
    /// What one place of it is called, in the plural.
    pub(super) places: &'static str,
    /// The characters and what they mean.
    pub(super) characters: &'static [(char, T)],
    /// The characters in words.
    pub(super) legend: &'static str,
}

impl<T: Copy> Typed<T> {
    /// Reads the rows of a grid, the first one being the topmost, and gives them from the bottom up with their length.
    ///
    /// Rows end at a line's end or a `/`; white space, empty rows and what follows a `#` on a line do not count.
    pub(super) fn parse(&self, text: &str) -> Result<(usize, Vec<T>)> {
        let lines = text.lines().map(|line| line.split('#').next().unwrap_or_default());
        let rows = lines.flat_map(|line| line.split('/')).map(str::trim).filter(|row| !row.is_empty());
        let (mut grid, mut lengths) = (Vec::new(), Vec::new());
        for row in rows {
            let number = lengths.len() + 1;
            let before = grid.len();
            for character in row.chars().filter(|c| !c.is_whitespace()) {
                grid.push(self.place(character, number)?);
            }
            if grid.len() > MAX_VERTICES {
                return Err(self.error(format!("has more than {MAX_VERTICES} {}: use a smaller repeat", self.places)));
            }
            lengths.push(grid.len() - before);
            let (length, first) = (grid.len() - before, lengths[0]);
            if length != first {
                let what = self.places;
                return Err(self.error(format!(
                    "row {number} has {length} {what}, row 1 has {first}: all rows must be equally long"
                )));
            }
        }
        let Some(&width) = lengths.first() else {
            return Err(self.error(format!("is empty: type rows separated by '/', of {}", self.legend)));
        };
        Ok((width, grid.chunks(width).rev().flatten().copied().collect()))
    }

    fn place(&self, character: char, row: usize) -> Result<T> {
        let known = self.characters.iter().find(|(c, _)| c.eq_ignore_ascii_case(&character));
        known.map(|(_, meaning)| *meaning).ok_or_else(|| {
            self.error(format!("row {row}: '{}' is not known here, use {}", character.escape_debug(), self.legend))
        })
    }

    fn error(&self, problem: String) -> Error {
        Error::invalid(self.origin, problem)
    }
}

/// The typed grid of the preset called `name`.
pub(super) fn preset<'a>(
    presets: impl Iterator<Item = (&'a str, &'a str)> + Clone,
    name: &str,
    kind: &str,
) -> Result<&'a str> {
    match presets.clone().find(|(known, _)| *known == name) {
        Some((_, grid)) => Ok(grid),
        None => {
            let known = presets.map(|(known, _)| known).collect::<Vec<_>>().join(", ");
            Err(Error::invalid(kind, format!("'{}' is not known, known are: {known}", shorten(name))))
        }
    }
}
