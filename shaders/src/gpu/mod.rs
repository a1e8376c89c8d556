//! The plain structs that CPU stages and WGSL stages share, byte for byte.
//!
//! Rules: `repr(C)`, only `f32` and `u32`, four-component rows where a shader would want vectors, no `vec3`, sizes a
//! multiple of 16 bytes for what is read by row. An index that refers to nothing is [`NONE`].
//!
//! Two groups. *Static* ones are made once by the layout: [`FaceLinks`], [`FaceChart`], [`FaceWeight`],
//! [`PatternVertex`], [`YarnSite`], [`AxisCell`]. *Per frame* ones are written by the stages, in this order:
//!
//! | stage | reads | writes |
//! |---|---|---|
//! | `faces` | positions, [`FaceLinks`], [`FaceChart`] | [`SurfaceForms`] of each face |
//! | `vertices` | the faces' forms, [`FaceWeight`] | [`SurfaceForms`] of each material vertex |
//! | `patches` | positions, both forms, links, charts | [`Patch`] of each face |
//! | `yarns` | [`YarnSite`], [`PatternVertex`], table, [`Patch`] | [`YarnVertex`] |
//! | `radius` | [`YarnVertex`] positions of neighbors, rest lengths | [`YarnVertex::radius`] |
//!
//! Streamed per yarn vertex and frame: [`YarnSite`] 16 B in, [`YarnVertex`] 24 B out. The rest is gathered from tables
//! that neighboring yarn vertices share.

pub mod constants;
mod device;
mod draw;
#[cfg(feature = "yarn-level")]
mod hybrid;
mod surface;
mod yarn;
#[cfg(feature = "yarn-level")]
mod yarn_solver;

pub use constants::NONE;
pub use device::{SurfaceParams, TablePacking};
pub use draw::{MeshCorner, OcclusionView, TubeCorner, TubePart, TubeStrand, TubeView};
#[cfg(feature = "yarn-level")]
pub use hybrid::{
    HingeElement, HingeRow, HybridParams, HybridRow, MembraneTangent, MembraneTriangle, NodeDiagonal, RowChunk,
    WeaveCrossing, membrane_law,
};
pub use surface::{FaceChart, FaceLinks, FaceWeight, Patch, SurfaceForms};
pub use yarn::{AxisCell, PatternVertex, YarnParams, YarnSite, YarnVertex, flags};
#[cfg(feature = "yarn-level")]
pub use yarn_solver::{
    BLOCK_WORDS, NodeAnchors, NodeArcs, NodeLinks, NodePosition, NodeRows, NodeVector, PinTarget, ROW_PARTS,
    VECTOR_WORDS, YarnSolverParams, YarnSolverScalars, fault, node_flags, phase,
};
