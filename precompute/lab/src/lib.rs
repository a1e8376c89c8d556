//! What measures and draws: the one crate that sees the bake and the runtime.
//!
//! - [`compare`]: sample sets side by side.
//! - [`report`]: figures that show how good a bake is.
//! - [`persistent`]: persistent contacts as a model of fabric.
//! - [`plot`]: small plots as SVG.
//! - [`experiment`]: experiments on models of fabric as tables, plots and pictures.
//! - [`draw`]: pictures of patterns.
//! - [`woven_sheet`]: woven cloth of the yarn solver as data for estimates.
//!
//! Symbols, units, words and the papers that citations name: `docs/reference/notation.md`.

pub mod compare;
pub mod draw;
mod error;
pub mod experiment;
mod page;
pub mod persistent;
pub mod plot;
pub mod report;
pub mod woven_sheet;

pub use error::{Error, Result};
