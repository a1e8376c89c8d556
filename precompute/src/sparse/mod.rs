//! Symmetric sparse matrices of small blocks: their order of elimination and their Cholesky factor.
//!
//! - `blocks`, `cholesky`: four unknowns a vertex, for the bake.
//! - `fronts`: three unknowns a point, for as many points as there are.
//! - `ordering`, `dissection`: orders of elimination.

mod blocks;
mod cholesky;
mod dissection;
mod fronts;
mod ordering;

pub(crate) use blocks::{BLOCK, BlockMatrix};
pub(crate) use cholesky::{BlockCholesky, VECTORS};
pub(crate) use fronts::{FrontCholesky, Lower};

/// The place of each point at `x` (m) in the elimination of the graph with these edges (a, b), a < b, each once.
pub(crate) fn order_of_points(x: &[nalgebra::Vector3<f64>], edges: &[(usize, usize)]) -> Vec<usize> {
    ordering::in_postorder(edges, &dissection::dissection_order(x, edges))
}
