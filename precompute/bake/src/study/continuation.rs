//! `yarnwise-bake study continuation`.

use super::TableArgs;
use anyhow::Result;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;
use yarnwise_lab::report::continued;
use yarnwise_precompute::sampling::{Continuation, SamplingSettings};

/// How many samples of higher energy are named in each region.
const NAMED: usize = 5;

pub(super) fn study(table: &TableArgs, sweeps: usize) -> Result<()> {
    let (published, cell, solver) = table.read()?;
    let settings = SamplingSettings { solver, sweeps, ..SamplingSettings::default() };
    let begin = Instant::now();
    let solves = AtomicUsize::new(0);
    let ours = Continuation::new(&cell, &published.grid, &settings)?.complete(|_| {
        solves.fetch_add(1, Ordering::Relaxed);
    });
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
        for h in f.higher.iter().take(NAMED) {
            let why = if h.published_passed_through {
                " (the straight way to the published state leads through a yarn)"
            } else {
                ""
            };
            println!("{:20} {:.2} % higher at {}{why}", "", 100.0 * h.excess, published.grid.describe(h.sample));
        }
    }
    let converged = ours.iter().filter(|c| c.solved.is_sound()).count();
    println!("{converged} of {} converged, {} solves, {seconds:.1} s", ours.len(), solves.into_inner());
    Ok(())
}
