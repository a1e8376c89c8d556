//! The viewer: scenes of yarns on moving cloth, in a window, as pictures, as curves.
//!
//! - [`scene`]: scene files; [`files`]: what a user's files mean; [`loaded`]: a scene with all that it names, in memory;
//!   `live`, `cloth`: where positions come from; [`strands`]: yarns that are not laid on cloth; `playback`: which moment is shown; `camera`: where it is seen from.
//! - [`export`]: yarns as curves for other programs; needs no GPU.
//! - [`gpu`], `render`: draws a loaded scene; `heat`: numbers as colors; [`headless`]: pictures as files.
//! - `app` (feature `window`, on by default): the window and its panels.
//!
//! Symbols, units, words and the papers that citations name: `docs/reference/notation.md`.

#[cfg(feature = "window")]
pub mod app;
mod camera;
#[cfg_attr(not(feature = "window"), allow(dead_code, reason = "parts of it serve the window alone"))]
mod cloth;
mod error;
pub mod export;
pub mod files;
pub mod frames;
pub mod gpu;
pub mod headless;
mod heat;
#[cfg_attr(not(feature = "window"), allow(dead_code, reason = "parts of it serve the window alone"))]
mod live;
pub mod loaded;
#[cfg_attr(not(feature = "window"), allow(dead_code, reason = "parts of it serve the window alone"))]
mod playback;
#[cfg_attr(not(feature = "window"), allow(dead_code, reason = "parts of it serve the window alone"))]
mod render;
pub mod scene;
pub mod scene_kind;
#[cfg_attr(not(feature = "window"), allow(dead_code, reason = "parts of it serve the window alone"))]
pub mod strands;

pub use error::{Error, Result};
