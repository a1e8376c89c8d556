//! Yarns on an animated triangle mesh [Sperl21, Section 4].
//!
//! - [`YarnLayout`]: a pattern laid over a mesh's UV plane, once per garment.
//! - [`CpuYarns`]: the CPU path: strains of the mesh and positions of the yarns, each frame.
//! - `gpu` (feature `gpu`, on by default): the same on the host's graphics device, through wgpu.
//! - `draw` (same feature): the yarns as tubes on screen, in a pass of the host's.
//!
//! The library opens no window, prints nothing and starts no threads of its own (it uses the current rayon pool). It
//! creates no device, submits nothing and reads nothing back in a frame.
//!
//! Symbols, units, words and the papers that citations name: `docs/reference/notation.md`.

mod cpu;
#[cfg(feature = "gpu")]
pub mod draw;
mod error;
#[cfg(feature = "gpu")]
pub mod gpu;
mod layout;
mod options;
mod params;

pub use cpu::CpuYarns;
pub use error::{Error, Result};
#[cfg(feature = "gpu")]
pub use gpu::{PipelineOptions, StateOptions, YarnPipelines, YarnState};
pub use layout::{Island, LayoutCounts, LayoutOptions, Placement, Surface, YarnLayout, compat};
pub use options::{Bending, FrameOptions};
pub use params::FrameParams;
#[cfg(feature = "gpu")]
pub use wgpu;
pub use yarnwise_shaders::cpu::yarns::Deformed;
pub use yarnwise_shaders::gpu::{
    FaceChart, FaceLinks, FaceWeight, Patch, PatternVertex, SurfaceForms, YarnSite, YarnVertex,
};
/// Patterns, databases, meshes and clips: what a host reads and passes in.
pub use yarnwise_shared as shared;
