//! Particles a second, and how it grows.

use super::parameters::{Configuration, Parameters};
use super::{Settings, exponent};
use anyhow::Result;
use std::time::Instant;
use yarnwise_solvers::cloth::ClothOptions;
use yarnwise_solvers::cloth::model::ClothMaterial;

pub(super) fn run(settings: &Settings) -> Result<()> {
    let steps = settings.runs.unwrap_or(if settings.full { 60 } else { 10 });
    println!(
        "a sheet of 1 m held by two corners, after 0.3 s of fall, steps of 1/60 s, {} threads",
        rayon::current_num_threads()
    );
    println!(
        "  {:>10}{:>14}{:>14}{:>16}{:>16}",
        "particles", "ms a step", "iterations", "particles/s", "times real time"
    );
    let mut points = Vec::new();
    for size in [10, 32, 40, 100, 316] {
        let material = ClothMaterial::default();
        let configuration = Configuration::Pinned;
        let h = 1.0 / size as f64;
        let set = Parameters { configuration, size, h, material, air_damping: 0.0, k: 1.0 / 60.0, friction: 0.0 };
        let mut cloth = set.simulation(ClothOptions::default());
        cloth.options.plain_residual = true;
        let warm_up = if size > 200 { 4 } else { 18 };
        for _ in 0..warm_up {
            cloth.step(set.k)?;
        }
        let start = Instant::now();
        let mut iterations = 0;
        for _ in 0..steps {
            iterations += cloth.step(set.k)?.solve.iterations;
        }
        let step = start.elapsed().as_secs_f64() / steps as f64;
        let n = (size * size) as f64;
        points.push([n, step]);
        println!(
            "  {n:>10}{:>14.3}{:>14.1}{:>16.0}{:>16.2}",
            1e3 * step,
            iterations as f64 / steps as f64,
            n / step,
            set.k / step
        );
    }
    println!("  time grows as n^{:.2}", exponent(&points));
    Ok(())
}
