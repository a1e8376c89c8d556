//! The states that were found for a sample.

use crate::equilibrium::Solved;

/// A state found for a sample.
#[derive(Clone, Debug, PartialEq)]
pub struct Candidate {
    /// The equilibrium.
    pub solved: Solved,
    /// The sample it was started from; none for the affine state.
    pub started_from: Option<usize>,
}
