//! Yarns on an animated triangle mesh [Sperl21, Section 4].
//!
//! - [`layout`]: a pattern laid over a mesh's UV plane, once per garment.
//! - [`cloth`]: moving cloth, a source of animated positions.
//! - [`cpu`]: the CPU path: strains of the mesh and positions of the yarns, each frame.
//!
//! The library opens no window, prints nothing and starts no threads of its own (it uses the current rayon pool).

pub mod cloth;
pub mod cpu;
mod error;
pub mod layout;
mod params;

pub use cpu::CpuYarns;
pub use error::{Error, Result};
pub use layout::{LayoutOptions, Placement, YarnLayout};
pub use params::FrameParams;
