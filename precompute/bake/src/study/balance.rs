//! `yarnwise-bake study balance`.

use super::{ROWS, TableArgs, median_and_95, scattered};
use anyhow::Result;
use std::fmt;
use yarnwise_lab::report::balance::balances;
use yarnwise_shared::table::region::Region;

/// Unbalanced forces below this fraction count as balanced.
const BALANCED: f64 = 1e-4;

/// Unbalanced forces of a table by region.
#[derive(serde::Serialize)]
pub(super) struct Report {
    regions: Vec<Row>,
}

/// Unbalanced forces of a region, as fractions of the elastic force.
#[derive(serde::Serialize)]
struct Row {
    region: &'static str,
    samples: usize,
    median: f64,
    percentile_95: f64,
    /// Share below 1e-4.
    balanced: f64,
}

pub(super) fn study(table: &TableArgs, samples: Option<usize>) -> Result<Report> {
    let (published, cell, _) = table.read()?;
    let samples = scattered(published.grid.sample_count(), samples);
    let all = balances(&cell, &published, &samples);
    let row = |(region, keep): super::Row| {
        let kept = samples.iter().zip(&all).filter(|(s, _)| keep(Region::of(published.grid.strain(**s))));
        let mut residuals: Vec<f64> = kept.map(|(_, r)| *r).collect();
        residuals.sort_unstable_by(f64::total_cmp);
        let [median, percentile_95] = median_and_95(&residuals);
        let balanced = residuals.iter().filter(|r| **r < BALANCED).count() as f64 / residuals.len().max(1) as f64;
        Row { region, samples: residuals.len(), median, percentile_95, balanced }
    };
    Ok(Report { regions: ROWS.map(row).into() })
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        writeln!(
            f,
            "unbalanced force at the published states over the elastic force, twists relaxed, constraints projected"
        )?;
        writeln!(f, "{:20} {:>8} {:>10} {:>10} {:>9}", "", "samples", "median", "95 %", "< 1e-4")?;
        for Row { region, samples, median, percentile_95, balanced } in &self.regions {
            let percent = 100.0 * balanced;
            writeln!(f, "{region:20} {samples:8} {median:10.1e} {percentile_95:10.1e} {percent:7.1} %")?;
        }
        Ok(())
    }
}
