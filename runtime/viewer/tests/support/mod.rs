//! Helpers of the viewer's tests.

use std::path::{Path, PathBuf};

/// The repository.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// A scene of ours.
pub(crate) fn scene(name: &str) -> PathBuf {
    root().join("data/scenes").join(name).with_extension("json")
}

/// The names of all our scenes.
pub(crate) fn scenes() -> Vec<String> {
    let folder = std::fs::read_dir(root().join("data/scenes")).unwrap();
    let paths = folder.map(|entry| entry.unwrap().path()).filter(|p| p.extension().is_some_and(|e| e == "json"));
    let mut names: Vec<String> = paths.map(|p| p.file_stem().unwrap().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}
