//! Where a scene's yarns come from.

use crate::strands::MovingStrands;
use crate::{Error, Result};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use yarnwise_shared::file;
use yarnwise_shared::pattern;
use yarnwise_shared::table::database::{self, Database};
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
    /// A yarn scene (`docs/reference/yarn-scenes.md`), simulated yarn by yarn while it is looked at; needs no cloth.
    Simulation(PathBuf),
    /// A cache of simulated yarns (`docs/reference/yarn-cache.md`); needs no cloth.
    Cache(PathBuf),
}

impl YarnsSpec {
    /// Whether they lie on cloth.
    pub fn is_laid(&self) -> bool {
        matches!(self, YarnsSpec::Database(_) | YarnsSpec::Pattern(_))
    }

    /// The file.
    pub fn file(&self) -> &Path {
        match self {
            YarnsSpec::Database(path)
            | YarnsSpec::Pattern(path)
            | YarnsSpec::Simulation(path)
            | YarnsSpec::Cache(path) => path,
        }
    }

    /// The same yarns from another file.
    pub(crate) fn with_file(&self, file: PathBuf) -> Self {
        match self {
            YarnsSpec::Database(_) => YarnsSpec::Database(file),
            YarnsSpec::Pattern(_) => YarnsSpec::Pattern(file),
            YarnsSpec::Simulation(_) => YarnsSpec::Simulation(file),
            YarnsSpec::Cache(_) => YarnsSpec::Cache(file),
        }
    }

    /// Reads those that do not lie on cloth.
    pub(crate) fn strands(&self, folder: &Path) -> Result<Option<MovingStrands>> {
        match self {
            YarnsSpec::Database(_) | YarnsSpec::Pattern(_) => Ok(None),
            YarnsSpec::Simulation(path) => MovingStrands::simulated(&folder.join(path)).map(Some),
            YarnsSpec::Cache(path) => MovingStrands::cached(&folder.join(path)).map(Some),
        }
    }

    /// Reads those that lie on cloth.
    pub(crate) fn load(&self, folder: &Path) -> Result<Database> {
        match self {
            YarnsSpec::Database(path) => open(&folder.join(path)),
            YarnsSpec::Pattern(path) => {
                let path = folder.join(path);
                Ok(Database::undisplaced(pattern::read(&path)?, &file::origin(&path), TOOL)?)
            }
            YarnsSpec::Simulation(path) | YarnsSpec::Cache(path) => {
                Err(Error::Request(format!("{}: simulated yarns do not lie on cloth", path.display())))
            }
        }
    }
}

fn open(path: &Path) -> Result<Database> {
    Ok(if path.is_dir() { model_folder::read(path, TOOL)?.database } else { database::read(path)? })
}
