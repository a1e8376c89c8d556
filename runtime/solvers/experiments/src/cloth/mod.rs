//! The experiments of \[Boxerman03\]; docs/results/cloth.md shows their figures beside those of the thesis.

mod aimex;
mod damping;
mod decomposition;
mod parameters;
mod preconditioner;
mod speed;
mod stability;

use crate::options::{Output, Sets};
use crate::report::report;
use anyhow::Result;

/// Which experiment, and how it is run.
#[derive(Debug, clap::Subcommand)]
pub(crate) enum Experiment {
    /// Border of stability of forward-backward Euler [Boxerman03, §4.1.3]
    ///
    /// With --full about 2 minutes on two cores.
    Stability(RandomArgs),
    /// Energies without, with plain and with projected damping [Boxerman03, Figs. 4.4-4.6]
    Damping(Output),
    /// Adaptive IMEX against the implicit scheme: speed, iterations, difference [Boxerman03, §4.4.3, Table 4.1]
    ///
    /// Without --full the shortest steps are cut to 300 of a run; with it about 80 minutes on two cores.
    Aimex(RandomArgs),
    /// Iterations of three preconditioners, unconstrained and constrained [Boxerman03, Figs. 5.3-5.10]
    ///
    /// With --full about 15 minutes on two cores.
    Preconditioner(RandomArgs),
    /// Cost and gain of decomposition [Boxerman03, §6.4]
    ///
    /// With --full about 45 minutes on two cores.
    Decomposition(RandomArgs),
    /// Particles a second, and real time
    Speed(SpeedArgs),
}

/// An experiment with random parameters.
#[derive(Debug, clap::Args)]
pub(crate) struct RandomArgs {
    #[command(flatten)]
    sets: Sets,
    #[command(flatten)]
    output: Output,
}

/// A measurement of speed.
#[derive(Debug, clap::Args)]
pub(crate) struct SpeedArgs {
    /// Steps that are measured, for each size
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    runs: u32,
    #[command(flatten)]
    output: Output,
}

pub(crate) fn run(experiment: &Experiment) -> Result<()> {
    match experiment {
        Experiment::Stability(a) => report("cloth stability", &a.sets, &a.output, || stability::run(&a.sets)),
        Experiment::Damping(to) => report("cloth damping", &(), to, damping::run),
        Experiment::Aimex(a) => report("cloth aimex", &a.sets, &a.output, || aimex::run(&a.sets)),
        Experiment::Preconditioner(a) => {
            report("cloth preconditioner", &a.sets, &a.output, || preconditioner::run(&a.sets))
        }
        Experiment::Decomposition(a) => {
            report("cloth decomposition", &a.sets, &a.output, || decomposition::run(&a.sets))
        }
        Experiment::Speed(a) => report("cloth speed", &a.runs, &a.output, || speed::run(a.runs as usize)),
    }
}
