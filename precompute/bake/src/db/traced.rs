//! What `db inspect` prints of the trace of a solve.

use std::fmt;
use std::path::Path;
use yarnwise_lab::report::trace::Trace;

/// The ends of a solve.
#[derive(serde::Serialize)]
pub(super) struct Report<'a> {
    file: &'a Path,
    name: &'a str,
    steps: usize,
    factorizations: usize,
    /// J a cell, at the beginning and at the end.
    energy: [f64; 2],
    /// Unbalanced force over the forces that balance, at the beginning and at the end.
    residual: [f64; 2],
    /// Pairs of segments in touch, at the beginning and at the end.
    contacts: [usize; 2],
}

impl<'a> Report<'a> {
    pub(super) fn new(file: &'a Path, trace: &'a Trace) -> Self {
        let (first, last) = (trace.steps().first(), trace.steps().last());
        let ends = [first, last];
        Report {
            file,
            name: trace.name(),
            steps: last.map_or(0, |s| s.step),
            factorizations: last.map_or(0, |s| s.factorizations),
            energy: ends.map(|s| s.map_or(f64::NAN, |s| s.energy)),
            residual: ends.map(|s| s.map_or(f64::NAN, |s| s.residual)),
            contacts: ends.map(|s| s.map_or(0, |s| s.contacts)),
        }
    }
}

impl fmt::Display for Report<'_> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        writeln!(f, "{}: trace of the solve of {}", self.file.display(), self.name)?;
        writeln!(f, "steps       {}, {} factorizations", self.steps, self.factorizations)?;
        writeln!(f, "energy      {:.6} -> {:.6} uJ a cell", 1e6 * self.energy[0], 1e6 * self.energy[1])?;
        writeln!(f, "unbalanced  {:.1e} -> {:.1e}", self.residual[0], self.residual[1])?;
        writeln!(f, "in touch    {} -> {} pairs of segments", self.contacts[0], self.contacts[1])
    }
}
