//! `yarnwise-bake study continuation`.

use super::TableArgs;
use anyhow::Result;
use std::fmt;
use yarnwise_lab::report::continued::{self, RegionFigures};
use yarnwise_precompute::sampling::{Continuation, SamplingSettings};
use yarnwise_program::number::count;
use yarnwise_shared::table::grid::StrainGrid;

/// How many samples of higher energy are named in each region.
const NAMED: usize = 5;

/// A continued table against a published one.
#[derive(serde::Serialize)]
pub(super) struct Report {
    regions: Vec<Row>,
    samples: usize,
    converged: usize,
    solves: usize,
    /// Processor time of all solves.
    solve_seconds: f64,
}

/// Figures of a region; pairs are published and ours, jumps are median and largest in yarn radii.
#[derive(serde::Serialize)]
struct Row {
    region: &'static str,
    roughness: [f64; 2],
    /// Shares of samples with lower, the same and higher energy than published.
    energy: [f64; 3],
    published_jump: [f64; 2],
    jump: [f64; 2],
    higher: Vec<Higher>,
}

/// A sample whose energy is higher than published.
#[derive(serde::Serialize)]
struct Higher {
    /// By which fraction.
    excess: f64,
    at: String,
    /// The straight way to the published state leads through a yarn.
    published_passed_through: bool,
}

impl Row {
    fn new(f: &RegionFigures, grid: &StrainGrid) -> Self {
        let higher = f.higher.iter().map(|h| Higher {
            excess: h.excess,
            at: grid.describe(h.sample),
            published_passed_through: h.published_passed_through,
        });
        Row {
            region: f.region.name(),
            roughness: f.roughness,
            energy: f.energy,
            published_jump: f.published_jump,
            jump: f.jump,
            higher: higher.collect(),
        }
    }
}

pub(super) fn study(table: &TableArgs, rounds: usize) -> Result<Report> {
    let (published, cell, solver) = table.read()?;
    let settings = SamplingSettings { solver, rounds, ..SamplingSettings::default() };
    let mut times = Vec::new();
    let ours = Continuation::new(&cell, &published.grid, &settings)?.complete(|seconds| times.push(seconds));
    let figures = continued::figures(&cell, &published, &ours);
    Ok(Report {
        regions: figures.iter().map(|f| Row::new(f, &published.grid)).collect(),
        samples: ours.len(),
        converged: ours.iter().filter(|c| c.solved.is_sound()).count(),
        solves: times.len(),
        solve_seconds: times.iter().sum(),
    })
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        writeln!(f, "{:18} roughness         energy lower/same/higher   jump median, max", "")?;
        for row in &self.regions {
            write!(f, "{row}")?;
        }
        let Report { samples, converged, solve_seconds, .. } = self;
        let solves = count(self.solves, "solve", None);
        writeln!(f, "{converged} of {samples} converged, {solves}, {solve_seconds:.1} core-seconds")
    }
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let ([before, after], [lower, same, higher]) = (self.roughness, self.energy.map(|e| 100.0 * e));
        write!(f, "{:18} {before:.3} -> {after:.3}    {lower:4.1}/{same:4.1}/{higher:4.1} %   ", self.region)?;
        let ([a, b], [c, d]) = (self.published_jump, self.jump);
        writeln!(f, "{a:.2} {b:.2} -> {c:.2} {d:.2} r")?;
        for h in self.higher.iter().take(NAMED) {
            let why = match h.published_passed_through {
                true => " (the straight way to the published state leads through a yarn)",
                false => "",
            };
            writeln!(f, "{:20} {:.2} % higher at {}{why}", "", 100.0 * h.excess, h.at)?;
        }
        Ok(())
    }
}
