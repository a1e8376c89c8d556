//! NumPy's `.npz` files: named arrays.

use anyhow::Result;
use std::io::{Cursor, Write};
use std::path::Path;
use yarnwise_shared::file;
use yarnwise_shared::npy::{self, Array, Data};
use zip::write::SimpleFileOptions;

/// An array.
pub(crate) fn array(shape: &[usize], data: Data) -> Array {
    Array { shape: shape.to_vec(), data }
}

/// Writes named arrays.
pub(crate) fn write(path: &Path, arrays: &[(&str, Array)]) -> Result<()> {
    let mut zip = zip::ZipWriter::new(Cursor::new(Vec::new()));
    let options = SimpleFileOptions::default().large_file(true);
    for (name, array) in arrays {
        zip.start_file(format!("{name}.npy"), options)?;
        zip.write_all(&npy::to_bytes(array)?)?;
    }
    let bytes = zip.finish()?.into_inner();
    Ok(file::write_atomically(path, |w| w.write_all(&bytes))?)
}
