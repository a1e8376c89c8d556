//! One solve of a sampled grid.

/// One solve: a sample, and the candidate of another sample whose state it starts from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Task {
    /// Index of the sample in the grid.
    pub sample: usize,
    /// Where it starts, as sample and number of its candidate; none for the affine state. A sample that starts from its own state
    /// brings it to the solver's tolerance.
    pub parent: Option<(usize, usize)>,
    /// 0 the first time, then the number of the round that retries the sample; polishing comes after the last.
    pub round: usize,
}

impl Task {
    /// Whether it brings a state that is chosen to the solver's tolerance.
    pub fn polishes(&self) -> bool {
        self.parent.is_some_and(|(sample, _)| sample == self.sample)
    }
}
