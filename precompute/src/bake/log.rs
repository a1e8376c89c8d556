//! The log of a bake: a table with one line per solve, columns separated by tabs.
//!
//! It is written anew from the journal when a bake resumes, so no solve is missing and none is there twice.

use super::Bake;
use super::bending::bending_grid;
use super::collect::status;
use super::plan::BakeTask;
use crate::equilibrium::Solved;
use crate::{Error, Result};
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use yarnwise_shared::table::strain::Strain;

/// The columns: wave and sweep (0 the first time, then the number of the sweep that retried it), the sample and its
/// strains, the sample it started from (`-` for the affine state), how it ended, factorizations, steps, residual, energy
/// density in J/m^2, core-seconds; then along which direction the sample is bent (`-` in the plane), the curvature in 1/m and
/// what the pullback missed in m. Bent samples are numbered in their own table.
pub const LOG_COLUMNS: [&str; 16] = [
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
        bake: &Bake,
        wave: u32,
        task: &BakeTask,
        solved: &Solved,
        seconds: f64,
    ) -> Result<()> {
        let SampleOfTask { sample, strain: Strain { sx, sa, sy }, curvature, from, sweep, bent } =
            SampleOfTask::new(bake, task);
        let from = from.map_or("-".to_owned(), |sample| sample.to_string());
        let status = status(solved).name();
        let (factorizations, steps) = (solved.work.factorizations, solved.work.steps);
        let (residual, energy, pullback) = (solved.residual, solved.energy_density, solved.pullback_residual);
        self.write(&format!(
            "{wave}\t{sweep}\t{sample}\t{sx}\t{sa}\t{sy}\t{from}\t{status}\t{factorizations}\t{steps}\t{residual:.3e}\t\
             {energy:.9e}\t{seconds:.4}\t{bent}\t{curvature}\t{pullback:.1e}"
        ))
    }

    /// One `write` a line: what is in the file is whole, and can be followed while the bake runs.
    fn write(&mut self, line: &str) -> Result<()> {
        let written = self.file.write_all(format!("{line}\n").as_bytes());
        written.map_err(|e| Error::unwritable(&self.path, e, &self.journal))
    }
}

/// The sample that a task solves.
struct SampleOfTask {
    sample: usize,
    strain: Strain<f64>,
    /// 1/m.
    curvature: f64,
    from: Option<usize>,
    sweep: usize,
    bent: &'static str,
}

impl SampleOfTask {
    fn new(bake: &Bake, task: &BakeTask) -> Self {
        match (task, &bake.curvatures) {
            (BakeTask::Bent(task), Some(curvatures)) => {
                let (strain, curvature) = bending_grid(&bake.grid, curvatures).bent_strain(task.sample);
                let bent = task.along.name();
                SampleOfTask { sample: task.sample, strain, curvature, from: task.parent, sweep: 0, bent }
            }
            (BakeTask::Bent(task), None) => unreachable!("{task:?} without curvatures"),
            (BakeTask::Flat(task), _) => SampleOfTask {
                sample: task.sample,
                strain: bake.grid.strain(task.sample),
                curvature: 0.0,
                from: task.parent.map(|(sample, _)| sample),
                sweep: task.sweep,
                bent: "-",
            },
        }
    }
}
