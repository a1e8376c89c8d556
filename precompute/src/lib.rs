//! Elastic equilibria of periodic yarn patterns, and the databases made of them.
//!
//! - `rod`: stretch, bend and twist of discrete elastic rods.
//! - `contact`: contact of two segments of yarn.
//! - [`cell`]: one period of the fabric: kinematics, energy, constraints.
//! - [`midsurface`]: the surface of a bent cell.
//! - [`equilibrium`]: the solver.
//! - `sparse`: symmetric sparse matrices and their factors; [`newton`]: Newton's method for points in space.
//! - [`spline`]: yarns as smooth curves with explicit contact.
//! - [`explicit`]: the same with friction, loads and mass, in finite patches too, at rest and in motion.
//! - [`experiment`]: what is done to models of fabric, what is measured, and the file that holds it.
//! - [`fabric`]: what a model of fabric says of a strain, in one form for all models.
//! - [`estimate`]: which parameters make a model behave as measured.
//! - [`relax`]: the rest state of a pattern; [`gauge`]: how many threads or loops it has to a length.
//! - [`solid`]: yarns as elastic solids.
//! - [`sampling`]: a grid of strains, sampled by continuation.
//! - [`bake`]: equilibria over a grid of strains, and the database made of them.
//! - [`baked`]: a database as a model of fabric.
//! - [`campaign`]: many bakes in one file.
//! - [`estimate`]: which parameters make a model behave as measured.
//! - [`job`]: long jobs that survive interruption.
//! - [`vector`]: the vector instructions in use.
//!
//! Symbols, units, words and the papers that citations name: `docs/reference/notation.md`.

pub mod bake;
pub mod baked;
pub mod campaign;
pub mod cell;
mod contact;
pub mod equilibrium;
mod error;
pub mod estimate;
pub mod experiment;
pub mod explicit;
pub mod fabric;
mod faults;
pub mod gauge;
pub mod job;
pub mod midsurface;
pub mod newton;
#[cfg(test)]
mod physics_tests;
pub mod relax;
mod rod;
pub mod sampling;
pub mod solid;
mod sparse;
pub mod spline;
pub mod vector;

pub use error::{Error, Result};
