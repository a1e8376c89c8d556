//! Databases that commands write: how exactly, by which program, and what is printed of them.

use crate::options;
use anyhow::{Context, bail};
use std::fmt;
use std::path::Path;
use yarnwise_program::number::count;
use yarnwise_program::print_report;
use yarnwise_shared::table::database::{self, Database, Encoding, FileInfo, Tolerance};

/// The name and version that this program writes into databases.
pub(crate) fn tool() -> String {
    format!("yarnwise-bake {}", env!("CARGO_PKG_VERSION"))
}

/// How exactly displacements are stored.
#[derive(clap::Args)]
pub(crate) struct Precision {
    /// Keep every bit of every displacement; the file gets about four times as large
    #[arg(long, conflicts_with = "tolerance")]
    lossless: bool,
    /// Largest error of stored positions in yarn radii, and of stored twists in radians
    #[arg(long, value_name = "RADII", default_value_t = Tolerance::default().position)]
    tolerance: f64,
}

/// Largest tolerance, radii: displacements that are off by more than a yarn's radius move yarns into each other.
const LARGEST_TOLERANCE: f64 = 1.0;

impl Precision {
    /// How a database is written; refuses a tolerance that cannot be kept.
    pub(crate) fn encoding(&self) -> anyhow::Result<Encoding> {
        if self.lossless {
            return Ok(Encoding::Lossless);
        }
        let value = self.tolerance;
        if !(value > 0.0 && value <= LARGEST_TOLERANCE) {
            bail!("--tolerance {value}: must be a positive number of radii, at most {LARGEST_TOLERANCE}");
        }
        Ok(Encoding::Quantized(Tolerance { position: value, twist: value }))
    }
}

/// How a file was written, so that what is read from it can be written again without changing a value.
pub(crate) fn encoding_of(info: &FileInfo, database: &Database) -> Encoding {
    match info.tables.first() {
        Some(table) if !table.lossless => {
            let position = table.tolerance[0] / database.pattern().radius();
            Encoding::Quantized(Tolerance { position, twist: table.tolerance[3] })
        }
        _ => Encoding::Lossless,
    }
}

/// The database on fewer samples, nothing solved.
pub(crate) fn subset(from: &Path, axes: &str, output: &Path, encoding: &Encoding, json: bool) -> anyhow::Result<()> {
    let grid = options::strain_grid(axes)?;
    let dense = database::read(from)?;
    let subset = dense.subset(&grid).with_context(|| format!("a subset of {}", from.display()))?;
    let size = database::write(&subset, output, encoding)?;
    print_report(&Written { file: output, samples: subset.samples().len(), size }, json)
}

/// A database that was written.
#[derive(serde::Serialize)]
pub(crate) struct Written<'a> {
    pub(crate) file: &'a Path,
    /// In the plane.
    pub(crate) samples: usize,
    pub(crate) size: FileInfo,
}

impl fmt::Display for Written<'_> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let samples = count(self.samples, "sample", None);
        writeln!(f, "{}: {samples}, {}", self.file.display(), summary(&self.size))
    }
}

/// One line on the size and the precision of a file that was written.
pub(crate) fn summary(info: &FileInfo) -> String {
    let raw: u64 = info.tables.iter().map(|t| t.raw_bytes).sum();
    let precision = match info.tables.iter().all(|t| t.lossless) {
        true => "lossless".to_owned(),
        false => {
            let largest = |c: usize| info.tables.iter().map(|t| t.largest_error[c]).fold(0.0, f64::max);
            let position = (0..3).map(largest).fold(0.0, f64::max);
            format!("largest error {:.2e} m and {:.2e} rad", position, largest(3))
        }
    };
    let ratio = raw as f64 / info.file_bytes as f64;
    format!("{} bytes, {ratio:.1} times smaller than plain numbers, {precision}", info.file_bytes)
}
