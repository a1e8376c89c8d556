//! A sample set, and what it costs.

use crate::Result;
use std::path::{Path, PathBuf};
use yarnwise_precompute::bake::{log_path, read_log};
use yarnwise_shared::Error;
use yarnwise_shared::table::database::{self, Database, SampleStatus};
use yarnwise_shared::table::model_folder;

/// A database or published folder, open.
#[derive(Clone, Debug)]
pub struct Set {
    /// What it is called in the report.
    pub name: String,
    /// Where it was read from.
    pub path: PathBuf,
    /// What it holds.
    pub database: Database,
    /// Bytes that its file or files take.
    pub disk_bytes: u64,
    /// Seconds that all its solves took together, where the bake's log is beside the file.
    pub bake_seconds: Option<f64>,
}

/// What a set is and costs.
#[derive(Clone, Debug, serde::Serialize)]
pub struct Cost {
    /// What it is called.
    pub name: String,
    /// Samples along sx, sa and sy.
    pub axes: [usize; 3],
    /// All in-plane samples.
    pub samples: usize,
    /// Those that are no equilibrium.
    pub failed: usize,
    /// Vertices of the pattern.
    pub vertices: usize,
    /// Bytes of the in-plane table as plain numbers.
    pub memory_bytes: u64,
    /// Bytes of the file or folder.
    pub disk_bytes: u64,
    /// Core-seconds of the bake, where they are known.
    pub bake_seconds: Option<f64>,
}

impl Set {
    /// Reads a database file, or a folder as \[Sperl21\]'s tables are published. `tool` names the program that imports.
    pub fn read(path: &Path, tool: &str) -> Result<Self> {
        let (database, disk_bytes) = if path.is_dir() {
            (model_folder::read(path, tool)?.database, folder_bytes(path)?)
        } else {
            let bytes = path.metadata().map_err(|e| Error::io(path, e))?.len();
            (database::read(path)?, bytes)
        };
        let name = path.file_stem().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
        Ok(Set { name, path: path.to_owned(), database, disk_bytes, bake_seconds: bake_seconds(path) })
    }

    /// Reads several; names that two sets share get a number.
    pub fn read_all(paths: &[PathBuf], tool: &str) -> Result<Vec<Self>> {
        let mut sets: Vec<Set> = paths.iter().map(|path| Set::read(path, tool)).collect::<Result<_>>()?;
        for i in 0..sets.len() {
            let same = |j: &usize| paths[*j].file_stem() == paths[i].file_stem();
            if (0..sets.len()).filter(same).count() > 1 {
                let number = (0..=i).filter(same).count();
                sets[i].name += &format!(" ({number})");
            }
        }
        Ok(sets)
    }

    /// Yarn radius, meters.
    pub fn radius(&self) -> f64 {
        self.database.pattern().radius()
    }

    /// What it is and costs.
    pub fn cost(&self) -> Cost {
        let table = self.database.table();
        Cost {
            name: self.name.clone(),
            axes: table.grid().0.each_ref().map(|axis| axis.len()),
            samples: table.grid().sample_count(),
            failed: self.database.samples().iter().filter(|s| SampleStatus::failed(s.status)).count(),
            vertices: table.vertices(),
            memory_bytes: size_of_val(table.values()) as u64,
            disk_bytes: self.disk_bytes,
            bake_seconds: self.bake_seconds,
        }
    }
}

/// The bytes of all files in a folder and the folders in it.
fn folder_bytes(folder: &Path) -> Result<u64> {
    let mut sum = 0;
    for entry in folder.read_dir().map_err(|e| Error::io(folder, e))? {
        let entry = entry.map_err(|e| Error::io(folder, e))?;
        let metadata = entry.metadata().map_err(|e| Error::io(&entry.path(), e))?;
        // Links may lead anywhere, also back here.
        sum += match (metadata.is_symlink(), metadata.is_dir()) {
            (true, _) => 0,
            (_, true) => folder_bytes(&entry.path())?,
            _ => metadata.len(),
        };
    }
    Ok(sum)
}

/// The processor time of all solves in the log beside a database. A log that is no log tells nothing.
fn bake_seconds(path: &Path) -> Option<f64> {
    read_log(&log_path(path)).ok().filter(|log| log.solves > 0).map(|log| log.core_seconds)
}
