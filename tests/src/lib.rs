//! What tests share: the command-line harness, fixtures, damaged files, reference data, and, with the feature `gpu`, a
//! device and the comparison of both paths.

pub mod folder;
pub mod garment;
#[cfg(feature = "gpu")]
pub mod golden;
#[cfg(feature = "gpu")]
pub mod gpu;
pub mod mutate;
pub mod npz;
#[cfg(feature = "gpu")]
pub mod parity;
#[cfg(feature = "gpu")]
pub mod picture;
pub mod program;
pub mod sheet;

use std::path::PathBuf;

/// The folder with the published reference data, from the environment variable `YARNWISE_REFERENCE`.
///
/// Without the variable the test says that it is skipped. With it, missing data is a failure, never a skip.
#[allow(clippy::print_stderr, reason = "a skipped test must say so")]
pub fn reference(test: &str) -> Option<PathBuf> {
    match std::env::var_os("YARNWISE_REFERENCE") {
        Some(folder) => {
            let folder = PathBuf::from(folder);
            assert!(
                folder.join("patterns").is_dir(),
                "YARNWISE_REFERENCE={} holds no reference data",
                folder.display()
            );
            Some(folder)
        }
        None => {
            eprintln!("SKIPPED {test}: set YARNWISE_REFERENCE to the folder of the published reference data");
            None
        }
    }
}
