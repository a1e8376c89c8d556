//! Arrays of `.npz` files, as NumPy writes them.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::Path;
use yarnwise_shared::npy::{self, Array, Data};

/// The arrays of an `.npz` file by name.
pub struct Npz {
    files: BTreeMap<String, Vec<u8>>,
    origin: String,
}

impl Npz {
    /// Reads the whole file.
    ///
    /// # Panics
    /// When it is missing or not an `.npz` file: a test has nothing to do without it.
    pub fn read(path: &Path) -> Self {
        let origin = path.display().to_string();
        let file = std::fs::File::open(path).unwrap_or_else(|e| panic!("{origin}: {e}"));
        let mut archive = zip::ZipArchive::new(file).unwrap_or_else(|e| panic!("{origin}: {e}"));
        let mut files = BTreeMap::new();
        for i in 0..archive.len() {
            let mut entry = archive.by_index(i).unwrap();
            let name = entry.name().unwrap().trim_end_matches(".npy").to_owned();
            let mut bytes = Vec::new();
            entry.read_to_end(&mut bytes).unwrap();
            files.insert(name, bytes);
        }
        Npz { files, origin }
    }

    /// An array.
    pub fn array(&self, name: &str) -> Array {
        let bytes = self.files.get(name).unwrap_or_else(|| panic!("{} has no array {name}", self.origin));
        npy::parse(bytes, &format!("{}, {name}", self.origin)).unwrap()
    }

    /// The numbers of an array of f32.
    pub fn f32(&self, name: &str) -> Vec<f32> {
        match self.array(name).data {
            Data::F32(numbers) => numbers,
            _ => panic!("{}: {name} is not of f32", self.origin),
        }
    }

    /// The numbers of an array of u32, also one that was written as i32 (-1 becomes `u32::MAX`).
    pub fn u32(&self, name: &str) -> Vec<u32> {
        match self.array(name).data {
            Data::U32(numbers) => numbers,
            Data::I32(numbers) => numbers.into_iter().map(|i| i as u32).collect(),
            _ => panic!("{}: {name} is not of whole numbers", self.origin),
        }
    }
}
