//! Elastic equilibria of periodic yarn patterns, and the databases made of them.
//!
//! - `rod`: stretch, bend and twist of discrete elastic rods.
//! - `contact`: contact of two segments of yarn.
//! - [`cell`]: one period of the fabric: kinematics, energy, constraints.
//! - [`midsurface`]: the surface of a bent cell.
//! - [`equilibrium`]: the solver.
//! - `sparse`: symmetric sparse matrices and their factors; [`newton`]: Newton's method for points in space.
//! - [`fabric`]: what a model of fabric says of a strain, in one form for all models.
//! - [`relax`]: the rest state of a pattern; [`gauge`]: how many threads or loops it has to a length.
//! - [`sampling`]: a grid of strains, sampled by continuation.
//! - [`bake`]: equilibria over a grid of strains, and the database made of them.
//! - [`baked`]: a database as a model of fabric.
//! - [`job`]: long jobs that survive interruption.
//!
//! Symbols, units, words and the papers that citations name: `docs/reference/notation.md`.

pub mod bake;
pub mod baked;
pub mod cell;
mod contact;
pub mod equilibrium;
mod error;
pub mod fabric;
pub mod gauge;
pub mod job;
pub mod midsurface;
pub mod newton;
#[cfg(test)]
mod physics_tests;
pub mod relax;
mod rod;
pub mod sampling;
mod sparse;

pub use error::{Error, Result};
