//! `yarnwise-bake estimate`: parameters from data.

mod data;
mod meter;
mod options;

use crate::bake::stop_on_interrupt;
use crate::writing;
use anyhow::bail;
use data::Data;
use meter::Meter;
use options::Target;
use std::fmt;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::AtomicBool;
use yarnwise_lab::report::estimate::{plot_paths, save_plots};
use yarnwise_precompute::bake::journal_path;
use yarnwise_precompute::estimate::{
    EstimateOptions, EstimateOutcome, Estimated, Estimation, FrictionFound, Observations, Unknowns, listed,
    pulled_friction, yarn_parameters,
};
use yarnwise_precompute::fabric::Fabric;
use yarnwise_precompute::job::{ExecuteOptions, Journal};
use yarnwise_program::interrupt::INTERRUPTED;
use yarnwise_program::number::Threads;
use yarnwise_program::{note, output, print_report};
use yarnwise_shared::parameters::{DataSource, Estimated as Listed, Model, Parameters, YarnParameters};

#[derive(clap::Args)]
pub(crate) struct Command {
    /// The data: a database (.ydb) or the JSON of an experiment
    data: PathBuf,
    /// What parameters are sought
    #[arg(long = "for", value_enum, value_name = "MODEL")]
    target: Target,
    /// The parameters file to write, usually ending in .json
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    #[command(flatten)]
    search: options::Search,
    #[command(flatten)]
    selection: options::States,
    #[command(flatten)]
    threads: Threads,
    /// Start over, and discard what an interrupted estimate left beside the output
    #[arg(long)]
    restart: bool,
    /// Write plots of the residuals and of the search into this folder
    #[arg(long, value_name = "FOLDER")]
    plots: Option<PathBuf>,
}

/// What an estimate came to.
enum Done {
    Finished(Box<Outcome>),
    Stopped,
}

/// What is written and printed.
struct Outcome {
    estimated: Option<Estimated>,
    friction: Option<FrictionFound>,
    listed: Vec<Listed>,
    model: Model,
    states: usize,
    /// To be removed when the file is written.
    journal: Option<Journal>,
}

pub(crate) fn run(command: Command, json: bool) -> anyhow::Result<ExitCode> {
    let journal = journal_path(&command.output);
    let plots = command.plots.as_deref().map_or(Vec::new(), plot_paths);
    let written: Vec<&Path> = [&command.output, &journal].into_iter().chain(&plots).map(PathBuf::as_path).collect();
    output::check_all(&written, &[&command.data])?;
    command.search.check()?;
    let data = Data::read(&command.data)?;
    command.threads.start()?;
    let stop = stop_on_interrupt()?;
    let done = match command.target {
        Target::Yarn => estimate_yarn(&command, &data, &stop)?,
        Target::Persistent => bail!("--for persistent: not there yet"),
        Target::Membrane => bail!("--for membrane: not there yet"),
    };
    match done {
        Done::Finished(outcome) => finish(&command, *outcome, json),
        Done::Stopped => {
            note!("stopped: what is solved is safe in {}; run the same command again to resume", journal.display());
            Ok(ExitCode::from(INTERRUPTED))
        }
    }
}

/// Writes the file, then lets go of the journal, then prints.
fn finish(command: &Command, outcome: Outcome, json: bool) -> anyhow::Result<ExitCode> {
    let name = command.data.file_name().unwrap_or(command.data.as_os_str()).to_string_lossy().into_owned();
    let source = DataSource { name, states: outcome.states };
    let parameters = Parameters::new(&writing::tool(), vec![source], outcome.listed, outcome.model);
    parameters.write(&command.output)?;
    if let Some(journal) = outcome.journal {
        journal.remove()?;
    }
    if let (Some(folder), Some(estimated)) = (&command.plots, &outcome.estimated) {
        save_plots(estimated, folder)?;
    }
    let report = Report { file: &command.output, estimated: outcome.estimated.as_ref(), friction: outcome.friction };
    print_report(&report, json)?;
    Ok(ExitCode::SUCCESS)
}

/// Stretch, bending and contact of yarns as splines; friction from a yarn that was pulled out.
fn estimate_yarn(command: &Command, data: &Data, stop: &AtomicBool) -> anyhow::Result<Done> {
    let origin = command.data.display().to_string();
    let quantities = command.search.quantities();
    let states = data.states(&origin, &command.selection.selection(), &quantities)?;
    let material = data.material(&origin, command.search.material()?)?;
    let cell = data.cell(&origin, material)?;
    let shear = material.shear;
    let (mut yarn, mut list) = (YarnParameters::from(material), Vec::new());
    let (mut estimated, mut journal) = (None, None);
    if !states.is_empty() || data.pulls().is_none() {
        let observations = Observations::new(&origin, &states, &quantities, data.radius())?;
        let identity = vec![("tool".to_owned(), writing::tool()), data.identity(&origin)?];
        match search(command, &cell, observations, identity, stop)? {
            Searched::Stopped => return Ok(Done::Stopped),
            Searched::Finished(found, open) => {
                (yarn, list) = (yarn_parameters(&found, data.radius(), shear, None), listed(&found));
                (estimated, journal) = (Some(*found), Some(open));
            }
        }
    }
    let mut friction = None;
    if let Some(pulls) = data.pulls() {
        let found = pulled_friction(&cell, &origin, pulls, command.search.friction_bounds(), stop)?;
        let error = found.standard_error.filter(|_| !found.at_bound).unwrap_or(f64::INFINITY);
        let entry = Listed::new("friction", "", found.value, error);
        yarn.friction = Some(entry.value);
        list.push(entry);
        friction = Some(found);
    }
    let states = states.len();
    Ok(Done::Finished(Box::new(Outcome {
        estimated,
        friction,
        listed: list,
        model: Model::Yarn(yarn),
        states,
        journal,
    })))
}

enum Searched {
    Finished(Box<Estimated>, Journal),
    Stopped,
}

/// Searches the parameters of any model of fabric, with a journal beside the output.
fn search(
    command: &Command,
    fabric: &dyn Fabric,
    observations: Observations,
    mut identity: Vec<(String, String)>,
    stop: &AtomicBool,
) -> anyhow::Result<Searched> {
    let unknowns = Unknowns::new(fabric.model(), &fabric.parameters(), &command.search.wishes())?;
    let options = EstimateOptions { prior: command.search.prior(), ..EstimateOptions::default() };
    let estimation = Estimation { fabric, unknowns, observations, options };
    identity.extend(estimation.description());
    let (mut journal, opened) = Journal::open(&journal_path(&command.output), &identity, command.restart)?;
    let mut meter = Meter::new(opened);
    let execution = ExecuteOptions { threads: command.threads.count(), stop };
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

/// What a finished estimate prints.
#[derive(serde::Serialize)]
struct Report<'a> {
    file: &'a Path,
    #[serde(flatten)]
    estimated: Option<&'a Estimated>,
    #[serde(skip_serializing_if = "Option::is_none")]
    friction: Option<FrictionFound>,
}

impl fmt::Display for Report<'_> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        if let Some(found) = self.friction {
            let error = found.standard_error.map_or(String::new(), |e| format!(" +- {:.2} %", 100.0 * e));
            let bound = if found.at_bound { " at its bound: the data ask for more" } else { "" };
            let rest = format!("residuals {:.3} %, {} pulls simulated", 100.0 * found.rms, found.evaluations);
            writeln!(f, "friction    {:.4}{error}{bound} ({rest})", found.value)?;
        }
        if let Some(estimated) = self.estimated {
            write!(f, "{estimated}")?;
        }
        writeln!(f, "file        {}", self.file.display())
    }
}
