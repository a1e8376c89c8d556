//! Files that commands write: checked before work begins, reported at the end.

use anyhow::Result;
use std::path::{Path, PathBuf};
use yarnwise_program::{output, say};

/// Checks that every output can be written and is no input.
pub(crate) fn check(outputs: &[PathBuf], inputs: &[PathBuf]) -> Result<()> {
    let inputs: Vec<&Path> = inputs.iter().map(PathBuf::as_path).collect();
    outputs.iter().try_for_each(|file| output::check(file, &inputs).map(|_| ()))
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
