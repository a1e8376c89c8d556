//! The search for the parameters of any model of fabric, with a journal beside the output.

use super::Command;
use super::meter::Meter;
use crate::writing;
use std::sync::atomic::AtomicBool;
use yarnwise_precompute::bake::journal_path;
use yarnwise_precompute::estimate::{EstimateOptions, EstimateOutcome, Estimated, Estimation, Observations, Sought};
use yarnwise_precompute::fabric::Fabric;
use yarnwise_precompute::job::{ExecuteOptions, Journal};

pub(super) enum Searched {
    /// The journal is to be removed when the outcome is safe.
    Finished(Box<Estimated>, Journal),
    Stopped,
}

/// Searches the parameters of `fabric`; `identity` says by name what fabric it is.
pub(super) fn search(
    command: &Command,
    fabric: &dyn Fabric,
    observations: Observations,
    identity: (String, String),
    stop: &AtomicBool,
) -> anyhow::Result<Searched> {
    let unknowns = Sought::new(fabric.model(), &fabric.parameters(), &command.search.wishes())?;
    let options = EstimateOptions { prior: command.search.prior(), ..EstimateOptions::default() };
    let estimation = Estimation { fabric, unknowns, observations, options };
    let mut description = vec![("tool".to_owned(), writing::tool()), identity];
    description.extend(estimation.description());
    let (mut journal, opened) = Journal::open(&journal_path(&command.output), &description, command.restart)?;
    let mut meter = Meter::new(opened);
    let execution = ExecuteOptions { threads: command.threads.count(), pool: None, stop };
    let outcome = estimation.run(Some(&mut journal), execution, &mut |progress| meter.report(progress));
    meter.finish();
    match outcome {
        Ok(EstimateOutcome::Finished(estimated)) => Ok(Searched::Finished(estimated, journal)),
        Ok(EstimateOutcome::Stopped) => Ok(Searched::Stopped),
        Err(error) => {
            // The error that ended the estimate is the one to report.
            let _ = journal.remove_if_empty();
            Err(error.into())
        }
    }
}
