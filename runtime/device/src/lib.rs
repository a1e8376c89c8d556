//! What the runtime and the solvers share on a graphics device that the host owns: compiled stages, buffers within the device's limits, and its
//! failures as errors.

mod error;
mod fault;
mod memory;
mod stage_pipeline;

pub use error::{DeviceError, Result};
pub use fault::{guard, write};
pub use memory::{Memory, storage_limit};
pub use stage_pipeline::{StagePipeline, binding_type};
pub use wgpu;
