//! `yarnwise-bake campaign plan`: a campaign as what clusters run.

use anyhow::{Context, bail};
use serde::Serialize;
use std::fmt::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use yarnwise_precompute::campaign::Campaign;
use yarnwise_precompute::campaign::plan::{CommandStage, Layout, PlanOptions, hyperqueue, list, shell, slurm};
use yarnwise_program::{note, output, print, print_report};
use yarnwise_shared::file;

#[derive(clap::Args)]
pub(crate) struct Command {
    /// The campaign: a .toml file, on a folder that all machines share
    campaign: PathBuf,
    /// What is written
    #[arg(long, value_enum)]
    emit: Engine,
    /// The file to write; for lists a folder, with a file for each stage. Without it everything is printed
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Cores of a task
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: u16,
    /// How long a task should take, s: small bakes are bundled until it does, and merges leave what takes longer to shards
    #[arg(long, value_name = "SECONDS", default_value_t = 60, value_parser = clap::value_parser!(u32).range(1..=86_400))]
    seconds: u32,
    /// The program as the other machines find it; this one, where it lies, unless given
    #[arg(long, value_name = "FILE")]
    program: Option<PathBuf>,
}

#[derive(Clone, Copy, PartialEq, Eq, Serialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
enum Engine {
    /// One command a line, in stages: GNU parallel, OpenCue's cuecmd, Deadline
    List,
    /// A script that submits arrays with sbatch
    Slurm,
    /// A job file for 'hq job submit-file'
    Hyperqueue,
}

pub(crate) fn run(command: &Command, json: bool) -> anyhow::Result<ExitCode> {
    let campaign = Campaign::read(&command.campaign)?;
    for line in &campaign.notes {
        note!("warning: {line}");
    }
    if let Some(path) = &command.output {
        let inputs: Vec<&Path> = campaign.inputs.iter().map(PathBuf::as_path).collect();
        match command.emit {
            Engine::List => output::check_folder(path, &inputs)?,
            Engine::Slurm | Engine::Hyperqueue => output::check(path, &inputs)?,
        };
    }
    let options = options(command)?;
    let layout = Layout::new(&campaign, &options)?;
    let files = match command.emit {
        Engine::List => stages(&list(&layout, &options), command.output.as_deref()),
        Engine::Slurm => vec![(command.output.clone(), slurm(&layout, &options, &campaign.name))],
        Engine::Hyperqueue => vec![(command.output.clone(), hyperqueue(&layout, &options, &campaign.name))],
    };
    let mut written = Vec::new();
    for (path, text) in files {
        match path {
            None => print(&text)?,
            Some(path) => {
                file::write_atomically(&path, |w| w.write_all(text.as_bytes()))?;
                written.push(path);
            }
        }
    }
    if command.output.is_some() {
        print_report(&Report { engine: command.emit, files: written }, json)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// The stages as files in a folder, or one after the other as text, with remarks of the shell between them.
fn stages(stages: &[CommandStage], folder: Option<&Path>) -> Vec<(Option<PathBuf>, String)> {
    let lines = |stage: &CommandStage| stage.commands.iter().map(|line| format!("{line}\n")).collect::<String>();
    let file = |(i, stage): (usize, &CommandStage)| format!("stage-{:02}-{}.txt", i + 1, stage.name);
    match folder {
        Some(folder) => {
            stages.iter().enumerate().map(|(i, stage)| (Some(folder.join(file((i, stage)))), lines(stage))).collect()
        }
        None => {
            let mut text = String::new();
            for (i, stage) in stages.iter().enumerate() {
                // Writing to a text cannot fail.
                let _ = write!(text, "# stage {} of {}: {}\n{}", i + 1, stages.len(), stage.name, lines(stage));
            }
            vec![(None, text)]
        }
    }
}

fn options(command: &Command) -> anyhow::Result<PlanOptions> {
    let folder = std::env::current_dir().context("the working folder cannot be found")?;
    let program = match &command.program {
        Some(program) => program.clone(),
        None => std::env::current_exe().context("this program cannot be found; give it with --program")?,
    };
    let campaign = std::path::absolute(&command.campaign)?;
    for path in [&program, &campaign, &folder] {
        if path.to_str().is_none_or(|text| text.contains(char::is_control)) {
            bail!("{}: its name cannot be written into a plan; use one without line ends", path.display());
        }
    }
    let (threads, seconds) = (usize::from(command.threads), command.seconds);
    Ok(PlanOptions { program, campaign, folder, threads, seconds })
}

/// What was written.
#[derive(Serialize)]
struct Report {
    engine: Engine,
    files: Vec<PathBuf>,
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        for file in &self.files {
            writeln!(f, "written     {}", file.display())?;
        }
        let Some(file) = self.files.first().map(|file| shell(&file.to_string_lossy())) else { return Ok(()) };
        match self.engine {
            Engine::List => writeln!(f, "next        one stage after the other: parallel --retries 3 < {file}"),
            Engine::Slurm => writeln!(f, "next        bash {file}"),
            Engine::Hyperqueue => writeln!(f, "next        hq job submit-file {file}"),
        }
    }
}
