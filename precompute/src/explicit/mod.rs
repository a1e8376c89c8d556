//! Yarns that rub, are pulled, fall and are held: finite or periodic fabric of B-spline yarns with friction, loads and mass
//! [MartinGarrido18, Section 3].
//!
//! - [`Body`]: yarns with all that acts on them.
//! - [`friction`]: lagged Coulomb friction, and the viscous potential of the paper.
//! - [`Cylinder`]: something round and rigid to pull yarns over.
//! - [`QuasiStatics`]: equilibria one after the other, with anchors that friction keeps.
//! - [`Dynamics`]: implicit steps in time.
//! - [`patch`]: finite fabric cut from a periodic cell.

mod anchors;
mod body;
pub mod friction;
mod mass;
mod motion;
mod obstacle;
pub mod patch;
mod statics;
mod step;
#[cfg(test)]
mod tests;

pub use body::{Body, Friction};
pub use mass::MassKind;
pub use obstacle::Cylinder;
pub use statics::{Balanced, QuasiStatics};
pub use step::{Dynamics, StepOptions, StepReport};
