//! `yarnwise-bake campaign`: many bakes in one file.

mod check;
mod display;
mod meter;
mod part;
mod plan;
mod report;
mod run;
mod status;

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
    /// Say how far a campaign is: what is done, running, interrupted, failed and waiting, and how long the rest will take
    ///
    /// Reads databases, journals and logs and nothing else: it can be asked at any time, while the campaign runs here or on other
    /// machines that share the folder. There a bake counts as running when its journal changed in the last minute.
    Status(status::Command),
    /// Gather figures and pictures of all databases in one HTML page
    ///
    /// Converged share, size, core-seconds, roughness, energies, each fabric at rest, stretched and bent, and what failed. The page holds
    /// its pictures and needs nothing else; what is not there yet is listed.
    Report(report::Command),
    /// Write a campaign as what a cluster runs: commands, a Slurm script, a HyperQueue job file
    ///
    /// Patterns are relaxed first. Small bakes are bundled, so that a task takes a minute or more; those with shards in the campaign are cut. A
    /// task can be run twice, or again after it was lost, and does no harm; its exit code is 0 when it is done, 75 (or 130 after a
    /// signal) when it should be run again, and 1 or 2 when it would fail again.
    Plan(plan::Command),
    /// Solve a shard of one bake of a campaign, as 'bake --shard' does
    Shard(part::Shard),
    /// Unite the shards of one bake of a campaign, as 'bake --merge' does
    Merge(part::Merge),
}

pub(crate) fn run(command: Command, json: bool) -> anyhow::Result<ExitCode> {
    match command {
        Command::Check(command) => check::run(&command, json),
        Command::Run(command) => run::run(&command, json),
        Command::Status(command) => status::run(&command, json),
        Command::Report(command) => report::run(&command, json),
        Command::Plan(command) => plan::run(&command, json),
        Command::Shard(command) => part::shard(&command, json),
        Command::Merge(command) => part::merge(&command, json),
    }
}
