//! The CPU twin of each stage of the hybrid solver \[Casafranca20\], in the order in which a step runs them.
//!
//! | stage | one invocation | what |
//! |---|---|---|
//! | [`open`] | all | length of the step |
//! | [`reset`], [`pins`] | a point, a pin | x = 0 or what is prescribed, d = v |
//! | [`donors`] | a crossing at a cut | F_n |
//! | [`restrict`], [`gather`], [`follow`] | a chunk, a hybrid vertex, a row | v = K⁻¹Bᵀ d |
//! | [`corners`], [`own`], [`residual`] | a node | −r of the yarns |
//! | [`triangle_force`], [`hinge_force`], [`vertex_residual`] | an element, a vertex | −r of the triangles |
//! | [`dense`], [`start`] | a row, a point | −r + B K⁻¹(−r_v) |
//! | [`restrict_residual`], [`gather`], [`dense`] | a chunk, a hybrid vertex, a row | λ = G⁻¹BᵀM⁻¹r |
//! | [`open_solve`], [`direction`] | all, a point | d = M⁻¹(r − Bλ) + β d |
//! | [`triangle_product`], [`hinge_product`], [`vertex_gather`] | an element, a vertex | A_v d |
//! | [`product`], [`step_length`] | a node, all | w = A_p d, α |
//! | [`update`], [`ratio`] | a point, all | x, r; β, whether it is done |
//! | [`close_solve`], [`finish`] | all, a point | d = velocity at the end |
//! | [`check`], [`judge`] | a point, all | whether the step can be taken |
//! | [`settle`], [`commit`], [`close`] | a node, a point, all | anchors, positions, time |
//! | [`output`] | a point | positions for a renderer |
//!
//! A point is a node or a vertex. What yarns do is that of [`super::yarn_solver`], with rows that are stored here and computed again there.

mod coarse;
mod control;
mod diagonal;
mod hinge;
mod matched;
mod matrix;
mod membrane;
mod nodes;
mod point;
mod solve;
mod svk;
mod triangle;
mod vertex;

pub use coarse::{dense, follow, gather, restrict, restrict_residual, spread};
pub use control::{close, close_solve, judge, open, open_solve, ratio, step_length};
pub use diagonal::{kept, lumped_mass, scaled_by};
pub use hinge::{hinge_force, hinge_product};
pub use membrane::MembraneInput;
pub use nodes::{corners, own, product, residual, weights};
pub use point::{check, commit, donors, finish, output, pins, reset, settle};
pub use solve::{Spread, direction, start, update};
pub use triangle::{triangle_force, triangle_product};
pub use vertex::{VertexInput, vertex_gather, vertex_residual};
