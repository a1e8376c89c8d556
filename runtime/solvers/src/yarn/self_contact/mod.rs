//! Contact of the cloth with itself: a node that comes nearer to a triangle of the weave than the cloth is thick is pushed away.
//!
//!   V = ½ k δ²,  δ = γ − n·(x − Σ b_k x_k) where positive,  γ = 4R,  k = k_s / (10 L)
//!
//! γ is the distance of two layers that touch: each is two yarns thick. Triangles are the corners of crossings (a crossing with its
//! neighbors along warp and weft). Normal n and weights b are those of the start of the step. What is near along the cloth is no
//! contact: counted in steps of the weave and, where crossings have slid together, along the yarns; otherwise segments that are shorter
//! than the yarn is thick would push each other apart. [Cirio14, §5] pushes nodes out of extruded triangles; k is ours.

mod detect;
mod row;

pub use detect::{ContactSurface, detect};
pub use row::{ContactRows, SheetContact};
