//! The log of a bake: a table with one line per solve, columns separated by tabs.
//!
//! It is written anew from the journal when a bake goes on, so no solve is missing and none is there twice.

use super::collect::status;
use super::record::Solve;
use crate::sampling::Task;
use crate::{Error, Result};
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use yarnwise_shared::grid::StrainGrid;

/// The columns: wave and sweep (0 the first time, then the number of the sweep that tried again), the sample and its
/// strains, the sample it started from (`-` for the affine state), how it ended, factorisations, steps, residual, energy
/// density in J/m^2, seconds.
pub const LOG_COLUMNS: [&str; 13] = [
    "wave",
    "sweep",
    "sample",
    "sx",
    "sa",
    "sy",
    "started_from",
    "status",
    "factorizations",
    "steps",
    "residual",
    "energy_density",
    "seconds",
];

pub(super) struct Log {
    file: File,
    path: PathBuf,
    journal: PathBuf,
}

impl Log {
    /// Begins the log; `journal` is named when it cannot be written.
    pub(super) fn create(path: &Path, journal: &Path) -> Result<Self> {
        let file = File::create(path).map_err(|e| Error::unwritable(path, e, journal))?;
        let mut log = Log { file, path: path.to_owned(), journal: journal.to_owned() };
        log.write(&LOG_COLUMNS.join("\t"))?;
        Ok(log)
    }

    pub(super) fn line(
        &mut self,
        grid: &StrainGrid,
        wave: u32,
        sweep: usize,
        task: &Task,
        solve: &Solve,
        seconds: f64,
    ) -> Result<()> {
        let [sx, sa, sy] = grid.coordinates(task.sample);
        let from = task.parent.map_or("-".to_owned(), |(sample, _)| sample.to_string());
        let (solved, status) = (&solve.0, status(&solve.0).name());
        let (factorizations, steps) = (solved.work.factorizations, solved.work.steps);
        let (residual, energy) = (solved.residual, solved.energy_density);
        let sample = task.sample;
        self.write(&format!(
            "{wave}\t{sweep}\t{sample}\t{sx}\t{sa}\t{sy}\t{from}\t{status}\t{factorizations}\t{steps}\t{residual:.3e}\t\
             {energy:.9e}\t{seconds:.4}"
        ))
    }

    /// One `write` a line: what is in the file is whole, and can be followed while the bake runs.
    fn write(&mut self, line: &str) -> Result<()> {
        let written = self.file.write_all(format!("{line}\n").as_bytes());
        written.map_err(|e| Error::unwritable(&self.path, e, &self.journal))
    }
}
