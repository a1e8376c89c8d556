//! `yarnwise-bake campaign`: many bakes in one file.

mod check;
mod display;
mod meter;
mod run;

use std::process::ExitCode;

#[derive(clap::Subcommand)]
pub(crate) enum Command {
    /// Find everything that is wrong with a campaign before anything runs
    ///
    /// Reports all faults at once, one line each: what cannot be read or baked, outputs that would replace something, names that
    /// overrides do not find, too little memory or room on the disk. Prints what the campaign comes to. Writes nothing.
    Check(check::Command),
    /// Relax and bake all of a campaign on this machine
    ///
    /// Several bakes are at work at a time, so that all cores are busy; each database has the bytes that 'bake' gives it alone. What
    /// is done already is kept: after Ctrl-C, a crash or a failure the same command does what is left. One bake that fails does
    /// not stop the others.
    Run(run::Command),
}

pub(crate) fn run(command: Command, json: bool) -> anyhow::Result<ExitCode> {
    match command {
        Command::Check(command) => check::run(&command, json),
        Command::Run(command) => run::run(&command, json),
    }
}
