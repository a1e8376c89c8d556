//! `yarnwise-bake db`: import, export and inspect databases.

mod inspect;
mod report;
mod traced;

use crate::writing::{Precision, Written, encoding_of, subset, tool};
use anyhow::bail;
use std::fmt;
use std::path::{Path, PathBuf};
use yarnwise_lab::report::trace::Trace;
use yarnwise_precompute::bake::{Completed, complete};
use yarnwise_program::number::count;
use yarnwise_program::{note, output, print_report};
use yarnwise_shared::file::origin;
use yarnwise_shared::table::database;
use yarnwise_shared::table::model_folder;

#[derive(clap::Subcommand)]
pub(crate) enum Command {
    /// Turn a published model folder into a database
    ///
    /// The folder holds the pattern in a file 'pyp', the strain axes in 'sxsasy/axes.txt' and the displacements in
    /// 'sxsasy/data.npy'; tables with bending in 'bend4Dx' and 'bend4Dy' are taken along where they exist.
    Import {
        /// The model folder
        folder: PathBuf,
        /// The database to write, usually ending in .ydb
        #[arg(short, long, value_name = "FILE")]
        output: PathBuf,
        #[command(flatten)]
        precision: Precision,
    },
    /// Write a database as a model folder, with the displacements as NumPy arrays
    Export {
        /// The database
        file: PathBuf,
        /// The folder to make: pyp, sxsasy/axes.txt, sxsasy/data.npy, and bend4Dx and bend4Dy if there is bending
        #[arg(short, long, visible_alias = "npy", value_name = "FOLDER")]
        output: PathBuf,
    },
    /// Show what a database holds, how exact and how smooth it is, and how long it takes to open; or the trace of a solve
    Inspect {
        /// The database, or a trace that 'relax --trace' wrote
        file: PathBuf,
        #[command(flatten)]
        pictures: inspect::Pictures,
    },
    /// Add energies by kind and stresses to a database of an earlier program, without baking it again
    ///
    /// Every equilibrium is solved again from where it is stored. Displacements stay as they are; a sample that is not found
    /// again stays without.
    Complete {
        /// The database
        file: PathBuf,
        /// The database to write
        #[arg(short, long, value_name = "FILE")]
        output: PathBuf,
    },
    /// Take fewer samples out of a database, without solving anything again
    Subset {
        /// The database
        file: PathBuf,
        /// The strains to take: 5, 9, 15, 31 or a file with three lines of numbers (sx, sa, sy), all of them in the database
        #[arg(long, value_name = "SAMPLES|FILE")]
        grid: String,
        /// The database to write
        #[arg(short, long, value_name = "FILE")]
        output: PathBuf,
        #[command(flatten)]
        precision: Precision,
    },
}

pub(crate) fn run(command: Command, json: bool) -> anyhow::Result<()> {
    match command {
        Command::Import { folder, output, precision } => import(&folder, &output, &precision, json),
        Command::Export { file, output } => export(&file, &output, json),
        Command::Inspect { file, pictures } => {
            if Trace::is_in(&file) {
                pictures.check_trace(&file)?;
                let trace = Trace::read(&file)?;
                print_report(&traced::Report::new(&file, &trace), json)?;
                return pictures.draw_trace(&trace);
            }
            pictures.check(&file)?;
            print_report(&report::Report::new(&file)?, json)?;
            pictures.draw(&file)
        }
        Command::Complete { file, output } => complete_records(&file, &output, json),
        Command::Subset { file, grid, output, precision } => {
            let inputs = [Some(file.as_path()), crate::options::as_file(&grid)];
            output::check(&output, &inputs.into_iter().flatten().collect::<Vec<_>>())?;
            subset(&file, &grid, &output, &precision.encoding()?, json)
        }
    }
}

fn import(folder: &Path, output: &Path, precision: &Precision, json: bool) -> anyhow::Result<()> {
    output::check(output, &[folder])?;
    let encoding = precision.encoding()?;
    let import = model_folder::read(folder, &tool())?;
    for note in &import.notes {
        note!("note: {note}");
    }
    let size = database::write(&import.database, output, &encoding)?;
    print_report(&Written { file: output, samples: import.database.samples().len(), size }, json)
}

fn complete_records(file: &Path, output: &Path, json: bool) -> anyhow::Result<()> {
    output::check(output, &[file])?;
    let (bytes, origin) = (database::read_bytes(file)?, origin(file));
    let before = database::parse(&bytes, &origin)?;
    let encoding = encoding_of(&database::inspect(&bytes, &origin)?, &before);
    let (database, counts) = complete(before, &origin)?;
    let size = database::write(&database, output, &encoding)?;
    print_report(
        &Completion { counts, written: Written { file: output, samples: database.samples().len(), size } },
        json,
    )
}

fn export(file: &Path, folder: &Path, json: bool) -> anyhow::Result<()> {
    output::check_folder(folder, &[file])?;
    // What is left there from another export would be taken for a part of this one.
    if folder.exists() && folder.read_dir().map_or(true, |mut entries| entries.next().is_some()) {
        bail!("{}: is not an empty folder, choose a new one", folder.display());
    }
    let database = database::read(file)?;
    model_folder::write(&database, folder)?;
    print_report(&Exported { folder, samples: database.samples().len(), bending: database.bending().is_some() }, json)
}

/// A database that has what it lacked.
#[derive(serde::Serialize)]
struct Completion<'a> {
    #[serde(flatten)]
    counts: Completed,
    #[serde(flatten)]
    written: Written<'a>,
}

impl fmt::Display for Completion<'_> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        self.written.fmt(f)?;
        let Completed { completed, known, lost, .. } = self.counts;
        let samples = count(completed, "sample", None);
        writeln!(f, "{samples} completed, {known} had energies by kind before, {lost} not found again")
    }
}

/// A model folder that was written.
#[derive(serde::Serialize)]
struct Exported<'a> {
    folder: &'a Path,
    /// In the plane.
    samples: usize,
    bending: bool,
}

impl fmt::Display for Exported<'_> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let (samples, bent) = (count(self.samples, "sample", None), if self.bending { ", with bending" } else { "" });
        writeln!(f, "{}: {samples}{bent}", self.folder.display())
    }
}
