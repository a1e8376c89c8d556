//! `yarnwise-bake campaign run`: all of a campaign on this machine.

use super::check::{self, Checked};
use super::display::Display;
use crate::bake::stop_on_interrupt;
use crate::writing;
use cpu_time::ProcessTime;
use serde::Serialize;
use std::fmt;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;
use yarnwise_precompute::campaign::{Campaign, CampaignEvent, CampaignOptions, CampaignOutcome, CampaignStep, StepEnd};
use yarnwise_program::interrupt::INTERRUPTED;
use yarnwise_program::number::{Threads, count};
use yarnwise_program::{TEMPORARY, memory, print_report};

#[derive(clap::Args)]
pub(crate) struct Command {
    /// The campaign: a .toml file
    campaign: PathBuf,
    /// Only these bakes or relaxed patterns, and what they need: names as 'campaign status' prints them, with * for any letters
    #[arg(long, value_name = "NAME", num_args = 1..)]
    only: Vec<String>,
    #[command(flatten)]
    threads: Threads,
}

/// The share of the free memory that bakes at work may take together: others need some, too.
const MEMORY_SHARE: f64 = 0.8;

pub(crate) fn run(command: &Command, json: bool) -> anyhow::Result<ExitCode> {
    let threads = command.threads.count();
    command.threads.start()?;
    let Checked { campaign, .. } = match check::checked(&command.campaign, threads)? {
        Ok(checked) => checked,
        Err(faults) => return check::print_faults(&faults, json),
    };
    let wanted = wanted(&campaign, &command.only)?;
    let stop = stop_on_interrupt()?;
    let (started, busy) = (Instant::now(), ProcessTime::now());
    let tool = writing::tool();
    let memory = memory::available().map_or(u64::MAX, |free| (MEMORY_SHARE * free as f64) as u64);
    let options = CampaignOptions { threads, memory, tool: &tool, stop: &stop, wanted: &wanted };
    let mut display = Display::new(&campaign, &wanted);
    let outcome = campaign.run(options, &mut |event: &CampaignEvent| display.report(event))?;
    display.finish();
    let seconds = started.elapsed().as_secs_f64();
    let busy = busy.elapsed().as_secs_f64() / (seconds * threads as f64);
    let report = Report::new(&campaign, &wanted, &outcome, Run { threads, seconds, busy });
    print_report(&report, json)?;
    Ok(report.code())
}

/// The steps that `--only` names; all without it.
fn wanted(campaign: &Campaign, only: &[String]) -> anyhow::Result<Vec<CampaignStep>> {
    if only.is_empty() {
        let rests = (0..campaign.rests.len()).map(CampaignStep::Rest);
        return Ok(rests.chain((0..campaign.bakes.len()).map(CampaignStep::Bake)).collect());
    }
    let mut wanted = Vec::new();
    for name in only {
        let found = campaign.steps(name);
        if found.is_empty() {
            anyhow::bail!(
                "--only {name}: the campaign has no such bake or relaxed pattern; 'campaign status' lists them"
            );
        }
        wanted.extend(found.into_iter().filter(|step| !wanted.contains(step)).collect::<Vec<_>>());
    }
    Ok(wanted)
}

/// How long it took.
#[derive(Clone, Copy, Serialize)]
struct Run {
    threads: usize,
    seconds: f64,
    /// Processor time over threads times wall time.
    busy: f64,
}

/// A step that was wanted and how it ended.
#[derive(Serialize)]
struct Line<'a> {
    name: &'a str,
    file: &'a Path,
    end: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    problem: Option<String>,
    /// Whether it may succeed later as it is.
    #[serde(skip)]
    is_temporary: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    core_seconds: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    samples: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    converged: Option<usize>,
}

/// What a run prints.
#[derive(Serialize)]
struct Report<'a> {
    name: &'a str,
    folder: &'a Path,
    #[serde(flatten)]
    run: Run,
    steps: Vec<Line<'a>>,
}

impl<'a> Report<'a> {
    fn new(campaign: &'a Campaign, wanted: &[CampaignStep], outcome: &CampaignOutcome, run: Run) -> Self {
        let line = |step: &CampaignStep| {
            let (name, file, end) = match step {
                CampaignStep::Rest(i) => (&campaign.rests[*i].name, &campaign.rests[*i].output, &outcome.rests[*i]),
                CampaignStep::Bake(i) => (&campaign.bakes[*i].name, &campaign.bakes[*i].output, &outcome.bakes[*i]),
            };
            let summary = match end {
                Some(StepEnd::Done(Some(summary))) => Some(summary),
                _ => None,
            };
            Line {
                name,
                file,
                end: word(end.as_ref()),
                problem: problem(campaign, end.as_ref()),
                is_temporary: matches!(end, Some(StepEnd::Failed(error)) if error.is_temporary()),
                core_seconds: summary.map(|s| s.solve_seconds),
                samples: summary.map(|s| s.samples),
                converged: summary.map(|s| s.converged),
            }
        };
        Report { name: &campaign.name, folder: &campaign.folder, run, steps: wanted.iter().map(line).collect() }
    }

    fn count(&self, end: &str) -> usize {
        self.steps.iter().filter(|line| line.end == end).count()
    }

    /// 0 when all is done, 1 when something failed that would fail again, 75 when the rest may succeed later, 130 when it was interrupted.
    fn code(&self) -> ExitCode {
        let failed = |temporary: bool| self.steps.iter().any(|l| l.end == FAILED && l.is_temporary == temporary);
        if failed(false) {
            return ExitCode::FAILURE;
        }
        if failed(true) || self.count(BUSY) > 0 {
            return ExitCode::from(TEMPORARY);
        }
        let open = self.steps.len() - self.count(KEPT) - self.count(DONE);
        if open == 0 { ExitCode::SUCCESS } else { ExitCode::from(INTERRUPTED) }
    }
}

const KEPT: &str = "kept";
const DONE: &str = "done";
const BUSY: &str = "busy";
const FAILED: &str = "failed";
const STOPPED: &str = "stopped";

fn word(end: Option<&StepEnd>) -> &'static str {
    match end {
        Some(StepEnd::Kept) => KEPT,
        Some(StepEnd::Done(_)) => DONE,
        Some(StepEnd::Busy) => BUSY,
        Some(StepEnd::Failed(_) | StepEnd::Unrested(_)) => FAILED,
        Some(StepEnd::Stopped) | None => STOPPED,
    }
}

fn problem(campaign: &Campaign, end: Option<&StepEnd>) -> Option<String> {
    match end {
        Some(StepEnd::Failed(error)) => Some(error.to_string()),
        Some(StepEnd::Unrested(rest)) => Some(format!("its pattern {} is not at rest", campaign.rests[*rest].name)),
        _ => None,
    }
}

impl fmt::Display for Report<'_> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let parts = [
            (DONE, "done"),
            (KEPT, "done before"),
            (FAILED, "failed"),
            (STOPPED, "not done"),
            (BUSY, "at work elsewhere"),
        ];
        let parts = parts.iter().map(|(end, words)| (self.count(end), words)).filter(|(n, _)| *n > 0);
        let parts: Vec<String> = parts.map(|(n, words)| format!("{n} {words}")).collect();
        writeln!(f, "{}: {} ({})", self.name, count(self.steps.len(), "step", None), parts.join(", "))?;
        let Run { threads, seconds, busy } = self.run;
        let (threads, busy) = (count(threads, "thread", None), 100.0 * busy);
        writeln!(f, "time        {seconds:.1} s on {threads}, {busy:.0} % of it as processor time")?;
        let seconds: f64 = self.steps.iter().filter_map(|line| line.core_seconds).sum();
        let samples: usize = self.steps.iter().filter_map(|line| line.samples).sum();
        let converged: usize = self.steps.iter().filter_map(|line| line.converged).sum();
        if samples > 0 {
            writeln!(
                f,
                "solved      {samples} samples in the plane, {converged} converged, {seconds:.1} core-seconds"
            )?;
        }
        writeln!(f, "output      {}", self.folder.display())?;
        for line in self.steps.iter().filter(|line| line.problem.is_some()) {
            writeln!(f, "failed      {}: {}", line.name, line.problem.as_deref().unwrap_or_default())?;
        }
        let more = self.steps.len() - self.count(DONE) - self.count(KEPT);
        if more > 0 { writeln!(f, "next        run the same command again for what is not done") } else { Ok(()) }
    }
}
