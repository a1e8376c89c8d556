//! Where a scene's yarns come from.

use crate::Result;
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
}

impl YarnsSpec {
    /// Reads them.
    pub(crate) fn load(&self, folder: &Path) -> Result<Database> {
        match self {
            YarnsSpec::Database(path) => open(&folder.join(path)),
            YarnsSpec::Pattern(path) => {
                let path = folder.join(path);
                Ok(Database::undisplaced(pattern::read(&path)?, &file::origin(&path), TOOL)?)
            }
        }
    }
}

fn open(path: &Path) -> Result<Database> {
    Ok(if path.is_dir() { model_folder::read(path, TOOL)?.database } else { database::read(path)? })
}
