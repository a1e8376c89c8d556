//! The system of one Newton iteration, without a matrix: A = (1 + hα) M + Σ D row rowᵀ over the rows of all elements.
//!
//! - `rows`: what an element contributes.
//! - `evaluate`: the elements of a state.
//! - `operator`: the product A x, in two passes: every element gives D (row·x), every node gathers.
//! - `residual`: what Newton's method brings to zero.
//! - `filter`: prescribed velocities.
//! - `blocks`, `lines`, `coarse`: preconditioners.
//!
//! Elements belong to nodes: a segment to its end with the smaller arc coordinate, a bend to its middle, a corner to its
//! crossing. So a node finds everything it takes part in through its links, and no lists of elements are kept.

mod blocks;
mod coarse;
mod evaluate;
mod filter;
mod lines;
mod operator;
mod residual;
mod rows;
#[cfg(test)]
mod tests;

pub use blocks::NodeBlocks;
pub use coarse::{Coarse, CoarseMatrices, Lattices};
pub use evaluate::{Evaluation, StepData};
pub use filter::{NodeConstraint, NodeFilter};
pub use lines::{LineOrder, Lines};
pub use operator::RowOperator;
pub use residual::{momentum, own_momenta, residual};
pub use rows::{BendRow, CornerRow, Rows, SegmentRow, Stress};

/// Nodes that a thread takes at a time.
pub(super) const CHUNK: usize = 512;
