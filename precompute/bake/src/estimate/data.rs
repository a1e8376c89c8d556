//! The file that an estimate is made from: a database or an experiment.

use anyhow::bail;
use std::fs::File;
use std::io::Read;
use std::path::Path;
use yarnwise_precompute::estimate::{Quantity, Selection, samples};
use yarnwise_precompute::experiment::{Experiment, Kind, Pull};
use yarnwise_precompute::fabric::Response;
use yarnwise_precompute::spline::{SplineCell, SplineSettings};
use yarnwise_shared::file;
use yarnwise_shared::pattern::material::YarnMaterial;
use yarnwise_shared::pattern::{Pattern, pyp};
use yarnwise_shared::table::database::{self, Database};

/// What was read.
pub(super) enum Data {
    Database(Box<Database>),
    Experiment(Box<Experiment>),
}

impl Data {
    pub(super) fn read(path: &Path) -> anyhow::Result<Self> {
        if begins_as_json(path)? {
            return Ok(Data::Experiment(Box::new(Experiment::read(path)?)));
        }
        Ok(Data::Database(Box::new(database::read(path)?)))
    }

    /// The states to compare with; none of an experiment that only pulls a yarn out.
    pub(super) fn states(
        &self,
        origin: &str,
        selection: &Selection,
        quantities: &[Quantity],
    ) -> anyhow::Result<Vec<Response>> {
        match self {
            Data::Database(database) => Ok(samples(database, origin, selection, quantities)?),
            Data::Experiment(experiment) => match experiment.experiment {
                Kind::Biaxial | Kind::Uniaxial | Kind::Shear => Ok(experiment.states.clone()),
                Kind::PullOut => Ok(Vec::new()),
                other => bail!(
                    "{origin}: an experiment of the kind '{}' does not say how a period of fabric answers to strain: take \
                     biaxial, uniaxial, shear or pull-out",
                    other.name()
                ),
            },
        }
    }

    /// The pulls of a yarn, where there are some.
    pub(super) fn pulls(&self) -> Option<&[Pull]> {
        match self {
            Data::Experiment(experiment) => experiment.pull_out.as_deref(),
            Data::Database(_) => None,
        }
    }

    /// Yarn radius, m.
    pub(super) fn radius(&self) -> f64 {
        match self {
            Data::Database(database) => database.pattern().radius(),
            Data::Experiment(experiment) => experiment.radius,
        }
    }

    /// What the yarns are made of: where the search begins, and what is not estimated.
    pub(super) fn material(&self, origin: &str, given: Option<YarnMaterial>) -> anyhow::Result<YarnMaterial> {
        let own = match self {
            Data::Database(database) => database.material().copied(),
            Data::Experiment(experiment) => experiment.material,
        };
        match given.or(own) {
            Some(material) => Ok(material),
            None => {
                bail!("{origin}: does not say what its yarns are made of: choose a --material where the search begins")
            }
        }
    }

    /// The pattern of the fabric.
    pub(super) fn pattern(&self, origin: &str) -> anyhow::Result<Pattern> {
        Ok(match self {
            Data::Database(database) => database.pattern().clone(),
            Data::Experiment(experiment) => experiment.remade_pattern(origin)?,
        })
    }

    /// A cell of yarns as splines.
    pub(super) fn cell(&self, origin: &str, material: YarnMaterial) -> anyhow::Result<SplineCell> {
        let cell = SplineCell::new(&self.pattern(origin)?, &material, &SplineSettings::default());
        cell.map_err(|e| anyhow::anyhow!("{origin}: {e}"))
    }

    /// What identifies the fabric, for a journal.
    pub(super) fn identity(&self, origin: &str) -> anyhow::Result<(String, String)> {
        Ok(("pattern".to_owned(), pyp::to_text(&self.pattern(origin)?)))
    }
}

/// Databases have bytes that no text has.
fn begins_as_json(path: &Path) -> anyhow::Result<bool> {
    let io = |e| yarnwise_shared::Error::io(path, e);
    if path.is_dir() {
        bail!("{}: is a folder, a database or the JSON of an experiment is expected", path.display());
    }
    let mut first = Vec::new();
    File::open(path).map_err(io)?.take(4096).read_to_end(&mut first).map_err(io)?;
    Ok(file::json(&first, &file::origin(path)).is_ok())
}
