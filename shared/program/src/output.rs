//! Names of outputs, checked before work begins.

use anyhow::{Context, bail};
use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

/// The file to write, if it can be one: not a folder, not one of the command's inputs, in a folder that can be written to.
///
/// A file is an input by whatever name it is called: another spelling of its path, a symbolic link, a hard link. Where an
/// input is a folder, the files in it are inputs. The folder of the output need not exist: it is made when the file is
/// written, and here it is checked that it can be.
pub fn check(output: &Path, inputs: &[&Path]) -> anyhow::Result<PathBuf> {
    let name = output.display();
    if output.is_dir() {
        bail!("{name}: is a folder, the name of a file is expected");
    }
    if output.file_name().is_none() || name.to_string().ends_with(std::path::MAIN_SEPARATOR) {
        bail!("{name}: is not the name of a file");
    }
    if output.exists() && !output.is_file() {
        bail!("{name}: is a device or a pipe, the name of a file is expected");
    }
    if let Some(input) = inputs.iter().find(|input| is_same(output, input)) {
        bail!("{name}: is also an input ({}), choose another output", input.display());
    }
    if let Some(folder) = inputs.iter().find(|input| output.exists() && is_inside(output, input)) {
        bail!("{name}: is a file of the input {}, choose another output", folder.display());
    }
    check_place(output, output)?;
    Ok(output.to_owned())
}

/// [`check`]s every output of a command, and that no two of them are one file.
pub fn check_all(outputs: &[&Path], inputs: &[&Path]) -> anyhow::Result<()> {
    let mut places = HashMap::new();
    for output in outputs {
        check(output, inputs)?;
        for place in places_of(output) {
            if let Some(other) = places.insert(place, output) {
                bail!("{}: is written twice (also as {}), choose another output", output.display(), other.display());
            }
        }
    }
    Ok(())
}

/// What two names of one file have in common: where it is or will be, and which file it is.
#[derive(PartialEq, Eq, Hash)]
enum Place {
    Path(PathBuf),
    File(u64, u64),
}

fn places_of(output: &Path) -> impl Iterator<Item = Place> {
    let folder = output.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let planned = || Some(folder.canonicalize().ok()?.join(output.file_name()?));
    let path = output.canonicalize().ok().or_else(planned).unwrap_or_else(|| output.to_owned());
    let linked = identity(output).map(|(device, file)| Place::File(device, file));
    [Some(Place::Path(path)), linked].into_iter().flatten()
}

/// The folder to write files to, if it can be one: not a file, not one of the command's inputs, and it can be written to.
pub fn check_folder(output: &Path, inputs: &[&Path]) -> anyhow::Result<PathBuf> {
    if output.exists() && !output.is_dir() {
        bail!("{}: is not a folder", output.display());
    }
    if let Some(input) = inputs.iter().find(|input| is_same(output, input)) {
        bail!("{}: is also an input ({}), choose another output", output.display(), input.display());
    }
    check_place(output, &output.join("file"))?;
    Ok(output.to_owned())
}

/// Checks that a file can be made where `file` shall be, by making one and removing it; `output` is what messages name.
fn check_place(output: &Path, file: &Path) -> anyhow::Result<()> {
    let above = |path: &Path| path.parent().map(Path::to_owned).unwrap_or_default();
    let mut folder = above(file);
    while !folder.as_os_str().is_empty() && !folder.exists() {
        folder = above(&folder);
    }
    if folder.as_os_str().is_empty() {
        folder = PathBuf::from(".");
    }
    if !folder.is_dir() {
        bail!("{}: {} is not a folder", output.display(), folder.display());
    }
    let probe = folder.join(format!(".yarnwise.{}.probe", yarnwise_shared::file::process()));
    let made = fs::File::create(&probe).and_then(|_| fs::remove_file(&probe));
    made.with_context(|| format!("{}: its folder cannot be written to", output.display()))
}

/// Whether two names are one file: links of both kinds and different spellings of a path count.
fn is_same(a: &Path, b: &Path) -> bool {
    match (a.canonicalize(), b.canonicalize()) {
        (Ok(a), Ok(b)) => a == b || is_hard_link(&a, &b),
        _ => false,
    }
}

fn is_hard_link(a: &Path, b: &Path) -> bool {
    identity(a).is_some_and(|a| identity(b) == Some(a))
}

/// Device and number of a file that exists.
#[cfg(unix)]
fn identity(path: &Path) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt;
    fs::metadata(path).ok().map(|meta| (meta.dev(), meta.ino()))
}

/// Elsewhere the standard library does not say which file a name stands for.
#[cfg(not(unix))]
fn identity(_: &Path) -> Option<(u64, u64)> {
    None
}

/// Whether a file lies in a folder, at any depth.
fn is_inside(file: &Path, folder: &Path) -> bool {
    match (file.canonicalize(), folder.canonicalize()) {
        (Ok(file), Ok(folder)) => folder.is_dir() && file.starts_with(folder),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(output: &Path, inputs: &[&Path]) -> String {
        check(output, inputs).unwrap_err().to_string()
    }

    #[test]
    fn inputs_folders_and_impossible_places_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let input = folder.path().join("a.yarn");
        std::fs::write(&input, "x").unwrap();
        let other_spelling = folder.path().join("./a.yarn");
        assert!(refused(&other_spelling, &[&input]).contains("is also an input"));
        assert!(refused(folder.path(), &[]).contains("is a folder"));
        assert!(refused(&input.join("b.ydb"), &[]).contains("is not a folder"));
        assert!(refused(&input, &[folder.path()]).contains("is a file of the input"));
        assert!(check(&folder.path().join("new/b.ydb"), &[&input, folder.path()]).is_ok());
        assert!(check(&input, &[]).is_ok(), "an older output may be replaced");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "the probe is removed");
        assert_eq!(fs::read(&input).unwrap(), b"x");
    }

    #[test]
    fn outputs_may_not_replace_each_other() {
        let folder = tempfile::tempdir().unwrap();
        let [a, b] = ["a", "b"].map(|name| folder.path().join(name));
        assert!(check_all(&[&a, &b], &[]).is_ok());
        let twice = |outputs: &[&Path]| {
            let message = check_all(outputs, &[]).unwrap_err().to_string();
            assert!(message.contains("is written twice"), "{message}");
        };
        twice(&[&a, &b, &a]);
        // Other spellings, of files that do not exist and of those that do.
        twice(&[&a, &folder.path().join("./a")]);
        fs::write(&a, "x").unwrap();
        twice(&[&a, &folder.path().join("../").join(folder.path().file_name().unwrap()).join("a")]);
        if fs::hard_link(&a, &b).is_ok() && cfg!(unix) {
            twice(&[&a, &b]);
        }
    }

    #[test]
    fn folders_are_checked_too() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a");
        fs::write(&file, "x").unwrap();
        assert!(check_folder(&folder.path().join("new/one"), &[]).is_ok());
        assert!(check_folder(&file, &[]).unwrap_err().to_string().contains("is not a folder"));
        assert!(check_folder(folder.path(), &[folder.path()]).unwrap_err().to_string().contains("is also an input"));
    }

    #[cfg(unix)]
    #[test]
    fn links_to_an_input_are_the_input() {
        let folder = tempfile::tempdir().unwrap();
        let [input, hard, soft] = ["input", "hard", "soft"].map(|name| folder.path().join(name));
        fs::write(&input, "x").unwrap();
        fs::hard_link(&input, &hard).unwrap();
        std::os::unix::fs::symlink(&input, &soft).unwrap();
        for link in [&hard, &soft] {
            assert!(refused(link, &[&input]).contains("is also an input"), "{}", link.display());
            assert!(refused(&input, &[link]).contains("is also an input"), "{}", link.display());
        }
        assert!(refused(Path::new("/dev/null"), &[]).contains("is a device or a pipe"));
    }
}
