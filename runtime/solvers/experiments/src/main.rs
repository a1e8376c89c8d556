//! `yarnwise-experiments`: repeats the experiments of the papers behind the solvers.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a command line program talks to its user")]

mod cloth;

use clap::{Parser, Subcommand};
use std::process::ExitCode;

/// Repeats the experiments of the papers behind Yarnwise's solvers.
#[derive(Parser)]
#[command(name = "yarnwise-experiments", version, max_term_width = 110)]
struct Cli {
    #[command(subcommand)]
    solver: Solver,
}

#[derive(Subcommand)]
enum Solver {
    /// Cloth of particles and springs [Boxerman03]
    Cloth(cloth::Args),
}

fn main() -> ExitCode {
    let result = match Cli::parse().solver {
        Solver::Cloth(args) => cloth::run(&args),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}
