//! `yarnwise-bake study`: how close the solver comes to published tables, and how smooth its own are.

mod balance;
mod charts;
mod cold;
mod continuation;
mod density;
mod interpolant;
mod refinement;

use crate::options::Residual;
use anyhow::Result;
use std::path::PathBuf;
use yarnwise_lab::report::published::Published;
use yarnwise_precompute::cell::Cell;
use yarnwise_precompute::equilibrium::settings::SolverSettings;
use yarnwise_precompute::sampling::MOST_ROUNDS;
use yarnwise_program::print_report;
use yarnwise_shared::pattern::material::YarnMaterial;
use yarnwise_shared::table::region::Region;

#[derive(clap::Subcommand)]
pub(crate) enum Command {
    /// Unbalanced forces of our energies at the states of a published table; solves nothing but the twists
    Balance {
        #[command(flatten)]
        table: TableArgs,
        /// Look at about this many samples, scattered over the table [default: all]
        #[arg(long, value_name = "N")]
        samples: Option<usize>,
    },
    /// Solve samples of a published table from the affine state and compare
    Cold {
        #[command(flatten)]
        table: TableArgs,
        /// Solve about this many samples, scattered over the table [default: all]
        #[arg(long, value_name = "N")]
        samples: Option<usize>,
    },
    /// Relax and bake random charts and drafts: does each come to rest, as the fabric that it was, within a bound of steps?
    ///
    /// Prints a line with the seed of each; the same seed gives the same chart.
    Charts(charts::Arguments),
    /// Sample the grid of a published table by continuation and compare energies and smoothness
    Continuation {
        #[command(flatten)]
        table: TableArgs,
        /// The most rounds that retry samples from their neighbors
        #[arg(long, value_name = "N", default_value_t = MOST_ROUNDS as u16,
            value_parser = clap::value_parser!(u16).range(..=MOST_ROUNDS as i64))]
        rounds: u16,
    },
    /// Bake patterns on grids of several densities and compare the sets
    ///
    /// Writes the databases, and for each pattern a page with tables and pictures.
    Density(density::Command),
    /// What the run time shows between samples against equilibria there: energy, distance, jumps, accelerations
    Interpolant(interpolant::Arguments),
    /// Sample a pattern on finer and finer grids and show how the jumps between neighbors shrink
    Refinement(refinement::Arguments),
}

#[derive(clap::Args)]
pub(crate) struct TableArgs {
    /// Folder with `pyp`, `sxsasy/axes.txt` and `sxsasy/data.npy`
    folder: PathBuf,
    /// Material: fine, knit or woven
    #[arg(long)]
    material: String,
    #[command(flatten)]
    residual: Residual,
}

impl TableArgs {
    fn read(&self) -> Result<(Published, Cell, SolverSettings)> {
        let solver = self.residual.solver()?;
        let published = Published::read(&self.folder)?;
        let cell = Cell::new(&published.pattern, &YarnMaterial::preset(&self.material)?)?;
        Ok((published, cell, solver))
    }
}

pub(crate) fn run(command: Command, json: bool) -> Result<()> {
    match command {
        Command::Balance { table, samples } => print_report(&balance::study(&table, samples)?, json),
        Command::Charts(arguments) => print_report(&charts::study(&arguments)?, json),
        Command::Cold { table, samples } => print_report(&cold::study(&table, samples)?, json),
        Command::Continuation { table, rounds } => {
            print_report(&continuation::study(&table, usize::from(rounds))?, json)
        }
        Command::Density(command) => density::run(&command, json),
        Command::Interpolant(arguments) => print_report(&interpolant::study(&arguments)?, json),
        Command::Refinement(arguments) => print_report(&refinement::study(&arguments)?, json),
    }
}

/// About `wanted` samples of `count`, scattered.
fn scattered(count: usize, wanted: Option<usize>) -> Vec<usize> {
    let stride = wanted.map_or(1, |wanted| count.div_ceil(wanted.max(1)));
    yarnwise_lab::report::cold::scattered(count, stride)
}

/// A name, and the regions that belong to it.
type Row = (&'static str, fn(Region) -> bool);

/// The regions of physics' table: both kinds of compression together, and all.
const ROWS: [Row; 4] = [
    ("tension", |r| r == Region::Tension),
    ("tension + shear", |r| r == Region::TensionShear),
    ("compression", |r| matches!(r, Region::Compression | Region::CompressionShear)),
    ("all", |_| true),
];

/// The middle of ascending values, and the one that 95 % do not exceed; NaN when there are none.
fn median_and_95(sorted: &[f64]) -> [f64; 2] {
    match sorted.len().checked_sub(1) {
        Some(last) => [sorted[last / 2], sorted[last * 95 / 100]],
        None => [f64::NAN; 2],
    }
}
