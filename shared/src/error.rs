//! The one error type of this crate.

use std::path::{Path, PathBuf};

/// What can go wrong when reading, checking or writing Yarnwise's data.
///
/// Every message names the file (or other origin), the place in it, what is wrong and, where one exists, the cure. It is
/// whole: causes are part of it and not [`sources`](std::error::Error::source), so that no program says them twice.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The operating system refused.
    #[error("{path}: {cause}")]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// The system's reason.
        cause: std::io::Error,
    },
    /// A text file does not follow its format, or an element in it is invalid.
    #[error("{origin}, line {line}: {problem}")]
    Text {
        /// The file's name.
        origin: String,
        /// Line number, from 1.
        line: usize,
        /// What is wrong, which element, and the cure.
        problem: String,
    },
    /// A binary file does not follow its format.
    #[error("{origin}, byte {offset}: {problem}")]
    Binary {
        /// The file's name.
        origin: String,
        /// Where in the file, from 0.
        offset: u64,
        /// What is wrong and the cure.
        problem: String,
    },
    /// Values that are well formed but make no sense together.
    #[error("{origin}: {problem}")]
    Invalid {
        /// The file's name, or what the value is.
        origin: String,
        /// What is wrong, which element, and the cure.
        problem: String,
    },
}

/// `std::result::Result` with this crate's [`Error`].
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    /// An [`Error::Io`] at `path`.
    pub fn io(path: &Path, cause: std::io::Error) -> Self {
        Error::Io { path: path.to_owned(), cause }
    }

    /// An [`Error::Text`] at a line of `origin`.
    pub fn text(origin: &str, line: usize, problem: impl Into<String>) -> Self {
        Error::Text { origin: origin.to_owned(), line, problem: one_line(problem.into()) }
    }

    /// An [`Error::Binary`] at a byte of `origin`.
    pub fn binary(origin: &str, offset: u64, problem: impl Into<String>) -> Self {
        Error::Binary { origin: origin.to_owned(), offset, problem: one_line(problem.into()) }
    }

    /// An [`Error::Invalid`] about `origin`.
    pub fn invalid(origin: impl Into<String>, problem: impl Into<String>) -> Self {
        Error::Invalid { origin: origin.into(), problem: one_line(problem.into()) }
    }
}

/// The most characters of a problem that are shown.
const LONGEST: usize = 500;

/// A problem as one line that can be printed. It may quote the input, and what a damaged file holds is not for terminals.
fn one_line(problem: String) -> String {
    if problem.len() <= LONGEST && !problem.contains(char::is_control) {
        return problem;
    }
    let mut shown = String::new();
    for (i, c) in problem.chars().enumerate() {
        match c {
            _ if i == LONGEST => {
                shown.push('…');
                break;
            }
            c if c.is_control() => shown.extend(c.escape_default()),
            c => shown.push(c),
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_one_line_whatever_it_quotes() {
        let message = |quoted: &str| Error::invalid("a", format!("'{quoted}' is not known")).to_string();
        assert_eq!(message("Maß"), "a: 'Maß' is not known");
        assert_eq!(message("x\0\n\u{1b}[2J\u{85}"), "a: 'x\\u{0}\\n\\u{1b}[2J\\u{85}' is not known");
        let long = message(&"ä".repeat(5000));
        assert!(long.ends_with("ä…") && long.chars().count() == 3 + LONGEST + 1, "{long}");
        assert!(!Error::text("a", 1, "\r").to_string().contains('\r'));
        assert!(!Error::binary("a", 1, "\r").to_string().contains('\r'));
    }
}
