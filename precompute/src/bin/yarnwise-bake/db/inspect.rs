//! The plots and pictures of `db inspect`.

use anyhow::Context;
use std::path::{Path, PathBuf};
use yarnwise_precompute::draw;
use yarnwise_precompute::report::{pictures, plots};
use yarnwise_shared::{database, file};

/// What is drawn beside the report.
#[derive(clap::Args)]
pub(crate) struct Pictures {
    /// Write plots into this folder: energy and stress along each axis, jumps between neighbours, residuals and statuses
    #[arg(long, value_name = "FOLDER")]
    plots: Option<PathBuf>,
    /// Draw the fabric at this strain, into the folder of --plots; may be given several times
    #[arg(long, value_name = "SX,SA,SY", requires = "plots", value_parser = parse_strain, allow_hyphen_values = true)]
    picture: Vec<[f64; 3]>,
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
        for strain in &self.picture {
            let [sx, sa, sy] = strain;
            let target = folder.join(format!("fabric_{sx}_{sa}_{sy}.png"));
            let picture = pictures::picture(&database, *strain)?;
            draw::write_png(&picture, &target).with_context(|| target.display().to_string())?;
            eprintln!("{}", target.display());
        }
        Ok(())
    }
}

fn parse_strain(text: &str) -> Result<[f64; 3], String> {
    let numbers: Vec<f64> = text.split(',').map_while(|word| word.trim().parse().ok()).collect();
    match <[f64; 3]>::try_from(numbers) {
        Ok(strain) if text.split(',').count() == 3 => Ok(strain),
        _ => Err("three numbers with commas between them are expected, such as 0.5,0,0".to_owned()),
    }
}
