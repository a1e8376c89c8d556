//! The CPU twin of each stage of the yarn solver [Cirio14], in the order in which a step runs them.
//!
//! | stage | one invocation | what |
//! |---|---|---|
//! | [`open`] | all | length of the step |
//! | [`reset`], [`pins`] | a node, a pin | x = 0, or what is prescribed |
//! | [`normals`], [`compression`] | a node | front normals, F_n |
//! | [`elements`] | a node | rows and stresses of the elements that belong to it |
//! | [`residual`] | a node | r of Newton's method |
//! | [`blocks`] | a node | inverse of its 5 × 5 block |
//! | [`start`], [`open_solve`] | a node, all | first direction, goals |
//! | [`product`], [`step_length`] | a node, all | w = A d, α |
//! | [`update`], [`ratio`] | a node, all | x, r, P⁻¹r; β, whether it is done |
//! | [`direction`] | a node | d |
//! | [`close_solve`], [`check`], [`judge`] | all, a node, all | whether the step can be taken |
//! | [`settle`], [`commit`] | a node | momenta and anchors; positions |
//! | [`close`] | all | time, length of the next step |
//!
//! Formulas are in `yarnwise-solvers`, whose f64 code is the oracle of all of this; here they are written as on the device, in f32, from
//! exact differences of positions. A is never stored: an element's row is computed again by each node that it touches, from the
//! directions of segments.

pub(super) mod angle;
mod bend;
pub mod blocks;
pub mod check;
pub mod commit;
pub mod compression;
mod control;
mod corner;
pub mod elements;
pub(super) mod fixed;
pub mod normals;
pub mod product;
pub mod reset;
pub mod residual;
mod segment;
pub mod settle;
mod solve;
pub(super) mod view;

pub use control::{close, close_solve, judge, open, open_solve, ratio, step_length};
pub use solve::{direction, precondition, start, update};
pub use view::{Nodes, Value};
