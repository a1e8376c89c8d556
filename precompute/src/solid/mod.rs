//! Yarns as elastic solids \[MartinGarrido18\]: hexahedra, placed on center lines, in contact by their surfaces.
//!
//! - `law`: the material. `section`: the mesh across a yarn. `brick`: the hexahedra.
//! - `mesh`: elements, and the skin that touches. `yarn`: meshes of yarns placed on center lines.
//! - `closest`: a point and a triangle. `surface`: contact of skins. `rub`: friction.
//! - `assembly`: the energy of all of it, for Newton's method. [`SolidStatics`]: increments with friction.
//! - [`SolidCell`]: one period of fabric, as a [`crate::fabric::Fabric`]; `gauge`: what is held of it.

mod assembly;
mod brick;
mod cell;
mod closest;
mod fabric;
mod gauge;
mod law;
mod mesh;
mod rub;
mod section;
mod statics;
mod surface;
#[cfg(test)]
mod tests;
mod yarn;

pub use assembly::{SolidBody, SolidEnergy};
pub use brick::Brick;
pub use cell::{SolidCell, SolidSettings, SolidState};
pub use fabric::Surface;
pub use law::SolidMaterial;
pub use mesh::Mesh;
pub use rub::SolidFriction;
pub use statics::{SolidBalance, SolidStatics};
pub use yarn::{CenterLine, SolidMesh};
