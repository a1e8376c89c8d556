//! Cost and gain of decomposition [Boxerman03, §6.4, Figs. 6.9, 6.10].

use super::parameters::{Configuration, Parameters, Random};
use crate::clock::{in_turn, on_one_thread};
use crate::options::Sets;
use crate::report::{Outcome, progress};
use crate::statistics::mean;
use anyhow::Result;
use serde::Serialize;
use yarnwise_lab::plot::{Plot, Scale};
use yarnwise_solvers::cloth::{ClothOptions, SelfContact, Simulation};

/// Decomposing over full solver, in three scenes.
#[derive(Serialize)]
pub(super) struct Decompositions {
    seed: u64,
    cases: Vec<Case>,
}

#[derive(Serialize)]
struct Case {
    configuration: Configuration,
    name: &'static str,
    /// What the thesis says.
    thesis: &'static str,
    rows: Vec<Row>,
    ratios: Vec<Ratio>,
}

/// Means over some of the sets of a case.
#[derive(Serialize)]
struct Row {
    name: &'static str,
    runs: usize,
    time: f64,
    row_products: f64,
    /// The same for sheets of at least 700 particles.
    row_products_from_700: f64,
    components: f64,
}

/// Decomposing over full solver, for one parameter set.
#[derive(Serialize)]
struct Ratio {
    n: f64,
    time: f64,
    row_products: f64,
    full_row_products: f64,
    components: f64,
    /// Whether bend springs were implicit, as their κ asks: they join what would fall apart.
    implicit_bend: bool,
}

const CASES: [(Configuration, &str, &str); 3] = [
    (Configuration::Pinned, "two corners pinned", "time at most +2.3 %, products -0.8 %"),
    (Configuration::Sphere, "sphere", "products about -20 % from 700 particles on"),
    (Configuration::Floor, "loose on the floor", "products -30 to -40 %"),
];

pub(super) fn run(sets: &Sets) -> Result<Decompositions> {
    let cases = CASES.into_iter().map(|(configuration, name, thesis)| {
        let ratios = ratios(configuration, sets)?;
        let rows = vec![
            Row::new(name, &ratios, |_| true),
            Row::new("  bend explicit, as in the thesis", &ratios, |r| !r.implicit_bend),
            Row::new("  bend implicit", &ratios, |r| r.implicit_bend),
        ];
        Ok(Case { configuration, name, thesis, rows, ratios })
    });
    Ok(Decompositions { seed: sets.seed, cases: cases.collect::<Result<_>>()? })
}

fn ratios(configuration: Configuration, sets: &Sets) -> Result<Vec<Ratio>> {
    let runs = sets.runs_or(20);
    let all: Vec<usize> = (2..=16).map(|i| 5 * i).collect();
    let sizes = sets.sizes(&all)?;
    let mut random = Random::new(sets.seed);
    let bar = progress(runs);
    let mut ratios = Vec::with_capacity(runs);
    for _ in 0..runs {
        let set = Parameters::sheet(&mut random, configuration, 1.5, &sizes);
        // In some runs the cloth sticks, in some it slips.
        let set = Parameters { friction: random.choose(&[0.2, 0.5, 1.0]), ..set };
        ratios.push(on_one_thread(|| compare(&set, configuration != Configuration::Pinned))??);
        bar.inc(1);
    }
    bar.finish_and_clear();
    Ok(ratios)
}

impl Row {
    fn new(name: &'static str, ratios: &[Ratio], counts: fn(&Ratio) -> bool) -> Self {
        let chosen: Vec<&Ratio> = ratios.iter().filter(|r| counts(r)).collect();
        let large = chosen.iter().filter(|r| r.n >= 700.0);
        Row {
            name,
            runs: chosen.len(),
            time: mean(chosen.iter().map(|r| r.time)),
            row_products: mean(chosen.iter().map(|r| r.row_products)),
            row_products_from_700: mean(large.map(|r| r.row_products)),
            components: mean(chosen.iter().map(|r| r.components)),
        }
    }
}

impl Outcome for Decompositions {
    fn table(&self) -> String {
        let mut text = format!("decomposing solver over full solver, seed {} [Boxerman03, §6.4]\n", self.seed);
        text += &format!(
            "  {:<34}{:>6}{:>8}{:>14}{:>16}{:>14}\n",
            "", "runs", "time", "row products", "from 700 on", "components"
        );
        for case in &self.cases {
            for r in &case.rows {
                text += &format!(
                    "  {:<34}{:>6}{:>8.3}{:>14.3}{:>16.3}{:>14.1}\n",
                    r.name, r.runs, r.time, r.row_products, r.row_products_from_700, r.components
                );
            }
            text += &format!("  {:<34}{}\n", "  thesis", case.thesis);
        }
        text
    }

    fn plots(&self) -> Vec<(String, Plot)> {
        let Some(case) = self.cases.iter().find(|c| c.configuration == Configuration::Sphere) else {
            return Vec::new();
        };
        let points = |y: fn(&Ratio) -> f64| case.ratios.iter().map(|r| [r.n, y(r)]).collect::<Vec<_>>();
        let products = Plot::new("Row-vector products, sphere", "particles", "products")
            .scales(Scale::Logarithmic, Scale::Logarithmic)
            .points("full", &points(|r| r.full_row_products))
            .points("decomposed", &points(|r| r.full_row_products * r.row_products));
        let ratio = Plot::new("Row-vector products, decomposed over full, sphere", "particles", "ratio")
            .scales(Scale::Logarithmic, Scale::Linear)
            .points("ratio", &points(|r| r.row_products));
        vec![("decomposition-products".into(), products), ("decomposition-ratio".into(), ratio)]
    }
}

/// Both solvers, first for what they do, then for how long they take; each has its own cloth, which differ as much as
/// the tolerance lets them.
fn compare(set: &Parameters, self_contact: bool) -> Result<Ratio> {
    let start = |decompose| {
        let mut cloth = set.simulation(ClothOptions { decompose, ..ClothOptions::default() });
        cloth.self_contact = self_contact.then(SelfContact::default);
        cloth
    };
    let starts = [start(true), start(false)];
    let (mut products, mut components, mut implicit_bend) = ([0_u64; 2], 0.0, false);
    let steps = (1.0 / set.k).round() as usize;
    for (n, start) in starts.iter().enumerate() {
        let mut cloth = start.clone();
        for _ in 0..steps {
            let report = cloth.step(set.k)?;
            products[n] += report.solve.row_products;
            if n == 0 {
                implicit_bend |= report.implicit[2] > 0;
                components += report.solve.components as f64 / steps as f64;
            }
        }
    }
    let simulate = |start: &Simulation| {
        let mut cloth = start.clone();
        (0..steps).try_for_each(|_| cloth.step(set.k).map(|_| ()))
    };
    let seconds = in_turn(0.3, || simulate(&starts[0]), || simulate(&starts[1]))?;
    Ok(Ratio {
        n: (set.size * set.size) as f64,
        time: seconds[0] / seconds[1],
        row_products: products[0] as f64 / products[1] as f64,
        full_row_products: products[1] as f64,
        components,
        implicit_bend,
    })
}
