//! Fabric made of one of the models.

use super::Common;
use crate::options;
use anyhow::{Context, Result, bail};
use clap::ValueEnum;
use std::path::Path;
use yarnwise_lab::draw::Picture;
use yarnwise_lab::experiment::{cell_picture, solid_picture};
use yarnwise_lab::persistent::{Persistent, woven};
use yarnwise_precompute::baked::BakedFabric;
use yarnwise_precompute::experiment::{Experiment, Kind};
use yarnwise_precompute::fabric::{Fabric, Response};
use yarnwise_precompute::solid::{SolidCell, SolidMaterial, SolidSettings};
use yarnwise_precompute::spline::{SplineCell, SplineSettings};
use yarnwise_program::note;
use yarnwise_shared::parameters::Parameters;
use yarnwise_shared::pattern::material::YarnMaterial;
use yarnwise_shared::pattern::{Pattern, pyp};
use yarnwise_shared::table::database;
use yarnwise_shared::table::strain::Strain;

/// What a fabric is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Model {
    /// Yarns as B-splines with explicit contact
    Spline,
    /// Yarns as elastic solids, which start from those as B-splines; they bend as a material with gamma 1
    Solid,
    /// Persistent contacts with crimp, or flat, as --parameters says; without it flat, with the yarns' own stretch stiffness
    Persistent,
    /// The samples of a baked database, which is given instead of a pattern
    Database,
}

/// Whether the period may change.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum PeriodMode {
    Free,
    Fixed,
}

/// Fabric, ready to be asked.
pub(super) enum Made {
    Spline(Box<SplineCell>),
    Solid(Box<SolidCell>, Box<SplineCell>),
    Persistent(Box<Persistent>, Box<Pattern>),
    Database(Box<BakedFabric>),
}

impl Common {
    /// The fabric.
    pub(super) fn made(&self) -> Result<Made> {
        Ok(match self.model {
            Model::Spline => Made::Spline(Box::new(self.splines(&self.material.material()?)?)),
            Model::Solid => {
                let material = self.material.material()?;
                if material.gamma != 1.0 {
                    note!(
                        "solids bend as a material with gamma 1, not {}: splines to start from do, too",
                        material.gamma
                    );
                }
                let splines = self.splines(&YarnMaterial { gamma: 1.0, ..material })?;
                let law = SolidMaterial::isotropic(material.young);
                let solid =
                    SolidCell::from_spline(&splines, &law, &SolidSettings::default()).with_context(|| self.name())?;
                Made::Solid(Box::new(solid), Box::new(splines))
            }
            Model::Persistent => self.persistent()?,
            Model::Database => {
                let path = &self.pattern;
                Made::Database(Box::new(BakedFabric::new(database::read(path)?, &self.name())?))
            }
        })
    }

    /// Persistent contacts: of a parameters file, or flat with the distances of the relaxed fabric.
    fn persistent(&self) -> Result<Made> {
        let material = self.material.material()?;
        let pattern = self.splines(&material)?.pattern()?;
        let woven = woven(&pattern, &material).with_context(|| self.name())?;
        let fabric = match &self.parameters {
            None => Persistent::new(&woven.draft, woven.flat())?,
            Some(file) => {
                let origin = file.display().to_string();
                Persistent::from_parameters(&woven.draft, &Parameters::read(file)?.persistent(&origin)?)?
            }
        };
        Ok(Made::Persistent(Box::new(fabric), Box::new(pattern)))
    }

    /// The fabric as splines, for experiments that need yarns.
    pub(super) fn yarns(&self, kind: Kind) -> Result<SplineCell> {
        if self.model != Model::Spline {
            bail!("--model: the experiment {} is for --model spline", kind.name());
        }
        self.splines(&self.material.material()?)
    }

    fn name(&self) -> String {
        self.pattern.display().to_string()
    }

    fn splines(&self, material: &YarnMaterial) -> Result<SplineCell> {
        let settings =
            SplineSettings { span: self.span, contact_spacing: self.contact_spacing, ..SplineSettings::default() };
        settings.check()?;
        let pattern = read_pattern(&self.pattern)?;
        let cell = match self.period {
            PeriodMode::Free => SplineCell::with_free_period(&pattern, material, &settings),
            PeriodMode::Fixed => SplineCell::new(&pattern, material, &settings),
        };
        cell.with_context(|| self.name())
    }

    /// What was done to `fabric`; nothing is measured yet.
    pub(super) fn experiment(&self, kind: Kind, made: &Made) -> Result<Experiment> {
        let (pattern, period) = made.pattern()?;
        let name = options::stem(&self.pattern);
        let mut out = Experiment::new(kind, made.fabric().model(), &name, pattern.radius(), period);
        out.material = Some(match made {
            Made::Database(baked) => *baked.database().material().context("the database has no material")?,
            Made::Solid(..) => YarnMaterial { gamma: 1.0, ..self.material.material()? },
            Made::Spline(_) | Made::Persistent(..) => self.material.material()?,
        });
        out.fabric = Some(pyp::to_text(&pattern));
        Ok(out)
    }
}

/// A pattern, also that of a database.
fn read_pattern(path: &Path) -> Result<Pattern> {
    if path.extension().is_some_and(|e| e == database::EXTENSION) {
        return Ok(database::read(path)?.pattern().clone());
    }
    Ok(options::read_pattern(path)?)
}

impl Made {
    pub(super) fn fabric(&self) -> &dyn Fabric {
        match self {
            Made::Spline(cell) => cell.as_ref(),
            Made::Solid(cell, _) => cell.as_ref(),
            Made::Persistent(fabric, _) => fabric.as_ref(),
            Made::Database(baked) => baked.as_ref(),
        }
    }

    /// The fabric at rest, and its period, m.
    fn pattern(&self) -> Result<(Pattern, [f64; 2])> {
        Ok(match self {
            Made::Spline(cell) | Made::Solid(_, cell) => (cell.pattern()?, cell.period),
            Made::Persistent(_, pattern) => (pattern.as_ref().clone(), pattern.period()),
            Made::Database(baked) => (baked.database().pattern().clone(), baked.database().pattern().period()),
        })
    }

    /// Strains of the samples that a database has with this property; none for other models, which answer any strain.
    pub(super) fn sampled(&self, wanted: impl Fn(&Response) -> bool) -> Option<Vec<Strain<f64>>> {
        match self {
            Made::Database(baked) => Some(baked.samples().iter().filter(|s| wanted(s)).map(Response::strain).collect()),
            _ => None,
        }
    }

    /// The fabric under `strain`.
    pub(super) fn picture(&self, strain: Strain<f64>, pixels: u32) -> Result<Picture> {
        match self {
            Made::Spline(cell) => Ok(cell_picture(cell, &cell.solve(strain), pixels)),
            Made::Solid(cell, _) => Ok(solid_picture(cell, &cell.solve(strain), pixels)),
            Made::Persistent(..) => bail!("--picture: persistent contacts have no yarns to draw; --plot draws curves"),
            Made::Database(_) => {
                bail!("--picture: databases are drawn by 'yarnwise-bake db inspect' and yarnwise-view")
            }
        }
    }
}
