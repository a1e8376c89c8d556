//! Adaptive IMEX against the implicit scheme [Boxerman03, §4.4.3, Table 4.1].

use super::parameters::{Parameters, Random};
use crate::clock::{in_turn, on_one_thread};
use crate::options::Sets;
use crate::report::{Outcome, progress};
use crate::statistics::{mean, quantile, share};
use anyhow::Result;
use serde::Serialize;
use yarnwise_lab::plot::{Plot, Scale};
use yarnwise_program::number::count;
use yarnwise_solvers::cloth::model::SpringKind;
use yarnwise_solvers::cloth::{ClothOptions, Integrator, Simulation};

/// Both schemes on each parameter set, and their means.
#[derive(Serialize)]
pub(super) struct Aimex {
    seed: u64,
    splittings: Vec<Splitting>,
    differences: Vec<Differences>,
    pairs: Vec<Pair>,
}

/// The sets for which adaptive IMEX takes the same springs implicitly.
#[derive(Serialize)]
struct Splitting {
    name: &'static str,
    runs: usize,
    speed_ratio: f64,
    thesis_speed_ratio: f64,
    iteration_ratio: f64,
    thesis_iteration_ratio: f64,
}

/// Largest differences of positions over the mesh spacing, for some of the sets.
#[derive(Serialize)]
struct Differences {
    name: String,
    runs: usize,
    median: f64,
    /// Below which 90 % lie.
    most: f64,
    largest: f64,
    /// Part of the sets below 0.1.
    below_a_tenth: f64,
}

/// Outcome of one parameter set.
#[derive(Serialize)]
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

pub(super) fn run(sets: &Sets) -> Result<Aimex> {
    let runs = sets.runs_or(60);
    let sizes = sets.sizes(&[10, 20, 40])?;
    let mut random = Random::new(sets.seed);
    let bar = progress(runs);
    let mut pairs = Vec::with_capacity(runs);
    for _ in 0..runs {
        let set = Parameters::aimex(&mut random, &sizes);
        let steps = (1.0 / set.k) as usize;
        let steps = if sets.full { steps } else { steps.min(300) };
        pairs.push(on_one_thread(|| compare(&set, steps))??);
        bar.inc(1);
    }
    bar.finish_and_clear();
    let (splittings, differences) = (splittings(&pairs), differences(&pairs));
    Ok(Aimex { seed: sets.seed, splittings, differences, pairs })
}

fn splittings(pairs: &[Pair]) -> Vec<Splitting> {
    let row = |name, speed, iterations, counts: fn(&Pair) -> bool| {
        let chosen: Vec<&Pair> = pairs.iter().filter(|p| counts(p)).collect();
        let sum = |k: usize| chosen.iter().map(|p| p.iterations[k] as f64).sum::<f64>();
        Splitting {
            name,
            runs: chosen.len(),
            speed_ratio: mean(chosen.iter().map(|p| p.speed_ratio)),
            thesis_speed_ratio: speed,
            iteration_ratio: sum(0) / sum(1),
            thesis_iteration_ratio: iterations,
        }
    };
    vec![
        row("implicit/implicit", 0.83, 1.0, |p| p.implicit[..2] == [true, true]),
        row("  bend explicit", 0.83, 1.0, |p| p.implicit == [true, true, false]),
        row("  bend implicit too", 0.83, 1.0, |p| p.implicit == [true; 3]),
        row("implicit/explicit", 0.71, 1.02, |p| p.implicit[..2] == [true, false]),
        row("explicit/implicit", 0.71, 0.96, |p| p.implicit[..2] == [false, true]),
        row("explicit/explicit", 0.47, 0.47, |p| p.implicit[..2] == [false, false]),
    ]
}

fn differences(pairs: &[Pair]) -> Vec<Differences> {
    let all: Vec<&Pair> = pairs.iter().collect();
    let cloth: Vec<&Pair> = pairs.iter().filter(|p| p.stretch < 0.1).collect();
    let mut rows = Vec::new();
    for (name, chosen) in [("all", &all), ("stretched by less than 10 %", &cloth)] {
        rows.push(Differences::new(name.into(), chosen, |p| p.difference));
        // Where every spring is implicit in both schemes there is nothing to compare.
        let differing: Vec<&Pair> = chosen.iter().copied().filter(|p| p.implicit != [true; 3]).collect();
        rows.push(Differences::new(format!("{name}, schemes differ"), &differing, |p| p.difference));
        rows.push(Differences::new(format!("{name}, schemes differ, control"), &differing, |p| p.control));
    }
    rows
}

impl Differences {
    fn new(name: String, chosen: &[&Pair], of: fn(&Pair) -> f64) -> Self {
        let values: Vec<f64> = chosen.iter().map(|p| of(p)).collect();
        let [median, most, largest] = [0.5, 0.9, 1.0].map(|q| quantile(&values, q));
        Differences { name, runs: values.len(), median, most, largest, below_a_tenth: share(&values, |d| d < 0.1) }
    }
}

impl Outcome for Aimex {
    fn table(&self) -> String {
        let mut text = format!(
            "adaptive IMEX against the implicit scheme, {}, seed {} [Boxerman03, Table 4.1]\n",
            count(self.pairs.len(), "run", None),
            self.seed
        );
        text += &format!(
            "  {:<20}{:>6}{:>14}{:>10}{:>18}{:>10}\n",
            "stretch/shear", "runs", "speed ratio", "(thesis)", "iteration ratio", "(thesis)"
        );
        for s in &self.splittings {
            text += &format!(
                "  {:<20}{:>6}{:>14.2}{:>10.2}{:>18.2}{:>10.2}\n",
                s.name, s.runs, s.speed_ratio, s.thesis_speed_ratio, s.iteration_ratio, s.thesis_iteration_ratio
            );
        }
        text += "  largest difference of positions over h; control: the implicit scheme against itself, half the tolerance\n";
        text +=
            &format!("  {:<44}{:>6}{:>10}{:>10}{:>10}{:>12}\n", "", "runs", "median", "90 %", "largest", "below 0.1");
        for d in &self.differences {
            let below = 100.0 * d.below_a_tenth;
            text += &format!(
                "  {:<44}{:>6}{:>10.3}{:>10.3}{:>10.2}{below:>10.0} %\n",
                d.name, d.runs, d.median, d.most, d.largest
            );
        }
        if let Some(worst) = self.pairs.iter().max_by(|a, b| a.difference.total_cmp(&b.difference)) {
            text += &format!("  worst: {:.2} h, stretched by {:.0} %\n", worst.difference, 100.0 * worst.stretch);
        }
        text
    }

    fn plots(&self) -> Vec<(String, Plot)> {
        let sorted = |of: fn(&Pair) -> f64| {
            let mut values: Vec<f64> = self.pairs.iter().filter(|p| p.implicit != [true; 3]).map(of).collect();
            values.sort_by(f64::total_cmp);
            values.into_iter().enumerate().map(|(i, v)| [i as f64, v]).collect::<Vec<_>>()
        };
        let plot = Plot::new("Adaptive IMEX against the implicit scheme", "parameter set, sorted", "difference over h")
            .scales(Scale::Linear, Scale::Logarithmic)
            .points("schemes", &sorted(|p| p.difference))
            .points("control", &sorted(|p| p.control));
        vec![("aimex-differences".into(), plot)]
    }
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
    let springs = cloth.model().springs.iter().take_while(|s| s.kind == SpringKind::Stretch);
    let length = |i: u32, j: u32| (cloth.positions()[j as usize] - cloth.positions()[i as usize]).norm();
    springs.map(|s| length(s.i, s.j) / s.rest_length - 1.0).fold(0.0, f64::max)
}
