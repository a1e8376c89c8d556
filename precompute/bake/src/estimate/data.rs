//! The file that an estimate is made from: a database or an experiment.

use anyhow::bail;
use std::fs::File;
use std::io::Read;
use std::path::Path;
use yarnwise_precompute::baked::BakedFabric;
use yarnwise_precompute::estimate::Selection;
use yarnwise_precompute::experiment::{Experiment, Kind, Pull};
use yarnwise_precompute::fabric::Response;
use yarnwise_precompute::spline::{SplineCell, SplineSettings};
use yarnwise_shared::file;
use yarnwise_shared::pattern::material::YarnMaterial;
use yarnwise_shared::pattern::{Pattern, pyp};
use yarnwise_shared::table::database;

/// What was read.
pub(super) enum Data {
    Database(Box<BakedFabric>),
    Experiment(Box<Experiment>),
}

impl Data {
    pub(super) fn read(path: &Path) -> anyhow::Result<Self> {
        if begins_as_json(path)? {
            return Ok(Data::Experiment(Box::new(Experiment::read(path)?)));
        }
        Ok(Data::Database(Box::new(BakedFabric::new(database::read(path)?, &file::origin(path))?)))
    }

    /// The states that a `selection` of a database, or an experiment, has; none of an experiment that only pulls a yarn out.
    pub(super) fn states(&self, origin: &str, selection: &Selection) -> anyhow::Result<Vec<Response>> {
        match self {
            Data::Database(baked) => Ok(selection.choose(origin, &baked.samples())?),
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

    /// All states that there are.
    pub(super) fn all_states(&self, origin: &str) -> anyhow::Result<Vec<Response>> {
        match self {
            Data::Database(baked) => Ok(baked.samples()),
            Data::Experiment(_) => self.states(origin, &Selection::default()),
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
            Data::Database(baked) => baked.database().pattern().radius(),
            Data::Experiment(experiment) => experiment.radius,
        }
    }

    /// What the yarns are made of: where the search begins, and what is not estimated.
    pub(super) fn material(&self, origin: &str, given: Option<YarnMaterial>) -> anyhow::Result<YarnMaterial> {
        let own = match self {
            Data::Database(baked) => baked.database().material().copied(),
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
            Data::Database(baked) => baked.database().pattern().clone(),
            Data::Experiment(experiment) => experiment.pattern(origin)?,
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
