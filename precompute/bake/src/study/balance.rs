//! `yarnwise-bake study balance`.

use super::{ROWS, TableArgs, median_and_95, scattered};
use anyhow::Result;
use yarnwise_lab::report::balance::balances;
use yarnwise_shared::table::region::Region;

/// Unbalanced forces below this fraction count as balanced.
const BALANCED: f64 = 1e-4;

pub(super) fn study(table: &TableArgs, samples: Option<usize>) -> Result<()> {
    let (published, cell, _) = table.read()?;
    let samples = scattered(published.grid.sample_count(), samples);
    let all = balances(&cell, &published, &samples);
    println!("unbalanced force at the published states over the elastic force, twists relaxed, constraints projected");
    println!("{:20} {:>8} {:>10} {:>10} {:>9}", "", "samples", "median", "95 %", "< 1e-4");
    for (name, keep) in ROWS {
        let kept = samples.iter().zip(&all).filter(|(s, _)| keep(Region::of(published.grid.strain(**s))));
        let mut residuals: Vec<f64> = kept.map(|(_, r)| *r).collect();
        residuals.sort_unstable_by(f64::total_cmp);
        let [median, most] = median_and_95(&residuals);
        let balanced = residuals.iter().filter(|r| **r < BALANCED).count() as f64 / residuals.len().max(1) as f64;
        println!("{name:20} {:8} {median:10.1e} {most:10.1e} {:7.1} %", residuals.len(), 100.0 * balanced);
    }
    Ok(())
}
