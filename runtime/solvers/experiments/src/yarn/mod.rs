//! The experiments of \[Cirio14\] and of the closed forms behind it; docs/results/yarns.md shows their figures.

mod hang;
mod options;
mod pull_out;
mod pulley;
mod rest_compression;
mod shear_frame;
mod solver;
mod speed;
mod stepping;
mod swing;
mod wrinkle;

use crate::report::report;
use anyhow::Result;

/// Which experiment, and how it is run.
#[derive(Debug, clap::Subcommand)]
pub(crate) enum Experiment {
    /// Compression of the crossings of a flat sheet at rest, against its closed form
    RestCompression(rest_compression::Args),
    /// A yarn that runs over a fixed crossing, against its closed form
    Pulley(pulley::Args),
    /// A warp that is pulled out of a sheet: force over pulled length, against a recursion
    ///
    /// Without --friction and --wefts the five cases of docs/results/yarns.md are run.
    PullOut(pull_out::Args),
    /// Shear frame: force over angle, slope and loop, jamming [Cirio14, Fig. 4]
    ShearFrame(shear_frame::Args),
    /// A sheet that hangs from two corners: sag of weaves [Cirio14, Fig. 3]
    Hang(hang::Args),
    /// A sheet that swings from two corners: where it ends at several steps, with two kinds of damping
    Swing(swing::Args),
    /// A patch that is stretched by two corners and released: what stays of its wrinkle [Cirio14, Fig. 7]
    Wrinkle(wrinkle::Args),
    /// Iterations of the linear solver on the matrix of one step, with every preconditioner and method
    Solver(solver::Args),
    /// Time and memory a node and step, from 1e4 nodes on [Cirio14, Table 2]
    ///
    /// The material is that of the sheet of a million crossings [Cirio14, Fig. 11], with defaults of its own: spacing 0.254 mm, radius
    /// 0.06 mm, shear modulus 3e5 Pa, mass damping 35 1/s.
    Speed(speed::Args),
}

pub(crate) fn run(experiment: &Experiment) -> Result<()> {
    match experiment {
        Experiment::RestCompression(a) => report("yarn rest-compression", a, &a.output, || rest_compression::run(a)),
        Experiment::Pulley(a) => report("yarn pulley", a, &a.output, || pulley::run(a)),
        Experiment::PullOut(a) => report("yarn pull-out", a, &a.output, || pull_out::run(a)),
        Experiment::ShearFrame(a) => report("yarn shear-frame", a, &a.output, || shear_frame::run(a)),
        Experiment::Hang(a) => report("yarn hang", a, &a.output, || hang::run(a)),
        Experiment::Swing(a) => report("yarn swing", a, &a.output, || swing::run(a)),
        Experiment::Wrinkle(a) => report("yarn wrinkle", a, &a.output, || wrinkle::run(a)),
        Experiment::Solver(a) => report("yarn solver", a, &a.output, || solver::run(a)),
        Experiment::Speed(a) => report("yarn speed", a, &a.output, || speed::run(a)),
    }
}
