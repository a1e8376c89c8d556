//! Particles a second, and how it grows.

use super::parameters::{Configuration, Parameters};
use crate::report::Outcome;
use crate::statistics::exponent;
use anyhow::Result;
use serde::Serialize;
use std::time::Instant;
use yarnwise_lab::plot::{Plot, Scale};
use yarnwise_program::number::count;
use yarnwise_solvers::cloth::ClothOptions;
use yarnwise_solvers::cloth::model::ClothMaterial;

/// Particles along a side of the sheets.
const SIZES: [usize; 5] = [10, 32, 40, 100, 316];

/// The time of steps, by the size of the sheet.
#[derive(Serialize)]
pub(super) struct Speed {
    threads: usize,
    steps: usize,
    sizes: Vec<Timing>,
    /// Time grows as the number of particles to this power.
    growth: f64,
}

#[derive(Serialize)]
struct Timing {
    particles: usize,
    /// Of a step, wall time.
    seconds: f64,
    /// Mean of a step.
    iterations: f64,
    particles_per_second: f64,
    times_real_time: f64,
}

pub(super) fn run(steps: usize) -> Result<Speed> {
    let sizes: Vec<Timing> = SIZES.iter().map(|size| measure(*size, steps)).collect::<Result<_>>()?;
    let growth = exponent(&points(&sizes));
    Ok(Speed { threads: rayon::current_num_threads(), steps, sizes, growth })
}

fn points(sizes: &[Timing]) -> Vec<[f64; 2]> {
    sizes.iter().map(|t| [t.particles as f64, t.seconds]).collect()
}

/// Steps of 1/60 s of a sheet of 1 m held by two corners, after 0.3 s of fall (4 steps of it for the largest).
fn measure(size: usize, steps: usize) -> Result<Timing> {
    let material = ClothMaterial::default();
    let (configuration, h, k) = (Configuration::Pinned, 1.0 / size as f64, 1.0 / 60.0);
    let set = Parameters { configuration, size, h, material, air_damping: 0.0, k, friction: 0.0 };
    let mut cloth = set.simulation(ClothOptions::default());
    cloth.options.plain_residual = true;
    for _ in 0..if size > 200 { 4 } else { 18 } {
        cloth.step(k)?;
    }
    let start = Instant::now();
    let mut iterations = 0;
    for _ in 0..steps {
        iterations += cloth.step(k)?.solve.iterations;
    }
    let seconds = start.elapsed().as_secs_f64() / steps as f64;
    let particles = size * size;
    Ok(Timing {
        particles,
        seconds,
        iterations: iterations as f64 / steps as f64,
        particles_per_second: particles as f64 / seconds,
        times_real_time: k / seconds,
    })
}

impl Outcome for Speed {
    fn table(&self) -> String {
        let mut text = format!(
            "a sheet of 1 m held by two corners, after 0.3 s of fall, {} of 1/60 s, {}\n",
            count(self.steps, "step", None),
            count(self.threads, "thread", None)
        );
        text += &format!(
            "  {:>10}{:>14}{:>14}{:>16}{:>16}\n",
            "particles", "ms a step", "iterations", "particles/s", "times real time"
        );
        for t in &self.sizes {
            text += &format!(
                "  {:>10}{:>14.3}{:>14.1}{:>16.0}{:>16.2}\n",
                t.particles,
                1e3 * t.seconds,
                t.iterations,
                t.particles_per_second,
                t.times_real_time
            );
        }
        text + &format!("  time grows as n^{:.2}\n", self.growth)
    }

    fn plots(&self) -> Vec<(String, Plot)> {
        let plot = Plot::new("Time of a step", "particles", "seconds")
            .scales(Scale::Logarithmic, Scale::Logarithmic)
            .line_with_points("", &points(&self.sizes));
        vec![("speed".into(), plot)]
    }
}
