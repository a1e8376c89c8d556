//! `yarnwise-bake pattern`: make, import, check and draw patterns.

use std::path::PathBuf;

#[derive(clap::Subcommand)]
pub(crate) enum Command {
    /// Check a pattern file
    Check {
        /// The file
        file: PathBuf,
    },
}

pub(crate) fn run(command: Command) -> anyhow::Result<()> {
    let Command::Check { file } = command;
    anyhow::bail!("{}: not supported yet", file.display())
}
