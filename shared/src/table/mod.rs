//! Displacements of a pattern's vertices over a grid of strains, and the files that carry them.
//!
//! - [`strain`]: fundamental forms, strains and the compression clamp.
//! - [`grid`]: the axes of a table and its interpolation.
//! - [`Table`]: displacements of all vertices at all samples of a grid; [`smoothness`]: what flickers in it.
//! - [`database`]: pattern, tables and what is known about their samples, in one file.
//! - [`model_folder`]: the folders in which the reference tables were published.
//!
//! Sees [`crate::pattern`], whose vertices the displacements belong to; knows no mesh.

pub mod database;
mod displacements;
pub mod grid;
pub mod model_folder;
pub mod smoothness;
pub mod strain;

pub use displacements::{Displacement, Table};
