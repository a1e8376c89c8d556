//! `yarnwise-bake study cold`.

use super::{ROWS, TableArgs, median_and_95, scattered};
use anyhow::Result;
use std::fmt;
use yarnwise_lab::report::cold::{self, ColdSample};
use yarnwise_shared::table::region::Region;

/// How many samples that miss the table are named.
const NAMED: usize = 10;

/// A sample misses the table when a vertex is further off than this, yarn radii.
const MISSED: f64 = 0.01;

/// Cold starts against a published table.
#[derive(serde::Serialize)]
pub(super) struct Report {
    regions: Vec<Row>,
    samples: usize,
    converged: usize,
    factorizations: usize,
    /// Processor time of all solves.
    solve_seconds: f64,
    /// The samples that miss the table most.
    missed: Vec<Missed>,
}

/// Vertex errors of a region, yarn radii: the largest of a sample, and the root mean square.
#[derive(serde::Serialize)]
struct Row {
    region: &'static str,
    samples: usize,
    median: f64,
    percentile_95: f64,
    /// Share below 0.01 radii.
    matched: f64,
    rms: f64,
    rms_percentile_95: f64,
    /// Radians.
    twist: f64,
}

#[derive(serde::Serialize)]
struct Missed {
    error: f64,
    rms: f64,
    at: String,
}

pub(super) fn study(table: &TableArgs, samples: Option<usize>) -> Result<Report> {
    let (published, cell, settings) = table.read()?;
    let samples = scattered(published.grid.sample_count(), samples);
    let all = cold::compare(&cell, &published, &samples, &settings);
    let mut missed: Vec<&ColdSample> = all.iter().filter(|c| c.error >= MISSED).collect();
    missed.sort_unstable_by(|a, b| b.error.total_cmp(&a.error));
    let name = |c: &&ColdSample| Missed { error: c.error, rms: c.rms_error, at: published.grid.describe(c.sample) };
    Ok(Report {
        regions: ROWS.into_iter().filter_map(|region| row(&all, region)).collect(),
        samples: all.len(),
        converged: all.iter().filter(|c| c.solved.converged).count(),
        factorizations: all.iter().map(|c| c.solved.work.factorizations).sum(),
        solve_seconds: all.iter().map(|c| c.seconds).sum(),
        missed: missed.iter().take(NAMED).map(name).collect(),
    })
}

/// The errors of a region; none when it has no samples.
fn row(all: &[ColdSample], (region, keep): super::Row) -> Option<Row> {
    let e = cold::errors(all, keep)?;
    let of = |value: &dyn Fn(&ColdSample) -> f64| {
        let mut values: Vec<f64> = all.iter().filter(|c| keep(Region::of(c.strain))).map(value).collect();
        values.sort_unstable_by(f64::total_cmp);
        median_and_95(&values)
    };
    let ([rms, rms_percentile_95], [twist, _]) = (of(&|c| c.rms_error), of(&|c| c.twist_error));
    let cold::Errors { samples, median, percentile_95, matched } = e;
    Some(Row { region, samples, median, percentile_95, matched, rms, rms_percentile_95, twist })
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        writeln!(
            f,
            "vertex errors of a sample in yarn radii (largest, and root mean square), cold start against the published table"
        )?;
        writeln!(
            f,
            "{:20} {:>8} {:>10} {:>10} {:>9} {:>10} {:>10} {:>12}",
            "", "samples", "median", "95 %", "< 0.01 r", "rms", "95 %", "twist (rad)"
        )?;
        for Row { region, samples, median, percentile_95, matched, rms, rms_percentile_95, twist } in &self.regions {
            write!(f, "{region:20} {samples:8} {median:10.1e} {percentile_95:10.1e} {:7.1} % ", 100.0 * matched)?;
            writeln!(f, "{rms:10.1e} {rms_percentile_95:10.1e} {twist:12.1e}")?;
        }
        let mean = self.factorizations as f64 / self.samples.max(1) as f64;
        let Report { samples, converged, solve_seconds, .. } = self;
        writeln!(
            f,
            "{converged} of {samples} converged, {mean:.1} factorizations a sample, {solve_seconds:.1} core-seconds"
        )?;
        for Missed { error, rms, at } in &self.missed {
            writeln!(f, "{error:.3} r (rms {rms:.4} r) at {at}")?;
        }
        Ok(())
    }
}
