//! The GPU path: every stage of a frame as a compute pass on the host's device.
//!
//! The host owns device, queue, encoder and pass. Three kinds of things, as everywhere: [`YarnPipelines`] once per
//! device, [`YarnState`] once per garment, [`FrameParams`](crate::FrameParams) once per frame.
//!
//! ```text
//! let pipelines = YarnPipelines::new(&device, &PipelineOptions::default())?;
//! let mut yarns = YarnState::new(&device, &queue, &pipelines, &layout, &database, &StateOptions::default())?;
//! yarns.prepare(&queue, &FrameParams { positions, ..Default::default() })?;   // or prepare_with_buffer
//! pipelines.encode(&mut encoder, &yarns)?;                                    // compute, no submit
//! for part in yarns.parts() { pass.set_vertex_buffer(0, part.vertex_buffer().slice(..)); ... }
//! ```
//!
//! Within a frame nothing is submitted, read back, waited for or (except for wgpu's own staging of the uploads) allocated.
//!
//! **Failures are errors.** A lost device, a lack of memory and sizes beyond the device's limits are returned as
//! [`Error`](crate::Error); nothing here panics because of the device. wgpu reports a lost device only to the
//! host's own callback; `prepare` detects it because its upload cannot be staged. In a browser, where errors are
//! reported after the call, they reach the host's error callback instead.
//!
//! **Limits.** With wgpu's default limits (8 storage buffers a stage, 128 MiB a binding, 65,535 workgroups a dimension)
//! yarn vertices come in parts of at most 5.6 million; the mesh may have 381,300 faces.
//!
//! **Positions in a host's own buffer** cannot be checked before they are used: what is not finite counts as 0, what is
//! beyond a million meters is cut.

mod bisect;
mod buffers;
mod chunk;
pub(crate) mod fault;
mod pipelines;
mod record;
mod state;
mod table;

pub use bisect::STAGES;
pub use chunk::{Chunk, chunks, part_capacity};
pub use pipelines::{PipelineOptions, YarnPipelines};
pub use state::{Part, StateOptions, Traffic, YarnState};
pub use table::TablePrecision;
