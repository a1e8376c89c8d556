//! Contact of cloth with bodies and with itself.
//!
//! A particle that would enter a body is stopped on its surface and from then on held there by a constraint of the
//! filtered solve, until the force of that constraint pulls instead of pushing [Boxerman03, §3.4.2]. Differs from
//! the thesis: its particles are detected once they are inside; ours are stopped by a walk along their path, so that a
//! thin table stops a fast particle as well.

mod body;
mod distance_grid;
mod friction;
mod shape;
mod spatial_hash;
mod sweep;

pub use body::{Body, Friction};
pub use distance_grid::DistanceGrid;
pub(crate) use friction::{Contact, Contacts, Mode, react};
pub use shape::Shape;
pub use spatial_hash::{SelfContact, SpatialHash};
pub(crate) use sweep::{BodyPath, Hit};
