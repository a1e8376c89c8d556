//! `yarnwise-bake db`: import, export and inspect databases.

use std::path::PathBuf;

#[derive(clap::Subcommand)]
pub(crate) enum Command {
    /// Show what a database holds
    Inspect {
        /// The file
        file: PathBuf,
    },
}

pub(crate) fn run(command: Command) -> anyhow::Result<()> {
    let Command::Inspect { file } = command;
    anyhow::bail!("{}: not supported yet", file.display())
}
