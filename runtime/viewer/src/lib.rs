//! The viewer: scenes of yarns on moving cloth, in a window, as pictures, as curves.
//!
//! - [`scene`]: scene files; [`stage`]: a loaded scene; [`source`]: where positions come from; [`playback`]: which moment
//!   is shown; [`camera`]: where it is seen from.
//! - [`export`]: yarns as curves for other programs; needs no GPU.
//! - [`gpu`], [`render`]: draws a stage; [`heat`]: numbers as colors; [`headless`]: pictures as files.
//!
//! Symbols, units, words and the papers that citations name: `docs/reference/notation.md`.

#[cfg(feature = "window")]
pub mod app;
pub mod camera;
mod error;
pub mod export;
pub mod frames;
pub mod gpu;
pub mod headless;
pub mod heat;
pub mod open;
pub mod playback;
pub mod render;
pub mod scene;
pub mod source;
pub mod stage;

pub use error::{Error, Result};
