//! `yarnwise-bake study interpolant`.

use crate::options::{MaterialOptions, Residual};
use anyhow::Result;
use std::fmt;
use std::path::PathBuf;
use yarnwise_lab::compare::{self, Between, Interpolant, InterpolantOptions, Set};
use yarnwise_program::note;
use yarnwise_shared::table::region::Region;

/// An equilibrium is solved at each: more than this take too long to be meant.
const MOST_STRAINS: i64 = 1_000_000;

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Databases, or folders as tables were published
    #[arg(required = true)]
    sets: Vec<PathBuf>,
    #[command(flatten)]
    material: MaterialOptions,
    /// Look at the centers of about this many cells of each grid, scattered [default: all]
    #[arg(long, value_name = "N")]
    centers: Option<usize>,
    /// Look at this many random strains as well
    #[arg(long, value_name = "N", default_value_t = 500, value_parser = clap::value_parser!(u32).range(..=MOST_STRAINS))]
    random: u32,
    /// Seed of the random strains
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    #[command(flatten)]
    residual: Residual,
}

/// What the run time shows of each set.
#[derive(serde::Serialize)]
pub(super) struct Report {
    sets: Vec<Interpolant>,
}

pub(super) fn study(arguments: &Arguments) -> Result<Report> {
    let options = InterpolantOptions {
        material: arguments.material.material()?,
        solver: arguments.residual.solver()?,
        centers: arguments.centers,
        random: arguments.random as usize,
        seed: arguments.seed,
    };
    let mut sets = Vec::new();
    for set in Set::read_all(&arguments.sets, &crate::writing::tool())? {
        note!("{}: {} samples", set.name, set.database.samples().len());
        sets.push(compare::interpolant(&set, &options)?);
    }
    Ok(Report { sets })
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        writeln!(
            f,
            "the interpolant against equilibria found from it, by region: {}",
            Region::ALL.map(|r| r.name()).join(" | ")
        )?;
        for set in &self.sets {
            let [x, a, y] = set.axes;
            let row = |value: &dyn Fn(usize) -> f64| (0..4).map(|k| format!("{:8.3}", value(k))).collect::<String>();
            let regions = &set.regions;
            writeln!(f, "{} ({x} x {a} x {y})", set.name)?;
            for (name, of) in [("centers", centers as fn(&Interpolant, usize) -> Between), ("random", random)] {
                writeln!(f, "  {name:8} ln E / E0    {}", row(&|k| of(set, k).energy))?;
                writeln!(f, "  {name:8} distance, r {}", row(&|k| of(set, k).distance))?;
            }
            writeln!(f, "  jumps    95 %, r     {}", row(&|k| regions[k].jumps[0]))?;
            writeln!(f, "  jumps    largest, r  {}", row(&|k| regions[k].jumps[1]))?;
            let failed: usize = regions.iter().map(|r| r.centers.failed + r.random.failed).sum();
            let points: usize = regions.iter().map(|r| r.centers.points + r.random.points).sum();
            let (mean, largest) = (set.mean_acceleration, set.acceleration);
            writeln!(f, "  largest acceleration on a ramp {mean:.4} r per frame^2 in the mean, {largest:.4} at most")?;
            writeln!(f, "  {failed} of {points} strains without an equilibrium")?;
        }
        Ok(())
    }
}

fn centers(set: &Interpolant, region: usize) -> Between {
    set.regions[region].centers
}

fn random(set: &Interpolant, region: usize) -> Between {
    set.regions[region].random
}
