//! Woven yarns on a graphics device: every step in compute stages, on the host's device.
//!
//! The host owns device, queue and encoder. Three kinds of things, as in the runtime: [`YarnSolverPipelines`] once per device,
//! [`YarnSolverState`] once per cloth, [`YarnSolverState::prepare`] once per frame.
//!
//! ```text
//! let pipelines = YarnSolverPipelines::new(&device)?;
//! let mut yarns = YarnSolverState::new(&device, &queue, &pipelines, &simulation)?;
//! yarns.prepare(&queue, 1.0 / 60.0, &targets)?;        // where pinned nodes are to be at the end of the frame
//! yarns.encode(&mut encoder, &Effort::default())?;     // compute, no submit
//! ```
//!
//! Within a frame nothing is submitted, read back or waited for: the scalars of conjugate gradients, the length of steps and whether a
//! step is taken stay on the device. A fixed number of attempts and iterations is recorded; what is not needed does nothing.
//!
//! **Numbers.** Positions and arc coordinates are in fixed point (see [`FixedPoint`]), so differences of neighbors are exact wherever the cloth
//! is; everything else has 32 bits. A has no matrix: rows are computed again from the directions of segments. No atomics; sums are in an
//! order that depends on the number of nodes alone.
//!
//! **What it does not do.** Bodies, self-contact, changes of topology, external forces, lagged damping and preconditioners other than blocks are
//! for the CPU; [`YarnSolverState::new`] refuses what would be left out silently. The CPU's solver in 64 bits is the oracle.

mod pack;
mod pipelines;
mod state;

pub use pack::{FixedPoint, PackedNodes, params};
pub use pipelines::YarnSolverPipelines;
pub use state::{BYTES_PER_NODE, Effort, YarnSolverState};
pub use yarnwise_device::{DeviceError, wgpu};
