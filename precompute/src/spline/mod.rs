//! B-spline yarns with explicit contact [MartinGarrido18, Section 3; Kaldor08]: yarns as smooth curves whose control points are
//! the unknowns.
//!
//! - [`Curve`], [`Station`]: curves, and places on them.
//! - `stretch`, `bend`, `contact`: one energy a file.
//! - [`Yarns`]: yarns with their integration points; energy, forces and stiffness.
//! - [`Contacts`]: which points may touch.
//! - [`SplineCell`]: one period of fabric, as a [`crate::fabric::Fabric`]; on a cylinder under a [`Bend`].
//!
//! There is no twist: yarns are round, straight at rest and free to turn. The paper puts one integration point in the middle of each
//! interval; with one a span, alternating curvature is not seen, so there are two Gauss points a span here.

mod bend;
mod bent;
mod cell;
mod contact;
mod contacts;
mod curve;
mod fabric;
mod gauge;
mod objective;
mod passes;
mod place;
mod search;
mod settings;
mod stretch;
#[cfg(test)]
mod tests;
mod virial;
mod yarns;

pub use bent::{Bend, BentState};
pub use cell::{SplineCell, SplineState};
pub use contacts::Contacts;
pub use curve::{Curve, Station, interpolate_closed, interpolate_open};
pub use place::Place;
pub(crate) use place::{rates, stretch_of};
pub use settings::SplineSettings;
pub use yarns::{ContactPoint, ElasticPoint, SplineEnergy, Yarns};
