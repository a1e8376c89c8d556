//! The program `yarnwise-bake`: patterns, databases and, in between, the bake.

mod bake;
mod campaign;
mod compare;
mod db;
mod estimate;
mod experiment;
mod mesh;
mod options;
mod pattern;
mod progress;
mod relax;
mod study;
mod writing;

use clap::{Parser, Subcommand};
use std::process::ExitCode;
use yarnwise_program::Extra;
use yarnwise_program::number::Threads;

/// Makes yarn patterns and the databases that the Yarnwise runtime draws cloth from.
#[derive(Parser)]
#[command(name = "yarnwise-bake", version, propagate_version = true, max_term_width = 110)]
struct Cli {
    /// Print figures as JSON, for other programs; progress and remarks go to standard error in any case
    #[arg(long, global = true)]
    json: bool,
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Make, import, check and draw yarn patterns
    #[command(subcommand)]
    Pattern(pattern::Command),
    /// Find the rest state of a pattern, with its period free or fixed
    ///
    /// A relaxed pattern is an equilibrium: baked at zero strain, it does not move. Prints energy, period and gauge before
    /// and after. Ctrl-C keeps the best state so far; a search that does not come to rest does so, too, and says what to try.
    Relax(relax::Command),
    /// Solve a pattern over a grid of strains and write the database
    ///
    /// A bake can be interrupted at any time (Ctrl-C, kill, a full disk, a crash): the same command resumes it, and the
    /// database is the same to the last byte. Until then FILE.journal keeps what is finished; FILE.log has a line for each
    /// solve.
    ///
    /// Several machines can share a bake in a folder that all of them see: '--merge' begins it and says what comes next, '--shard I/N' solves a
    /// part of that on each machine, '--merge' unites the parts, until the database is written.
    ///
    /// Exit codes: 0 when it is done; 75 when the same command may succeed later (a full disk, another process at work, shards that are
    /// missing) and 130 when it was interrupted; 1 and 2 when it would fail again.
    Bake(bake::Command),
    /// Bake many databases from one file: patterns x materials x grids x bending
    #[command(subcommand)]
    Campaign(campaign::Command),
    /// Import, export and inspect databases of yarn displacements
    #[command(subcommand)]
    Db(db::Command),
    /// Check, make and convert meshes and clips
    #[command(subcommand)]
    Mesh(mesh::Command),
    /// Compare sample sets with each other and with the physics
    ///
    /// Reports what each set costs, how far its yarns are from those of the densest set and from freshly solved
    /// equilibria, how smooth it is, which axis to refine and how small a grid would do.
    Compare(compare::Command),
    /// Do experiments on models of fabric: stretch, shear, pull
    ///
    /// What is measured is printed, written and drawn, and is the data for estimates of parameters.
    #[command(subcommand)]
    Experiment(experiment::Command),
    /// Estimate the parameters of a model from a database or an experiment
    ///
    /// Finds the parameters with which the model answers as the data say, tells how well the data determine each of them, and writes
    /// them to a file that solvers read. An estimate can be interrupted at any time: the same command resumes it, and the outcome is
    /// the same to the last byte.
    Estimate(estimate::Command),
    /// Compare the solver with published tables
    #[command(subcommand)]
    Study(study::Command),
    #[command(flatten)]
    Extra(Extra),
}

fn main() -> ExitCode {
    yarnwise_program::run(|Cli { json, command }| {
        if matches!(command, Command::Relax(_) | Command::Compare(_) | Command::Experiment(_) | Command::Study(_)) {
            Threads::default().start()?;
        }
        let done = match command {
            Command::Pattern(command) => pattern::run(command, json),
            Command::Relax(command) => return relax::run(command, json),
            Command::Bake(command) => return bake::run(command, json),
            Command::Campaign(command) => return campaign::run(command, json),
            Command::Estimate(command) => return estimate::run(command, json),
            Command::Db(command) => db::run(command, json),
            Command::Mesh(command) => mesh::run(command, json),
            Command::Compare(command) => compare::run(command, json),
            Command::Experiment(command) => experiment::run(&command, json),
            Command::Study(command) => study::run(command, json),
            Command::Extra(extra) => extra.run::<Cli>(),
        };
        done.map(|()| ExitCode::SUCCESS)
    })
}
