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

/// The number of the candidate of lowest energy among the sound ones, or among all where none is sound.
pub(super) fn lowest(candidates: &[Candidate]) -> usize {
    let key = |c: &Candidate| (!c.solved.is_sound(), c.solved.energy.total());
    let best = |a: &usize, b: &usize| {
        let (x, y) = (key(&candidates[*a]), key(&candidates[*b]));
        x.0.cmp(&y.0).then(x.1.total_cmp(&y.1))
    };
    (0..candidates.len()).min_by(best).unwrap_or(0)
}
