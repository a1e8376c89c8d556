//! Room on the disk, asked for before it is needed.

use std::path::Path;

/// Bytes that this user can still write where `path` is or will be; none where the system does not say.
#[cfg(unix)]
pub fn free(path: &Path) -> Option<u64> {
    let here = path.ancestors().find(|folder| folder.exists()).unwrap_or(Path::new("."));
    let here = if here.as_os_str().is_empty() { Path::new(".") } else { here };
    let space = rustix::fs::statvfs(here).ok()?;
    space.f_bavail.checked_mul(space.f_frsize)
}

/// Elsewhere the standard library does not say.
#[cfg(not(unix))]
pub fn free(_: &Path) -> Option<u64> {
    None
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn room_is_that_of_the_disk_where_a_folder_will_be() {
        let here = tempfile::tempdir().unwrap();
        let there = free(&here.path().join("not/yet/there")).unwrap();
        // Others write to the disk meanwhile.
        let (a, b) = (free(here.path()).unwrap() as f64, there as f64);
        assert!(a > 0.0 && (a - b).abs() < 0.5 * a, "{a} {b}");
        assert!(free(Path::new("not/yet/there")).is_some(), "a relative path");
    }
}
