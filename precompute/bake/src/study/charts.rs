//! `yarnwise-bake study charts`.

use crate::bake::stop_on_interrupt;
use crate::options;
use anyhow::Result;
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use yarnwise_lab::report::rest::{self, Baked, Fabric, Rest};
use yarnwise_precompute::relax::{MAX_STEPS, Watch};
use yarnwise_precompute::sampling::MOST_ROUNDS;
use yarnwise_program::note;
use yarnwise_shared::pattern::material::YarnMaterial;
use yarnwise_shared::table::grid::StrainGrid;

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Number of random charts
    #[arg(long, value_name = "N", default_value_t = 100)]
    charts: u64,
    /// Number of random drafts
    #[arg(long, value_name = "N", default_value_t = 50)]
    drafts: u64,
    /// Most courses and wales of a chart
    #[arg(long, value_name = "N", default_value_t = 6, value_parser = clap::value_parser!(u16).range(1..=64))]
    largest_chart: u16,
    /// Most wefts and warps of a draft
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u16).range(1..=64))]
    largest_draft: u16,
    /// Seed of the first chart and of the first draft; the others follow one by one
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Vertices of a loop
    #[arg(long, value_name = "N", default_value_t = 24)]
    vertices: usize,
    /// The grid of strains: 5, 9, 15, 31 or a file with axes; 'none' to relax only
    #[arg(long, value_name = "SAMPLES|FILE", default_value = "5")]
    grid: String,
    /// The most rounds that retry samples from their neighbors
    #[arg(long, value_name = "N", default_value_t = MOST_ROUNDS as u16,
        value_parser = clap::value_parser!(u16).range(..=MOST_ROUNDS as i64))]
    rounds: u16,
    /// A search for rest is given up after this many steps
    #[arg(long, value_name = "N", default_value_t = MAX_STEPS)]
    max_steps: usize,
}

/// What became of all of them.
#[derive(serde::Serialize)]
pub(super) struct Report {
    cases: Vec<Case>,
}

/// What became of one.
#[derive(serde::Serialize)]
struct Case {
    fabric: Fabric,
    seed: u64,
    text: String,
    vertices: usize,
    rest: Rest,
    /// None where it did not come to rest, or was not to be baked.
    baked: Option<Baked>,
}

pub(super) fn study(arguments: &Arguments) -> Result<Report> {
    let grid = match arguments.grid.as_str() {
        "none" => None,
        text => Some(options::strain_grid(text)?),
    };
    let stop = stop_on_interrupt()?;
    let mut cases = Vec::new();
    let kinds = [
        (Fabric::Chart, arguments.charts, arguments.largest_chart),
        (Fabric::Draft, arguments.drafts, arguments.largest_draft),
    ];
    for (fabric, count, largest) in kinds {
        for seed in arguments.seed..arguments.seed.saturating_add(count) {
            let case = case(arguments, grid.as_ref(), fabric, seed, usize::from(largest), &stop)?;
            if stop.load(Ordering::Relaxed) {
                note!("stopped: the report is of the {} before", cases.len());
                return Ok(Report { cases });
            }
            note!("{case}");
            cases.push(case);
        }
    }
    Ok(Report { cases })
}

fn case(
    arguments: &Arguments,
    grid: Option<&StrainGrid>,
    fabric: Fabric,
    seed: u64,
    largest: usize,
    stop: &AtomicBool,
) -> Result<Case> {
    let text = fabric.random(seed, largest);
    let material = YarnMaterial::preset(fabric.material())?;
    let given = fabric.pattern(&text, (fabric == Fabric::Chart).then_some(arguments.vertices))?;
    let watch = Watch { max_steps: arguments.max_steps, stop: Some(stop), follower: None };
    let (pattern, rest) = rest::rest(&given, &material, &watch)?;
    let baked = match grid.filter(|_| rest.is_sound() && !stop.load(Ordering::Relaxed)) {
        Some(grid) => Some(rest::baked(&pattern, &material, grid, usize::from(arguments.rounds))?),
        None => None,
    };
    Ok(Case { fabric, seed, text, vertices: given.vertices().len(), rest, baked })
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let Case { fabric, seed, text, vertices, rest, .. } = self;
        let fabric = format!("{fabric:?}").to_lowercase();
        let topology = if rest.topology_kept { "" } else { ", TOPOLOGY LOST" };
        let [px, py] = rest.period;
        write!(
            f,
            "{fabric} seed {seed}: {text}, {vertices} vertices: {:?} after {} steps, {:.1} s, unbalanced {:.0e}, energy x {:.3}, \
             period x {px:.2} {py:.2}{topology}",
            rest.ended, rest.steps, rest.seconds, rest.residual, rest.energy
        )?;
        let Some(b) = &self.baked else { return Ok(()) };
        write!(f, "; baked: {} of {} converged", b.converged, b.samples)?;
        if b.passed_through > 0 {
            write!(f, ", {} passed through", b.passed_through)?;
        }
        write!(f, ", at most {} factorizations, {:.1} s", b.most_steps, b.seconds)
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        writeln!(
            f,
            "{:7} {:>6} {:>8} {:>9} {:>20} {:>11} {:>13} {:>14}",
            "", "number", "at rest", "topology", "steps: median, most", "s, median", "samples", "converged"
        )?;
        for fabric in [Fabric::Chart, Fabric::Draft] {
            let cases: Vec<&Case> = self.cases.iter().filter(|c| c.fabric == fabric).collect();
            if cases.is_empty() {
                continue;
            }
            let count = |keep: &dyn Fn(&Rest) -> bool| cases.iter().filter(|c| keep(&c.rest)).count();
            let sorted = |value: &dyn Fn(&Rest) -> f64| {
                let mut values: Vec<f64> = cases.iter().map(|c| value(&c.rest)).collect();
                values.sort_unstable_by(f64::total_cmp);
                (values[values.len() / 2], values[values.len() - 1])
            };
            let ((steps, most), (seconds, _)) = (sorted(&|r| r.steps as f64), sorted(&|r| r.seconds));
            let baked = || cases.iter().filter_map(|c| c.baked.as_ref());
            let (samples, converged) =
                (baked().map(|b| b.samples).sum::<usize>(), baked().map(|b| b.converged).sum::<usize>());
            writeln!(
                f,
                "{:7} {:6} {:8} {:9} {steps:14.0} {most:5.0} {seconds:11.2} {samples:13} {:12.2} %",
                format!("{fabric:?}s").to_lowercase(),
                cases.len(),
                count(&|r| r.is_sound()),
                count(&|r| r.topology_kept),
                100.0 * converged as f64 / samples.max(1) as f64
            )?;
        }
        Ok(())
    }
}
