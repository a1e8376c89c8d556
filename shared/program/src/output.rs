//! Names of outputs, checked before work begins.

use anyhow::{Context, bail};
use std::path::{Path, PathBuf};

/// The file to write, if it can be one: not a folder, not one of the command's inputs, in a folder that can be made.
pub fn check(output: &Path, inputs: &[&Path]) -> anyhow::Result<PathBuf> {
    if output.is_dir() {
        bail!("{}: is a folder, the name of a file is expected", output.display());
    }
    if output.file_name().is_none() {
        bail!("{}: is not the name of a file", output.display());
    }
    if let Some(input) = inputs.iter().find(|input| is_same(output, input)) {
        bail!("{}: is also an input ({}), choose another output", output.display(), input.display());
    }
    let mut folder = output.parent().unwrap_or(Path::new(""));
    while !folder.as_os_str().is_empty() && !folder.exists() {
        folder = folder.parent().unwrap_or(Path::new(""));
    }
    if !folder.as_os_str().is_empty() && !folder.is_dir() {
        bail!("{}: {} is not a folder", output.display(), folder.display());
    }
    let meta = std::fs::metadata(if folder.as_os_str().is_empty() { Path::new(".") } else { folder });
    let meta = meta.with_context(|| output.display().to_string())?;
    if meta.permissions().readonly() {
        bail!("{}: its folder cannot be written to", output.display());
    }
    Ok(output.to_owned())
}

/// Whether two names are one file: links and different spellings of a path count.
fn is_same(a: &Path, b: &Path) -> bool {
    match (a.canonicalize(), b.canonicalize()) {
        (Ok(a), Ok(b)) => a == b,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inputs_folders_and_impossible_places_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let input = folder.path().join("a.yarn");
        std::fs::write(&input, "x").unwrap();
        let other_spelling = folder.path().join("./a.yarn");
        assert!(check(&other_spelling, &[&input]).unwrap_err().to_string().contains("is also an input"));
        assert!(check(folder.path(), &[]).unwrap_err().to_string().contains("is a folder"));
        assert!(check(&input.join("b.ydb"), &[]).unwrap_err().to_string().contains("is not a folder"));
        assert!(check(&folder.path().join("new/b.ydb"), &[&input]).is_ok());
        assert!(check(&input, &[]).is_ok(), "an older output may be replaced");
    }
}
