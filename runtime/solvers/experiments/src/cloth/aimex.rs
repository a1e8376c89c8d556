//! Adaptive IMEX against the implicit scheme [Boxerman03, §4.4.3, Table 4.1].

use super::clock::{in_turn, on_one_thread};
use super::parameters::{Parameters, Random};
use super::{Settings, mean, progress, quantile};
use anyhow::Result;
use yarnwise_solvers::cloth::{ClothOptions, Integrator, Simulation};

/// Outcome of one parameter set.
struct Pair {
    /// Whether adaptive IMEX took stretch, shear and bend springs implicitly.
    implicit: [bool; 3],
    speed_ratio: f64,
    /// Iterations of adaptive IMEX and of the implicit scheme.
    iterations: [usize; 2],
    /// Largest difference of positions over the mesh spacing.
    difference: f64,
    /// The same between two runs of the implicit scheme that differ in the tolerance of the solve only.
    control: f64,
    /// Largest stretch over both runs: what is far above 1 is no cloth.
    stretch: f64,
    set: Parameters,
}

pub(super) fn run(settings: &Settings) -> Result<()> {
    let runs = settings.runs_or(60);
    let mut random = Random::new(settings.seed);
    let bar = progress(runs);
    let mut pairs = Vec::with_capacity(runs);
    for _ in 0..runs {
        let set = Parameters::aimex(&mut random);
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
    println!(
        "  largest difference of positions over h; control: the implicit scheme against itself, half the tolerance"
    );
    println!("  {:<44}{:>6}{:>10}{:>10}{:>10}{:>12}", "", "runs", "median", "90 %", "largest", "below 0.1");
    let all: Vec<&Pair> = pairs.iter().collect();
    let cloth: Vec<&Pair> = pairs.iter().filter(|p| p.stretch < 0.1).collect();
    for (name, chosen) in [("all", &all), ("stretched by less than 10 %", &cloth)] {
        differences(name, chosen, |p| p.difference);
        // Where every spring is implicit in both schemes there is nothing to compare.
        let differing: Vec<&Pair> = chosen.iter().copied().filter(|p| p.implicit != [true; 3]).collect();
        differences(&format!("{name}, schemes differ"), &differing, |p| p.difference);
        differences(&format!("{name}, schemes differ, control"), &differing, |p| p.control);
    }
    if let Some(worst) = pairs.iter().max_by(|a, b| a.difference.total_cmp(&b.difference)) {
        println!("  worst: {:.2} h, stretched by {:.0} %, {:?}", worst.difference, 100.0 * worst.stretch, worst.set);
    }
}

fn differences(name: &str, chosen: &[&Pair], of: fn(&Pair) -> f64) {
    let values: Vec<f64> = chosen.iter().map(|p| of(p)).collect();
    let below = values.iter().filter(|d| **d < 0.1).count() as f64 / values.len() as f64 * 100.0;
    let [median, most, largest] = [0.5, 0.9, 1.0].map(|q| quantile(&values, q));
    println!("  {name:<44}{:>6}{median:>10.3}{most:>10.3}{largest:>10.2}{below:>10.0} %", values.len());
}

fn line(name: &str, chosen: &[&Pair], speed: f64, iterations: f64) {
    if chosen.is_empty() {
        return println!("  {name:<20}{:>6}", 0);
    }
    let s = mean(chosen.iter().map(|p| p.speed_ratio));
    let sum = |k: usize| chosen.iter().map(|p| p.iterations[k] as f64).sum::<f64>();
    let i = sum(0) / sum(1);
    println!("  {name:<20}{:>6}{s:>14.2}{speed:>10.2}{i:>18.2}{iterations:>10.2}", chosen.len());
}

/// Both schemes, first for what they do, then for how long they take.
fn compare(set: &Parameters, steps: usize) -> Result<Pair> {
    let options = |integrator| ClothOptions { integrator, decompose: false, ..ClothOptions::default() };
    let [adaptive, implicit] = [Integrator::default(), Integrator::BackwardEuler].map(|i| set.simulation(options(i)));
    let mut pair = Pair {
        implicit: [false; 3],
        speed_ratio: 0.0,
        iterations: [0; 2],
        difference: 0.0,
        control: 0.0,
        stretch: 0.0,
        set: *set,
    };
    let mut both = [adaptive.clone(), implicit.clone()];
    let mut control = implicit.clone();
    control.options.tolerance *= 0.5;
    let distance = |a: &Simulation, b: &Simulation| {
        let points = a.positions().iter().zip(b.positions());
        points.map(|(a, b)| (a - b).amax() / set.h).fold(0.0, f64::max)
    };
    for _ in 0..steps {
        control.step(set.k)?;
        for (n, cloth) in both.iter_mut().enumerate() {
            let report = cloth.step(set.k)?;
            pair.iterations[n] += report.solve.iterations;
            for (seen, count) in pair.implicit.iter_mut().zip(report.implicit) {
                *seen |= n == 0 && count > 0;
            }
            pair.stretch = pair.stretch.max(stretch(cloth));
        }
        pair.difference = pair.difference.max(distance(&both[0], &both[1]));
        pair.control = pair.control.max(distance(&control, &both[1]));
    }
    let simulate = |start: &Simulation| {
        let mut cloth = start.clone();
        (0..steps).try_for_each(|_| cloth.step(set.k).map(|_| ()))
    };
    let seconds = in_turn(0.1, || simulate(&adaptive), || simulate(&implicit))?;
    pair.speed_ratio = seconds[0] / seconds[1];
    Ok(pair)
}

/// Largest strain of a stretch spring.
fn stretch(cloth: &Simulation) -> f64 {
    let springs =
        cloth.model().springs.iter().take_while(|s| s.kind == yarnwise_solvers::cloth::model::SpringKind::Stretch);
    let length = |i: u32, j: u32| (cloth.positions()[j as usize] - cloth.positions()[i as usize]).norm();
    springs.map(|s| length(s.i, s.j) / s.rest_length - 1.0).fold(0.0, f64::max)
}
