//! Yarns and triangles on a graphics device: every step in compute stages, on the host's device [Casafranca20, §5].
//!
//! The host owns device, queue and encoder. Three kinds of things, as for yarns alone: [`HybridPipelines`] once per device,
//! [`HybridSolverState`] once per cloth, [`HybridSolverState::prepare`] once per frame.
//!
//! ```text
//! let pipelines = HybridPipelines::new(&device)?;
//! let cloth = HybridSolverState::new(&device, &queue, &pipelines, &simulation)?;
//! let output = cloth.output(&queue)?;
//! cloth.prepare(&queue, 1.0 / 60.0, &targets)?;        // where what is pinned is to be at the end of the frame
//! cloth.encode(&mut encoder, &Effort::default())?;     // compute, no submit
//! cloth.encode_output(&mut encoder, &output)?;         // positions for a renderer
//! ```
//!
//! **Unknowns** are the positions of yarn nodes with their arc coordinates, and of the vertices of triangles alone; hybrid vertices follow
//! their nodes, v = K⁻¹Bᵀp, so that no filter is needed:
//!
//!   A = A_p + Eᵀ A_v E,   P⁻¹ = M_p⁻¹ − M_p⁻¹ B G⁻¹ Bᵀ M_p⁻¹,   G = K M_v⁻¹ K + Bᵀ M_p⁻¹ B
//!
//! which has the iterates of the filtered system with the paper's preconditioner [Casafranca20, Eq. 11-15]. K⁻¹ and G⁻¹ are dense and made
//! on the CPU. Nothing of A_p is stored but the weights of corners; triangles, which are few, have their tangents.
//!
//! Within a frame nothing is submitted, read back or waited for: the scalars of conjugate gradients, the length of steps and whether a step is
//! taken stay on the device. A step is halved where the solve does not converge, a strain changes by more than a tenth or a number is
//! non-finite, and doubled after 20 good ones; anchors of friction move only with a step that is taken.
//!
//! **What it does not do.** Bodies, forces on nodes, the dead load, more than one iteration of Newton's method, tables and springs as triangle
//! models are for the CPU; [`HybridSolverState::new`] refuses what would be left out silently.

mod coarse;
mod cost;
mod pack;
mod pipelines;
mod record;
mod shell;
mod state;

pub use crate::yarn::device::{Effort, FixedPoint};
pub use cost::HybridCost;
pub use pack::PackedHybrid;
pub use pipelines::HybridPipelines;
pub use shell::PackedShell;
pub use state::{HybridOutput, HybridSolverState};
pub use yarnwise_device::{DeviceError, wgpu};
