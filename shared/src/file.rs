//! Whole files: reading with a size limit and a look at the first bytes, writing without leaving halves behind.

use crate::{Error, Result};
use std::fs::{self, File};
use std::io::{BufWriter, Read, Write};
use std::path::Path;

/// The name of `path` as it appears in messages.
pub fn origin(path: &Path) -> String {
    path.display().to_string()
}

/// How much of a file is read before it is known to be of the right kind.
const FIRST_BYTES: u64 = 1 << 16;

/// The most that is read of what has no size of its own: a pipe, a device.
pub const MAX_STREAM_BYTES: u64 = 1 << 30;

/// Looks at the first bytes of a file (all of a short one) and refuses one that cannot be of the right kind; the second
/// argument names the file in messages.
pub type Check = fn(&[u8], &str) -> Result<()>;

/// Reads the whole file; refuses one larger than `limit` bytes before it reserves memory, and one whose first bytes are
/// wrong before it reads the rest.
pub fn read(path: &Path, limit: u64, check: Check) -> Result<Vec<u8>> {
    let file = File::open(path).map_err(|e| Error::io(path, e))?;
    let meta = file.metadata().map_err(|e| Error::io(path, e))?;
    if meta.is_dir() {
        return Err(Error::invalid(origin(path), "is a folder, a file is expected"));
    }
    let limit = if meta.is_file() { limit } else { limit.min(MAX_STREAM_BYTES) };
    let too_large =
        || Error::invalid(origin(path), format!("is larger than the {limit} bytes this kind of file may have"));
    if meta.len() > limit {
        return Err(too_large());
    }
    let mut bytes = Vec::new();
    // The length on record may be wrong (a pipe, a file that grows): the limit holds for what is really read.
    let mut file = file.take(limit + 1);
    (&mut file).take(FIRST_BYTES).read_to_end(&mut bytes).map_err(|e| Error::io(path, e))?;
    check(&bytes, &origin(path))?;
    let rest = (meta.len() as usize).saturating_sub(bytes.len());
    if bytes.try_reserve_exact(rest).is_err() {
        return Err(Error::invalid(origin(path), format!("its {} bytes do not fit into memory", meta.len())));
    }
    file.read_to_end(&mut bytes).map_err(|e| Error::io(path, e))?;
    if bytes.len() as u64 > limit { Err(too_large()) } else { Ok(bytes) }
}

/// A [`Check`] for text: UTF-8 without zero bytes.
pub fn text(first: &[u8], origin: &str) -> Result<()> {
    let wrong = match std::str::from_utf8(first) {
        // A character may be cut in two where the first bytes end.
        Err(e) if e.error_len().is_some() => Some(e.valid_up_to()),
        _ => first.iter().position(|b| *b == 0),
    };
    match wrong {
        Some(at) => {
            let line = 1 + first[..at].iter().filter(|b| **b == b'\n').count();
            Err(Error::text(origin, line, "is not text (UTF-8): is this a file of another kind?"))
        }
        None => Ok(()),
    }
}

/// A [`Check`] for a JSON object.
pub fn json(first: &[u8], origin: &str) -> Result<()> {
    text(first, origin)?;
    match first.iter().find(|b| !b.is_ascii_whitespace()) {
        Some(b'{') => Ok(()),
        Some(_) => {
            Err(Error::invalid(origin, "is not a JSON object, which begins with '{': is this another kind of file?"))
        }
        None => Err(Error::invalid(origin, "is empty: a JSON object is expected")),
    }
}

/// How the names of temporary files end.
const PART: &str = ".part";

/// This process among those of all machines that share a folder: the name of the host and the number of the process.
pub fn process() -> String {
    let host =
        ["/proc/sys/kernel/hostname", "/etc/hostname"].into_iter().find_map(|path| fs::read_to_string(path).ok());
    let host = host.or_else(|| ["HOSTNAME", "COMPUTERNAME"].into_iter().find_map(|name| std::env::var(name).ok()));
    let host: String =
        host.unwrap_or_default().chars().filter(|c| c.is_ascii_alphanumeric() || "-_".contains(*c)).collect();
    format!("{host}-{}", std::process::id())
}

/// Removes the temporary files that processes left which died while they wrote `path`. No process may be writing it: one that asks for this
/// holds what gives the right to write. What cannot be removed does no harm.
pub fn remove_leftovers(path: &Path) {
    let Some(name) = path.file_name() else { return };
    let start = format!(".{}.", name.to_string_lossy());
    let folder = path.parent().filter(|f| !f.as_os_str().is_empty()).unwrap_or(Path::new("."));
    // Between the file's name and the end: host and process, in which there is no dot.
    let is_part = |name: &str| {
        name.strip_prefix(&start).and_then(|rest| rest.strip_suffix(PART)).is_some_and(|process| !process.contains('.'))
    };
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        if entry.file_name().to_str().is_some_and(is_part) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// Writes a file completely or not at all: into a temporary file beside it, flushed to disk, then renamed.
///
/// Folders above `path` are made. When anything fails, the temporary file is removed and an older `path` stays as it was.
pub fn write_atomically(path: &Path, write: impl FnOnce(&mut dyn Write) -> std::io::Result<()>) -> Result<()> {
    let name = path.file_name().ok_or_else(|| Error::invalid(origin(path), "is not the name of a file"))?;
    if let Some(folder) = path.parent().filter(|f| !f.as_os_str().is_empty()) {
        fs::create_dir_all(folder).map_err(|e| Error::io(folder, e))?;
    }
    let temporary = path.with_file_name(format!(".{}.{}{PART}", name.to_string_lossy(), process()));
    let written = (|| {
        let mut out = BufWriter::new(File::create(&temporary)?);
        write(&mut out)?;
        out.into_inner().map_err(|e| e.into_error())?.sync_all()?;
        fs::rename(&temporary, path)
    })();
    written.map_err(|e| {
        // Nothing more can be done about a leftover than to try: the first error is the one that is reported.
        let _ = fs::remove_file(&temporary);
        Error::io(path, e)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_write_leaves_the_old_file_and_no_leftover() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("new/folder/file.txt");
        write_atomically(&path, |w| w.write_all(b"old")).unwrap();
        let failed = write_atomically(&path, |w| {
            w.write_all(b"half")?;
            Err(std::io::Error::other("disk full"))
        });
        assert!(failed.unwrap_err().to_string().contains("disk full"));
        assert_eq!(read(&path, 100, text).unwrap(), b"old");
        assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 1);
    }

    #[test]
    fn leftovers_of_one_file_are_removed_and_no_others() {
        let folder = tempfile::tempdir().unwrap();
        let file = |name: &str| folder.path().join(name);
        let keep = [".a.ydb.part", "a.ydb.n1-7.part", ".b.ydb.n1-7.part", ".a.ydb.x.n1-7.part", "a.ydb"];
        for name in keep.into_iter().chain([".a.ydb.n1-7.part", ".a.ydb.-12.part"]) {
            fs::write(file(name), "").unwrap();
        }
        remove_leftovers(&file("a.ydb"));
        let mut left: Vec<_> = fs::read_dir(folder.path()).unwrap().map(|e| e.unwrap().file_name()).collect();
        left.sort_unstable();
        let mut keep = keep.map(std::ffi::OsString::from);
        keep.sort_unstable();
        assert_eq!(left, keep);
    }

    #[test]
    fn the_limit_holds() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        write_atomically(&path, |w| w.write_all(b"12345")).unwrap();
        assert!(read(&path, 5, text).is_ok());
        assert!(read(&path, 4, text).unwrap_err().to_string().contains("larger than the 4 bytes"));
        assert!(read(folder.path(), 4, text).unwrap_err().to_string().contains("is a folder"));
    }

    #[test]
    fn a_file_of_another_kind_is_refused_by_its_first_bytes() {
        let refused = |check: Check, bytes: &[u8]| check(bytes, "a").unwrap_err().to_string();
        assert!(text("κ".as_bytes(), "a").is_ok());
        assert!(text(&"κ".as_bytes()[..1], "a").is_ok(), "a character that is cut in two");
        assert_eq!(refused(text, b"1\n2\0"), "a, line 2: is not text (UTF-8): is this a file of another kind?");
        assert!(refused(text, b"\xff1").contains("line 1"));
        assert!(json(b"\n {", "a").is_ok());
        assert!(refused(json, b"[1]").contains("not a JSON object") && refused(json, b" ").contains("empty"));
    }

    /// Without an end, and without a size: only the first bytes are read, and never more than the limit.
    #[cfg(unix)]
    #[test]
    fn a_device_is_refused_at_once_or_at_the_limit() {
        let zeros = Path::new("/dev/zero");
        assert!(read(zeros, u64::MAX - 1, text).unwrap_err().to_string().contains("is not text"));
        assert!(read(zeros, 1 << 20, |_, _| Ok(())).unwrap_err().to_string().contains("larger than the 1048576 bytes"));
    }
}
