//! Iterations of three preconditioners [Boxerman03, §5.3.1, Figs. 5.3-5.10].

use super::parameters::{Configuration, Parameters, Random};
use crate::options::Sets;
use crate::report::{Outcome, progress};
use crate::statistics::{exponent, mean};
use anyhow::Result;
use rayon::prelude::*;
use serde::Serialize;
use yarnwise_lab::plot::{Plot, Scale};
use yarnwise_program::number;
use yarnwise_solvers::cloth::{ClothOptions, Integrator};
use yarnwise_solvers::linear::PreconditionerKind;

/// The preconditioners, with the thesis's names.
const KINDS: [(PreconditionerKind, &str); 3] = [
    (PreconditionerKind::None, "I"),
    (PreconditionerKind::BlockDiagonal, "A-Block"),
    (PreconditionerKind::Constrained, "CP"),
];

/// Iterations without and with constraints.
#[derive(Serialize)]
pub(super) struct Preconditioners {
    seed: u64,
    cases: Vec<Case>,
}

#[derive(Serialize)]
struct Case {
    name: &'static str,
    /// Mean part of the particles that slide.
    sliding: f64,
    rows: Vec<Row>,
    /// Iterations grow as the number of particles to this power, for I, A-Block and CP.
    growth: [f64; 3],
    counts: Vec<Counts>,
}

/// Means over some of the sets of a case, for I, A-Block and CP.
#[derive(Serialize)]
struct Row {
    name: String,
    runs: usize,
    iterations: [f64; 3],
    /// Iterations over those of I.
    ratios: [f64; 3],
}

/// Mean iterations a step of each preconditioner, for one parameter set.
#[derive(Serialize)]
struct Counts {
    n: f64,
    kappa: f64,
    iterations: [f64; 3],
    /// Mean part of the particles that slide.
    sliding: f64,
}

pub(super) fn run(sets: &Sets) -> Result<Preconditioners> {
    let cases = [(Configuration::Pinned, "unconstrained"), (Configuration::Sphere, "constrained")];
    let cases = cases.map(|(configuration, name)| Ok(Case::new(name, counts(configuration, sets)?)));
    Ok(Preconditioners { seed: sets.seed, cases: cases.into_iter().collect::<Result<_>>()? })
}

fn counts(configuration: Configuration, sets: &Sets) -> Result<Vec<Counts>> {
    let runs = sets.runs_or(40);
    let all: Vec<usize> = (1..=16).map(|i| 5 * i).collect();
    let sizes = sets.sizes(&all)?;
    let mut random = Random::new(sets.seed);
    let drawn: Vec<Parameters> =
        (0..runs).map(|_| Parameters::sheet(&mut random, configuration, 1.0, &sizes)).collect();
    let bar = progress(runs);
    let counts = drawn.par_iter().map(|set| {
        // Without friction every particle on the sphere slides: the case of non-trivial constraints.
        let counts = count(&Parameters { friction: 0.0, ..*set });
        bar.inc(1);
        counts
    });
    let counts = counts.collect::<Result<_>>()?;
    bar.finish_and_clear();
    Ok(counts)
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

impl Case {
    fn new(name: &'static str, counts: Vec<Counts>) -> Self {
        let mut sizes: Vec<f64> = counts.iter().map(|c| c.n).collect();
        sizes.sort_by(f64::total_cmp);
        sizes.dedup();
        let mut rows: Vec<Row> = sizes.iter().map(|n| Row::new(format!("n = {n}"), &counts, |c| c.n == *n)).collect();
        rows.extend((0..6).map(|decade| {
            let (low, high) = (10_f64.powi(decade), 10_f64.powi(decade + 1));
            let name = format!("κ in 1e{decade} .. 1e{}", decade + 1);
            Row::new(name, &counts, |c| (low..high).contains(&c.kappa))
        }));
        // What does not slide is not constrained: light sheets sink slowly in air, and little of them lies on the sphere.
        rows.extend([(0.0, 0.05), (0.05, 0.1), (0.1, 1.0)].map(|(low, high)| {
            let name = format!("{:.0} to {:.0} % slide", 100.0 * low, 100.0 * high);
            Row::new(name, &counts, |c| c.sliding > 0.0 && (low..high).contains(&c.sliding))
        }));
        rows.push(Row::new("all".into(), &counts, |_| true));
        rows.retain(|r| r.runs > 0);
        let growth = [0, 1, 2].map(|k| exponent(&counts.iter().map(|c| [c.n, c.iterations[k]]).collect::<Vec<_>>()));
        Case { name, sliding: mean(counts.iter().map(|c| c.sliding)), rows, growth, counts }
    }

    fn table(&self) -> String {
        let mut text = format!(
            "CG iterations a step, {} case, {}, {:.0} % of the particles slide in the mean\n",
            self.name,
            number::count(self.counts.len(), "run", None),
            100.0 * self.sliding
        );
        text += &format!(
            "  {:<22}{:>6}{:>10}{:>10}{:>10}{:>14}{:>10}\n",
            "", "runs", "I", "A-Block", "CP", "A-Block/I", "CP/I"
        );
        for Row { name, runs, iterations: [i, block, cp], ratios } in &self.rows {
            let [_, block_ratio, cp_ratio] = ratios;
            text +=
                &format!("  {name:<22}{runs:>6}{i:>10.1}{block:>10.1}{cp:>10.1}{block_ratio:>14.2}{cp_ratio:>10.2}\n");
        }
        let [i, block, cp] = self.growth;
        text + &format!("  iterations grow as n^{i:.3} (I), n^{block:.3} (A-Block), n^{cp:.3} (CP)\n")
    }

    /// Iterations and their ratios over one quantity.
    fn plots(&self, axis: &str, label: &str, x: fn(&Counts) -> f64) -> [(String, Plot); 2] {
        let name = self.name;
        let mut plot = Plot::new(&format!("CG iterations a step, {name}"), label, "iterations")
            .scales(Scale::Logarithmic, Scale::Logarithmic);
        let mut ratios = Plot::new(&format!("CG iterations against I, {name}"), label, "ratio")
            .scales(Scale::Logarithmic, Scale::Linear);
        for (k, (_, kind)) in KINDS.iter().enumerate() {
            let by = |y: &dyn Fn(&Counts) -> f64| self.counts.iter().map(|c| [x(c), y(c)]).collect::<Vec<_>>();
            plot = plot.points(kind, &by(&|c| c.iterations[k]));
            ratios = ratios.points(kind, &by(&|c| c.iterations[k] / c.iterations[0]));
        }
        let file = format!("preconditioner-{name}-{axis}");
        [(file.clone(), plot), (format!("{file}-ratio"), ratios)]
    }
}

impl Row {
    fn new(name: String, counts: &[Counts], chosen: impl Fn(&Counts) -> bool) -> Self {
        let chosen: Vec<&Counts> = counts.iter().filter(|c| chosen(c)).collect();
        Row {
            name,
            runs: chosen.len(),
            iterations: [0, 1, 2].map(|k| mean(chosen.iter().map(|c| c.iterations[k]))),
            ratios: [0, 1, 2].map(|k| mean(chosen.iter().map(|c| c.iterations[k] / c.iterations[0]))),
        }
    }
}

impl Outcome for Preconditioners {
    fn table(&self) -> String {
        format!("seed {}\n", self.seed) + &self.cases.iter().map(Case::table).collect::<String>()
    }

    fn plots(&self) -> Vec<(String, Plot)> {
        let of = |case: &Case| {
            let by_n = case.plots("n", "particles", |c| c.n);
            by_n.into_iter().chain(case.plots("kappa", "kappa", |c| c.kappa)).collect::<Vec<_>>()
        };
        self.cases.iter().flat_map(of).collect()
    }
}
