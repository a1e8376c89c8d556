//! The draft of a scene.

use crate::Result;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use yarnwise_shared::file;
use yarnwise_shared::pattern::weave::Draft;

/// Largest file of a draft, bytes.
const MAX_BYTES: u64 = 1 << 20;

/// Which yarn is on top at each crossing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DraftSpec {
    /// One that everybody knows, by name: plain, twill, satin, basket.
    Preset(String),
    /// As text: rows of 1 (warp over weft) and 0 with `/` between them, the topmost weft first.
    Text(String),
    /// A text file of such rows, relative to the scene's folder.
    File(PathBuf),
}

impl Default for DraftSpec {
    fn default() -> Self {
        DraftSpec::Preset("plain".into())
    }
}

impl DraftSpec {
    /// The draft; files are looked for in `folder`.
    pub(crate) fn load(&self, folder: &Path) -> Result<Draft> {
        let text = self.text(folder)?;
        Ok(if let DraftSpec::Preset(_) = self { Draft::preset(&text)? } else { Draft::parse(&text)? })
    }

    /// The name of a preset, or the rows of a draft; those of a file are checked.
    pub(crate) fn text(&self, folder: &Path) -> Result<String> {
        let DraftSpec::File(file) = self else { return Ok(self.typed().unwrap_or_default().to_owned()) };
        let path = folder.join(file);
        let text = String::from_utf8_lossy(&file::read(&path, MAX_BYTES, file::text)?).into_owned();
        let here = |e| yarnwise_shared::Error::invalid(file::origin(&path), format!("{e}"));
        Draft::parse(&text).map_err(here)?;
        Ok(text)
    }

    /// What the scene itself says: the name of a preset, or rows.
    pub(crate) fn typed(&self) -> Option<&str> {
        match self {
            DraftSpec::Preset(text) | DraftSpec::Text(text) => Some(text),
            DraftSpec::File(_) => None,
        }
    }

    /// The file it is read from.
    pub(crate) fn file(&self) -> Option<&Path> {
        match self {
            DraftSpec::File(file) => Some(file),
            DraftSpec::Preset(_) | DraftSpec::Text(_) => None,
        }
    }

    /// What is wrong, if anything.
    pub(crate) fn fault(&self) -> Option<String> {
        match self {
            DraftSpec::File(_) => None,
            known => known.load(Path::new("")).err().map(|e| e.to_string()),
        }
    }
}
