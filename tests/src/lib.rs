//! What tests share: the command-line harness, fixtures, damaged files, reference data, and, with the feature `gpu`, a
//! device and the comparison of both paths.

pub mod command_line;
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
pub mod schema;
pub mod seed;
pub mod sheet;

use std::io::Write;
use std::path::{Path, PathBuf};

/// The top folder of the repository.
pub fn repository() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("this crate is in the repository")
}

/// Prints a line that is seen in the output of `cargo test` even when the test passes: the test harness keeps back only
/// what the print macros write.
pub fn announce(line: &str) {
    // One write, so that lines of tests that run side by side do not mix; nobody is left to report to where it fails.
    let _ = std::io::stderr().write_all(format!("{line}\n").as_bytes());
}

/// The folder with the published reference data, from the environment variable `YARNWISE_REFERENCE`.
///
/// Without the variable the test is skipped, which is seen in the output of `cargo test`. With it, missing data is a
/// failure, never a skip.
///
/// # Panics
/// When the variable is set and the folder holds no reference data.
pub fn reference(test: &str) -> Option<PathBuf> {
    let Some(folder) = std::env::var_os("YARNWISE_REFERENCE").map(PathBuf::from) else {
        announce(&format!("SKIPPED {test}: set YARNWISE_REFERENCE to the folder of the published reference data"));
        return None;
    };
    let found = ["patterns", "models", "clips", "golden"].iter().all(|part| folder.join(part).is_dir());
    assert!(found, "YARNWISE_REFERENCE={} holds no reference data", folder.display());
    Some(folder)
}
