//! `yarnwise-bake study cold`.

use super::{ROWS, TableArgs, median_and_95, scattered};
use anyhow::Result;
use std::time::Instant;
use yarnwise_lab::report::cold;
use yarnwise_shared::table::region::Region;

pub(super) fn study(table: &TableArgs, samples: Option<usize>) -> Result<()> {
    let (published, cell, settings) = table.read()?;
    let samples = scattered(published.grid.sample_count(), samples);
    let begin = Instant::now();
    let all = cold::compare(&cell, &published, &samples, &settings);
    println!(
        "vertex errors of a sample in yarn radii (largest, and root mean square), cold start against the published table"
    );
    println!(
        "{:20} {:>8} {:>10} {:>10} {:>9} {:>10} {:>10} {:>12}",
        "", "samples", "median", "95 %", "< 0.01 r", "rms", "95 %", "twist (rad)"
    );
    for (name, keep) in ROWS {
        let Some(e) = cold::errors(&all, keep) else { continue };
        let of = |value: &dyn Fn(&cold::ColdSample) -> f64| {
            let mut values: Vec<f64> = all.iter().filter(|c| keep(Region::of(c.strain))).map(value).collect();
            values.sort_unstable_by(f64::total_cmp);
            median_and_95(&values)
        };
        let ([rms, rms_95], [twist, _]) = (of(&|c| c.rms_error), of(&|c| c.twist_error));
        println!(
            "{name:20} {:8} {:10.1e} {:10.1e} {:7.1} % {rms:10.1e} {rms_95:10.1e} {twist:12.1e}",
            e.samples,
            e.median,
            e.percentile_95,
            100.0 * e.matched
        );
    }
    let converged = all.iter().filter(|c| c.solved.converged).count();
    let factorizations: usize = all.iter().map(|c| c.solved.work.factorizations).sum();
    let mean = factorizations as f64 / all.len().max(1) as f64;
    let seconds = begin.elapsed().as_secs_f64();
    println!("{converged} of {} converged, {mean:.1} factorizations a sample, {seconds:.1} s", all.len());
    let mut missed: Vec<&cold::ColdSample> = all.iter().filter(|c| c.error >= 0.01).collect();
    missed.sort_unstable_by(|a, b| b.error.total_cmp(&a.error));
    for c in missed.iter().take(10) {
        println!("{:.3} r (rms {:.4} r) at {}", c.error, c.rms_error, published.grid.describe(c.sample));
    }
    Ok(())
}
