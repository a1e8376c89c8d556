//! Helpers of the program's tests.
#![allow(dead_code, reason = "not every test uses every helper")]

pub(crate) mod desktop;
pub(crate) mod usda;

use std::path::PathBuf;
use yarnwise_tests::program::Program;
use yarnwise_tests::repository;

/// The program, in an empty folder.
pub(crate) fn program() -> Program {
    Program::new(env!("CARGO_BIN_EXE_yarnwise-view"))
}

/// A scene of ours.
pub(crate) fn scene(name: &str) -> PathBuf {
    repository().join("data/scenes").join(name).with_extension("json")
}
