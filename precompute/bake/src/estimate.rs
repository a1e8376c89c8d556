//! `yarnwise-bake estimate`: parameters from data.

mod data;
mod membrane;
mod meter;
mod options;
mod persistent;
mod search;
mod yarn;

use crate::bake::stop_on_interrupt;
use crate::writing;
use data::Data;
use membrane::Sheet;
use options::Target;
use std::fmt;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use yarnwise_lab::report::estimate::{plot_paths, save_plots};
use yarnwise_precompute::bake::journal_path;
use yarnwise_precompute::estimate::{Estimated, FrictionFound};
use yarnwise_precompute::job::Journal;
use yarnwise_program::interrupt::INTERRUPTED;
use yarnwise_program::number::Threads;
use yarnwise_program::{note, output, print_report};
use yarnwise_shared::parameters::{DataSource, Estimated as Listed, Model, Parameters};

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
    sheet: Option<Sheet>,
    listed: Vec<Listed>,
    model: Model,
    states: usize,
    /// To be removed when the file is written.
    journal: Option<Journal>,
}

impl Outcome {
    /// Nothing but a model.
    fn new(model: Model) -> Self {
        Outcome { estimated: None, friction: None, sheet: None, listed: Vec::new(), model, states: 0, journal: None }
    }
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
        Target::Yarn => yarn::estimate(&command, &data, &stop)?,
        Target::Persistent => persistent::estimate(&command, &data, &stop)?,
        Target::Membrane => membrane::estimate(&command, &data)?,
    };
    match done {
        Done::Finished(outcome) => finish(&command, *outcome, json),
        Done::Stopped => {
            note!("stopped: what is solved is safe in {}; run the same command again to resume", journal.display());
            Ok(ExitCode::from(INTERRUPTED))
        }
    }
}

/// Writes the file, then removes the journal, then prints.
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
    let report = Report {
        file: &command.output,
        estimated: outcome.estimated.as_ref(),
        friction: outcome.friction,
        sheet: outcome.sheet.as_ref(),
    };
    print_report(&report, json)?;
    Ok(ExitCode::SUCCESS)
}

/// What a finished estimate prints.
#[derive(serde::Serialize)]
struct Report<'a> {
    file: &'a Path,
    #[serde(flatten)]
    estimated: Option<&'a Estimated>,
    #[serde(skip_serializing_if = "Option::is_none")]
    friction: Option<FrictionFound>,
    #[serde(skip_serializing_if = "Option::is_none")]
    sheet: Option<&'a Sheet>,
}

impl fmt::Display for Report<'_> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        if let Some(found) = self.friction {
            let error = found.standard_error.map_or(String::new(), |e| format!(" +- {:.2} %", 100.0 * e));
            let bound = if found.at_bound { " at its bound: the data ask for more" } else { "" };
            let rest = format!("residuals {:.3} %, {} pulls simulated", 100.0 * found.rms, found.evaluations);
            writeln!(f, "friction      {:.4}{error}{bound} ({rest})", found.value)?;
        }
        if let Some(estimated) = self.estimated {
            write!(f, "{estimated}")?;
        }
        if let Some(sheet) = self.sheet {
            write!(f, "{sheet}")?;
        }
        writeln!(f, "file          {}", self.file.display())
    }
}
