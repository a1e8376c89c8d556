//! A job of thousands of quick tasks whose waves depend on what earlier waves found, in every bit.

use std::path::Path;
use yarnwise_precompute::Result;
use yarnwise_precompute::job::{Journal, Opened, Plan, Tasks};

const WAVES: usize = 24;

/// Numbers that depend on all that was found before.
#[derive(Default)]
pub(crate) struct Walk {
    found: Vec<Vec<u64>>,
    wave: usize,
}

pub(crate) struct Task {
    parents: Vec<usize>,
    seed: u64,
}

fn mix(mut x: u64) -> u64 {
    x ^= x >> 33;
    x = x.wrapping_mul(0xff51_afd7_ed55_8ccd);
    x ^= x >> 33;
    x = x.wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    x ^ (x >> 33)
}

impl Tasks for Walk {
    type Task = Task;
    type Output = Vec<u64>;

    fn run(&self, task: &Task) -> Vec<u64> {
        let mut x = task.parents.iter().flat_map(|p| &self.found[*p]).fold(task.seed, |sum, x| mix(sum ^ x));
        // Tasks of very different length finish in another order than they begin.
        for _ in 0..(x % 7) * 20_000 {
            x = mix(x);
        }
        (0..x % 60).map(|i| mix(x + i)).collect()
    }

    fn encode(&self, output: &Vec<u64>) -> Vec<u8> {
        output.iter().flat_map(|x| x.to_le_bytes()).collect()
    }

    fn decode(&self, bytes: &[u8]) -> Option<Vec<u64>> {
        let (numbers, rest) = bytes.as_chunks::<8>();
        rest.is_empty().then(|| numbers.iter().map(|b| u64::from_le_bytes(*b)).collect())
    }
}

impl Plan for Walk {
    fn next_wave(&mut self) -> Vec<Task> {
        if self.wave == WAVES {
            return Vec::new();
        }
        self.wave += 1;
        let last = self.found.iter().flatten().fold(1, |sum, x| mix(sum ^ x));
        let count = 30 + last % 300;
        let parent = |seed: u64, k: u64| (mix(seed + k) % self.found.len().max(1) as u64) as usize;
        let task = |i: u64| {
            let seed = mix(last + i);
            let parents = if self.found.is_empty() { vec![] } else { (0..3).map(|k| parent(seed, k)).collect() };
            Task { parents, seed }
        };
        (0..count).map(task).collect()
    }

    fn accept(&mut self, _: Vec<Task>, outputs: Vec<Vec<u64>>) {
        self.found.extend(outputs);
    }
}

impl Walk {
    /// All that was found.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        self.found.iter().flat_map(|x| self.encode(x)).collect()
    }
}

/// How many tasks the whole walk has.
pub(crate) fn count(plan: &mut Walk) -> usize {
    let mut count = 0;
    loop {
        let tasks = plan.next_wave();
        if tasks.is_empty() {
            return count;
        }
        count += tasks.len();
        let outputs = tasks.iter().map(|t| plan.run(t)).collect();
        plan.accept(tasks, outputs);
    }
}

/// Opens the journal of a walk in `folder`.
pub(crate) fn open(folder: &Path, restart: bool) -> Result<(Journal, Opened)> {
    Journal::open(&folder.join("journal"), &description("1"), restart)
}

pub(crate) fn description(seed: &str) -> Vec<(String, String)> {
    vec![("tool".into(), "walk".into()), ("seed".into(), seed.into()), ("pattern".into(), "*Q\n\n1 2 3\n".repeat(40))]
}
