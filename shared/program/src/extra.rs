//! Commands that every program has.

use anyhow::Context;
use clap::CommandFactory;
use std::path::PathBuf;

/// Shell completions and man pages.
#[derive(Debug, clap::Subcommand)]
pub enum Extra {
    /// Print completions for a shell
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Write man pages, one for each command
    Man {
        /// The folder to write them to
        #[arg(short, long, value_name = "FOLDER", default_value = "man")]
        output: PathBuf,
    },
}

impl Extra {
    /// Does it, for the program `C`.
    pub fn run<C: CommandFactory>(&self) -> anyhow::Result<()> {
        let mut command = C::command();
        match self {
            Extra::Completions { shell } => {
                let name = command.get_name().to_owned();
                let mut text = Vec::new();
                clap_complete::generate(*shell, &mut command, name, &mut text);
                crate::print(&String::from_utf8_lossy(&text))
            }
            Extra::Man { output } => {
                let folder = crate::output::check_folder(output, &[])?;
                let failed = || folder.display().to_string();
                std::fs::create_dir_all(&folder).with_context(failed)?;
                command.build();
                clap_mangen::generate_to(command, &folder).with_context(failed)?;
                crate::say!("man pages are in {}", output.display())
            }
        }
    }
}
