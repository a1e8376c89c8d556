//! Names with `*`, which stands for any letters.

use std::path::{Path, PathBuf};

/// Whether `name` is what `pattern` says.
pub(super) fn fits(pattern: &str, name: &str) -> bool {
    let mut parts = pattern.split('*');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = name.strip_prefix(first) else { return false };
    let Some(last) = pattern.rfind('*').map(|at| &pattern[at + 1..]) else { return rest.is_empty() };
    let inner: Vec<&str> = parts.collect();
    for part in inner.iter().take(inner.len().saturating_sub(1)) {
        // The first place leaves most for what follows.
        let Some(at) = rest.find(part) else { return false };
        rest = &rest[at + part.len()..];
    }
    rest.ends_with(last)
}

/// The files that a path with `*` in its last part names, sorted; one without is itself.
pub(super) fn files(path: &Path) -> Result<Vec<PathBuf>, String> {
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    if !name.contains('*') {
        return Ok(vec![path.to_owned()]);
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let entries = std::fs::read_dir(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let mut found: Vec<PathBuf> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.is_file() && path.file_name().is_some_and(|n| fits(&name, &n.to_string_lossy())))
        .collect();
    found.sort();
    if found.is_empty() { Err("no file has such a name".to_owned()) } else { Ok(found) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_stands_for_any_letters() {
        for (pattern, name) in
            [("rib", "rib"), ("*", ""), ("*", "rib"), ("rib*", "rib2x2"), ("*2", "rib2x2"), ("r*b*2", "rib2x2")]
        {
            assert!(fits(pattern, name), "{pattern} {name}");
        }
        for (pattern, name) in
            [("rib", "ribs"), ("rib*", "arib"), ("*2", "2x"), ("a*a", "a"), ("a*b*c", "acb"), ("", "a")]
        {
            assert!(!fits(pattern, name), "{pattern} {name}");
        }
    }
}
