//! Contact of moving particles with bodies and with each other. Knows positions, not what they are made of: cloth, yarns and
//! hybrids use it alike.
//!
//! A particle that would enter a body is stopped on its surface and from then on held there by a constraint of the
//! filtered solve, until the force of that constraint pulls instead of pushing [Boxerman03, §3.4.2]. Differs from
//! the thesis: its particles are detected once they are inside; ours are stopped by a walk along their path, so that a
//! thin table stops a fast particle as well.
//!
//! In the order in which they build on each other: [`DistanceGrid`], [`Shape`], [`Body`], the path of a particle
//! (`sweep`), the state of a contact (`friction`), where particles are stopped (`surroundings`), and the constraints of a
//! step (`step_constraints`). Yarns have friction of their own (`grip`). [`SpatialHash`] finds close pairs of particles.

mod body;
mod distance_grid;
mod friction;
#[cfg(feature = "yarn-level")]
mod grip;
mod shape;
mod spatial_hash;
mod step_constraints;
mod surroundings;
mod sweep;

pub use body::{Body, Friction};
pub use distance_grid::DistanceGrid;
#[cfg(feature = "yarn-level")]
pub(crate) use friction::Grip;
pub(crate) use friction::{Contact, Contacts, Mode, REST_SPEED};
#[cfg(feature = "yarn-level")]
pub(crate) use grip::{GripImpulse, Gripped};
pub use shape::Shape;
pub use spatial_hash::SpatialHash;
pub(crate) use step_constraints::StepConstraints;
pub(crate) use surroundings::Surroundings;
pub(crate) use sweep::{BodyPath, Hit};
