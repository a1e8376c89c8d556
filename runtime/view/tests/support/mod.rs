//! Helpers of the program's tests.
#![allow(dead_code, reason = "not every test uses every helper")]

pub(crate) mod desktop;
pub(crate) mod usda;

use std::path::{Path, PathBuf};

/// The repository.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// A scene of ours.
pub(crate) fn scene(name: &str) -> PathBuf {
    root().join("data/scenes").join(name).with_extension("json")
}
