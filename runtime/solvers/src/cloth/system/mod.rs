//! The linear system of a step of springs: its blocks, its matrix, its independent parts, its solution.
//!
//! Spring networks have 3×3 blocks along the line between two particles; what is the same for every solver is in
//! [`crate::linear`].

mod axial_block;
mod decomposition;
mod matrix;
mod solve;

pub(crate) use axial_block::AxialBlock;
pub(crate) use matrix::{BlockMatrix, Connection};
pub use solve::SystemReport;
pub(crate) use solve::{System, SystemOptions, constraint_impulses, solve};
