//! `yarnwise-view`: the program of the run-time half; see [`yarnwise_viewer`].

mod arguments;
mod cli;
mod environment;
mod export;
mod lay;
mod npz;
mod outputs;
mod progress;
mod render;
mod simulate;

use anyhow::Result;
use cli::{Cli, Command};
use std::process::ExitCode;

fn main() -> ExitCode {
    yarnwise_program::run(|cli: Cli| run(cli))
}

fn run(cli: Cli) -> Result<ExitCode> {
    let done = match cli.command {
        Some(Command::Render(args)) => render::run(&args),
        Some(Command::Export(args)) => export::run(&args),
        Some(Command::Lay(args)) => lay::run(&args),
        Some(Command::Simulate(args)) => return simulate::run(&args),
        Some(Command::Extra(extra)) => extra.run::<Cli>(),
        None => window(&cli.window),
    };
    done.map(|()| ExitCode::SUCCESS)
}

#[cfg(feature = "window")]
fn window(args: &cli::WindowArgs) -> Result<()> {
    environment::prepare_for_graphics();
    let options = yarnwise_viewer::app::WindowOptions { size: args.size, lose_device_after: args.lose_device_after };
    Ok(yarnwise_viewer::app::run(&args.files, &options)?)
}

#[cfg(not(feature = "window"))]
fn window(_: &cli::WindowArgs) -> Result<()> {
    anyhow::bail!(
        "this build has no window: draw pictures with 'yarnwise-view render', or build it with its window: \
         cargo build --release -p yarnwise-view"
    )
}
