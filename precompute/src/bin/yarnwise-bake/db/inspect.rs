//! The plots and pictures of `db inspect`.

use std::path::{Path, PathBuf};
use yarnwise_precompute::report::plots;
use yarnwise_shared::{database, file};

/// What is drawn beside the report.
#[derive(clap::Args)]
pub(crate) struct Pictures {
    /// Write plots into this folder: energy and stress along each axis, jumps between neighbours, residuals and statuses
    #[arg(long, value_name = "FOLDER")]
    plots: Option<PathBuf>,
}

impl Pictures {
    pub(crate) fn draw(&self, path: &Path) -> anyhow::Result<()> {
        let Some(folder) = &self.plots else { return Ok(()) };
        let database = database::read(path)?;
        for plot in plots::plots(&database) {
            let target = folder.join(plot.name);
            file::write_atomically(&target, |w| w.write_all(plot.svg.as_bytes()))?;
            eprintln!("{}", target.display());
        }
        Ok(())
    }
}
