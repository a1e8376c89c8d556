//! Which frames a command works on.

use crate::{Error, Result};
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// Frames as typed: `7`, `0..30` (both included), `10..` or `all`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frames {
    first: usize,
    last: Option<usize>,
}

impl Frames {
    /// One frame.
    pub fn one(frame: usize) -> Self {
        Frames { first: frame, last: Some(frame) }
    }

    /// The first of them.
    pub fn first(self) -> usize {
        self.first
    }

    /// All of them.
    pub const ALL: Frames = Frames { first: 0, last: None };

    /// Those of a clip of `count` frames; an error where there are fewer.
    pub fn of(self, count: usize) -> Result<RangeInclusive<usize>> {
        let end = count.saturating_sub(1);
        let last = self.last.unwrap_or(end);
        if self.first > end || last > end {
            let wanted = self.first.max(last);
            return Err(Error::Request(format!("frame {wanted}: the scene has frames 0 to {end}")));
        }
        Ok(self.first..=last)
    }
}

impl FromStr for Frames {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let expected = || format!("'{text}' is not a range of frames: type 7, 0..30 (both included), 10.. or all");
        let number = |t: &str| t.trim().parse::<usize>().map_err(|_| expected());
        if text.trim() == "all" {
            return Ok(Frames::ALL);
        }
        let Some((first, last)) = text.split_once("..") else { return number(text).map(Frames::one) };
        let last = match last.trim_start_matches('=') {
            "" => None,
            last => Some(number(last)?),
        };
        let frames = Frames { first: number(first)?, last };
        if last.is_some_and(|last| last < frames.first) { Err(expected()) } else { Ok(frames) }
    }
}

/// The files of frames, where `out` names them: itself for one frame, numbered by [`numbered`] where it has `#`; none where
/// it would hold several frames.
pub(crate) fn files(out: &Path, frames: RangeInclusive<usize>) -> Option<Vec<PathBuf>> {
    let several = frames.start() != frames.end();
    frames.map(|frame| numbered(out, frame).or_else(|| (!several).then(|| out.to_owned()))).collect()
}

/// The ending of a name, in small letters.
pub(crate) fn extension(path: &Path) -> String {
    path.extension().map(|e| e.to_string_lossy().to_lowercase()).unwrap_or_default()
}

/// The file of one frame: a run of `#` in the name is its number, with at least as many digits.
pub fn numbered(path: &Path, frame: usize) -> Option<PathBuf> {
    let name = path.file_name()?.to_str()?;
    let start = name.find('#')?;
    let digits = name[start..].bytes().take_while(|b| *b == b'#').count();
    let (before, after) = (&name[..start], &name[start + digits..]);
    Some(path.with_file_name(format!("{before}{frame:0digits$}{after}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_read_as_typed_and_kept_within_the_clip() {
        let frames = |text: &str, count| text.parse::<Frames>().unwrap().of(count);
        assert_eq!(frames("7", 10).unwrap(), 7..=7);
        assert_eq!(frames("2..5", 10).unwrap(), 2..=5);
        assert_eq!(frames("2..", 10).unwrap(), 2..=9);
        assert_eq!(frames("all", 3).unwrap(), 0..=2);
        let problem = frames("2..10", 10).unwrap_err().to_string();
        assert!(problem.contains("frame 10") && problem.contains("0 to 9"), "{problem}");
        for bad in ["", "x", "5..2", "-1", "1..x", "..", "..3"] {
            assert!(bad.parse::<Frames>().is_err(), "{bad}");
        }
    }

    #[test]
    fn hashes_in_a_name_are_the_frame() {
        assert_eq!(numbered(Path::new("a/out_####.obj"), 7), Some("a/out_0007.obj".into()));
        assert_eq!(numbered(Path::new("#.png"), 123), Some("123.png".into()));
        assert_eq!(numbered(Path::new("a#/out.obj"), 7), None);
    }
}
