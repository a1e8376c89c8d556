//! `yarnwise-experiments`: repeats the experiments of the papers behind the solvers, one family for each solver.

mod clock;
mod cloth;
mod hybrid;
mod memory;
mod options;
mod report;
mod statistics;
mod yarn;

use clap::{Parser, Subcommand};
use std::process::ExitCode;

/// Repeats the experiments of the papers behind Yarnwise's solvers
#[derive(Parser)]
#[command(name = "yarnwise-experiments", version, propagate_version = true, max_term_width = 110)]
struct Cli {
    #[command(subcommand)]
    family: Family,
}

#[derive(Subcommand)]
enum Family {
    /// Cloth of particles and springs (Boxerman 2003)
    #[command(subcommand)]
    Cloth(cloth::Experiment),
    /// Woven cloth yarn by yarn (Cirio 2014)
    #[command(subcommand)]
    Yarn(Box<yarn::Experiment>),
    /// Yarns where they matter, triangles elsewhere (Casafranca 2020)
    #[command(subcommand)]
    Hybrid(Box<hybrid::Experiment>),
    #[command(flatten)]
    Extra(yarnwise_program::Extra),
}

fn main() -> ExitCode {
    yarnwise_program::run(|cli: Cli| {
        match &cli.family {
            Family::Cloth(experiment) => cloth::run(experiment),
            Family::Yarn(experiment) => yarn::run(experiment),
            Family::Hybrid(experiment) => hybrid::run(experiment),
            Family::Extra(extra) => extra.run::<Cli>(),
        }?;
        Ok(ExitCode::SUCCESS)
    })
}
