//! The log of a bake: a table with one line per solve, columns separated by tabs.
//!
//! It is written anew from the journal when a bake resumes, so no solve is missing and none is there twice.

use super::collect::status;
use crate::equilibrium::Solved;
use crate::sampling::{BentAlong, Task};
use crate::{Error, Result};
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};

/// The columns: wave and round (0 the first time, then the number of the round that retried it, after the last polishing), the sample and its
/// strains, the sample it started from (`-` for the affine state), how it ended, factorizations, steps, residual, energy
/// density in J/m^2, core-seconds; then along which direction the sample is bent (`-` in the plane), the curvature in 1/m and
/// what the pullback missed in m. Bent samples are numbered in their own table.
pub const LOG_COLUMNS: [&str; 16] = [
    "wave",
    "round",
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
    "bent",
    "curvature",
    "pullback",
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
        wave: u32,
        task: &Task,
        place: &LoggedSample,
        solved: &Solved,
        seconds: f64,
    ) -> Result<()> {
        let Task { sample, parent, round } = task;
        let [sx, sa, sy] = place.strain;
        let (bent, curvature) = place.bent.map_or(("-", 0.0), |(along, curvature)| (along.name(), curvature));
        let from = parent.map_or("-".to_owned(), |(sample, _)| sample.to_string());
        let status = status(solved).name();
        let (factorizations, steps) = (solved.work.factorizations, solved.work.steps);
        let (residual, energy, pullback) = (solved.residual, solved.energy_density, solved.pullback_residual);
        self.write(&format!(
            "{wave}\t{round}\t{sample}\t{sx}\t{sa}\t{sy}\t{from}\t{status}\t{factorizations}\t{steps}\t{residual:.3e}\t\
             {energy:.9e}\t{seconds:.4}\t{bent}\t{curvature}\t{pullback:.1e}"
        ))
    }

    /// One `write` a line: what is in the file is whole, and can be followed while the bake runs.
    fn write(&mut self, line: &str) -> Result<()> {
        let written = self.file.write_all(format!("{line}\n").as_bytes());
        written.map_err(|e| Error::unwritable(&self.path, e, &self.journal))
    }
}

/// Where a sample lies.
pub(super) struct LoggedSample {
    strain: [f64; 3],
    /// Along which direction it is bent, and the curvature, 1/m.
    bent: Option<(BentAlong, f64)>,
}

impl LoggedSample {
    /// At these coordinates of its grid.
    pub(super) fn new<const N: usize>(bent: Option<BentAlong>, coordinates: [f64; N]) -> Self {
        let at = |k: usize| coordinates.get(k).copied().unwrap_or(0.0);
        LoggedSample { strain: [0, 1, 2].map(at), bent: bent.map(|along| (along, at(3))) }
    }
}
