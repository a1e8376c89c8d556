//! `yarnwise-cloth`: simulates cloth scenes into clips, and repeats the experiments of \[Boxerman03\].
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a command line program talks to its user")]

mod experiment;
mod picture;
mod simulate;

use clap::{Parser, Subcommand};
use std::path::PathBuf;
use std::process::ExitCode;

/// Moving cloth for Yarnwise.
#[derive(Parser)]
#[command(version, about)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Simulates a scene and writes a clip.
    Simulate {
        /// The scene, a JSON file; see docs/cloth.md.
        scene: PathBuf,
        /// The clip to write, .bin or .pc2 (beside which the mesh is written as .obj).
        #[arg(short, long)]
        output: PathBuf,
        /// Draws the last frame into this PNG file.
        #[arg(long)]
        picture: Option<PathBuf>,
    },
    /// Repeats an experiment of the thesis and prints its table.
    Experiment {
        /// Which one.
        name: experiment::Name,
        /// Number of random parameter sets; each experiment has its own default.
        #[arg(long)]
        runs: Option<usize>,
        /// The thesis's 500 parameter sets, each to its end. On two cores: stability 2 minutes, preconditioner 15, decomposition
        /// 45, aimex 80; the others hardly take longer.
        #[arg(long)]
        full: bool,
        /// Where random parameters start.
        #[arg(long, default_value_t = 1)]
        seed: u64,
        /// Folder for the plots (PNG).
        #[arg(long, default_value = "cloth-experiments")]
        output: PathBuf,
    },
}

fn main() -> ExitCode {
    let result = match Arguments::parse().command {
        Command::Simulate { scene, output, picture } => simulate::run(&scene, &output, picture.as_deref()),
        Command::Experiment { name, runs, full, seed, output } => {
            experiment::run(name, &experiment::Settings { runs, full, seed, output })
        }
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}
