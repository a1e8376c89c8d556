//! The bake: a pattern's equilibria over a grid of strains, as a job that survives interruption.
//!
//! [`Bake`] says what is baked. [`Bake::run`] solves it (see [`crate::sampling`] for the order) while it keeps every
//! finished solve in a journal beside the output and a line about it in a log, then writes the database and removes the
//! journal.

mod check;
mod collect;
mod complete;
mod identity;
mod log;
mod logged;
mod merge;
mod next;
mod plan;
mod shard;
mod size;
mod summary;

pub use check::{check_pattern, default_curvatures};
pub use complete::{Completed, complete};
pub use log::LOG_COLUMNS;
pub use logged::{FailedSolve, Logged, read_log};
pub use merge::{Gathered, MergeOptions, MergeOutcome};
pub use next::{Next, NextStage};
pub use shard::{MOST_SHARDS, Shard, ShardOutcome};
pub use size::{DiskSize, SOLVES_A_SAMPLE};
pub use summary::{BendingSummary, Summary};

use crate::cell::Cell;
use crate::job::{ExecuteOptions, Journal, Opened, Run, beating};
use crate::sampling::SamplingSettings;
use crate::vector::VectorLevel;
use crate::{Error, Result};
use collect::BakedSamples;
use plan::{Reached, Role, Tables};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::Instant;
use summary::Tally;
use yarnwise_shared::file;
use yarnwise_shared::pattern::material::YarnMaterial;
use yarnwise_shared::pattern::{Pattern, pyp};
use yarnwise_shared::table::database::{self, Encoding};
use yarnwise_shared::table::grid::{Axis, StrainGrid};

/// Where samples start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum StartMode {
    /// At a neighbor's equilibrium, walking outward from rest.
    #[default]
    Continuation,
    /// Each at the affine state, as the published tables.
    Cold,
}

impl StartMode {
    /// The mode in one word.
    pub fn name(self) -> &'static str {
        match self {
            StartMode::Continuation => "continuation",
            StartMode::Cold => "cold",
        }
    }
}

/// Hash of what this program finds in a tiny bake, in hexadecimal digits.
///
/// It is part of a journal's identity, so that no journal is continued by a program that would have found other states.
/// `tests/golden.rs` bakes it and fails when results change; the new value then goes here.
pub const METHOD_HASH: &str = "6f58870b46c30732";

/// What is baked: everything that determines the outcome.
#[derive(Clone, Debug)]
pub struct Bake {
    /// A short name for people; becomes the database's.
    pub name: String,
    /// Where the pattern comes from, such as its file's name.
    pub origin: String,
    /// Name and version of the program.
    pub tool: String,
    /// The pattern.
    pub pattern: Pattern,
    /// Its yarn's material.
    pub material: YarnMaterial,
    /// The strains.
    pub grid: StrainGrid,
    /// The curvatures (1/m) of the two tables bent along x and along y, over the same strains; none without bending.
    pub curvatures: Option<Axis>,
    /// Where samples start.
    pub start: StartMode,
    /// Settings of the sampling and the solver.
    pub settings: SamplingSettings,
}

/// How a bake is run.
#[derive(Clone, Copy, Debug)]
pub struct RunOptions<'a> {
    /// How many samples are solved at a time.
    pub threads: usize,
    /// Threads that several bakes have together; none: this one starts its own.
    pub pool: Option<&'a rayon::ThreadPool>,
    /// Discard what an earlier run left.
    pub restart: bool,
    /// How exactly displacements are stored.
    pub encoding: Encoding,
    /// Once this is true, no new sample begins.
    pub stop: &'a AtomicBool,
}

/// What the solves of a wave are for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Samples in the plane, for the first time.
    Strains,
    /// Bent samples, for the first time.
    Bending,
    /// Samples again, from other neighbors.
    Retries,
    /// The states that were chosen, to the solver's tolerance.
    Polish,
}

/// What is reported while a bake runs.
#[derive(Clone, Copy, Debug)]
pub enum Progress {
    /// The journal is open.
    Begun {
        /// How many samples there are to solve, bent ones included.
        samples: usize,
        /// What an earlier run left.
        opened: Opened,
    },
    /// The journals of parts are united.
    Gathered(Gathered),
    /// Results were computed with different vector instructions, such as these two.
    Levels([&'static str; 2]),
    /// A part of a bake begins what of its own can be solved now.
    Share {
        /// How many solves that are, as far as it can be told.
        solves: usize,
    },
    /// A wave begins.
    Wave {
        /// How many solves it has.
        solves: usize,
        /// What they are for.
        stage: Stage,
    },
    /// A sample is solved and safe in the journal.
    Solved {
        /// Whether it is an equilibrium.
        sound: bool,
        /// Whether an earlier run had found it.
        recalled: bool,
    },
    /// All is solved; the database is written.
    Writing,
}

/// How a run ended.
#[derive(Clone, Debug)]
pub enum BakeOutcome {
    /// The database is written.
    Finished(Box<Summary>),
    /// It was asked to stop; the journal holds this many solves.
    Stopped {
        /// Solves that are safe.
        solves: usize,
    },
}

/// The journal of a bake into `output`.
pub fn journal_path(output: &Path) -> PathBuf {
    beside(output, ".journal")
}

/// The log of a bake into `output`: one line per solve, values separated by tabs.
pub fn log_path(output: &Path) -> PathBuf {
    beside(output, ".log")
}

fn beside(output: &Path, ending: &str) -> PathBuf {
    let mut name: OsString = output.as_os_str().to_owned();
    name.push(ending);
    name.into()
}

/// Says in the journal with which vector instructions results are found from now on, and reports where others were found with others.
fn mark(journal: &mut Journal, report: &mut dyn FnMut(Progress)) {
    let own = VectorLevel::in_use().name();
    let marks = journal.marks();
    let mut others = marks.iter().filter_map(|mark| VectorLevel::named(mark)).map(VectorLevel::name);
    if let Some(other) = others.find(|other| *other != own) {
        report(Progress::Levels([other, own]));
    }
    journal.mark(own);
}

impl Bake {
    /// What a bake of the pattern in `file` over `grid` is called: `rib 9x9x9`.
    pub fn name_of(file: &Path, grid: &StrainGrid) -> String {
        let stem = file.file_stem().unwrap_or(file.as_os_str()).to_string_lossy();
        format!("{stem} {}", grid.0.each_ref().map(|axis| axis.len().to_string()).join("x"))
    }

    /// Where a bake of the pattern in `file` says that it comes from: the file's name without its folder.
    pub fn origin_of(file: &Path) -> String {
        file.file_name().unwrap_or(file.as_os_str()).to_string_lossy().into_owned()
    }

    /// Refuses what cannot be baked, before anything is written.
    pub fn check(&self) -> Result<()> {
        check::check(self)
    }

    /// Bakes into the file `output`; resumes from the journal that an interrupted run of the same bake left there.
    ///
    /// The same bake gives the same bytes whatever `options.threads` and however often it was interrupted.
    pub fn run(&self, output: &Path, options: RunOptions, report: &mut dyn FnMut(Progress)) -> Result<BakeOutcome> {
        self.check()?;
        let started = Instant::now();
        let cell = Cell::new(&self.pattern, &self.material)?;
        let (mut journal, opened) = Journal::open(&journal_path(output), &self.description(), options.restart)?;
        report(Progress::Begun { samples: self.solved_samples() as usize, opened });
        mark(&mut journal, report);
        match self.solve(&cell, &mut journal, output, options, report) {
            Ok((Reached::End(samples), tally)) => {
                let summary = self.finish(samples, tally, journal, output, options, report)?;
                file::remove_leftovers(output);
                let summary = Summary { seconds: started.elapsed().as_secs_f64(), ..summary };
                Ok(BakeOutcome::Finished(Box::new(summary)))
            }
            Ok((_, tally)) => Ok(BakeOutcome::Stopped { solves: tally.solves }),
            Err(error) => {
                // The error that stopped the bake is the one to report.
                let _ = journal.remove_if_empty();
                Err(error)
            }
        }
    }

    /// Solves all samples, or as many as there are until it is asked to stop.
    fn solve(
        &self,
        cell: &Cell,
        journal: &mut Journal,
        output: &Path,
        options: RunOptions,
        report: &mut dyn FnMut(Progress),
    ) -> Result<(Reached<BakedSamples>, Tally)> {
        let paths = [log_path(output), journal.path().to_owned()];
        let execute = ExecuteOptions { threads: options.threads, pool: options.pool, stop: options.stop };
        let run = Run::new(Some(journal), execute)?;
        let (role, log) = (Role::Whole, None);
        let mut tables = Tables { bake: self, cell, run, role, paths, log, tally: Tally::default(), report };
        let reached = tables.solve()?;
        Ok((reached, tables.tally))
    }

    /// Writes the database and removes the journal.
    fn finish(
        &self,
        samples: BakedSamples,
        tally: Tally,
        journal: Journal,
        output: &Path,
        options: RunOptions,
        report: &mut dyn FnMut(Progress),
    ) -> Result<Summary> {
        report(Progress::Writing);
        let (database, info) = beating(Some(&journal), || {
            let database = collect::database(self, samples)?;
            let written = database::write(&database, output, &options.encoding);
            let info = written.map_err(|e| match e {
                yarnwise_shared::Error::Io { path, cause } => Error::unwritable(&path, cause, journal.path()),
                other => other.into(),
            })?;
            Ok::<_, Error>((database, info))
        })?;
        journal.remove()?;
        Ok(Summary::new(&database, info, tally))
    }

    /// All that determines the outcome, by name. How displacements are stored can still be chosen after a stop.
    pub(crate) fn description(&self) -> Vec<(String, String)> {
        let m = &self.material;
        let mut out = vec![
            ("tool".to_owned(), self.tool.clone()),
            ("method".to_owned(), METHOD_HASH.to_owned()),
            ("pattern".to_owned(), pyp::to_text(&self.pattern)),
            ("material".to_owned(), format!("E {} G {} gamma {} kc {}", m.young, m.shear, m.gamma, m.contact)),
        ];
        let values = |axis: &yarnwise_shared::table::grid::Axis| format!("{:?}", axis.values());
        let axes = self.grid.0.iter().zip(["axis sx", "axis sa", "axis sy"]);
        out.extend(axes.map(|(axis, name)| (name.to_owned(), values(axis))));
        out.extend(self.curvatures.iter().map(|axis| ("axis curvature".to_owned(), values(axis))));
        out.extend(self.named_settings());
        out
    }

    /// The settings by name, for the journal and the database.
    fn named_settings(&self) -> Vec<(String, String)> {
        let mut out = vec![("start".to_owned(), self.start.name().to_owned())];
        if let Ok(value) = serde_json::to_value(self.settings) {
            flatten("", &value, &mut out);
        }
        out
    }
}

/// Settings in settings become `solver.tolerance`.
fn flatten(prefix: &str, value: &serde_json::Value, out: &mut Vec<(String, String)>) {
    match value {
        serde_json::Value::Object(fields) => {
            for (name, value) in fields {
                let name = if prefix.is_empty() { name.clone() } else { format!("{prefix}.{name}") };
                flatten(&name, value, out);
            }
        }
        value => out.push((prefix.to_owned(), value.to_string())),
    }
}
