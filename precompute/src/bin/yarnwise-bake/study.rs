//! `yarnwise-bake study`: how close the solver comes to published tables.

mod density;

use anyhow::Result;
use std::path::PathBuf;
use std::time::Instant;
use yarnwise_precompute::cell::Cell;
use yarnwise_precompute::equilibrium::settings::SolverSettings;
use yarnwise_precompute::report::published::Published;
use yarnwise_precompute::report::table::Region;
use yarnwise_precompute::report::{cold, continued};
use yarnwise_precompute::sampling::{Continuation, SamplingSettings};
use yarnwise_shared::material::Material;

#[derive(clap::Subcommand)]
pub(crate) enum Command {
    /// Solve samples of a published table from the affine state and compare
    Cold {
        #[command(flatten)]
        table: TableArgs,
        /// Solve one of so many samples
        #[arg(long, default_value_t = 1)]
        stride: usize,
    },
    /// Sample the grid of a published table by continuation and compare energies and smoothness
    Continuation {
        #[command(flatten)]
        table: TableArgs,
        /// Sweeps that try samples again from their neighbours
        #[arg(long, default_value_t = SamplingSettings::default().sweeps)]
        sweeps: usize,
    },
    /// Bake patterns on grids of several densities and compare the sets
    ///
    /// Writes the databases, and for each pattern a page with tables and pictures.
    Density(density::Command),
}

#[derive(clap::Args)]
pub(crate) struct TableArgs {
    /// Folder with `pyp`, `sxsasy/axes.txt` and `sxsasy/data.npy`
    folder: PathBuf,
    /// Material: fine, knit or woven
    #[arg(long)]
    material: String,
    /// Unbalanced force at which a sample is an equilibrium, as a fraction of the forces in it
    #[arg(long, default_value_t = SolverSettings::default().tolerance)]
    tolerance: f64,
}

impl TableArgs {
    fn read(&self) -> Result<(Published, Cell, SolverSettings)> {
        let published = Published::read(&self.folder)?;
        let cell = Cell::new(&published.pattern, &Material::preset(&self.material)?)?;
        Ok((published, cell, SolverSettings { tolerance: self.tolerance, ..SolverSettings::default() }))
    }
}

pub(crate) fn run(command: Command) -> Result<()> {
    match command {
        Command::Cold { table, stride } => study_cold(&table, stride),
        Command::Density(command) => density::run(&command),
        Command::Continuation { table, sweeps } => study_continuation(&table, sweeps),
    }
}

fn study_cold(table: &TableArgs, stride: usize) -> Result<()> {
    let (published, cell, settings) = table.read()?;
    let samples = cold::scattered(published.grid.sample_count(), stride);
    let begin = Instant::now();
    let all = cold::compare(&cell, &published, &samples, &settings);
    println!("largest vertex error of a sample in yarn radii, cold start against the published table");
    println!("{:20} {:>8} {:>10} {:>10} {:>9}", "", "samples", "median", "95 %", "< 0.01 r");
    let compressed = |r: Region| matches!(r, Region::Compression | Region::CompressionShear);
    let rows: [(&str, &dyn Fn(Region) -> bool); 4] = [
        ("tension", &|r| r == Region::Tension),
        ("tension+shear", &|r| r == Region::TensionShear),
        ("compression", &compressed),
        ("all", &|_| true),
    ];
    for (name, keep) in rows {
        if let Some(e) = cold::errors(&all, keep) {
            let share = 100.0 * e.matched;
            println!("{name:20} {:8} {:10.1e} {:10.1e} {share:7.1} %", e.samples, e.median, e.percentile_95);
        }
    }
    let converged = all.iter().filter(|c| c.solved.converged).count();
    let factorizations: usize = all.iter().map(|c| c.solved.work.factorizations).sum();
    let mean = factorizations as f64 / all.len().max(1) as f64;
    let seconds = begin.elapsed().as_secs_f64();
    println!("{converged} of {} converged, {mean:.1} factorisations a sample, {seconds:.1} s", all.len());
    Ok(())
}

fn study_continuation(table: &TableArgs, sweeps: usize) -> Result<()> {
    let (published, cell, solver) = table.read()?;
    let settings = SamplingSettings { solver, sweeps };
    let begin = Instant::now();
    let ours = Continuation::new(&cell, &published.grid, &settings)?.complete(|_| ());
    let seconds = begin.elapsed().as_secs_f64();
    println!("{:18} roughness         energy lower/same/higher   jump median, max", "");
    for f in continued::figures(&cell, &published, &ours) {
        let [lower, same, higher] = f.energy.map(|e| 100.0 * e);
        println!(
            "{:18} {:.3} -> {:.3}    {lower:4.1}/{same:4.1}/{higher:4.1} %   {:.2} {:.2} -> {:.2} {:.2} r",
            f.region.name(),
            f.roughness[0],
            f.roughness[1],
            f.published_jump[0],
            f.published_jump[1],
            f.jump[0],
            f.jump[1]
        );
        for (sample, excess) in f.higher.iter().take(5) {
            println!("{:20} {:.2} % higher at {}", "", 100.0 * excess, published.grid.describe(*sample));
        }
    }
    let converged = ours.iter().filter(|c| c.solved.converged).count();
    println!("{converged} of {} converged, {seconds:.1} s", ours.len());
    Ok(())
}
