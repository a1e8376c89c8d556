//! The system of one Newton iteration, without a matrix: A = (1 + hα) M + Σ D row rowᵀ over the rows of all elements.
//!
//! - `rows`: what an element contributes.
//! - `bands`, `lanes`, `shares`: how nodes are cut for threads and vector instructions, and how what elements give is gathered.
//! - `evaluate`, `element`: the elements of a state, and the residual that Newton's method brings to zero.
//! - `operator`: the product A x, in two passes: every element gives D (row·x) row, every node gathers.
//! - `crimp_rows`: crossings with crimp, whose segments share heights; `crimp_products`: the products of what couples them.
//! - `momentum`: M v.
//! - `filter`: prescribed velocities.
//! - `blocks`, `lines`, `coarse`: preconditioners.
//!
//! Elements belong to nodes: a segment to its end with the smaller arc coordinate, a bend to its middle, a corner to its
//! crossing. So a node finds everything it takes part in through its links, and no lists of elements are kept.

mod bands;
mod blocks;
mod coarse;
mod crimp_products;
mod crimp_rows;
mod element;
mod element_rows;
mod evaluate;
mod filter;
mod lanes;
mod lines;
mod momentum;
mod operator;
mod rows;
mod shares;
mod step_data;
#[cfg(test)]
mod tests;

pub use bands::{Band, Bands};
pub use blocks::NodeBlocks;
pub(crate) use blocks::{operator_block, segment_block};
pub use coarse::{Coarse, CoarseMatrices, Lattices};
pub(crate) use element_rows::ElementRows;
pub use filter::{NodeConstraint, NodeFilter};
pub use lanes::PackScalar;
pub use lines::{LineOrder, Lines};
pub use momentum::momenta_of;
pub use operator::RowOperator;
pub use rows::{BendRow, CornerRow, Rows, SegmentRow};
pub use step_data::{Evaluation, StepData};

/// Nodes that a thread takes at a time.
pub(super) const CHUNK: usize = 512;
