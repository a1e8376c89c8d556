//! Whole files: reading with a size limit, writing without leaving halves behind.

use crate::{Error, Result};
use std::fs::{self, File};
use std::io::{BufWriter, Read, Write};
use std::path::Path;

/// The name of `path` as it appears in messages.
pub fn origin(path: &Path) -> String {
    path.display().to_string()
}

/// Reads the whole file; refuses one larger than `limit` bytes before it reserves memory.
pub fn read(path: &Path, limit: u64) -> Result<Vec<u8>> {
    let file = File::open(path).map_err(|e| Error::io(path, e))?;
    let meta = file.metadata().map_err(|e| Error::io(path, e))?;
    if meta.is_dir() {
        return Err(Error::invalid(origin(path), "is a folder, a file is expected"));
    }
    let too_large =
        || Error::invalid(origin(path), format!("is larger than the {limit} bytes this kind of file may have"));
    if meta.len() > limit {
        return Err(too_large());
    }
    let mut bytes = Vec::new();
    // The length on record may be wrong (a pipe, a file that grows): the limit holds for what is really read.
    file.take(limit + 1).read_to_end(&mut bytes).map_err(|e| Error::io(path, e))?;
    if bytes.len() as u64 > limit { Err(too_large()) } else { Ok(bytes) }
}

/// Writes a file completely or not at all: into a temporary file beside it, flushed to disk, then renamed.
///
/// Folders above `path` are made. When anything fails, the temporary file is removed and an older `path` stays as it was.
pub fn write_atomically(path: &Path, write: impl FnOnce(&mut dyn Write) -> std::io::Result<()>) -> Result<()> {
    let name = path.file_name().ok_or_else(|| Error::invalid(origin(path), "is not the name of a file"))?;
    if let Some(folder) = path.parent().filter(|f| !f.as_os_str().is_empty()) {
        fs::create_dir_all(folder).map_err(|e| Error::io(folder, e))?;
    }
    let temporary = path.with_file_name(format!(".{}.{}.part", name.to_string_lossy(), std::process::id()));
    let written = (|| {
        let mut out = BufWriter::new(File::create(&temporary)?);
        write(&mut out)?;
        out.into_inner().map_err(|e| e.into_error())?.sync_all()?;
        fs::rename(&temporary, path)
    })();
    written.map_err(|e| {
        // Nothing more can be done about a leftover than to try: the first error is the one to tell.
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
        assert_eq!(read(&path, 100).unwrap(), b"old");
        assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 1);
    }

    #[test]
    fn the_limit_holds() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        write_atomically(&path, |w| w.write_all(b"12345")).unwrap();
        assert!(read(&path, 5).is_ok());
        assert!(read(&path, 4).unwrap_err().to_string().contains("larger than the 4 bytes"));
        assert!(read(folder.path(), 4).unwrap_err().to_string().contains("is a folder"));
    }
}
