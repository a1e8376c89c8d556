//! Iterations of three preconditioners [Boxerman03, §5.3.1, Figs. 5.3-5.10].

use super::parameters::{Configuration, Parameters, Random};
use super::plot::{Plot, Scale};
use super::{Settings, exponent, mean, progress};
use anyhow::Result;
use rayon::prelude::*;
use yarnwise_solvers::cloth::{ClothOptions, Integrator};
use yarnwise_solvers::linear::PreconditionerKind;

const KINDS: [(PreconditionerKind, &str); 3] = [
    (PreconditionerKind::None, "I"),
    (PreconditionerKind::BlockDiagonal, "A-Block"),
    (PreconditionerKind::Constrained, "CP"),
];

/// Mean iterations a step of each preconditioner, for one parameter set.
struct Counts {
    n: f64,
    kappa: f64,
    iterations: [f64; 3],
    /// Mean part of the particles that slide.
    sliding: f64,
}

pub(super) fn run(settings: &Settings) -> Result<()> {
    let runs = settings.runs_or(40);
    let sizes: Vec<usize> = (1..=16).map(|i| 5 * i).collect();
    for (configuration, name) in [(Configuration::Pinned, "unconstrained"), (Configuration::Sphere, "constrained")] {
        let mut random = Random::new(settings.seed);
        let sets: Vec<Parameters> =
            (0..runs).map(|_| Parameters::sheet(&mut random, configuration, 1.0, &sizes)).collect();
        let bar = progress(runs);
        let counts: Vec<Counts> = sets
            .par_iter()
            .map(|set| {
                // Without friction every particle on the sphere slides: the case of non-trivial constraints.
                let counts = count(&Parameters { friction: 0.0, ..*set });
                bar.inc(1);
                counts
            })
            .collect::<Result<_>>()?;
        bar.finish_and_clear();
        report(name, &counts, settings)?;
    }
    Ok(())
}

fn count(set: &Parameters) -> Result<Counts> {
    let mut counts = Counts { n: (set.size * set.size) as f64, kappa: set.kappa(), iterations: [0.0; 3], sliding: 0.0 };
    let steps = (1.0 / set.k).round();
    for (at, (preconditioner, _)) in KINDS.iter().enumerate() {
        let options = ClothOptions {
            integrator: Integrator::BackwardEuler,
            preconditioner: *preconditioner,
            decompose: false,
            ..ClothOptions::default()
        };
        let mut cloth = set.simulation(options);
        for _ in 0..steps as usize {
            let report = cloth.step(set.k)?;
            counts.iterations[at] += report.solve.iterations as f64 / steps;
            counts.sliding += report.sliding as f64 / counts.n / steps / 3.0;
        }
    }
    Ok(counts)
}

fn report(name: &str, counts: &[Counts], settings: &Settings) -> Result<()> {
    println!(
        "CG iterations a step, {name} case, {} runs, {:.0} % of the particles slide in the mean",
        counts.len(),
        100.0 * mean(counts.iter().map(|c| c.sliding))
    );
    println!("  {:<22}{:>6}{:>10}{:>10}{:>10}{:>14}{:>10}", "", "runs", "I", "A-Block", "CP", "A-Block/I", "CP/I");
    let row = |label: String, chosen: &[&Counts]| {
        if !chosen.is_empty() {
            let m: [f64; 3] = std::array::from_fn(|k| mean(chosen.iter().map(|c| c.iterations[k])));
            let ratio = |k: usize| mean(chosen.iter().map(|c| c.iterations[k] / c.iterations[0]));
            println!(
                "  {label:<22}{:>6}{:>10.1}{:>10.1}{:>10.1}{:>14.2}{:>10.2}",
                chosen.len(),
                m[0],
                m[1],
                m[2],
                ratio(1),
                ratio(2)
            );
        }
    };
    let mut sizes: Vec<f64> = counts.iter().map(|c| c.n).collect();
    sizes.sort_by(f64::total_cmp);
    sizes.dedup();
    for n in &sizes {
        row(format!("n = {n}"), &counts.iter().filter(|c| c.n == *n).collect::<Vec<_>>());
    }
    for decade in 0..6 {
        let (low, high) = (10_f64.powi(decade), 10_f64.powi(decade + 1));
        let chosen: Vec<&Counts> = counts.iter().filter(|c| (low..high).contains(&c.kappa)).collect();
        row(format!("κ in 1e{decade} .. 1e{}", decade + 1), &chosen);
    }
    // What does not slide is not constrained: light sheets sink slowly in air, and little of them lies on the sphere.
    for (low, high) in [(0.0, 0.05), (0.05, 0.1), (0.1, 1.0)] {
        let chosen: Vec<&Counts> =
            counts.iter().filter(|c| c.sliding > 0.0 && (low..high).contains(&c.sliding)).collect();
        row(format!("{:.0} to {:.0} % slide", 100.0 * low, 100.0 * high), &chosen);
    }
    row("all".into(), &counts.iter().collect::<Vec<_>>());
    let by = |x: fn(&Counts) -> f64, k: usize| counts.iter().map(|c| [x(c), c.iterations[k]]).collect::<Vec<_>>();
    let growth: [f64; 3] = std::array::from_fn(|k| exponent(&by(|c| c.n, k)));
    println!("  iterations grow as n^{:.3} (I), n^{:.3} (A-Block), n^{:.3} (CP)", growth[0], growth[1], growth[2]);
    for (axis, x, label) in
        [("n", (|c: &Counts| c.n) as fn(&Counts) -> f64, "particles"), ("kappa", |c: &Counts| c.kappa, "kappa")]
    {
        let mut plot =
            Plot::new(&format!("CG iterations a step, {name}"), label, "iterations").scales(Scale::Log, Scale::Log);
        let mut ratios =
            Plot::new(&format!("CG iterations against I, {name}"), label, "ratio").scales(Scale::Log, Scale::Linear);
        for (k, (_, kind)) in KINDS.iter().enumerate() {
            plot = plot.points(kind, &by(x, k));
            ratios = ratios
                .points(kind, &counts.iter().map(|c| [x(c), c.iterations[k] / c.iterations[0]]).collect::<Vec<_>>());
        }
        plot.save(&settings.output.join(format!("preconditioner-{name}-{axis}.png")))?;
        ratios.save(&settings.output.join(format!("preconditioner-{name}-{axis}-ratio.png")))?;
    }
    Ok(())
}
