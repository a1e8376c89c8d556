//! Adaptive IMEX against the implicit scheme [Boxerman03, §4.4.3, Table 4.1].

use super::clock::{Clock, on_one_thread};
use super::parameters::{Parameters, Random};
use super::{Settings, mean, progress, quantile};
use anyhow::Result;
use yarnwise_runtime::cloth::{Integrator, Simulation, SolverOptions};

/// Outcome of one parameter set.
struct Pair {
    /// Whether adaptive IMEX took stretch, shear and bend springs implicitly.
    implicit: [bool; 3],
    speed_ratio: f64,
    iteration_ratio: f64,
    /// Largest difference of positions over the mesh spacing.
    difference: f64,
    /// Largest stretch over both runs: what is far above 1 is no cloth.
    stretch: f64,
    set: Parameters,
}

pub(super) fn run(settings: &Settings) -> Result<()> {
    let runs = settings.runs_or(60);
    let mut random = Random(settings.seed);
    let bar = progress(runs);
    let mut pairs = Vec::with_capacity(runs);
    for _ in 0..runs {
        let set = Parameters::aimex(&mut random, settings.full);
        let steps = if settings.full { (1.0 / set.k) as usize } else { ((1.0 / set.k) as usize).min(300) };
        pairs.push(on_one_thread(|| compare(&set, steps))??);
        bar.inc(1);
    }
    bar.finish_and_clear();
    report(&pairs);
    Ok(())
}

fn report(pairs: &[Pair]) {
    println!("adaptive IMEX against the implicit scheme, {} runs [Boxerman03, Table 4.1]", pairs.len());
    println!(
        "  {:<20}{:>6}{:>14}{:>10}{:>18}{:>10}",
        "stretch/shear", "runs", "speed ratio", "(thesis)", "iteration ratio", "(thesis)"
    );
    let rows = [
        ("implicit/implicit", [true, true], 0.83, 1.00),
        ("implicit/explicit", [true, false], 0.71, 1.02),
        ("explicit/implicit", [false, true], 0.71, 0.96),
        ("explicit/explicit", [false, false], 0.47, 0.47),
    ];
    for (name, kind, speed, iterations) in rows {
        let chosen: Vec<&Pair> = pairs.iter().filter(|p| p.implicit[..2] == kind).collect();
        line(name, &chosen, speed, iterations);
        if kind == [true, true] {
            let (with, without): (Vec<&Pair>, Vec<&Pair>) = chosen.iter().partition(|p| p.implicit[2]);
            line("  bend explicit", &without, speed, iterations);
            line("  bend implicit too", &with, speed, iterations);
        }
    }
    let differences: Vec<f64> = pairs.iter().map(|p| p.difference).collect();
    let below = differences.iter().filter(|d| **d < 0.1).count() as f64 / differences.len() as f64 * 100.0;
    println!(
        "  largest difference over h: median {:.3}, 90 % below {:.3}, largest {:.2}; {below:.0} % of the runs are below 0.1",
        quantile(&differences, 0.5),
        quantile(&differences, 0.9),
        quantile(&differences, 1.0)
    );
    let cloth: Vec<f64> = pairs.iter().filter(|p| p.stretch < 0.1).map(|p| p.difference).collect();
    let below = cloth.iter().filter(|d| **d < 0.1).count();
    println!(
        "  of the {} that stretch by less than 10 %: median {:.3}, {below} below 0.1",
        cloth.len(),
        quantile(&cloth, 0.5)
    );
    if let Some(worst) = pairs.iter().max_by(|a, b| a.difference.total_cmp(&b.difference)) {
        println!("  worst: {:.2} h, stretched by {:.0} %, {:?}", worst.difference, 100.0 * worst.stretch, worst.set);
    }
}

fn line(name: &str, chosen: &[&Pair], speed: f64, iterations: f64) {
    if chosen.is_empty() {
        return println!("  {name:<20}{:>6}", 0);
    }
    let (s, i) = (mean(chosen.iter().map(|p| p.speed_ratio)), mean(chosen.iter().map(|p| p.iteration_ratio)));
    println!("  {name:<20}{:>6}{s:>14.2}{speed:>10.2}{i:>18.2}{iterations:>10.2}", chosen.len());
}

/// Both schemes step by step, so that whatever else the machine does falls on both.
fn compare(set: &Parameters, steps: usize) -> Result<Pair> {
    let options = |integrator| SolverOptions { integrator, decompose: false, ..SolverOptions::default() };
    let mut adaptive = set.simulation(options(Integrator::default()));
    let mut implicit = set.simulation(options(Integrator::BackwardEuler));
    let (mut seconds, mut iterations) = ([0.0; 2], [0; 2]);
    let mut pair =
        Pair { implicit: [false; 3], speed_ratio: 0.0, iteration_ratio: 0.0, difference: 0.0, stretch: 0.0, set: *set };
    for _ in 0..steps {
        for (n, cloth) in [&mut adaptive, &mut implicit].into_iter().enumerate() {
            let clock = Clock::start();
            let report = cloth.step(set.k)?;
            seconds[n] += clock.seconds();
            iterations[n] += report.solve.iterations;
            if n == 0 {
                for (seen, count) in pair.implicit.iter_mut().zip(report.implicit) {
                    *seen |= count > 0;
                }
            }
        }
        let both = adaptive.positions().iter().zip(implicit.positions());
        pair.difference = both.map(|(a, b)| (a - b).amax() / set.h).fold(pair.difference, f64::max);
        pair.stretch = pair.stretch.max(stretch(&adaptive)).max(stretch(&implicit));
    }
    pair.speed_ratio = seconds[0] / seconds[1];
    pair.iteration_ratio = iterations[0] as f64 / iterations[1].max(1) as f64;
    Ok(pair)
}

/// Largest strain of a stretch spring.
fn stretch(cloth: &Simulation) -> f64 {
    let springs =
        cloth.model().springs.iter().take_while(|s| s.kind == yarnwise_runtime::cloth::model::SpringKind::Stretch);
    let length = |i: u32, j: u32| (cloth.positions()[j as usize] - cloth.positions()[i as usize]).norm();
    springs.map(|s| length(s.i, s.j) / s.rest_length - 1.0).fold(0.0, f64::max)
}
