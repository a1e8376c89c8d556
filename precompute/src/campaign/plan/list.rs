//! A campaign as commands, one a line, in stages: for GNU parallel, OpenCue's `cuecmd`, Deadline's command-line jobs.

use super::quote::shell_line;
use super::{Commands, CutBake, Layout, PlanOptions};

/// Commands that need nothing of each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandStage {
    /// What they do, in a few words that make a file name.
    pub name: &'static str,
    /// One a line, for a POSIX shell.
    pub commands: Vec<String>,
}

/// The stages: all commands of one must have ended before the next begins.
pub fn list(layout: &Layout, options: &PlanOptions) -> Vec<CommandStage> {
    let commands = Commands(options);
    let rests = layout.rests.iter().map(|rest| commands.only([&rest.name]));
    let first = |cut: &CutBake| commands.merge(&cut.name, false);
    let bundles = layout.bundles.iter().map(|bundle| commands.only(bundle.bakes.iter().map(|(name, _)| name)));
    let mut stages = vec![stage("relax", rests), stage("bake", layout.cut.iter().map(first).chain(bundles))];
    for cycle in 1..=layout.cut.iter().map(|cut| cut.cycles).max().unwrap_or(0) {
        let open: Vec<&CutBake> = layout.cut.iter().filter(|cut| cycle <= cut.cycles).collect();
        let shards = |cut: &&CutBake| {
            let CutBake { name, shards, .. } = *cut;
            (1..=*shards).map(|number| commands.shard(name, number, *shards)).collect::<Vec<_>>()
        };
        stages.push(stage("shards", open.iter().flat_map(shards)));
        stages.push(stage("merge", open.iter().map(|cut| commands.merge(&cut.name, cycle == cut.cycles))));
    }
    stages.retain(|stage| !stage.commands.is_empty());
    stages
}

fn stage(name: &'static str, commands: impl Iterator<Item = Vec<String>>) -> CommandStage {
    CommandStage { name, commands: commands.map(shell_line).collect() }
}
