//! A bake carried out, or a part of it, with its progress and its report.

use super::{Report, stop_on_interrupt};
use crate::options;
use crate::progress::Meter;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::AtomicBool;
use yarnwise_precompute::Error;
use yarnwise_precompute::bake::{
    Bake, BakeOutcome, MergeOptions, MergeOutcome, Next, Progress, RunOptions, Shard, ShardOutcome, journal_path,
    log_path,
};
use yarnwise_program::interrupt::INTERRUPTED;
use yarnwise_program::number::count;
use yarnwise_program::{Temporary, note, print_report};
use yarnwise_shared::table::database::Encoding;

/// A bake and how it is carried out.
pub(crate) struct Job<'a> {
    pub(crate) bake: &'a Bake,
    pub(crate) output: &'a Path,
    pub(crate) encoding: Encoding,
    pub(crate) restart: bool,
    pub(crate) threads: usize,
    pub(crate) json: bool,
}

impl Job<'_> {
    /// All of it.
    pub(crate) fn whole(&self) -> anyhow::Result<ExitCode> {
        let outcome = self.watched(|options, report| self.bake.run(self.output, options, report))?;
        self.ended(outcome)
    }

    /// One of several parts.
    pub(crate) fn shard(&self, shard: Shard) -> anyhow::Result<ExitCode> {
        let outcome = self.watched(|options, report| self.bake.shard(self.output, shard, options, report))?;
        match outcome {
            ShardOutcome::Baked => note!("{}: is baked, nothing is left to solve", self.output.display()),
            ShardOutcome::Delivered { solves: 0 } => {
                note!("shard {shard}: nothing of its own is left to solve before the next merge")
            }
            ShardOutcome::Delivered { solves } => {
                note!("shard {shard}: {} in {}", safe(solves), shard.journal(self.output).display());
            }
            ShardOutcome::Stopped { solves } => return Ok(stopped(solves, &shard.journal(self.output))),
        }
        Ok(ExitCode::SUCCESS)
    }

    /// The parts united.
    pub(crate) fn merge(&self, journals: &[PathBuf], seconds: f64) -> anyhow::Result<ExitCode> {
        let merge = MergeOptions { journals, little: seconds * self.threads as f64 };
        match self.watched(|options, report| self.bake.merge(self.output, merge, options, report))? {
            MergeOutcome::Baked(outcome) => self.ended(outcome),
            MergeOutcome::Before => {
                note!("{}: is baked, nothing is left to unite", self.output.display());
                Ok(ExitCode::SUCCESS)
            }
            MergeOutcome::Next(next) => {
                print_report(&NextReport { next }, self.json)?;
                Ok(ExitCode::SUCCESS)
            }
        }
    }

    /// Does it with a meter and an ear for Ctrl-C.
    fn watched<T>(
        &self,
        work: impl FnOnce(RunOptions, &mut dyn FnMut(Progress)) -> Result<T, Error>,
    ) -> anyhow::Result<T> {
        let stop = stop_on_interrupt()?;
        let stop: &AtomicBool = &stop;
        let options =
            RunOptions { threads: self.threads, pool: None, restart: self.restart, encoding: self.encoding, stop };
        let mut meter = Meter::new();
        let vertices = count(self.bake.pattern.vertices().len(), "vertex", Some("vertices"));
        let mut title = Some(format!("{}: {vertices}, {}", self.bake.name, options::describe(&self.bake.material)));
        let done = work(options, &mut |progress| {
            // Only now is it certain that the job is not refused.
            if let Some(title) = title.take() {
                note!("{title}");
            }
            meter.report(progress)
        });
        meter.finish();
        done.map_err(classified)
    }

    fn ended(&self, outcome: BakeOutcome) -> anyhow::Result<ExitCode> {
        match outcome {
            BakeOutcome::Finished(summary) => {
                let log = log_path(self.output);
                print_report(&Report { file: self.output, threads: self.threads, log, summary: &summary }, self.json)?;
                Ok(ExitCode::SUCCESS)
            }
            BakeOutcome::Stopped { solves } => Ok(stopped(solves, &journal_path(self.output))),
        }
    }
}

/// An error as the program ends with it: one that may be gone when the same command is run again says so by the exit code.
pub(crate) fn classified(error: Error) -> anyhow::Error {
    match error.is_temporary() {
        true => Temporary(error.into()).into(),
        false => error.into(),
    }
}

fn safe(solves: usize) -> String {
    if solves == 1 { "1 solve is safe".to_owned() } else { format!("{solves} solves are safe") }
}

fn stopped(solves: usize, journal: &Path) -> ExitCode {
    note!("stopped: {} in {}; run the same command again to resume", safe(solves), journal.display());
    ExitCode::from(INTERRUPTED)
}

/// What comes next.
#[derive(serde::Serialize)]
struct NextReport {
    next: Next,
}

impl std::fmt::Display for NextReport {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        writeln!(f, "next: {}", self.next)
    }
}
