//! Segments and angles, mass, and the inertia of sliding yarn.

mod angle;
mod mass;
mod segment;

pub use angle::Angle;
pub use mass::{EndVelocities, kinetic_energy, kinetic_gradient, momenta};
pub use segment::Segment;
