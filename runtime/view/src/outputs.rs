//! Files that commands write: checked before work begins, reported at the end.

use anyhow::Result;
use std::path::{Path, PathBuf};
use yarnwise_program::{output, say};

/// Checks that every output can be written and is no input, and that no two of them are one file.
pub(crate) fn check(outputs: &[PathBuf], inputs: &[PathBuf]) -> Result<()> {
    output::check_all(&paths(outputs), &paths(inputs))
}

fn paths(files: &[PathBuf]) -> Vec<&Path> {
    files.iter().map(PathBuf::as_path).collect()
}

/// Says what was written.
pub(crate) fn report(files: &[PathBuf]) -> Result<()> {
    match files {
        [] => Ok(()),
        [_] | [_, _] | [_, _, _] => {
            let names: Vec<String> = files.iter().map(|file| file.display().to_string()).collect();
            say!("wrote {}", names.join(", "))
        }
        [first, .., last] => say!("wrote {} files, {} to {}", files.len(), first.display(), last.display()),
    }
}
