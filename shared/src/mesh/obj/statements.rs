//! The statements of an `.obj` file that are of use, in the order of the file.

use crate::mesh::{MAX_COORDINATE, MAX_COUNT};
use crate::words::count;
use crate::{Error, Result, text};
use std::borrow::Cow;

/// The UV index of a corner that names none.
pub(super) const NONE: u32 = u32::MAX;

/// The most corners of a polygon.
const MAX_CORNERS: usize = 1024;

/// A corner of a polygon.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Corner {
    /// Index into the positions, from 0. May lie beyond the end: a face may stand before its vertices.
    pub(super) vertex: u32,
    /// Index into the UVs, from 0, or [`NONE`].
    pub(super) uv: u32,
}

/// What was read.
#[derive(Default)]
pub(super) struct Statements {
    pub(super) positions: Vec<[f32; 3]>,
    pub(super) uvs: Vec<[f32; 2]>,
    /// The corners of all polygons, one after the other.
    pub(super) corners: Vec<Corner>,
    /// For each polygon the end of its corners.
    pub(super) ends: Vec<u32>,
    /// For each polygon its line, from 1.
    pub(super) lines: Vec<u32>,
}

impl Statements {
    pub(super) fn parse(bytes: &[u8], origin: &str) -> Result<Self> {
        let mut out = Statements::default();
        for (line, text) in Lines::new(bytes) {
            let fail = |problem| Error::text(origin, line, problem);
            let mut words = text.split(u8::is_ascii_whitespace).filter(|w| !w.is_empty());
            match words.next() {
                Some(b"v") => out.positions.push(point("vertex", out.positions.len() + 1, words).map_err(fail)?),
                Some(b"vt") => out.uvs.push(point("UV", out.uvs.len() + 1, words).map_err(fail)?),
                Some(b"f") => out.face(line, words).map_err(fail)?,
                _ => {}
            }
        }
        if out.positions.is_empty() {
            return Err(Error::invalid(origin, "has no vertices ('v'): is this an OBJ file with a mesh?"));
        }
        Ok(out)
    }

    /// The corners of a polygon.
    pub(super) fn polygon(&self, i: usize) -> &[Corner] {
        let start = if i == 0 { 0 } else { self.ends[i - 1] as usize };
        &self.corners[start..self.ends[i] as usize]
    }

    fn face<'a>(&mut self, line: usize, words: impl Iterator<Item = &'a [u8]>) -> Result<(), String> {
        let start = self.corners.len();
        let face = self.ends.len() + 1;
        for word in words {
            let corner = self.corner(word).map_err(|problem| format!("face {face}: {problem}"))?;
            self.corners.push(corner);
            if self.corners.len() - start > MAX_CORNERS || self.corners.len() > MAX_COUNT * 3 {
                return Err(format!("face {face} has more than {MAX_CORNERS} corners: split it into triangles"));
            }
        }
        let n = self.corners.len() - start;
        if n < 3 {
            return Err(format!("face {face} has {}, at least 3 are needed", count(n, "corner", None)));
        }
        self.ends.push(self.corners.len() as u32);
        self.lines.push(u32::try_from(line).unwrap_or(u32::MAX));
        Ok(())
    }

    fn corner(&self, word: &[u8]) -> Result<Corner, String> {
        let bad = || format!("'{}' is not a corner: v, v/vt, v//vn or v/vt/vn is expected", shorten(word));
        let mut parts = word.split(|b| *b == b'/');
        let vertex = index(parts.next().unwrap_or_default(), self.positions.len(), "vertex").ok_or_else(bad)??;
        let uv = match parts.next() {
            None | Some(b"") => NONE,
            Some(part) => index(part, self.uvs.len(), "UV").ok_or_else(bad)??,
        };
        // The normal is of no use, but what is not a number here is a sign of a damaged file.
        let normal = parts.next().unwrap_or_default();
        if parts.next().is_some() || !(normal.is_empty() || integer(normal).is_some()) {
            return Err(bad());
        }
        Ok(Corner { vertex, uv })
    }
}

/// An index of a face, made to count from 0: `None` if it is no whole number, an error if it leads nowhere.
fn index(word: &[u8], count: usize, what: &str) -> Option<Result<u32, String>> {
    let value = integer(word)?;
    let resolved = if value < 0 { count as i64 + value } else { value - 1 };
    Some(if value != 0 && (0..MAX_COUNT as i64).contains(&resolved) {
        Ok(resolved as u32)
    } else {
        Err(match value {
            0 => format!("{what} 0: OBJ counts from 1, or from -1 backwards"),
            _ => format!("{what} {value} does not exist, the latest one is {what} {count}"),
        })
    })
}

/// A whole number of a size that an index can have.
fn integer(word: &[u8]) -> Option<i64> {
    std::str::from_utf8(word).ok()?.parse::<i32>().ok().map(i64::from)
}

/// The first `N` numbers of a `v` or `vt` line; `number` counts these lines from 1.
fn point<'a, const N: usize>(
    what: &str,
    number: usize,
    mut words: impl Iterator<Item = &'a [u8]>,
) -> Result<[f32; N], String> {
    if number > MAX_COUNT {
        return Err(format!("{what} {number}: a mesh has at most {MAX_COUNT}"));
    }
    let mut out = [0.0; N];
    for (k, slot) in out.iter_mut().enumerate() {
        let word =
            words.next().ok_or_else(|| format!("{what} {number} has {}, {N} are needed", count(k, "number", None)))?;
        let value: Option<f32> = std::str::from_utf8(word).ok().and_then(|w| w.parse().ok());
        *slot = value.ok_or_else(|| format!("{what} {number}: '{}' is not a number", shorten(word)))?;
        if !slot.is_finite() {
            return Err(format!("{what} {number}: {} is not a finite number: export the file again", shorten(word)));
        }
        if slot.abs() > MAX_COORDINATE {
            return Err(format!("{what} {number}: {} is too large, coordinates are in meters and at most 1e6", slot));
        }
    }
    Ok(out)
}

fn shorten(word: &[u8]) -> String {
    text::shorten(&String::from_utf8_lossy(&word[..word.len().min(200)]))
}

/// The lines with their numbers from 1, without comments; a line that ends in a backslash is joined with the next.
struct Lines<'a> {
    rest: &'a [u8],
    number: usize,
}

impl<'a> Lines<'a> {
    fn new(bytes: &'a [u8]) -> Self {
        Lines { rest: bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes), number: 0 }
    }

    /// One line of the file, and whether the statement continues on the next line.
    fn physical(&mut self) -> Option<(&'a [u8], bool)> {
        if self.rest.is_empty() {
            return None;
        }
        let end = self.rest.iter().position(|b| matches!(b, b'\n' | b'\r')).unwrap_or(self.rest.len());
        let (line, rest) = self.rest.split_at(end);
        self.rest = rest.strip_prefix(b"\r\n").unwrap_or(rest.get(1..).unwrap_or_default());
        self.number += 1;
        Some(match line.iter().position(|b| *b == b'#') {
            // A backslash at the end of a comment belongs to the comment.
            Some(comment) => (&line[..comment], false),
            None => match line.trim_ascii_end().strip_suffix(b"\\") {
                Some(line) => (line, true),
                None => (line, false),
            },
        })
    }
}

impl<'a> Iterator for Lines<'a> {
    type Item = (usize, Cow<'a, [u8]>);

    fn next(&mut self) -> Option<Self::Item> {
        let (line, mut goes_on) = self.physical()?;
        let number = self.number;
        let mut line = Cow::Borrowed(line);
        while goes_on {
            let Some((more, further)) = self.physical() else { break };
            line.to_mut().push(b' ');
            line.to_mut().extend_from_slice(more);
            goes_on = further;
        }
        Some((number, line))
    }
}
