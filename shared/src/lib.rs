//! The types that both halves of Yarnwise meet in.
//!
//! Three rooms, each of which sees only those above it:
//!
//! - [`pattern`]: periodic yarn patterns, their files, yarn materials, validation, over and under; knits and weaves are
//!   made here.
//! - [`table`]: strains, grids, displacements over a grid, and the database file.
//! - [`mesh`]: triangle meshes with UVs, their report, and [`clips`](mesh::clip) of their motion, read and made.
//!
//! Beside them are [`parameters`], files of what models were estimated to be made of.
//!
//! Below them lie [`elementary`] functions with the same bits everywhere, [`file`](mod@file), [`json`], [`npy`] (NumPy's arrays), [`random`] (numbers that look random and are the same everywhere),
//! [`range`] (numbers from outside, checked), [`spline`] (cubic B-splines) and [`words`] (singular and plural).
//!
//! Everything is SI: lengths and UVs in meters, angles in radians. This crate knows no solver, no window and no GPU.
//! Readers take bytes and an *origin* (a file name for messages); they check every length before they reserve memory.
//!
//! Symbols, units, words and the papers that citations name: `docs/reference/notation.md`.

pub mod elementary;
mod error;
pub mod file;
pub mod json;
pub mod mesh;
pub mod npy;
pub mod parameters;
pub mod pattern;
pub mod random;
pub mod range;
pub mod spline;
pub mod table;
mod text;
pub mod words;

pub use error::{Error, Result};
