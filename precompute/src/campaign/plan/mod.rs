//! A campaign as what existing engines run.
//!
//! All of them get the same work: patterns to relax, bundles of small bakes, and large bakes that are cut into shards. [`list`] is commands in
//! stages, [`hyperqueue`] a job file with dependencies, [`slurm`] a script that submits arrays. Where an engine must know all tasks
//! beforehand, a cut bake gets as many rounds of shards and merges as it may need; a task that finds nothing to do ends at once. With Slurm the merges
//! submit what comes next.

mod hyperqueue;
mod list;
mod quote;
mod slurm;

pub use hyperqueue::hyperqueue;
pub use list::{CommandStage, list};
pub use quote::shell;
pub use slurm::slurm;

use super::run::OPEN_PER_THREAD;
use super::{Campaign, PlannedBake, Source};
use crate::Result;
use crate::bake::Bake;
use std::collections::BTreeSet;
use std::path::PathBuf;

/// How a campaign is laid out.
#[derive(Clone, Debug)]
pub struct PlanOptions {
    /// The program, as the machines that do the work find it.
    pub program: PathBuf,
    /// The campaign's file, as they find it.
    pub campaign: PathBuf,
    /// The folder in which tasks run.
    pub folder: PathBuf,
    /// Cores of a task.
    pub threads: usize,
    /// Small bakes are bundled until a task takes about this many seconds, and merges leave what takes longer to shards.
    pub seconds: u32,
}

/// What is done of a campaign, in terms of tasks.
#[derive(Clone, Debug)]
pub struct Layout {
    /// Patterns to relax, one task each.
    pub(super) rests: Vec<Rest>,
    /// Bakes that are not cut, several to a task.
    pub(super) bundles: Vec<Bundle>,
    /// Bakes that are cut.
    pub(super) cut: Vec<CutBake>,
    /// Memory that a task takes at most, bytes.
    pub(super) memory: u64,
    /// The folder of what tasks print.
    pub(super) logs: PathBuf,
}

/// A pattern to relax.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Rest {
    pub(super) name: String,
    pub(super) output: PathBuf,
}

/// Bakes that one task does, one after the other.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Bundle {
    /// Their names and databases.
    pub(super) bakes: Vec<(String, PathBuf)>,
    /// Their patterns to relax, by number.
    pub(super) rests: BTreeSet<usize>,
    /// About how long they take, s.
    seconds: f64,
    /// The memory of each, bytes.
    memory: Vec<u64>,
}

impl Bundle {
    /// Memory of as many as are at work at a time, bytes.
    fn memory(&self, threads: usize) -> u64 {
        let mut each = self.memory.clone();
        each.sort_unstable_by(|a, b| b.cmp(a));
        each.iter().take(OPEN_PER_THREAD * threads).sum()
    }
}

/// A bake in shards.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct CutBake {
    pub(super) name: String,
    pub(super) output: PathBuf,
    /// Its pattern to relax, by number.
    pub(super) rest: Option<usize>,
    pub(super) shards: usize,
    /// After this many rounds of shards and merges, the last merge does what is left.
    pub(super) cycles: usize,
}

/// Rounds of shards and merges for each table where all tasks must be known beforehand: the lines, the first rounds of retries, which are
/// large, and the polish.
const CYCLES: usize = 5;

impl Layout {
    /// The tasks of a campaign; fails where a pattern cannot be read.
    pub fn new(campaign: &Campaign, options: &PlanOptions) -> Result<Self> {
        let mut layout = Layout {
            rests: campaign.rests.iter().map(|r| Rest { name: r.name.clone(), output: r.output.clone() }).collect(),
            bundles: Vec::new(),
            cut: Vec::new(),
            memory: 0,
            logs: campaign.folder.join("logs"),
        };
        let mut open = Bundle::default();
        for planned in &campaign.bakes {
            let bake = campaign.checked_bake(planned)?;
            let memory = bake.memory(options.threads);
            if planned.shards > 1 {
                layout.memory = layout.memory.max(memory);
                layout.cut.push(CutBake::new(planned, &bake));
                continue;
            }
            open.bakes.push((planned.name.clone(), planned.output.clone()));
            open.rests.extend(rest_of(planned));
            open.memory.push(memory);
            open.seconds += bake.solved_samples() as f64 * bake.seconds_a_sample() / options.threads as f64;
            if open.seconds >= f64::from(options.seconds) {
                layout.bundles.push(std::mem::take(&mut open));
            }
        }
        if !open.bakes.is_empty() {
            layout.bundles.push(open);
        }
        let of_bundles = layout.bundles.iter().map(|bundle| bundle.memory(options.threads)).max();
        layout.memory = layout.memory.max(of_bundles.unwrap_or(0));
        Ok(layout)
    }
}

impl CutBake {
    fn new(planned: &PlannedBake, bake: &Bake) -> Self {
        let tables = if bake.curvatures.is_some() { 3 } else { 1 };
        CutBake {
            name: planned.name.clone(),
            output: planned.output.clone(),
            rest: rest_of(planned),
            shards: planned.shards,
            cycles: CYCLES * tables,
        }
    }
}

fn rest_of(planned: &PlannedBake) -> Option<usize> {
    match planned.source {
        Source::Relaxed(rest) => Some(rest),
        Source::Given(_) => None,
    }
}

/// The commands of tasks, as lists of arguments.
pub(super) struct Commands<'a>(pub(super) &'a PlanOptions);

impl Commands<'_> {
    /// Relaxes a pattern, or does bakes, of these names.
    pub(super) fn only<'n>(&self, names: impl IntoIterator<Item = &'n String>) -> Vec<String> {
        let mut command = self.campaign("run");
        command.push("--only".to_owned());
        command.extend(names.into_iter().cloned());
        command.extend(self.threads());
        command
    }

    /// Solves a shard of a bake.
    pub(super) fn shard(&self, name: &str, number: usize, count: usize) -> Vec<String> {
        let mut command = self.campaign("shard");
        command.extend([name.to_owned(), format!("{number}/{count}")]);
        command.extend(self.threads());
        command
    }

    /// Unites the shards of a bake; the last time it does what is left.
    pub(super) fn merge(&self, name: &str, last: bool) -> Vec<String> {
        let mut command = self.campaign("merge");
        let little = if last { "inf".to_owned() } else { self.0.seconds.to_string() };
        command.extend([name.to_owned(), "--little".to_owned(), little]);
        command.extend(self.threads());
        command
    }

    fn campaign(&self, what: &str) -> Vec<String> {
        let text = |path: &PathBuf| path.to_string_lossy().into_owned();
        vec![text(&self.0.program), "campaign".to_owned(), what.to_owned(), text(&self.0.campaign)]
    }

    fn threads(&self) -> [String; 2] {
        ["--threads".to_owned(), self.0.threads.to_string()]
    }
}
