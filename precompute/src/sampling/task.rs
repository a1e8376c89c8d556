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

/// Numbers of a task in a list.
const NUMBERS: usize = 4;

/// What stands for the affine state in a list, instead of a sample.
const AFFINE: u32 = u32::MAX;

/// Tasks as bytes: sample, round, where each starts as sample and number of its candidate; u32, little endian.
pub(super) fn list(tasks: &[Task]) -> Vec<u8> {
    let numbers = |task: &Task| {
        let (sample, state) = task.parent.map_or((AFFINE, 0), |(sample, state)| (sample as u32, state as u32));
        [task.sample as u32, task.round as u32, sample, state]
    };
    tasks.iter().flat_map(numbers).flat_map(u32::to_le_bytes).collect()
}

/// The tasks in these bytes.
pub(super) fn parse_list(bytes: &[u8]) -> Option<Vec<Task>> {
    let (words, left) = bytes.as_chunks::<4>();
    let numbers: Vec<u32> = words.iter().map(|w| u32::from_le_bytes(*w)).collect();
    let (tasks, rest) = numbers.as_chunks::<NUMBERS>();
    let task = |[sample, round, from, state]: &[u32; NUMBERS]| Task {
        sample: *sample as usize,
        parent: (*from != AFFINE).then_some((*from as usize, *state as usize)),
        round: *round as usize,
    };
    (left.is_empty() && rest.is_empty()).then(|| tasks.iter().map(task).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_comes_back_as_it_was() {
        let tasks = [
            Task { sample: 7, parent: None, round: 0 },
            Task { sample: 0, parent: Some((12, 3)), round: 4 },
            Task { sample: 1 << 20, parent: Some((1 << 20, 0)), round: 9 },
        ];
        let bytes = list(&tasks);
        assert_eq!(parse_list(&bytes).unwrap(), tasks);
        assert_eq!(parse_list(&bytes[1..]), None);
        assert_eq!(parse_list(&bytes[..bytes.len() - 4]), None);
        assert_eq!(parse_list(&[]), Some(Vec::new()));
    }
}
