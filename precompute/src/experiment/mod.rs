//! Virtual experiments on models of fabric: what is done to a fabric, what is measured, and the file that holds it
//! [MartinGarrido18, Section 1].
//!
//! - [`Experiment`]: what was measured; a JSON file.
//! - [`strains`]: the states of biaxial and sheared experiments.
//! - [`respond_all`]: the same question for all states, in parallel.
//! - [`uniaxial`]: pulled along x, free to narrow along y.
//! - [`bent`]: bent along x or y.
//! - [`pull_out`]: a yarn pulled out of its crossings.
//! - [`in_plane`]: a patch pulled along one family.
//! - [`single`]: one straight yarn.

pub mod bent;
mod data;
pub mod in_plane;
pub mod pull_out;
mod remake;
mod respond;
pub mod single;
pub mod strains;
#[cfg(test)]
mod tests;
pub mod uniaxial;

/// Coefficients of friction that are possible.
pub const FRICTION: [f64; 2] = [0.0, 2.0];

pub use data::{Axis, Bent, EXTENSION, Experiment, Kind, Load, Pull, VERSION};
pub use respond::{Tick, respond_all};
