//! The types that both halves of Yarnwise meet in.
//!
//! - [`pattern`]: periodic yarn patterns, their files, validation, over and under; knitted and woven ones are made.
//! - [`strain`]: fundamental forms, strains and the compression clamp.
//! - [`grid`]: the axes of a strain table and its interpolation.
//! - [`table`]: displacements of a pattern's vertices over a grid.
//! - [`database`]: pattern, tables and what is known about their samples, in one file.
//! - [`model_folder`]: the folders in which the reference tables were published; [`npy`]: NumPy's arrays.
//! - [`random`]: numbers that look random and are the same everywhere.
//! - [`smoothness`]: what flickers in a table.
//! - [`gpu`]: the plain structs that CPU stages and shaders share.
//! - [`mesh`], [`clip`]: triangle meshes with UVs and their animations.
//!
//! Everything is SI: lengths and UVs in metres, angles in radians. This crate knows no solver, no window and no GPU.
//! Readers take bytes and an *origin* (a file name for messages); they check every length before they reserve memory.

pub mod clip;
pub mod database;
mod error;
pub mod file;
pub mod gpu;
pub mod grid;
pub mod material;
pub mod mesh;
pub mod model_folder;
pub mod npy;
pub mod pattern;
pub mod random;
pub mod smoothness;
pub mod strain;
pub mod table;
mod text;

pub use error::{Error, Result};
