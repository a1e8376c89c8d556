//! `yarnwise-bake db`: import, export and inspect databases.

mod inspect;
mod report;

use anyhow::{Context, bail};
use std::io::Write;
use std::path::{Path, PathBuf};
use yarnwise_shared::table::database::{self, Encoding, FileInfo, Tolerance};
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
        #[arg(long, value_name = "FOLDER")]
        npy: PathBuf,
    },
    /// Show what a database holds, how exact and how smooth it is, and how long it takes to open
    Inspect {
        /// The database
        file: PathBuf,
        /// Print JSON, for other programs
        #[arg(long)]
        json: bool,
        #[command(flatten)]
        pictures: inspect::Pictures,
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

/// How exactly displacements are stored.
#[derive(clap::Args)]
pub(crate) struct Precision {
    /// Keep every bit of every displacement; the file gets about four times as large
    #[arg(long, conflicts_with = "tolerance")]
    lossless: bool,
    /// Largest error of stored positions in yarn radii, and of stored twists in radians
    #[arg(long, value_name = "RADII", default_value_t = Tolerance::default().position)]
    tolerance: f64,
}

impl Precision {
    pub(crate) fn encoding(&self) -> Encoding {
        match self.lossless {
            true => Encoding::Lossless,
            false => Encoding::Quantized(Tolerance { position: self.tolerance, twist: self.tolerance }),
        }
    }
}

pub(crate) fn run(command: Command) -> anyhow::Result<()> {
    match command {
        Command::Import { folder, output, precision } => import(&folder, &output, &precision),
        Command::Export { file, npy } => export(&file, &npy),
        Command::Inspect { file, json, pictures } => {
            inspect(&file, json)?;
            pictures.draw(&file)
        }
        Command::Subset { file, grid, output, precision } => {
            crate::bake::subset(&file, &grid, &crate::options::check_output(&output)?, &precision)
        }
    }
}

/// The name and version that this program writes into databases.
pub(crate) fn tool() -> String {
    format!("yarnwise-bake {}", env!("CARGO_PKG_VERSION"))
}

fn import(folder: &Path, output: &Path, precision: &Precision) -> anyhow::Result<()> {
    if output.is_dir() {
        bail!("{}: is a folder, the name of a file is expected after -o", output.display());
    }
    let import = model_folder::read(folder, &tool())?;
    for note in &import.notes {
        eprintln!("note: {note}");
    }
    let info = database::write(&import.database, output, &precision.encoding())?;
    print(&format!("{}: {}\n", output.display(), summary(&info)))
}

/// One line on the size and the precision of a file that was written.
pub(crate) fn summary(info: &FileInfo) -> String {
    let raw: u64 = info.tables.iter().map(|t| t.raw_bytes).sum();
    let precision = match info.tables.iter().all(|t| t.lossless) {
        true => "lossless".to_owned(),
        false => {
            let largest = |c: usize| info.tables.iter().map(|t| t.largest_error[c]).fold(0.0, f64::max);
            let position = (0..3).map(largest).fold(0.0, f64::max);
            format!("largest error {:.2e} m and {:.2e} rad", position, largest(3))
        }
    };
    format!(
        "{} bytes, {:.1} times smaller than plain numbers, {precision}",
        info.file_bytes,
        raw as f64 / info.file_bytes as f64
    )
}

fn export(file: &Path, folder: &Path) -> anyhow::Result<()> {
    let database = database::read(file)?;
    // What is left there from another export would be taken for a part of this one.
    if folder.exists() && folder.read_dir().map_or(true, |mut entries| entries.next().is_some()) {
        bail!("{}: is not an empty folder, choose a new one", folder.display());
    }
    model_folder::write(&database, folder)?;
    Ok(())
}

fn inspect(file: &Path, json: bool) -> anyhow::Result<()> {
    let report = report::Report::new(file)?;
    match json {
        true => print(&(serde_json::to_string_pretty(&report).context("the report as JSON")? + "\n")),
        false => print(&report.to_string()),
    }
}

/// Prints; a reader that has seen enough and closes its end (`| head`) is no error.
pub(crate) fn print(text: &str) -> anyhow::Result<()> {
    match std::io::stdout().write_all(text.as_bytes()) {
        Err(e) if e.kind() != std::io::ErrorKind::BrokenPipe => Err(e.into()),
        _ => Ok(()),
    }
}
