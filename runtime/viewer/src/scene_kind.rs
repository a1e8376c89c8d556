//! Which solver a scene file is for.

use crate::Result;
use std::path::Path;
use yarnwise_shared::file::{self, origin};

/// Which solver a scene is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SceneKind {
    /// That of cloth, or none.
    Cloth,
    /// That of woven yarns: a rectangle or panels are woven.
    Yarns,
    /// That of yarns and triangles: it has a region.
    Hybrid,
}

/// Which solver a scene is for, by what it says. An error where it cannot be read, or is no JSON.
pub fn scene_kind(path: &Path) -> Result<SceneKind> {
    let bytes = file::read(path, 16 << 20, file::json)?;
    let value: serde_json::Value = serde_json::from_slice(&bytes).map_err(|e| {
        let (text, cure) = (
            e.to_string(),
            if e.is_eof() {
                "the scene is cut off"
            } else {
                "a scene is JSON, without NaN, comments and trailing commas"
            },
        );
        let reason = text.rfind(" at line ").map_or(text.as_str(), |at| &text[..at]);
        yarnwise_shared::Error::text(&origin(path), e.line(), format!("column {}: {reason}: {cure}", e.column()))
    })?;
    let woven = |name| value["cloth"].get(name).is_some();
    Ok(match value.get("yarns") {
        Some(_) => SceneKind::Cloth,
        None if value.get("region").is_some() => SceneKind::Hybrid,
        None if woven("sheet") || woven("garment") => SceneKind::Yarns,
        None => SceneKind::Cloth,
    })
}
