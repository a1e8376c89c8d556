//! A temporary folder and the files in it.

use std::fs;
use std::path::{Path, PathBuf};

/// A folder that is removed at the end of the test.
pub struct Folder(tempfile::TempDir);

impl Default for Folder {
    fn default() -> Self {
        Self::new()
    }
}

impl Folder {
    /// An empty folder.
    ///
    /// # Panics
    /// When it cannot be made.
    pub fn new() -> Self {
        Folder(tempfile::tempdir().expect("a temporary folder"))
    }

    /// The folder itself.
    pub fn root(&self) -> &Path {
        self.0.path()
    }

    /// The path of a file in it.
    pub fn path(&self, name: impl AsRef<Path>) -> PathBuf {
        self.0.path().join(name)
    }

    /// Writes a file, with the folders above it.
    pub fn write(&self, name: &str, bytes: impl AsRef<[u8]>) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().expect("a file is in a folder")).unwrap();
        fs::write(&path, bytes).unwrap_or_else(|e| panic!("{name}: {e}"));
    }

    /// The bytes of a file.
    ///
    /// # Panics
    /// When there is none.
    pub fn bytes(&self, name: &str) -> Vec<u8> {
        fs::read(self.path(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
    }

    /// The text of a file.
    ///
    /// # Panics
    /// When there is none.
    pub fn text(&self, name: &str) -> String {
        String::from_utf8(self.bytes(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
    }

    /// Whether there is a file or folder of this name.
    pub fn has(&self, name: &str) -> bool {
        self.path(name).exists()
    }

    /// The names of all files and folders in it, in order.
    pub fn files(&self) -> Vec<String> {
        let entries = fs::read_dir(self.root()).unwrap();
        let mut names: Vec<String> = entries.map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }
}
