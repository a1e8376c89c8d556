//! Woven cloth at the yarn level \[Cirio14\].
//!
//! A node i has q_i = (x_i, u_i, v_i): a position in space, and the arc coordinates of the warp and of the weft that are at x_i
//! now. That a yarn slides through its crossing is a change of u_i or v_i; warp and weft stay in contact. `docs/guide/yarns.md` is
//! the guide, `docs/reference/notation.md` lists symbols and units.
//!
//! In the order in which they build on each other: [`material`], [`model`] (nodes, links, layouts), [`kinematics`] (segments,
//! angles, mass), [`force`] (one energy a file), [`friction`], `state`, [`crossing`] (compression F_n), [`system`] (rows, operator,
//! preconditioners), `change` (yarns leave crossings, are resampled, break), `simulation` (steps, pins, bodies), [`polyline`] (center
//! lines), [`scene`] (files).
//!
//! The crossing model is claimed by patents, see `NOTICE`; the cargo feature `yarn-level` leaves it out of hosts that must not contain
//! it.

mod blend;
mod carry;
pub mod cell;
mod change;
pub mod checkpoint;
pub mod crimp;
pub mod crossing;
#[cfg(feature = "gpu")]
pub mod device;
mod energy;
pub mod force;
pub mod friction;
mod guard;
pub mod kinematics;
pub mod material;
pub mod model;
mod node_state;
mod options;
mod parameters;
pub mod polyline;
pub mod scene;
pub mod self_contact;
mod simulation;
mod state;
mod step;
pub mod system;
mod values;

pub use blend::{Blend, ElementWeights};
pub(crate) use carry::carry;
pub use change::YarnChanges;
pub use energy::YarnEnergies;
pub(crate) use guard::{Rejection, check};
pub use material::{CrimpMaterial, YarnMaterial};
pub(crate) use node_state::{drag_anchors, own_filter, position_part};
pub(crate) use options::fault_of;
pub use options::{Damping, Inertia, Method, Precision, YarnOptions, YarnPreconditioner};
pub use simulation::{Reaction, YarnPin, YarnSimulation};
pub use state::State;
pub use step::YarnStepReport;
pub(crate) use step::{ACCEPTABLE, NEGLIGIBLE, SMALL_MOTION};
pub use values::YarnValues;
