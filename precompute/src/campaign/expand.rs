//! From lists to bakes: every combination, what overrides say of it, and what its database is called.

use super::file::{At, CampaignFile, NameFilter, Precision, RelaxEntry, Settings};
use super::parts::{Named, Parts, PatternPart};
use super::planned::{Bending, PlannedBake, PlannedRest, Source};
use super::wildcard;
use crate::equilibrium::settings::SolverSettings;
use crate::faults::Fault;
use crate::sampling::SamplingSettings;
use std::collections::HashMap;
use std::path::{Component, Path, PathBuf};
use yarnwise_shared::pattern::material::YarnMaterial;
use yarnwise_shared::table::database::{EXTENSION, Encoding, Tolerance};
use yarnwise_shared::table::grid::StrainGrid;

/// The most combinations of a campaign.
const MOST_BAKES: usize = 100_000;

/// The names that databases can be called by.
const PLACEHOLDERS: [&str; 4] = ["pattern", "material", "grid", "bending"];

/// What the lists come to.
pub(super) struct Expansion<'a> {
    pub(super) file: &'a CampaignFile,
    pub(super) parts: &'a Parts,
    /// The folder of the outputs.
    pub(super) folder: &'a Path,
    pub(super) rests: Vec<PlannedRest>,
    pub(super) bakes: Vec<PlannedBake>,
    pub(super) faults: Vec<Fault>,
}

/// A pattern, material and grid.
#[derive(Clone, Copy)]
struct Combination<'a> {
    pattern: &'a Named<PatternPart>,
    material: &'a Named<YarnMaterial>,
    grid: &'a Named<StrainGrid>,
}

impl<'a> Expansion<'a> {
    pub(super) fn new(file: &'a CampaignFile, parts: &'a Parts, folder: &'a Path) -> Self {
        Expansion { file, parts, folder, rests: Vec::new(), bakes: Vec::new(), faults: Vec::new() }
    }

    /// Finds the bakes and everything that is wrong with them as a whole.
    pub(super) fn run(&mut self) {
        self.check_selections();
        if !self.check_naming() || !self.check_size() {
            return;
        }
        let (file, parts) = (self.file, self.parts);
        let mut used = Used { overrides: vec![false; file.overrides.len()], exclude: vec![false; file.exclude.len()] };
        for pattern in &parts.patterns {
            for material in &parts.materials {
                for grid in &parts.grids {
                    self.add(Combination { pattern, material, grid }, &mut used);
                }
            }
        }
        let is_whole = !parts.patterns.is_empty() && !parts.materials.is_empty() && !parts.grids.is_empty();
        if is_whole {
            self.check_used(&used);
            if self.bakes.is_empty() && self.faults.is_empty() {
                self.faults.push(Fault::of_all("nothing is left to bake: every combination is excluded"));
            }
        }
        self.check_outputs();
    }

    /// Adds the bakes of a combination.
    fn add(&mut self, of: Combination, used: &mut Used) {
        let mut settings = self.file.bake.clone();
        let mut bending = &self.parts.bending;
        let names = [&of.pattern.name, &of.material.name, &of.grid.name];
        for (i, over) in self.file.overrides.iter().enumerate() {
            if over.value.selection.fits(names, None) {
                used.overrides[i] = true;
                settings = settings.with(&over.value.settings);
                bending = self.parts.override_bending[i].as_ref().unwrap_or(bending);
            }
        }
        for bent in bending {
            let excluded = self.file.exclude.iter().position(|e| e.value.fits(names, Some(&bent.name)));
            match excluded {
                Some(i) => used.exclude[i] = true,
                None => self.add_bake(of, bent, &settings),
            }
        }
    }

    fn add_bake(&mut self, of: Combination, bent: &Named<Bending>, settings: &Settings) {
        let parts = [&of.pattern.name, &of.material.name, &of.grid.name, &bent.name].map(Clone::clone);
        let name = named(&self.file.naming.value, &parts);
        let source = self.source(of);
        let solver = settings
            .residual
            .map_or(Ok(SolverSettings::default()), |residual| SolverSettings::with_tolerance("residual", residual));
        let solver = match solver {
            Ok(solver) => solver,
            Err(error) => return self.faults.push(Fault::of_all(format!("{name}: {error}"))),
        };
        let usual = SamplingSettings::default();
        let encoding = match settings.tolerance {
            Some(Precision::Lossless(_)) => Encoding::Lossless,
            Some(Precision::Within(tolerance)) => {
                Encoding::Quantized(Tolerance { position: tolerance, twist: tolerance })
            }
            None => Encoding::Quantized(Tolerance::default()),
        };
        self.bakes.push(PlannedBake {
            output: self.folder.join(format!("{name}.{EXTENSION}")),
            name,
            parts,
            source,
            material: of.material.value,
            grid: of.grid.value.clone(),
            bending: bent.value.clone(),
            start: settings.start.unwrap_or_default(),
            settings: SamplingSettings {
                solver,
                rounds: settings.rounds.unwrap_or(usual.rounds),
                gain: settings.gain.unwrap_or(usual.gain),
            },
            encoding,
            threads: settings.threads,
            shards: settings.shards.unwrap_or(1),
        });
    }

    /// The pattern of a combination: the file, or what it relaxes to.
    fn source(&mut self, of: Combination) -> Source {
        let PatternPart { file, relax } = &of.pattern.value;
        let Some(period) = relax.period() else { return Source::Given(file.clone()) };
        let name = format!("{}-{}", of.pattern.name, of.material.name);
        let output = self.folder.join("rest").join(format!("{name}.yarn"));
        let same = |rest: &PlannedRest| rest.name == name && rest.input == *file && rest.material == of.material.value;
        if let Some(i) = self.rests.iter().position(same) {
            return Source::Relaxed(i);
        }
        let entry = self.file.relax.clone().unwrap_or_default();
        let settings = SolverSettings { tolerance: entry.residual, ..SolverSettings::default() };
        let RelaxEntry { max_steps, .. } = entry;
        let (input, material) = (file.clone(), of.material.value);
        self.rests.push(PlannedRest { name, input, output, material, period, max_steps, settings });
        Source::Relaxed(self.rests.len() - 1)
    }

    /// Every name of an override or an exclusion is one of the lists.
    fn check_selections(&mut self) {
        let overrides = self.file.overrides.iter().map(|over| (over.line, &over.value.selection));
        let exclude = self.file.exclude.iter().map(|exclusion| (exclusion.line, &exclusion.value));
        for (line, selection) in overrides.chain(exclude) {
            for ((what, given), known) in PLACEHOLDERS.iter().zip(selection.lists()).zip(&self.parts.names) {
                for name in given.iter().filter(|name| !known.iter().any(|k| wildcard::fits(name, k))) {
                    let known = known.join(", ");
                    let problem = format!("{what} '{name}' is none of the campaign's; there are {known}");
                    self.faults.push(Fault::at(line, problem));
                }
            }
        }
    }

    /// Overrides and exclusions that change nothing are slips; where a name is wrong, that is reported already.
    fn check_used(&mut self, used: &Used) {
        let overrides = self.file.overrides.iter().map(|over| ("override", over.line)).zip(&used.overrides);
        let exclude = self.file.exclude.iter().map(|exclusion| ("exclusion", exclusion.line)).zip(&used.exclude);
        let unused = overrides.chain(exclude).filter(|(_, used)| !**used).map(|(of, _)| of);
        let known = |line: usize| self.faults.iter().any(|fault| fault.line == Some(line));
        let slip = |(what, line): (&str, usize)| Fault::at(line, format!("this {what} matches no bake"));
        let slips: Vec<Fault> = unused.filter(|(_, line)| !known(*line)).map(slip).collect();
        self.faults.extend(slips);
    }

    /// Whether there are no more combinations than anybody means.
    fn check_size(&mut self) -> bool {
        let Parts { patterns, materials, grids, bending, override_bending, .. } = self.parts;
        let bent = override_bending.iter().flatten().map(Vec::len).chain([bending.len()]).max().unwrap_or(1);
        let lists = [patterns.len(), materials.len(), grids.len(), bent];
        let all = lists.iter().try_fold(1usize, |all, n| all.checked_mul(*n));
        let good = all.is_some_and(|all| all <= MOST_BAKES);
        if !good {
            let sizes = lists.map(|n| n.to_string()).join(" x ");
            self.faults.push(Fault::of_all(format!(
                "{sizes} combinations are more than the {MOST_BAKES} that a campaign can have"
            )));
        }
        good
    }

    /// Whether databases can be called so.
    fn check_naming(&mut self) -> bool {
        let At { value: naming, line } = &self.file.naming;
        let mut problems = Vec::new();
        let mut rest = naming.as_str();
        while let Some((_, after)) = rest.split_once('{') {
            let (placeholder, after) = after.split_once('}').unwrap_or((after, ""));
            if !PLACEHOLDERS.contains(&placeholder) {
                let known = PLACEHOLDERS.map(|p| format!("{{{p}}}")).join(", ");
                problems.push(format!("naming has {{{placeholder}}}, there are {known}"));
            }
            rest = after;
        }
        let path = Path::new(naming);
        let inside = path.components().all(|c| matches!(c, Component::Normal(_)));
        if !inside || path.components().next().is_none() || naming.ends_with('/') {
            problems.push(
                "naming must stay inside of the output folder: a name, perhaps with folders before it".to_owned(),
            );
        }
        let good = problems.is_empty();
        self.faults.extend(problems.into_iter().map(|problem| Fault::at(*line, problem)));
        good
    }

    /// No two outputs are one file.
    fn check_outputs(&mut self) {
        let rests = self.rests.iter().map(|rest| (&rest.output, &rest.name));
        let bakes = self.bakes.iter().map(|bake| (&bake.output, &bake.name));
        let mut places: HashMap<&PathBuf, usize> = HashMap::new();
        for (output, _) in rests.chain(bakes) {
            *places.entry(output).or_default() += 1;
        }
        let mut twice: Vec<(&PathBuf, usize)> = places.into_iter().filter(|(_, n)| *n > 1).collect();
        twice.sort();
        let line = self.file.naming.line;
        for (output, n) in twice {
            let problem = format!(
                "{}: {n} bakes are written there; tell them apart by {{pattern}}, {{material}}, {{grid}} and {{bending}} in naming",
                output.display()
            );
            self.faults.push(Fault::at(line, problem));
        }
    }
}

/// Which overrides and exclusions matched something.
struct Used {
    overrides: Vec<bool>,
    exclude: Vec<bool>,
}

impl NameFilter {
    fn lists(&self) -> [&[String]; 4] {
        [&self.pattern, &self.material, &self.grid, &self.bending]
    }

    /// Whether a combination is meant.
    fn fits(&self, [pattern, material, grid]: [&String; 3], bending: Option<&String>) -> bool {
        let names = [Some(pattern), Some(material), Some(grid), bending];
        let fits = |(list, name): (&[String], Option<&String>)| {
            list.is_empty() || name.is_some_and(|name| list.iter().any(|pattern| wildcard::fits(pattern, name)))
        };
        self.lists().into_iter().zip(names).all(fits)
    }
}

impl Settings {
    /// These settings, replaced by those that `other` has.
    fn with(&self, other: &Settings) -> Self {
        Settings {
            residual: other.residual.or(self.residual),
            rounds: other.rounds.or(self.rounds),
            gain: other.gain.or(self.gain),
            start: other.start.or(self.start),
            tolerance: other.tolerance.or(self.tolerance),
            threads: other.threads.or(self.threads),
            shards: other.shards.or(self.shards),
        }
    }
}

/// What a database is called.
fn named(naming: &str, parts: &[String; 4]) -> String {
    let mut name = naming.strip_suffix(&format!(".{EXTENSION}")).unwrap_or(naming).to_owned();
    for (placeholder, part) in PLACEHOLDERS.iter().zip(parts) {
        name = name.replace(&format!("{{{placeholder}}}"), part);
    }
    name
}
