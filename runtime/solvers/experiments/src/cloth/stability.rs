//! The border of stability of forward-backward Euler [Boxerman03, §4.1.3].

use super::parameters::{Configuration, Parameters, Random};
use crate::options::Sets;
use crate::report::{Outcome, progress};
use crate::statistics::{quantile, share};
use anyhow::Result;
use rayon::prelude::*;
use serde::Serialize;
use yarnwise_lab::plot::{Plot, Scale};
use yarnwise_program::number::count;
use yarnwise_solvers::cloth::model::ClothMaterial;
use yarnwise_solvers::cloth::{ClothOptions, Integrator};

const STEPS: usize = 1000;

/// Between which κ the shares of the table are counted; 0.35 and 2.69 are the thesis's ends.
const BORDERS: [f64; 6] = [0.0, 0.35, 0.5, 1.0, 2.69, f64::INFINITY];

/// The largest stable κ of each parameter set.
#[derive(Serialize)]
pub(super) struct Stability {
    seed: u64,
    steps: usize,
    /// Smallest first.
    critical: Vec<Critical>,
}

#[derive(Serialize)]
struct Critical {
    kappa: f64,
    set: Parameters,
}

pub(super) fn run(sets: &Sets) -> Result<Stability> {
    let runs = sets.runs_or(100);
    let sizes = sets.sizes(&[10, 20, 30])?;
    let mut random = Random::new(sets.seed);
    let drawn: Vec<Parameters> = (0..runs).map(|_| draw(&mut random, &sizes)).collect();
    let bar = progress(runs);
    let find = |set: Parameters| {
        let kappa = critical_kappa(&set);
        bar.inc(1);
        Critical { kappa, set }
    };
    let mut critical: Vec<Critical> = drawn.into_par_iter().map(find).collect();
    bar.finish_and_clear();
    critical.sort_by(|a, b| a.kappa.total_cmp(&b.kappa));
    Ok(Stability { seed: sets.seed, steps: STEPS, critical })
}

impl Outcome for Stability {
    fn table(&self) -> String {
        let kappas: Vec<f64> = self.critical.iter().map(|c| c.kappa).collect();
        let mut text = format!(
            "critical κ of {}, {STEPS} steps each, seed {} (thesis: 0.35 to 2.69, most above 0.5)\n",
            count(kappas.len(), "parameter set", None),
            self.seed
        );
        let [least, low, median, high, most] = [0.0, 0.05, 0.5, 0.95, 1.0].map(|q| quantile(&kappas, q));
        text += &format!("  smallest {least:.2}, median {median:.2}, largest {most:.2}\n");
        text += &format!("  5 % to 95 %: {low:.2} to {high:.2}\n");
        for border in BORDERS.windows(2) {
            let part = 100.0 * share(&kappas, |k| (border[0]..border[1]).contains(&k));
            text += &format!("  from {} to {}: {part:.0} %\n", border[0], border[1]);
        }
        text += "  the lowest:\n";
        for Critical { kappa, set } in self.critical.iter().take(5) {
            let m = &set.material;
            text += &format!(
                "    κ {kappa:.2}: {}², h {} m, ρ {} kg/m², k_s {}/{} N/m, k_d {}/{} N s/m\n",
                set.size, set.h, m.density, m.stretch_stiffness, m.shear_stiffness, m.stretch_damping, m.shear_damping
            );
        }
        text
    }

    fn plots(&self) -> Vec<(String, Plot)> {
        let points: Vec<[f64; 2]> = self.critical.iter().enumerate().map(|(i, c)| [i as f64, c.kappa]).collect();
        let plot = Plot::new("Critical kappa of FB Euler", "parameter set, sorted", "kappa")
            .scales(Scale::Linear, Scale::Logarithmic)
            .points("bisection", &points)
            .line("kappa = 1/2", &[[0.0, 0.5], [points.len() as f64, 0.5]]);
        vec![("stability".into(), plot)]
    }
}

/// A set of §4.1.3 with at least one spring or damper.
fn draw(random: &mut Random, sizes: &[usize]) -> Parameters {
    loop {
        let stiffness = [0.0, 10.0, 100.0, 1000.0, 10000.0];
        let damping = [0.0, 0.01, 0.1, 1.0, 10.0];
        let material = ClothMaterial {
            density: random.choose(&[0.01, 0.1, 1.0, 10.0, 100.0]),
            stretch_stiffness: random.choose(&stiffness),
            shear_stiffness: random.choose(&stiffness),
            bend_stiffness: 0.0,
            stretch_damping: random.choose(&damping),
            shear_damping: random.choose(&damping),
            ..ClothMaterial::default()
        };
        let (size, h) = (random.choose(sizes), random.choose(&[0.001, 0.01, 0.05, 0.1, 1.0]));
        let configuration = Configuration::Pinned;
        let set = Parameters { configuration, size, h, material, air_damping: 0.0, k: 1.0, friction: 0.0 };
        if set.kappa() > 0.0 {
            return set;
        }
    }
}

/// Bisection of the step, to two digits, around the step that has κ = 1/2.
fn critical_kappa(set: &Parameters) -> f64 {
    let at = |k: f64| Parameters { k, ..*set };
    let (mut low, mut high) = (1e-9_f64, 1e3_f64);
    while high / low > 1.001 {
        let middle = (low * high).sqrt();
        if at(middle).kappa() < 0.5 { low = middle } else { high = middle }
    }
    let (mut stable, mut unstable) = (low, high);
    while is_stable(&at(unstable)) && at(unstable).kappa() < 1e3 {
        (stable, unstable) = (unstable, 1.6 * unstable);
    }
    while !is_stable(&at(stable)) && at(stable).kappa() > 1e-4 {
        (stable, unstable) = (stable / 1.6, stable);
    }
    while unstable / stable > 1.02 {
        let middle = (stable * unstable).sqrt();
        if is_stable(&at(middle)) { stable = middle } else { unstable = middle }
    }
    at(stable).kappa()
}

/// Whether the energy stays where it began, up to a tenth of what is moved: the weight over the sheet's width and, for
/// sheets that stretch far, what has fallen.
fn is_stable(set: &Parameters) -> bool {
    let options = ClothOptions { integrator: Integrator::ForwardBackwardEuler, ..ClothOptions::default() };
    let mut cloth = set.simulation(options);
    let mass: f64 = cloth.model().masses.iter().sum();
    let margin = 0.1 * mass * 9.81 * set.h * set.size as f64;
    let start = cloth.energies();
    for step in 0..STEPS {
        if cloth.step(set.k).is_err() {
            return false;
        }
        if step % 20 == 19 {
            let now = cloth.energies();
            let fallen = (start.gravitational - now.gravitational).max(0.0);
            if now.total() > start.total() + margin + 0.1 * fallen {
                return false;
            }
        }
    }
    true
}
