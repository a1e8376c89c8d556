//! `yarnwise-bake campaign check`: everything that is wrong, and what the campaign comes to.

use crate::writing;
use serde::Serialize;
use std::collections::HashSet;
use std::fmt;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use yarnwise_precompute::bake::{DiskSize, SOLVES_A_SAMPLE, journal_path, log_path};
use yarnwise_precompute::campaign::{Campaign, Fault, Faults, OutputState};
use yarnwise_program::number::{Threads, count};
use yarnwise_program::{disk, memory, note, output, print_json, print_report};

#[derive(clap::Args)]
pub(crate) struct Command {
    /// The campaign: a .toml file
    campaign: PathBuf,
    #[command(flatten)]
    threads: Threads,
}

/// What a campaign comes to.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct Outline {
    /// Patterns that are relaxed.
    rests: usize,
    bakes: usize,
    /// Of both, what is there already.
    done: usize,
    /// Samples of what is left.
    samples: u64,
    /// Solves that this takes, about.
    solves: u64,
    /// Into how many parts the bakes are cut on a cluster.
    shards: usize,
    /// Memory of the largest bake alone, bytes.
    memory_bytes: u64,
    /// Room on the disk that what is left takes, bytes: databases, and the largest journals beside them.
    disk_bytes: u64,
}

/// A campaign and what was found out about it.
pub(crate) struct Checked {
    pub(crate) campaign: Campaign,
    pub(crate) outline: Outline,
}

/// Reads a campaign and checks all of it; everything that is wrong is an error.
pub(crate) fn checked(path: &Path, threads: usize) -> anyhow::Result<Result<Checked, Faults>> {
    let (campaign, mut faults) = Campaign::draft(path)?;
    faults.extend(campaign.check_bakes());
    for line in &campaign.notes {
        note!("warning: {line}");
    }
    let of_outputs = outputs(&campaign);
    let is_sound = faults.is_empty();
    // Where the outputs cannot be, nothing of them can be there.
    let outline =
        if is_sound { outline(&campaign, threads, of_outputs.is_empty(), &mut faults) } else { Outline::default() };
    faults.extend(of_outputs);
    Ok(Faults::check(path, faults).map(|()| Checked { campaign, outline }))
}

/// Prints everything that is wrong, one line each.
pub(crate) fn print_faults(faults: &Faults, json: bool) -> anyhow::Result<ExitCode> {
    if json {
        #[derive(Serialize)]
        struct Line<'a> {
            line: Option<usize>,
            problem: &'a str,
        }
        let lines: Vec<Line> = faults.faults.iter().map(|f| Line { line: f.line, problem: &f.problem }).collect();
        print_json(&serde_json::json!({"file": faults.file, "faults": lines}))?;
    }
    for line in faults.to_string().lines() {
        note!("error: {line}");
    }
    Ok(ExitCode::FAILURE)
}

pub(crate) fn run(command: &Command, json: bool) -> anyhow::Result<ExitCode> {
    command.threads.start()?;
    match checked(&command.campaign, command.threads.count())? {
        Err(faults) => print_faults(&faults, json),
        Ok(Checked { campaign, outline }) => {
            print_report(&Report { name: &campaign.name, folder: &campaign.folder, outline: &outline }, json)?;
            Ok(ExitCode::SUCCESS)
        }
    }
}

/// Outputs that cannot be written or that are inputs.
fn outputs(campaign: &Campaign) -> Vec<Fault> {
    let inputs: Vec<&Path> = campaign.inputs.iter().map(PathBuf::as_path).collect();
    if let Err(error) = output::check_folder(&campaign.folder, &inputs) {
        return vec![Fault::of_all(format!("output folder {error:#}"))];
    }
    let beside = |output: &PathBuf| [output.clone(), journal_path(output), log_path(output)];
    let bakes = campaign.bakes.iter().flat_map(|bake| beside(&bake.output));
    let rests = campaign.rests.iter().map(|rest| rest.output.clone());
    let fault = |output: PathBuf| output::check(&output, &inputs).err().map(|e| Fault::of_all(format!("{e:#}")));
    rests.chain(bakes).filter_map(fault).collect()
}

/// What a campaign without faults of its own comes to; what this machine has too little of is a fault. `look` at the folder of
/// outputs, which can be written to.
fn outline(campaign: &Campaign, threads: usize, look: bool, faults: &mut Vec<Fault>) -> Outline {
    let tool = writing::tool();
    let mut outline = Outline { rests: campaign.rests.len(), bakes: campaign.bakes.len(), ..Outline::default() };
    for rest in &campaign.rests {
        outline.done += usize::from(look && is_done(rest.found(&tool), faults));
    }
    let (mut journals, mut too_large) = (Vec::new(), HashSet::new());
    for planned in &campaign.bakes {
        outline.shards += planned.shards;
        // Whether its database is there can only be said with the pattern that it is baked from.
        let bake = planned.bake(campaign.pattern_file(planned), &tool);
        if let (true, Ok(bake)) = (look, &bake)
            && is_done(planned.found(bake), faults)
        {
            outline.done += 1;
            continue;
        }
        let Ok(bake) = campaign.checked_bake(planned) else { continue };
        let DiskSize { database, journal } = bake.disk(&planned.encoding);
        outline.samples += bake.solved_samples();
        outline.disk_bytes += database;
        journals.push(journal);
        let bytes = bake.memory(threads);
        outline.memory_bytes = outline.memory_bytes.max(bytes);
        let work = memory::Work {
            what: &planned.name,
            bytes,
            threads: 2 * threads + 1,
            cure: "choose a smaller grid, fewer curvatures or fewer --threads",
        };
        if let Err(error) = memory::check(&work)
            && too_large.insert(planned.name.clone())
        {
            faults.push(Fault::of_all(error.to_string()));
        }
    }
    journals.sort_unstable();
    // As many as are open at a time.
    outline.disk_bytes += journals.iter().rev().take(2 * threads).sum::<u64>();
    outline.solves = (SOLVES_A_SAMPLE * outline.samples as f64).round() as u64;
    if let Some(free) = disk::free(&campaign.folder).filter(|free| look && outline.disk_bytes > *free) {
        let (needed, folder) = (memory::size(outline.disk_bytes), campaign.folder.display());
        faults.push(Fault::of_all(format!(
            "{folder}: needs up to {needed} on the disk, {} are free; make room, or choose another output folder",
            memory::size(free)
        )));
    }
    outline
}

/// Whether an output is there; something else in its place is a fault.
fn is_done(found: yarnwise_precompute::Result<OutputState>, faults: &mut Vec<Fault>) -> bool {
    match found {
        Ok(OutputState::Done) => return true,
        Ok(OutputState::Nothing) => {}
        Ok(OutputState::Other(problem)) => faults.push(Fault::of_all(problem)),
        Err(error) => faults.push(Fault::of_all(error.to_string())),
    }
    false
}

/// What `check` prints.
#[derive(Serialize)]
struct Report<'a> {
    name: &'a str,
    folder: &'a Path,
    #[serde(flatten)]
    outline: &'a Outline,
}

impl fmt::Display for Report<'_> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let o = self.outline;
        let relaxed = match o.rests {
            0 => String::new(),
            n => format!("; {} relaxed first", count(n, "pattern is", Some("patterns are"))),
        };
        writeln!(f, "{}: {}{relaxed}; no faults", self.name, count(o.bakes, "bake", None))?;
        writeln!(f, "output      {}", self.folder.display())?;
        writeln!(f, "done        {} of {}", o.done, o.rests + o.bakes)?;
        writeln!(f, "to solve    {} samples, about {} solves with retries", o.samples, o.solves)?;
        if o.shards > o.bakes {
            writeln!(f, "cut into    {} on a cluster", count(o.shards, "part", None))?;
        }
        writeln!(f, "memory      {} for the largest bake", memory::size(o.memory_bytes))?;
        writeln!(f, "disk        up to {} more", memory::size(o.disk_bytes))
    }
}
