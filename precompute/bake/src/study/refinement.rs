//! `yarnwise-bake study refinement`.

use crate::options::{self, MaterialOptions};
use anyhow::Result;
use std::path::PathBuf;
use yarnwise_lab::report::jumps::jumps;
use yarnwise_precompute::cell::Cell;
use yarnwise_precompute::equilibrium::settings::SolverSettings;
use yarnwise_precompute::sampling::{Continuation, SamplingSettings};
use yarnwise_shared::table::Displacements;
use yarnwise_shared::table::region::Region;

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// The pattern: a .yarn or .pyp file
    pattern: PathBuf,
    #[command(flatten)]
    material: MaterialOptions,
    /// The grids: published ones (5, 9, 15, 31) or files with axes
    #[arg(long, value_delimiter = ',', default_value = "9,15")]
    grids: Vec<String>,
    /// Unbalanced force at which a sample is an equilibrium, as a fraction of the forces in it
    #[arg(long, default_value_t = SolverSettings::default().tolerance)]
    tolerance: f64,
}

pub(super) fn study(arguments: &Arguments) -> Result<()> {
    let solver = SolverSettings::with_tolerance("--tolerance", arguments.tolerance)?;
    let pattern = options::read_pattern(&arguments.pattern)?;
    let cell = Cell::new(&pattern, &arguments.material.material()?)?;
    let settings = SamplingSettings { solver, ..SamplingSettings::default() };
    println!("jumps between neighboring samples in yarn radii: median, 95 %, largest");
    println!("{:12} {}", "grid", Region::ALL.map(|r| format!("{:>24}", r.name())).join(" "));
    for name in &arguments.grids {
        let grid = options::strain_grid(name)?;
        let ours = Continuation::new(&cell, &grid, &settings)?.complete(|_| ());
        let states: Vec<Displacements> = ours.into_iter().map(|c| c.solved.displacements).collect();
        let of_region = |sorted: &Vec<f64>| {
            let [median, most] = super::median_and_95(sorted);
            let largest = sorted.last().copied().unwrap_or(f64::NAN);
            format!("{:>24}", format!("{median:.3} {most:.3} {largest:.3}"))
        };
        println!("{name:12} {}", jumps(&grid, &states, cell.radius()).each_ref().map(of_region).join(" "));
    }
    Ok(())
}
