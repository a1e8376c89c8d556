//! Where a scene's yarns come from.

use crate::Result;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use yarnwise_shared::file;
use yarnwise_shared::pattern::{self, Pattern};
use yarnwise_shared::table::Table;
use yarnwise_shared::table::database::{self, Database, DatabaseData, SampleRecord};
use yarnwise_shared::table::grid::StrainGrid;
use yarnwise_shared::table::model_folder;

const TOOL: &str = concat!("yarnwise-view ", env!("CARGO_PKG_VERSION"));

/// Where yarns come from; paths are relative to the scene's folder.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum YarnsSpec {
    /// A database file, or a folder as the authors of the method publish them.
    Database(PathBuf),
    /// A pattern that follows the cloth as it is: nothing is looked up.
    Pattern(PathBuf),
}

impl YarnsSpec {
    /// Reads them.
    pub(crate) fn load(&self, folder: &Path) -> Result<Database> {
        match self {
            YarnsSpec::Database(path) => open(&folder.join(path)),
            YarnsSpec::Pattern(path) => {
                let path = folder.join(path);
                naive(pattern::read(&path)?, &file::origin(&path))
            }
        }
    }
}

fn open(path: &Path) -> Result<Database> {
    Ok(if path.is_dir() { model_folder::read(path, TOOL)?.database } else { database::read(path)? })
}

/// A database of no displacements.
fn naive(pattern: Pattern, origin: &str) -> Result<Database> {
    let (grid, vertices) = (StrainGrid::preset(5)?, pattern.vertices().len());
    let samples = vec![SampleRecord::IMPORTED; grid.sample_count()];
    let table = Table::new(grid, vertices, vec![[0.0; 4]; vertices * samples.len()])?;
    let (name, origin, tool) = ("not baked".into(), origin.to_owned(), TOOL.into());
    let (material, settings, bending) = (None, Default::default(), None);
    Ok(Database::new(DatabaseData { name, origin, tool, pattern, material, settings, table, samples, bending })?)
}
