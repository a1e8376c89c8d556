//! Displacements of a pattern's vertices over a grid of strains, and the files that carry them.
//!
//! - [`strain`]: fundamental forms, strains and the compression clamp.
//! - [`grid`]: the axes of a table and its interpolation.
//! - [`Displacements`]: displacements of all vertices at one sample; [`Table`]: at all samples of a grid.
//! - [`difference`]: jumps and second differences between samples; [`smoothness`]: what flickers in a table.
//! - [`region`]: regions of strain in which fabric behaves differently.
//! - [`database`]: pattern, tables and what is known about their samples, in one file.
//! - [`model_folder`]: the folders in which the reference tables were published.
//!
//! Sees [`crate::pattern`], whose vertices the displacements belong to; knows no mesh.

pub mod database;
pub mod difference;
mod displacements;
pub mod grid;
pub mod model_folder;
pub mod region;
pub mod smoothness;
pub mod strain;

pub use displacements::{Displacement, Displacements, Table};
