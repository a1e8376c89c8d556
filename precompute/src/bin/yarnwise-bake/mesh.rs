//! `yarnwise-bake mesh`: check meshes and clips.

use std::path::PathBuf;

#[derive(clap::Subcommand)]
pub(crate) enum Command {
    /// Check a mesh or clip
    Check {
        /// The file
        file: PathBuf,
    },
}

pub(crate) fn run(command: Command) -> anyhow::Result<()> {
    let Command::Check { file } = command;
    anyhow::bail!("{}: not supported yet", file.display())
}
