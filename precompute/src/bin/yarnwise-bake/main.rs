//! The command `yarnwise-bake`: patterns, databases and, in between, the bake.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a command line program talks to its user")]

mod db;
mod mesh;
mod pattern;
mod study;

use clap::{Parser, Subcommand};
use std::process::ExitCode;

/// Makes yarn patterns and the databases that the Yarnwise runtime draws cloth from.
#[derive(Parser)]
#[command(name = "yarnwise-bake", version, propagate_version = true, max_term_width = 110)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Make, import, check and draw yarn patterns
    #[command(subcommand)]
    Pattern(pattern::Command),
    /// Import, export and inspect databases of yarn displacements
    #[command(subcommand)]
    Db(db::Command),
    /// Check, make and convert meshes and clips
    #[command(subcommand)]
    Mesh(mesh::Command),
    /// Compare the solver with published tables
    #[command(subcommand)]
    Study(study::Command),
}

fn main() -> ExitCode {
    let result = match Cli::parse().command {
        Command::Pattern(command) => pattern::run(command),
        Command::Db(command) => db::run(command),
        Command::Mesh(command) => mesh::run(command),
        Command::Study(command) => study::run(command),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}
