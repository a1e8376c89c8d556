//! Arrays of `.npz` files, as NumPy writes them.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::Path;

/// The arrays of an `.npz` file by name.
pub struct Npz {
    arrays: BTreeMap<String, Array>,
    origin: String,
}

/// An array: its NumPy type, shape and bytes.
struct Array {
    kind: String,
    shape: Vec<usize>,
    bytes: Vec<u8>,
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
        let mut arrays = BTreeMap::new();
        for i in 0..archive.len() {
            let mut entry = archive.by_index(i).unwrap();
            let name = entry.name().unwrap().trim_end_matches(".npy").to_owned();
            let mut bytes = Vec::new();
            entry.read_to_end(&mut bytes).unwrap();
            arrays.insert(name, Array::parse(bytes));
        }
        Npz { arrays, origin }
    }

    /// Whether there is an array of this name.
    pub fn has(&self, name: &str) -> bool {
        self.arrays.contains_key(name)
    }

    /// An array's shape.
    pub fn shape(&self, name: &str) -> &[usize] {
        &self.array(name).shape
    }

    /// An array of f32.
    pub fn f32(&self, name: &str) -> Vec<f32> {
        self.numbers(name, "<f4", f32::from_le_bytes)
    }

    /// An array of u32, also one that was written as i32 (-1 becomes `u32::MAX`).
    pub fn u32(&self, name: &str) -> Vec<u32> {
        let kind = if self.array(name).kind == "<i4" { "<i4" } else { "<u4" };
        self.numbers(name, kind, u32::from_le_bytes)
    }

    fn array(&self, name: &str) -> &Array {
        self.arrays.get(name).unwrap_or_else(|| panic!("{} has no array {name}", self.origin))
    }

    fn numbers<T>(&self, name: &str, kind: &str, number: impl Fn([u8; 4]) -> T) -> Vec<T> {
        let array = self.array(name);
        assert_eq!(array.kind, kind, "{}, array {name}", self.origin);
        array.bytes.chunks_exact(4).map(|b| number([b[0], b[1], b[2], b[3]])).collect()
    }
}

impl Array {
    fn parse(bytes: Vec<u8>) -> Self {
        assert_eq!(&bytes[..8], b"\x93NUMPY\x01\x00", "version 1 of the .npy format");
        let end = 10 + usize::from(u16::from_le_bytes([bytes[8], bytes[9]]));
        let header = std::str::from_utf8(&bytes[10..end]).unwrap();
        let after = |key: &str| header.split(&format!("'{key}': ")).nth(1).unwrap_or_else(|| panic!("{header}"));
        assert!(after("fortran_order").starts_with("False"), "{header}");
        let kind = after("descr").trim_start_matches('\'').split('\'').next().unwrap().to_owned();
        let shape = after("shape").trim_start_matches('(').split(')').next().unwrap();
        let shape = shape.split(',').map(str::trim).filter(|s| !s.is_empty()).map(|s| s.parse().unwrap()).collect();
        Array { kind, shape, bytes: bytes[end..].to_vec() }
    }
}
