//! `yarnwise-bake campaign status`: how far it is, here or elsewhere.

use super::display::duration;
use crate::writing;
use serde::Serialize;
use std::fmt;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;
use yarnwise_precompute::campaign::{BakeStatus, Campaign, Standing, Status};
use yarnwise_program::number::Threads;
use yarnwise_program::print_report;

#[derive(clap::Args)]
pub(crate) struct Command {
    /// The campaign: a .toml file
    campaign: PathBuf,
    #[command(flatten)]
    threads: Threads,
}

pub(crate) fn run(command: &Command, json: bool) -> anyhow::Result<ExitCode> {
    let campaign = Campaign::read(&command.campaign)?;
    let status = campaign.status(&writing::tool());
    let count = |standing: Standing| (standing.name(), status.count(standing));
    let report = Report {
        name: &campaign.name,
        folder: &campaign.folder,
        counts: Standing::ALL.map(count).into_iter().collect(),
        left_core_seconds: status.left_core_seconds(),
        threads: command.threads.count(),
        status: &status,
    };
    print_report(&report, json)?;
    Ok(ExitCode::SUCCESS)
}

/// What `status` prints.
#[derive(Serialize)]
struct Report<'a> {
    name: &'a str,
    folder: &'a Path,
    /// Steps by how they stand.
    counts: std::collections::BTreeMap<&'static str, usize>,
    /// Processor time that is left, s; null where nothing is known of the speed.
    left_core_seconds: Option<f64>,
    /// Threads for which the time that is left is printed.
    threads: usize,
    #[serde(flatten)]
    status: &'a Status,
}

/// The widest column of names.
const WIDEST: usize = 60;

impl fmt::Display for Report<'_> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let Status { rests, bakes } = self.status;
        let names = rests.iter().map(|rest| &rest.name).chain(bakes.iter().map(|bake| &bake.name));
        let wide = names.map(|name| name.chars().count()).max().unwrap_or_default().clamp(4, WIDEST);
        writeln!(f, "{:<wide$}  {:<11}  {:>15}  {:>9}  {:>9}  note", "step", "state", "solves", "core-s", "left")?;
        for rest in rests {
            let note = rest.problem.as_deref().unwrap_or("pattern at rest");
            writeln!(
                f,
                "{:<wide$}  {:<11}  {:>15}  {:>9}  {:>9}  {note}",
                rest.name,
                rest.standing.name(),
                "",
                "",
                ""
            )?;
        }
        for bake in bakes {
            let solves = match bake.standing {
                Standing::Done => bake.solves.to_string(),
                _ => format!("{} of ~{}", bake.solves, bake.expected_solves),
            };
            let left = match (bake.standing, bake.left_core_seconds) {
                (Standing::Done, _) => String::new(),
                (_, Some(seconds)) => duration(Duration::from_secs_f64(seconds)),
                (_, None) => "?".to_owned(),
            };
            let (name, state, seconds) = (&bake.name, bake.standing.name(), bake.core_seconds);
            writeln!(f, "{name:<wide$}  {state:<11}  {solves:>15}  {seconds:>9.1}  {left:>9}  {}", note(bake))?;
        }
        let counts = Standing::ALL.map(|standing| (self.status.count(standing), standing.name()));
        let counts: Vec<String> =
            counts.iter().filter(|(n, _)| *n > 0).map(|(n, name)| format!("{n} {name}")).collect();
        let left = match self.left_core_seconds {
            Some(0.0) => String::new(),
            Some(seconds) => {
                let wall = seconds / self.threads as f64;
                let [seconds, wall] = [seconds, wall].map(|s| duration(Duration::from_secs_f64(s)));
                format!("; about {seconds} of one core are left, {wall} on {} threads", self.threads)
            }
            None => "; nothing is known of the speed yet".to_owned(),
        };
        writeln!(f, "{}: {}{left}", self.name, counts.join(", "))
    }
}

fn note(bake: &BakeStatus) -> String {
    if let Some(problem) = &bake.problem {
        return problem.clone();
    }
    match (bake.standing, bake.converged, bake.quiet_seconds) {
        (Standing::Done, Some([converged, all]), _) if converged == all => format!("all {all} samples converged"),
        (Standing::Done, Some([converged, all]), _) => format!("{converged} of {all} samples converged"),
        (Standing::Running | Standing::Interrupted, _, Some(seconds)) => {
            format!("last sign {} ago", duration(Duration::from_secs_f64(seconds)))
        }
        _ => String::new(),
    }
}
