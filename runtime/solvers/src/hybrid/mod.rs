//! Yarns where they matter, triangles elsewhere \[Casafranca20\].
//!
//! Cloth has yarns everywhere; where they matter they are simulated ([`crate::yarn`]), elsewhere triangles carry them along, and a ring of
//! triangles in between is both: its nodes and vertices share one kinematics, and its energies are blended.
//!
//! In the order in which they build on each other: [`region`] (classes and the blending field), `locate` and `registration` (yarns laid over
//! the mesh), `weights` and [`mass`] (what is blended), [`coupling`] (B, K and the filter), [`triangle`] (deformation gradients), [`membrane`]
//! (in-plane energies), [`hinge`] (bending), [`homogenize`] (their coefficients from yarns or from a database), [`springs`] (the springs of
//! [`crate::cloth`] instead of membrane and hinges), [`model`] (all of it), `system` (the linear system of a step), `holding`
//! (pins, the mouse), `simulation` (steps, bodies), `cloth` (the solver that a region needs), [`scene`] (files).

mod build;
mod cloth;
pub mod coupling;
mod dead_load;
#[cfg(feature = "gpu")]
pub mod device;
mod drawn;
mod energy;
pub mod hinge;
mod holding;
pub mod homogenize;
pub mod linear_step;
mod locate;
pub mod mass;
pub mod membrane;
mod mesh_factor;
pub mod model;
mod options;
mod output;
pub mod region;
mod registration;
pub mod scene;
pub mod sheet;
mod simulation;
pub mod springs;
mod state;
mod step;
mod system;
pub mod triangle;
mod weights;

pub use build::{HybridBuild, TriangleModel};
pub use cloth::{HybridCloth, HybridEffort, SpringsOnly, YarnsOnly};
pub use drawn::{DrawnPoint, DrawnYarns};
pub use energy::HybridEnergies;
pub use hinge::{Hinge, HingeBend, hinges};
pub use holding::{Handle, HybridPin};
pub use homogenize::Homogenized;
pub use locate::Place;
pub use membrane::{EnergySpline, EnergyTable, Gradient, Matched, Membrane, StVenantKirchhoff, Tangent};
pub use mesh_factor::mesh_factor;
pub use model::HybridModel;
pub use options::{HybridOptions, HybridPreconditioner};
pub use region::{Class, Region};
pub use sheet::HybridSheet;
pub use simulation::HybridSimulation;
pub use springs::{SpringProduct, WeightedSprings};
pub use state::HybridState;
pub use step::HybridStepReport;
pub use triangle::Triangle;

#[cfg(test)]
mod tests;
