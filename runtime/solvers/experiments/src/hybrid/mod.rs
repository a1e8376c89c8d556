//! The experiments of \[Casafranca20\] and of what it leaves open; docs/results/hybrid.md shows their figures.

mod iterations;
mod limits;
mod options;
mod patch;
mod speed;
mod swing;

use crate::report::report;
use anyhow::Result;

/// Which experiment, and how it is run.
#[derive(Debug, clap::Subcommand)]
pub(crate) enum Experiment {
    /// Uniform strain across the border of yarns and triangles: how far equilibrium is from it
    Patch(patch::Args),
    /// Iterations of the linear solver on the system of one step, in both forms and with every preconditioner
    Iterations(iterations::Args),
    /// A sheet that swings, solved with a fixed number of iterations a step [Casafranca20, Fig. 2]
    Swing(swing::Args),
    /// Time a step beside yarns alone, and how it grows with the number of nodes
    Speed(speed::Args),
    /// All yarns, no yarns, every yarn enriched; energy and momentum
    Limits(limits::Args),
}

pub(crate) fn run(experiment: &Experiment) -> Result<()> {
    match experiment {
        Experiment::Patch(a) => report("hybrid patch", a, &a.output, || patch::run(a)),
        Experiment::Iterations(a) => report("hybrid iterations", a, &a.output, || iterations::run(a)),
        Experiment::Swing(a) => report("hybrid swing", a, &a.output, || swing::run(a)),
        Experiment::Speed(a) => report("hybrid speed", a, &a.output, || speed::run(a)),
        Experiment::Limits(a) => report("hybrid limits", a, &a.output, || limits::run(a)),
    }
}
