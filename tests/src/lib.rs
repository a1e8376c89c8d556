//! Helpers of the tests that span crates.

pub mod garment;
pub mod golden;
pub mod gpu;
pub mod mutate;
pub mod npz;
pub mod parity;
pub mod picture;
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
