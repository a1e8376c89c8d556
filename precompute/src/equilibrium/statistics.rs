//! What a descent costs: counts of its work, and where its time goes.

use std::time::Instant;

/// Counts of the work done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Work {
    /// Accepted steps.
    pub steps: usize,
    /// Numeric factorizations.
    pub factorizations: usize,
    /// Symbolic analyses.
    pub analyses: usize,
    /// Searches for touching pairs.
    pub searches: usize,
}

impl std::ops::AddAssign for Work {
    fn add_assign(&mut self, other: Self) {
        self.steps += other.steps;
        self.factorizations += other.factorizations;
        self.analyses += other.analyses;
        self.searches += other.searches;
    }
}

/// What a descent spends time on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// Forces and stiffness of the rods.
    Rods,
    /// Forces and stiffness of contact.
    Contact,
    /// Factorization of the matrix, and the solve.
    Factorization,
    /// Energies of trial steps, with their frames.
    Energy,
    /// Search for pairs that may touch.
    Search,
    /// Analysis of the matrix' pattern.
    Analysis,
}

/// Looks at a descent at work. `()` does not.
pub trait Observer {
    /// A part begins.
    fn begin(&mut self, _part: Part) {}

    /// The part that began last ends.
    fn end(&mut self) {}
}

impl Observer for () {}

/// Where the time of a descent went: an observer with a watch.
#[derive(Clone, Copy, Debug, Default)]
pub struct Profile {
    seconds: [f64; PARTS.len()],
    running: Option<(Part, Instant)>,
}

const PARTS: [(Part, &str); 6] = [
    (Part::Rods, "rods"),
    (Part::Contact, "contact"),
    (Part::Factorization, "factorization"),
    (Part::Energy, "energy"),
    (Part::Search, "broad phase"),
    (Part::Analysis, "analysis"),
];

impl Profile {
    /// The parts by name, s.
    pub fn parts(&self) -> [(&'static str, f64); PARTS.len()] {
        std::array::from_fn(|k| (PARTS[k].1, self.seconds[k]))
    }
}

impl Observer for Profile {
    fn begin(&mut self, part: Part) {
        self.running = Some((part, Instant::now()));
    }

    fn end(&mut self) {
        if let Some((part, began)) = self.running.take() {
            self.seconds[part as usize] += began.elapsed().as_secs_f64();
        }
    }
}
