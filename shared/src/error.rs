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
        Error::Text { origin: origin.to_owned(), line, problem: problem.into() }
    }

    /// An [`Error::Binary`] at a byte of `origin`.
    pub fn binary(origin: &str, offset: u64, problem: impl Into<String>) -> Self {
        Error::Binary { origin: origin.to_owned(), offset, problem: problem.into() }
    }

    /// An [`Error::Invalid`] about `origin`.
    pub fn invalid(origin: impl Into<String>, problem: impl Into<String>) -> Self {
        Error::Invalid { origin: origin.into(), problem: problem.into() }
    }
}
