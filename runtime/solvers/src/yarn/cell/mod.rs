//! Statics of one period of woven cloth under a strain: what persistent contacts say of a fabric as a whole.
//!
//! Nodes are the crossings of one period of a draft, each with four unknowns: its displacement from the affine motion of the
//! fabric, in the plane, and the sliding of its two yarns. Forces balance by Newton's method, from the affine motion on, so that the
//! answer depends on the strain alone. In plain weave that is where it ends too. Where yarns with crimp float, crossings gather beneath
//! the floats, as far as shear, bending and parallel contact let them: friction holds nothing. Where yarns lie flat, as in the paper,
//! nodes move with the fabric and friction holds all of them: nothing else would keep a yarn from moving along those that it crosses.
//!
//! Energies are functions of the *strains* of segments: length l, rest length ℓ, direction a (the angle from the wefts). What they
//! are made of is that of the time steps: `super::force`, and [`super::crimp`] where crossings have crimp.
//!
//! - [`model`](CellModel): what the yarns are made of.
//! - `layout`: nodes and segments of a period.
//! - `strains`: l, ℓ, a of the segments and their derivatives.
//! - `energy`: energies of strains.
//! - `equilibrium`: Newton's method.
//! - `compression`: F_n where yarns lie flat.
//! - `response`: stress, heights, compression, and how they change with the parameters.

mod compression;
mod energy;
mod equilibrium;
mod layout;
mod model;
mod response;
mod strains;
#[cfg(test)]
mod tests;

pub use model::{CellModel, CellParameter};
pub use response::{CellEnergies, CellResponse, CellSensitivity, FabricCell};
