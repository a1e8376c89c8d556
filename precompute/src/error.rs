//! The one error type of this crate.

use std::io;
use std::path::{Path, PathBuf};

/// What can go wrong in a bake. A sample that does not converge is not an error: it is recorded as such.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A pattern, material, grid or file is not what it should be.
    #[error(transparent)]
    Data(#[from] yarnwise_shared::Error),
    /// A campaign has faults.
    #[error(transparent)]
    Campaign(#[from] crate::faults::Faults),
    /// Something that a campaign did not make is where it would write.
    #[error("{problem}")]
    InTheWay {
        /// What is where, and the cure.
        problem: String,
    },
    /// The operating system refused; nothing that was finished is lost.
    #[error(
        "{path}: {cause}. What is finished is safe in {journal}: {cure}, then run the same command again to resume"
    )]
    Unwritable {
        /// The file that could not be written.
        path: PathBuf,
        /// The system's reason.
        cause: io::Error,
        /// The journal with all finished tasks.
        journal: PathBuf,
        /// What to do about it.
        cure: &'static str,
    },
    /// A file has the journal's name but is none, or its head is damaged.
    #[error("{path}: {problem}")]
    Journal {
        /// The journal.
        path: PathBuf,
        /// What is wrong and the cure.
        problem: String,
    },
    /// The journal belongs to a job with another input.
    #[error(
        "{path}: is the unfinished journal of another job: {difference}. Finish that job with its own options, choose \
         another output, or discard what it has with --restart"
    )]
    AnotherJob {
        /// The journal.
        path: PathBuf,
        /// What is different.
        difference: String,
    },
    /// A journal that is to be united belongs to a job with another input.
    #[error(
        "{path}: is the journal of another job: {difference}. Remove it if it is not needed, or unite it with the options of its \
         own job"
    )]
    ForeignJournal {
        /// The journal.
        path: PathBuf,
        /// What is different.
        difference: String,
    },
    /// A part of a bake is not there.
    #[error("{journal}: {missing}. Run them again, then merge again; what is there is united and safe")]
    ShardsMissing {
        /// The united journal.
        journal: PathBuf,
        /// Which parts, and how much of them.
        missing: String,
    },
    /// A part cannot begin before the part that all others need.
    #[error(
        "{journal}: is not there yet: the samples that all shards start from are solved by the merge that comes first; run it with --merge"
    )]
    NotBegun {
        /// The united journal.
        journal: PathBuf,
    },
    /// Another process has the journal open.
    #[error("{path}: another process is at work on this job; wait until it is done or stop it first")]
    Busy {
        /// The journal.
        path: PathBuf,
    },
    /// The threads could not be started.
    #[error("the threads cannot be started ({threads} of them): {problem}")]
    Threads {
        /// How many were asked for.
        threads: usize,
        /// The reason.
        problem: String,
    },
}

/// `std::result::Result` with this crate's [`Error`].
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    /// Whether the same command may succeed later as it is.
    pub fn is_temporary(&self) -> bool {
        use io::ErrorKind::{FileTooLarge, QuotaExceeded, ResourceBusy, StaleNetworkFileHandle, StorageFull, TimedOut};
        match self {
            Error::Unwritable { .. } | Error::Busy { .. } | Error::ShardsMissing { .. } | Error::NotBegun { .. } => {
                true
            }
            Error::Data(yarnwise_shared::Error::Io { cause, .. }) => matches!(
                cause.kind(),
                StorageFull | QuotaExceeded | FileTooLarge | ResourceBusy | StaleNetworkFileHandle | TimedOut
            ),
            _ => false,
        }
    }

    /// An error of reading or opening `path`.
    pub fn io(path: &Path, cause: io::Error) -> Self {
        Error::Data(yarnwise_shared::Error::io(path, cause))
    }

    /// `path` could not be written while the finished tasks are safe in `journal`.
    pub fn unwritable(path: &Path, cause: io::Error, journal: &Path) -> Self {
        let cure = match cause.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => "make room on the disk",
            io::ErrorKind::FileTooLarge => "lift the limit on the size of files",
            _ => "remove the cause",
        };
        Error::Unwritable { path: path.to_owned(), cause, journal: journal.to_owned(), cure }
    }
}
