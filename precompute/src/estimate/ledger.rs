//! Which states count. It changes only between searches.

use super::course::Answer;
use std::collections::BTreeMap;

/// So often a state may lose its equilibrium before it is given up.
const LOSSES: u32 = 2;

/// States that count, and states that wait with the reason.
#[derive(Debug)]
pub(super) struct Ledger {
    counting: Vec<usize>,
    waiting: BTreeMap<usize, String>,
    lost: BTreeMap<usize, u32>,
}

impl Ledger {
    /// All states wait.
    pub(super) fn new(states: Vec<usize>) -> Self {
        let waiting = states.into_iter().map(|s| (s, String::new())).collect();
        Ledger { counting: Vec::new(), waiting, lost: BTreeMap::new() }
    }

    /// The states that count, in the order of the data.
    pub(super) fn counting(&self) -> &[usize] {
        &self.counting
    }

    /// The states that wait, and why.
    pub(super) fn waiting(&self) -> impl Iterator<Item = (usize, &str)> {
        self.waiting.iter().map(|(state, reason)| (*state, reason.as_str()))
    }

    /// States that may count if they have an equilibrium now.
    pub(super) fn candidates(&self) -> Vec<usize> {
        self.waiting.keys().copied().filter(|s| self.lost.get(s).is_none_or(|n| *n < LOSSES)).collect()
    }

    /// Those of the candidates that have an answer count from now on; whether there are any.
    pub(super) fn admit(&mut self, candidates: &[usize], answers: Vec<Answer>) -> bool {
        let before = self.counting.len();
        for (state, answer) in candidates.iter().zip(answers) {
            match answer {
                Ok(_) => {
                    self.waiting.remove(state);
                    self.counting.push(*state);
                }
                Err(_) if self.lost.contains_key(state) => {}
                Err(reason) => drop(self.waiting.insert(*state, reason)),
            }
        }
        self.counting.sort_unstable();
        self.counting.len() > before
    }

    /// These states keep the search from a better fit and wait from now on; whether the search can go on without them.
    pub(super) fn lose(&mut self, states: &[usize]) -> bool {
        if states.is_empty() || states.len() >= self.counting.len() {
            return false;
        }
        self.counting.retain(|s| !states.contains(s));
        for state in states {
            self.waiting.insert(*state, "it loses its equilibrium on the way to a better fit".to_owned());
            *self.lost.entry(*state).or_default() += 1;
        }
        true
    }
}
