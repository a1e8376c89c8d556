//! What measures and draws: the one crate that sees the bake and the runtime.
//!
//! - [`compare`]: sample sets side by side.
//! - [`report`]: figures that show how good a bake is.
//! - [`persistent`]: persistent contacts as a model of fabric.
//! - [`plot`]: small plots as SVG.
//! - [`experiment`]: experiments on models of fabric as tables, plots and pictures.
//! - [`draw`]: pictures of patterns.
//!
//! Symbols, units, words and the papers that citations name: `docs/reference/notation.md`.

pub mod compare;
pub mod draw;
mod error;
pub mod experiment;
pub mod persistent;
pub mod plot;
pub mod report;

pub use error::{Error, Result};
