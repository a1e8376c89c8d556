//! Elastic forces, one energy a file.
//!
//! Each gives what the system of a step is made of: stresses along *rows*. A row is the gradient of a strain (a length, an
//! angle) with respect to the positions and arc coordinates that it depends on; force = −stress · row, and the positive
//! part of the Hessian is stiffness · row rowᵀ. The exact Hessians, which are indefinite, are in the tests.

mod bending;
mod parallel;
mod shear;
mod stretch;

pub use bending::Bending;
pub use parallel::ParallelContact;
pub use shear::{Shear, ShearStress, corner_row};
pub use stretch::{Stretch, StretchDamping};

#[cfg(test)]
mod tests;
