//! Lines and numbers of text formats, with errors that name the line.

use crate::{Error, Result};

/// A line that holds something, without its comment.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Line<'a> {
    /// From 1.
    pub(crate) number: usize,
    /// Trimmed, never empty.
    pub(crate) text: &'a str,
}

/// The text of a file; an error where it is not UTF-8.
pub(crate) fn decode<'a>(bytes: &'a [u8], origin: &str) -> Result<&'a str> {
    std::str::from_utf8(bytes).map_err(|e| {
        let line = 1 + bytes[..e.valid_up_to()].iter().filter(|b| **b == b'\n').count();
        Error::text(origin, line, "is not text (UTF-8): is this a file of another kind?")
    })
}

/// The lines with something on them; what follows a `#` is a comment.
pub(crate) fn lines(text: &str) -> impl Iterator<Item = Line<'_>> {
    text.lines().enumerate().filter_map(|(i, line)| {
        let text = line.split('#').next().unwrap_or_default().trim();
        (!text.is_empty()).then_some(Line { number: i + 1, text })
    })
}

impl<'a> Line<'a> {
    /// The words of the line.
    pub(crate) fn words(&self) -> std::str::SplitWhitespace<'a> {
        self.text.split_whitespace()
    }

    /// Exactly `N` finite numbers; `what` names the element for the message.
    pub(crate) fn numbers<const N: usize>(&self, origin: &str, what: impl Fn() -> String) -> Result<[f64; N]> {
        let mut out = [0.0; N];
        let mut words = self.words();
        for slot in &mut out {
            let word = words.next().ok_or_else(|| self.count_error(origin, &what(), N))?;
            *slot = self.number(origin, word, &what)?;
        }
        match words.next() {
            Some(_) => Err(self.count_error(origin, &what(), N)),
            None => Ok(out),
        }
    }

    /// One finite number.
    pub(crate) fn number(&self, origin: &str, word: &str, what: impl Fn() -> String) -> Result<f64> {
        let value: f64 =
            word.parse().map_err(|_| self.error(origin, format!("{}: '{}' is not a number", what(), shorten(word))))?;
        if !value.is_finite() {
            return Err(self.error(origin, format!("{}: {} is not a finite number", what(), shorten(word))));
        }
        Ok(value)
    }

    /// An error at this line.
    pub(crate) fn error(&self, origin: &str, problem: impl Into<String>) -> Error {
        Error::text(origin, self.number, problem)
    }

    fn count_error(&self, origin: &str, what: &str, expected: usize) -> Error {
        let found = self.words().count();
        let numbers = if expected == 1 { "1 number is".to_owned() } else { format!("{expected} numbers are") };
        self.error(origin, format!("{what}: {numbers} expected, the line has {found}"))
    }
}

/// Numbers for a message, with `between` between them.
pub(crate) fn join<T: ToString>(numbers: &[T], between: &str) -> String {
    numbers.iter().map(T::to_string).collect::<Vec<_>>().join(between)
}

/// A word of the input for a message, never a page of it.
pub(crate) fn shorten(word: &str) -> String {
    let mut text: String = word.chars().take(40).collect();
    if text.len() < word.len() {
        text.push('…');
    }
    text
}
