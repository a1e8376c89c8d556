//! `yarnwise-bake campaign shard` and `merge`: one bake of a campaign on several machines.

use crate::bake::{Job, Little, check_memory};
use crate::writing;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use yarnwise_precompute::bake::{Bake, Shard as Part};
use yarnwise_precompute::campaign::{Campaign, PlannedBake};
use yarnwise_program::number::Threads;

#[derive(clap::Args)]
pub(crate) struct Shard {
    /// The campaign: a .toml file
    campaign: PathBuf,
    /// The bake, as 'campaign status' names it
    name: String,
    /// The part I of N that is solved
    #[arg(value_name = "I/N")]
    shard: Part,
    #[command(flatten)]
    threads: Threads,
}

#[derive(clap::Args)]
pub(crate) struct Merge {
    /// The campaign: a .toml file
    campaign: PathBuf,
    /// The bake, as 'campaign status' names it
    name: String,
    /// Solve here what these threads solve in about this many seconds, instead of leaving it to shards; inf for everything
    #[arg(long, value_name = "SECONDS", default_value_t = Little::default())]
    little: Little,
    #[command(flatten)]
    threads: Threads,
}

pub(crate) fn shard(command: &Shard, json: bool) -> anyhow::Result<ExitCode> {
    let (planned, bake) = planned(&command.campaign, &command.name)?;
    job(&planned, &bake, command.threads, json)?.shard(command.shard)
}

pub(crate) fn merge(command: &Merge, json: bool) -> anyhow::Result<ExitCode> {
    let (planned, bake) = planned(&command.campaign, &command.name)?;
    job(&planned, &bake, command.threads, json)?.merge(&[], command.little.0)
}

fn job<'a>(planned: &'a PlannedBake, bake: &'a Bake, threads: Threads, json: bool) -> anyhow::Result<Job<'a>> {
    bake.check()?;
    check_memory(bake, threads.count())?;
    threads.start()?;
    let output = &planned.output;
    Ok(Job { bake, output, encoding: planned.encoding, restart: false, threads: threads.count(), json })
}

/// The bake of this name, and what it comes to.
fn planned(path: &Path, name: &str) -> anyhow::Result<(PlannedBake, Bake)> {
    let campaign = Campaign::read(path)?;
    let Some(planned) = campaign.bake(name) else {
        anyhow::bail!("{}: has no bake {name}; 'campaign status' lists them", path.display());
    };
    let bake = planned.bake(campaign.pattern_file(planned), &writing::tool())?;
    Ok((planned.clone(), bake))
}
