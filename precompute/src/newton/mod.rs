//! Energies of points in space, minimized by Newton's method: what explicit yarns and solids share.
//!
//! - `objective`: what is minimized; `blocks`: what takes its second derivatives.
//! - `holds`: which degrees of freedom are prescribed.
//! - `matrix`: second derivatives, a symmetric sparse matrix of 3x3 blocks.
//! - `descent`: the method.

mod blocks;
mod descent;
mod holds;
mod matrix;
mod objective;

pub use blocks::Blocks;
pub use descent::{Minimum, Newton, NewtonOptions, NewtonWork};
pub use holds::{Hold, Holds};
pub use matrix::PointMatrix;
pub use objective::{Objective, Units};
