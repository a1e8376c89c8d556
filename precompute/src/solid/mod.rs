//! Yarns as elastic solids \[MartinGarrido18\]: hexahedra, placed on center lines, in contact by their surfaces.
//!
//! - `law`: the material. `section`: the mesh across a yarn. `brick`: the hexahedra.
//! - `mesh`: elements, and the skin that touches. `yarn`: meshes of yarns placed on center lines.
//! - `closest`: a point and a triangle. `surface`: contact of skins.
//! - `assembly`: the energy of all of it, for Newton's method.

mod assembly;
mod brick;
mod closest;
mod law;
mod mesh;
mod section;
mod surface;
#[cfg(test)]
mod tests;
mod yarn;

pub use assembly::{Assembly, SolidEnergy};
pub use brick::Brick;
pub use law::SolidMaterial;
pub use mesh::Mesh;
pub use yarn::{CenterLine, SolidMesh};
