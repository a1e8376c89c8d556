//! Cloth that is yarns in one part and triangles in the other \[Casafranca20\].
//!
//! The triangle side: [`triangle`] (deformation gradients), [`membrane`] (in-plane energies), [`hinge`] (bending),
//! [`homogenize`] (their coefficients from yarns or from a database), [`springs`] (the springs of [`crate::cloth`] instead of
//! membrane and hinges).

pub mod hinge;
pub mod homogenize;
pub mod membrane;
pub mod springs;
pub mod triangle;

pub use hinge::{Hinge, HingeBend, hinges};
pub use homogenize::{Homogenized, mesh_factor};
pub use membrane::{EnergyTable, Gradient, Matched, Membrane, StVenantKirchhoff, Tangent};
pub use springs::{SpringProduct, WeightedSprings};
pub use triangle::Triangle;

#[cfg(test)]
mod tests;
