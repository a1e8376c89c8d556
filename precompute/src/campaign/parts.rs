//! The lists of a campaign with every name resolved and every file read.

use super::file::{At, BendingEntry, CampaignFile, GridEntry, MaterialEntry, PatternEntry, RelaxMode, stem};
use super::planned::Bending;
use super::wildcard;
use crate::bake::check_pattern;
use crate::faults::Fault;
use crate::sampling::check_grid;
use std::collections::HashSet;
use std::fmt::Display;
use std::path::{Path, PathBuf};
use yarnwise_shared::pattern::material::YarnMaterial;
use yarnwise_shared::table::grid::{AXIS_NAMES, Axis, Grid, StrainGrid};
use yarnwise_shared::table::model_folder::{read_axes, read_curvatures};
use yarnwise_shared::{Error, pattern};

/// An item of a list with the name by which overrides, exclusions and outputs know it.
#[derive(Clone, Debug)]
pub(super) struct Named<T> {
    pub(super) name: String,
    pub(super) value: T,
}

/// A pattern file.
#[derive(Clone, Debug)]
pub(super) struct PatternPart {
    pub(super) file: PathBuf,
    pub(super) relax: RelaxMode,
}

/// The lists.
#[derive(Clone, Debug, Default)]
pub(super) struct Parts {
    pub(super) patterns: Vec<Named<PatternPart>>,
    pub(super) materials: Vec<Named<YarnMaterial>>,
    pub(super) grids: Vec<Named<StrainGrid>>,
    pub(super) bending: Vec<Named<Bending>>,
    /// Those of overrides, in their order.
    pub(super) override_bending: Vec<Option<Vec<Named<Bending>>>>,
    /// All names of patterns, materials, grids and bendings, of those included that could not be resolved.
    pub(super) names: [Vec<String>; 4],
}

/// Resolves the parts of a file.
pub(super) struct Resolver<'a> {
    /// Relative paths begin here.
    pub(super) folder: &'a Path,
    /// Files that were read.
    pub(super) inputs: Vec<PathBuf>,
    /// The names of all patterns, of those included that are no good.
    pub(super) patterns_named: Vec<String>,
    /// What users should know, that is no fault.
    pub(super) notes: Vec<String>,
    pub(super) faults: Vec<Fault>,
}

impl<'a> Resolver<'a> {
    pub(super) fn new(folder: &'a Path) -> Self {
        let (inputs, notes) = (Vec::new(), Vec::new());
        Resolver { folder, inputs, patterns_named: Vec::new(), notes, faults: Vec::new() }
    }

    /// All lists of `file`, as far as they can be resolved.
    pub(super) fn parts(&mut self, file: &CampaignFile) -> Parts {
        let relax = file.relax.as_ref().map_or(RelaxMode::None, |relax| relax.period);
        let patterns = file.patterns.iter().flat_map(|entry| self.patterns(entry, relax)).collect();
        let materials = file.materials.iter().filter_map(|entry| self.part(entry, Self::material)).collect();
        let grids = file.grids.iter().filter_map(|entry| self.part(entry, Self::grid)).collect();
        let bending = file.bending.iter().filter_map(|entry| self.part(entry, Self::bending)).collect();
        let mut of_override = |list: &Vec<At<BendingEntry>>| -> Vec<Named<Bending>> {
            list.iter().filter_map(|entry| self.part(entry, Self::bending)).collect()
        };
        let override_bending =
            file.overrides.iter().map(|over| over.value.bent.as_ref().map(&mut of_override)).collect();
        let materials_named = file.materials.iter().map(|entry| entry.value.name().to_owned());
        let grids_named = file.grids.iter().map(|entry| entry.value.name());
        let overridden = file.overrides.iter().filter_map(|over| over.value.bent.as_ref()).flatten();
        let bending_named = file.bending.iter().chain(overridden).map(|entry| entry.value.name());
        let names =
            [self.patterns_named.clone(), materials_named.collect(), grids_named.collect(), bending_named.collect()];
        let parts = Parts { patterns, materials, grids, bending, override_bending, names: names.map(unique) };
        self.check_names("pattern", file.patterns.first().map_or(1, |e| e.line), &parts.patterns);
        self.check_names("material", file.materials.first().map_or(1, |e| e.line), &parts.materials);
        self.check_names("grid", file.grids.first().map_or(1, |e| e.line), &parts.grids);
        self.check_names("bending", file.bending.first().map_or(1, |e| e.line), &parts.bending);
        parts
    }

    fn fault(&mut self, line: usize, problem: impl Display) {
        self.faults.push(Fault::at(line, problem.to_string()));
    }

    /// One part, with its fault at its line.
    fn part<E, T>(&mut self, entry: &At<E>, resolve: fn(&mut Self, &E) -> Result<Named<T>, Error>) -> Option<Named<T>> {
        let part = resolve(self, &entry.value).and_then(|part| check_name(&part.name).map(|()| part));
        part.map_err(|error| self.fault(entry.line, error)).ok()
    }

    /// Names are unique and can be in the names of files.
    fn check_names<T>(&mut self, what: &str, line: usize, parts: &[Named<T>]) {
        for (i, part) in parts.iter().enumerate() {
            if parts[..i].iter().any(|other| other.name == part.name) {
                let name = &part.name;
                self.fault(line, format!("{what} '{name}' is there twice: give one of them another name"));
            }
        }
    }

    fn place(&self, file: &str) -> PathBuf {
        self.folder.join(file)
    }

    /// The patterns of an entry: one, or as many as its name with `*` fits.
    fn patterns(&mut self, entry: &At<PatternEntry>, usual: RelaxMode) -> Vec<Named<PatternPart>> {
        let (name, file, relax) = match &entry.value {
            PatternEntry::File(file) => (None, file, usual),
            PatternEntry::Table { name, file, relax } => (name.clone(), file, relax.unwrap_or(usual)),
        };
        let files = match wildcard::files(&self.place(file)) {
            Ok(files) => files,
            Err(problem) => {
                self.fault(entry.line, format!("pattern {file}: {problem}"));
                return Vec::new();
            }
        };
        if name.is_some() && files.len() > 1 {
            self.fault(entry.line, format!("pattern {file}: is {} files, which cannot share one name", files.len()));
        }
        let part = |file: PathBuf| Named {
            name: name.clone().unwrap_or_else(|| stem(&file)),
            value: PatternPart { file, relax },
        };
        let parts: Vec<Named<PatternPart>> = files.into_iter().map(part).collect();
        self.patterns_named.extend(parts.iter().map(|part| part.name.clone()));
        parts.into_iter().filter(|part| self.is_good_pattern(part, entry.line)).collect()
    }

    /// Whether a pattern can be read, solved and named.
    fn is_good_pattern(&mut self, part: &Named<PatternPart>, line: usize) -> bool {
        let file = &part.value.file;
        let mut notes = Vec::new();
        let checked = check_name(&part.name).map_err(crate::Error::from).and_then(|()| {
            let pattern = pattern::read_with_notes(file, &mut notes)?;
            check_pattern(&pattern, &file.display().to_string())
        });
        self.inputs.push(file.clone());
        self.notes.append(&mut notes);
        checked.map_err(|error| self.fault(line, error)).is_ok()
    }

    fn material(&mut self, entry: &MaterialEntry) -> Result<Named<YarnMaterial>, Error> {
        let value = match entry {
            MaterialEntry::Preset(name) => YarnMaterial::preset(name)?,
            MaterialEntry::Table { name, like, young, shear, gamma, contact } => {
                let like = like.as_deref().map(YarnMaterial::preset).transpose()?;
                let number = |given: &Option<f64>, of: fn(&YarnMaterial) -> f64| given.or(like.as_ref().map(of));
                let all = (
                    number(young, |m| m.young),
                    number(shear, |m| m.shear),
                    number(gamma, |m| m.gamma),
                    number(contact, |m| m.contact),
                );
                let (Some(young), Some(shear), Some(gamma), Some(contact)) = all else {
                    return Err(Error::invalid(format!("material {name}"), "does not have all of its numbers"));
                };
                YarnMaterial { young, shear, gamma, contact }
            }
        };
        Ok(Named { name: entry.name().to_owned(), value })
    }

    fn grid(&mut self, entry: &GridEntry) -> Result<Named<StrainGrid>, Error> {
        let name = entry.name();
        let value = match entry {
            GridEntry::Preset(samples) => StrainGrid::preset(*samples)?,
            GridEntry::File(file) | GridEntry::Table { file: Some(file), .. } => self.grid_file(file)?,
            GridEntry::Table { sx, sa, sy, .. } => {
                let axis = |k: usize, values: &Option<Vec<f64>>| {
                    Axis::new(AXIS_NAMES[k], values.clone().unwrap_or_default()).map_err(|e| of_grid(&name, e))
                };
                Grid([axis(0, sx)?, axis(1, sa)?, axis(2, sy)?])
            }
        };
        let named = Named { name, value };
        check_grid(&named.value).map_err(|e| of_grid(&named.name, e))?;
        Ok(named)
    }

    fn grid_file(&mut self, file: &str) -> Result<StrainGrid, Error> {
        let path = self.place(file);
        let grid = read_axes(&path)?;
        self.inputs.push(path);
        Ok(grid)
    }

    fn bending(&mut self, entry: &BendingEntry) -> Result<Named<Bending>, Error> {
        let name = entry.name();
        let value = match entry {
            BendingEntry::Suited(false) => Bending::None,
            BendingEntry::Suited(true) => Bending::Suited,
            BendingEntry::File(file) | BendingEntry::Table { file: Some(file), .. } => self.curvature_file(file)?,
            BendingEntry::Table { curvatures, .. } => {
                let axis = Axis::new(AXIS_NAMES[3], curvatures.clone().unwrap_or_default());
                Bending::At(axis.map_err(|e| Error::invalid(format!("bending {name}"), e.to_string()))?)
            }
        };
        if let Bending::At(axis) = &value
            && axis.zero().is_none()
        {
            return Err(Error::invalid(format!("bending {name}"), "has no value 0, from which bending starts: add it"));
        }
        Ok(Named { name, value })
    }

    fn curvature_file(&mut self, file: &str) -> Result<Bending, Error> {
        let path = self.place(file);
        let axis = read_curvatures(&path)?;
        self.inputs.push(path);
        Ok(Bending::At(axis))
    }
}

fn of_grid(name: &str, error: Error) -> Error {
    Error::invalid(format!("grid {name}"), error.to_string())
}

/// Each name once, where it is first.
fn unique(names: Vec<String>) -> Vec<String> {
    let mut seen = HashSet::new();
    names.into_iter().filter(|name| seen.insert(name.clone())).collect()
}

/// Names become parts of the names of files.
fn check_name(name: &str) -> Result<(), Error> {
    let bad = |c: char| c.is_control() || "/\\:*?\"<>|{}".contains(c);
    match name.chars().find(|c| bad(*c)) {
        Some(c) => {
            Err(Error::invalid(format!("name '{name}'"), format!("has {c:?}, which names of files cannot have")))
        }
        None if name.is_empty() || name.starts_with('.') => {
            Err(Error::invalid(format!("name '{name}'"), "cannot be the name of a file"))
        }
        None => Ok(()),
    }
}
