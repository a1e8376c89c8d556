//! The command `yarnwise-bake`: patterns, databases and, in between, the bake.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a command line program talks to its user")]

mod bake;
mod compare;
mod db;
mod mesh;
mod options;
mod pattern;
mod progress;
mod relax;
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
    /// Solve a pattern over a grid of strains and write the database
    ///
    /// A bake can be interrupted at any time (Ctrl-C, kill, a full disk, a crash): the same command goes on where it was,
    /// and the database is the same to the last byte. What is finished is kept in FILE.journal until then; FILE.log has
    /// a line for each solve.
    Bake(bake::Command),
    /// Find the rest state of a pattern, with its period free or fixed
    ///
    /// A relaxed pattern is an equilibrium: baked at zero strain, it does not move. Prints energy, period and gauge before
    /// and after.
    Relax(relax::Command),
    /// Import, export and inspect databases of yarn displacements
    #[command(subcommand)]
    Db(db::Command),
    /// Hold sample sets against each other and against the physics
    ///
    /// Tells what each set costs, how far its yarns are from those of the densest set and from freshly solved
    /// equilibria, how smooth it is, which axis to refine and how small a grid would do.
    Compare(compare::Command),
    /// Check, make and convert meshes and clips
    #[command(subcommand)]
    Mesh(mesh::Command),
    /// Compare the solver with published tables
    #[command(subcommand)]
    Study(study::Command),
}

fn main() -> ExitCode {
    let result = match Cli::parse().command {
        Command::Pattern(command) => pattern::run(command).map(|()| ExitCode::SUCCESS),
        Command::Bake(command) => bake::run(command),
        Command::Relax(command) => relax::run(command).map(|()| ExitCode::SUCCESS),
        Command::Db(command) => db::run(command).map(|()| ExitCode::SUCCESS),
        Command::Compare(command) => compare::run(command).map(|()| ExitCode::SUCCESS),
        Command::Mesh(command) => mesh::run(command).map(|()| ExitCode::SUCCESS),
        Command::Study(command) => study::run(command).map(|()| ExitCode::SUCCESS),
    };
    match result {
        Ok(code) => code,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}
