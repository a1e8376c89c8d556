//! `yarnwise-bake study refinement`.

use crate::options::{self, MaterialOptions, Residual};
use anyhow::Result;
use std::fmt;
use std::path::PathBuf;
use yarnwise_lab::report::jumps::jumps;
use yarnwise_precompute::cell::Cell;
use yarnwise_precompute::sampling::{Continuation, SamplingSettings, check_grid};
use yarnwise_program::note;
use yarnwise_shared::table::Displacements;
use yarnwise_shared::table::region::Region;

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// The pattern: a .yarn or .pyp file
    pattern: PathBuf,
    #[command(flatten)]
    material: MaterialOptions,
    /// The grids: published ones (5, 9, 15, 31) or files with axes
    #[arg(long, value_name = "SAMPLES|FILE,...", value_delimiter = ',', default_value = "9,15")]
    grids: Vec<String>,
    #[command(flatten)]
    residual: Residual,
}

/// How jumps between neighboring samples shrink as the grid is refined.
#[derive(serde::Serialize)]
pub(super) struct Report {
    grids: Vec<Row>,
}

#[derive(serde::Serialize)]
struct Row {
    grid: String,
    regions: [Jumps; 4],
}

/// Jumps between neighboring samples of a region, yarn radii.
#[derive(serde::Serialize)]
struct Jumps {
    region: &'static str,
    median: f64,
    percentile_95: f64,
    largest: f64,
}

pub(super) fn study(arguments: &Arguments) -> Result<Report> {
    let solver = arguments.residual.solver()?;
    let material = arguments.material.material()?;
    let grids = arguments.grids.iter().map(|name| options::strain_grid(name)).collect::<Result<Vec<_>, _>>()?;
    grids.iter().try_for_each(check_grid)?;
    let pattern = options::read_pattern(&arguments.pattern)?;
    let cell = Cell::new(&pattern, &material)?;
    let settings = SamplingSettings { solver, ..SamplingSettings::default() };
    let mut rows = Vec::new();
    for (name, grid) in arguments.grids.iter().zip(&grids) {
        note!("grid {name}: {} samples", grid.sample_count());
        let ours = Continuation::new(&cell, grid, &settings)?.complete(|_| ());
        let states: Vec<Displacements> = ours.into_iter().map(|c| c.solved.displacements).collect();
        let all = jumps(grid, &states, cell.radius());
        let of = |region: Region| {
            let sorted = &all[region as usize];
            let [median, percentile_95] = super::median_and_95(sorted);
            let largest = sorted.last().copied().unwrap_or(f64::NAN);
            Jumps { region: region.name(), median, percentile_95, largest }
        };
        rows.push(Row { grid: name.clone(), regions: Region::ALL.map(of) });
    }
    Ok(Report { grids: rows })
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        writeln!(f, "jumps between neighboring samples in yarn radii: median, 95 %, largest")?;
        writeln!(f, "{:12} {}", "grid", Region::ALL.map(|r| format!("{:>24}", r.name())).join(" "))?;
        for Row { grid, regions } in &self.grids {
            let cell = |j: &Jumps| {
                let Jumps { median, percentile_95, largest, .. } = j;
                format!("{:>24}", format!("{median:.3} {percentile_95:.3} {largest:.3}"))
            };
            writeln!(f, "{grid:12} {}", regions.each_ref().map(cell).join(" "))?;
        }
        Ok(())
    }
}
