//! The plots and pictures of `db inspect`.

use anyhow::Context;
use std::path::{Path, PathBuf};
use yarnwise_lab::report::trace::{self, Trace};
use yarnwise_lab::report::{pictures, plots};
use yarnwise_precompute::sampling::BentAlong;
use yarnwise_program::{note, output};
use yarnwise_shared::file;
use yarnwise_shared::table::database;

/// What is drawn beside the report.
#[derive(clap::Args)]
pub(crate) struct Pictures {
    /// Write plots into this folder: energy and stress along each axis, jumps between neighbors, the energy half way between them,
    /// residuals and statuses
    #[arg(long, value_name = "FOLDER")]
    plots: Option<PathBuf>,
    /// Draw the fabric at this strain, into the folder of --plots; may be given several times
    ///
    /// With ',x:CURVATURE' or ',y:CURVATURE' (1/m) after it, the fabric is bent along x or y and seen from the side; the
    /// database must have been baked with --bending.
    #[arg(long, value_name = "SX,SA,SY", requires = "plots", value_parser = parse_drawn, allow_hyphen_values = true)]
    picture: Vec<Drawn>,
}

/// The state in which the fabric is drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Drawn {
    strain: [f64; 3],
    /// Which way it is bent, and the curvature, 1/m.
    bent: Option<(BentAlong, f64)>,
}

impl Drawn {
    /// The name of its picture.
    fn file_name(&self) -> String {
        let [sx, sa, sy] = self.strain;
        let bent = self.bent.map(|(along, curvature)| format!("_{}{curvature}", along.name())).unwrap_or_default();
        format!("fabric_{sx}_{sa}_{sy}{bent}.png")
    }
}

impl Pictures {
    /// Refuses names that cannot be written or that are the database, before it is read.
    pub(crate) fn check(&self, database: &Path) -> anyhow::Result<()> {
        let Some(folder) = &self.plots else { return Ok(()) };
        output::check_folder(folder, &[])?;
        let pictures = self.picture.iter().map(Drawn::file_name);
        for name in plots::FILE_NAMES.map(str::to_owned).into_iter().chain(pictures) {
            output::check(&folder.join(name), &[database])?;
        }
        Ok(())
    }

    /// The same for the trace of a solve.
    pub(crate) fn check_trace(&self, path: &Path) -> anyhow::Result<()> {
        if !self.picture.is_empty() {
            anyhow::bail!("{}: is the trace of a solve, --picture needs a database", path.display());
        }
        let Some(folder) = &self.plots else { return Ok(()) };
        output::check_folder(folder, &[])?;
        output::check(&folder.join(trace::FILE_NAME), &[path])?;
        Ok(())
    }

    /// Draws the trace of a solve.
    pub(crate) fn draw_trace(&self, trace: &Trace) -> anyhow::Result<()> {
        let Some(folder) = &self.plots else { return Ok(()) };
        let target = folder.join(trace::FILE_NAME);
        let plot = trace.plot();
        file::write_atomically(&target, |w| w.write_all(plot.svg.as_bytes()))?;
        note!("{}", target.display());
        Ok(())
    }

    pub(crate) fn draw(&self, path: &Path) -> anyhow::Result<()> {
        let Some(folder) = &self.plots else { return Ok(()) };
        let database = database::read(path)?;
        for plot in plots::plots(&database) {
            let target = folder.join(plot.name);
            file::write_atomically(&target, |w| w.write_all(plot.svg.as_bytes()))?;
            note!("{}", target.display());
        }
        for drawn in &self.picture {
            let strain @ [sx, sa, sy] = drawn.strain;
            let picture = match drawn.bent {
                None => pictures::picture(&database, strain)?,
                Some((along, curvature)) => pictures::bent_picture(&database, along, [sx, sa, sy, curvature])?,
            };
            let target = folder.join(drawn.file_name());
            picture.save(&target).with_context(|| target.display().to_string())?;
            note!("{}", target.display());
        }
        Ok(())
    }
}

fn parse_drawn(text: &str) -> Result<Drawn, String> {
    let words: Vec<&str> = text.split(',').map(str::trim).collect();
    let number = |word: &str| word.parse::<f64>().ok().filter(|v| v.is_finite());
    let bent = |word: &str| {
        let (axis, curvature) = word.split_once(':')?;
        Some((BentAlong::BOTH.into_iter().find(|along| along.name() == axis)?, number(curvature)?))
    };
    let parsed = || -> Option<Drawn> {
        let [sx, sa, sy] = *words.first_chunk::<3>()?;
        let strain = [number(sx)?, number(sa)?, number(sy)?];
        match words[3..] {
            [] => Some(Drawn { strain, bent: None }),
            [word] => Some(Drawn { strain, bent: Some(bent(word)?) }),
            _ => None,
        }
    };
    parsed().ok_or_else(|| {
        "three numbers with commas between them are expected, such as 0.5,0,0, and after them x:40 or y:40 for a bent fabric"
            .to_owned()
    })
}
