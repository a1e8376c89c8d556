//! Symmetric sparse matrices of small blocks: their order of elimination and their Cholesky factor.

mod blocks;
mod cholesky;
mod ordering;

pub(crate) use blocks::{BLOCK, BlockMatrix};
pub(crate) use cholesky::{BlockCholesky, VECTORS};
