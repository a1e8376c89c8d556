//! Fabric made of one of the models.

use super::Common;
use crate::options;
use anyhow::{Context, Result, bail};
use clap::ValueEnum;
use std::path::{Path, PathBuf};
use yarnwise_lab::draw::Picture;
use yarnwise_lab::experiment::{cell_picture, solid_picture};
use yarnwise_lab::persistent::{Persistent, is_woven, woven};
use yarnwise_precompute::baked::BakedFabric;
use yarnwise_precompute::experiment::{Experiment, Kind};
use yarnwise_precompute::fabric::{Fabric, Response};
use yarnwise_precompute::solid::{SolidCell, SolidMaterial, SolidSettings};
use yarnwise_precompute::spline::{SplineCell, SplineSettings};
use yarnwise_program::note;
use yarnwise_shared::parameters::{Parameters, PersistentParameters};
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

/// What an experiment is made on, read and checked.
pub(super) struct Source {
    pattern: Pattern,
    /// Of its yarns.
    material: YarnMaterial,
    /// Of --model database.
    baked: Option<Box<BakedFabric>>,
    /// Of --parameters.
    parameters: Option<PersistentParameters<f64>>,
}

impl Source {
    /// Yarn radius, m.
    pub(super) fn radius(&self) -> f64 {
        self.pattern.radius()
    }
}

impl Common {
    /// Reads what was given; what cannot be done is refused before any work.
    pub(super) fn source(&self) -> Result<Source> {
        self.check()?;
        let read = |file: &PathBuf| Parameters::read(file)?.persistent(&file.display().to_string());
        let parameters = self.parameters.as_ref().map(read).transpose()?;
        if !is_database(&self.pattern) && self.model != Model::Database {
            let pattern = options::read_pattern(&self.pattern)?;
            let material = self.material_or(usual(&pattern))?;
            return Ok(Source { pattern, material, baked: None, parameters });
        }
        let database = database::read(&self.pattern)?;
        let pattern = database.pattern().clone();
        let own = database.material().copied();
        if self.model != Model::Database {
            let material =
                own.map_or_else(|| self.material_or(usual(&pattern)), |own| Ok(self.material.material_or(own)?))?;
            return Ok(Source { pattern, material, baked: None, parameters });
        }
        let baked = Box::new(BakedFabric::new(database, &self.name())?);
        let material = own.context("the database has no material")?;
        Ok(Source { pattern, material, baked: Some(baked), parameters })
    }

    /// The same of yarns alone, for experiments that need them.
    pub(super) fn yarn_source(&self, kind: Kind) -> Result<Source> {
        if self.model != Model::Spline {
            bail!("--model: the experiment {} is for --model spline", kind.name());
        }
        self.source()
    }

    /// The same of models that can be bent.
    pub(super) fn bent_source(&self) -> Result<Source> {
        if !matches!(self.model, Model::Spline | Model::Database) {
            bail!("--model: the experiment bend is for --model spline and database");
        }
        self.source()
    }

    /// What options say of the yarns, and the preset of this name where they do not.
    fn material_or(&self, usual: &str) -> Result<YarnMaterial> {
        if !self.material.is_named() {
            note!("yarns of the material {usual}; --material chooses another");
        }
        Ok(self.material.material_or(YarnMaterial::preset(usual)?)?)
    }

    /// The fabric.
    pub(super) fn made(&self, source: &Source) -> Result<Made> {
        if let Some(baked) = &source.baked {
            return Ok(Made::Database(baked.clone()));
        }
        match self.model {
            Model::Solid => self.solid(source),
            Model::Persistent => self.persistent(source),
            _ => Ok(Made::Spline(Box::new(self.splines(source)?))),
        }
    }

    fn solid(&self, source: &Source) -> Result<Made> {
        let Source { pattern, material, .. } = source;
        if material.gamma != 1.0 {
            note!("solids bend as a material with gamma 1, not {}: splines to start from do, too", material.gamma);
        }
        let splines = self.splines_of(pattern, &YarnMaterial { gamma: 1.0, ..*material })?;
        let law = SolidMaterial::isotropic(material.young);
        let solid = SolidCell::from_spline(&splines, &law, &SolidSettings::default()).with_context(|| self.name())?;
        Ok(Made::Solid(Box::new(solid), Box::new(splines)))
    }

    /// Persistent contacts: of a parameters file, or flat with the distances of the relaxed fabric.
    fn persistent(&self, source: &Source) -> Result<Made> {
        let pattern = self.splines(source)?.pattern()?;
        let woven = woven(&pattern, &source.material).with_context(|| self.name())?;
        let fabric = match &source.parameters {
            None => Persistent::new(&woven.draft, woven.flat())?,
            Some(parameters) => Persistent::from_parameters(&woven.draft, parameters)?,
        };
        Ok(Made::Persistent(Box::new(fabric), Box::new(pattern)))
    }

    fn name(&self) -> String {
        self.pattern.display().to_string()
    }

    /// How finely yarns are resolved.
    pub(super) fn settings(&self) -> SplineSettings {
        SplineSettings { span: self.span, contact_spacing: self.contact_spacing, ..SplineSettings::default() }
    }

    /// The fabric as splines.
    pub(super) fn splines(&self, source: &Source) -> Result<SplineCell> {
        self.splines_of(&source.pattern, &source.material)
    }

    fn splines_of(&self, pattern: &Pattern, material: &YarnMaterial) -> Result<SplineCell> {
        let cell = match self.period {
            PeriodMode::Free => SplineCell::with_free_period(pattern, material, &self.settings()),
            PeriodMode::Fixed => SplineCell::new(pattern, material, &self.settings()),
        };
        cell.with_context(|| self.name())
    }

    /// What was done to `fabric`; nothing is measured yet.
    pub(super) fn experiment(&self, kind: Kind, source: &Source, made: &Made) -> Result<Experiment> {
        let (pattern, period) = made.pattern()?;
        let name = options::stem(&self.pattern);
        let mut out = Experiment::new(kind, made.fabric().model(), &name, pattern.radius(), period);
        out.material = Some(match made {
            Made::Solid(..) => YarnMaterial { gamma: 1.0, ..source.material },
            _ => source.material,
        });
        out.fabric = Some(pyp::to_text(&pattern));
        Ok(out)
    }
}

fn is_database(path: &Path) -> bool {
    path.extension().is_some_and(|e| e == database::EXTENSION)
}

/// The preset for patterns that do not say what they are made of.
fn usual(pattern: &Pattern) -> &'static str {
    if is_woven(pattern) { options::WOVEN } else { options::KNIT }
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
            Made::Persistent(..) | Made::Database(_) => bail!("--picture: there are no yarns to draw"),
        }
    }
}
