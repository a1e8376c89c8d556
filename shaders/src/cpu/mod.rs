//! The CPU twin of each stage, in the order in which a frame runs them.
//!
//! | stage | one invocation | paper |
//! |---|---|---|
//! | [`faces`] | a face | [Sperl21, Alg. 1], \[Grinspun06\] |
//! | [`vertices`] | a material vertex | modified Shepard weights |
//! | [`patches`] | a face | Phong deformation |
//! | [`yarns`] | a yarn vertex | [Sperl21, Eq. 4, 7, 8] |
//! | [`radius`] | a yarn vertex | volume preservation |
//!
//! No stage produces a NaN or an infinity from finite input below [`yarnwise_shared::mesh::MAX_COORDINATE`]; what
//! happens to collapsed triangles is described at each stage.

mod angle;
pub mod faces;
#[cfg(feature = "yarn-level")]
pub mod hybrid;
pub mod patches;
pub mod radius;
mod vector;
pub mod vertices;
pub mod walk;
#[cfg(feature = "yarn-level")]
pub mod yarn_solver;
pub mod yarns;
