//! The border of stability of forward-backward Euler [Boxerman03, §4.1.3].

use super::parameters::{Configuration, Parameters, Random};
use super::plot::{Plot, Scale};
use super::{Settings, progress, quantile};
use anyhow::Result;
use rayon::prelude::*;
use yarnwise_solvers::cloth::model::ClothMaterial;
use yarnwise_solvers::cloth::{ClothOptions, Integrator};

const STEPS: usize = 1000;

pub(super) fn run(settings: &Settings) -> Result<()> {
    let runs = settings.runs_or(100);
    let mut random = Random::new(settings.seed);
    let sets: Vec<Parameters> = (0..runs).map(|_| draw(&mut random)).collect();
    let bar = progress(runs);
    let results: Vec<(Parameters, f64)> = sets
        .into_par_iter()
        .map(|set| {
            let critical = critical_kappa(&set);
            bar.inc(1);
            (set, critical)
        })
        .collect();
    bar.finish_and_clear();
    report(&results, settings)
}

fn report(results: &[(Parameters, f64)], settings: &Settings) -> Result<()> {
    let kappas: Vec<f64> = results.iter().map(|(_, k)| *k).collect();
    let part = |low: f64, high: f64| {
        kappas.iter().filter(|k| (low..high).contains(*k)).count() as f64 / kappas.len() as f64 * 100.0
    };
    println!(
        "critical κ of {} parameter sets, {STEPS} steps each (thesis: 0.35 to 2.69, most above 0.5)",
        kappas.len()
    );
    println!(
        "  smallest {:.2}, median {:.2}, largest {:.2}",
        quantile(&kappas, 0.0),
        quantile(&kappas, 0.5),
        quantile(&kappas, 1.0)
    );
    println!("  5 % to 95 %: {:.2} to {:.2}", quantile(&kappas, 0.05), quantile(&kappas, 0.95));
    println!(
        "  below 0.35: {:.0} %, 0.35 to 0.5: {:.0} %, 0.5 to 1: {:.0} %, 1 to 2.69: {:.0} %, above: {:.0} %",
        part(0.0, 0.35),
        part(0.35, 0.5),
        part(0.5, 1.0),
        part(1.0, 2.69),
        part(2.69, f64::INFINITY)
    );
    let mut sorted = results.to_vec();
    sorted.sort_by(|a, b| a.1.total_cmp(&b.1));
    println!("  the lowest:");
    for (set, kappa) in sorted.iter().take(5) {
        let m = &set.material;
        println!(
            "    κ {kappa:.2}: {}², h {} m, ρ {} kg/m², k_s {}/{} N/m, k_d {}/{} N s/m",
            set.size, set.h, m.density, m.stretch_stiffness, m.shear_stiffness, m.stretch_damping, m.shear_damping
        );
    }
    let points: Vec<[f64; 2]> = sorted.iter().enumerate().map(|(i, r)| [i as f64, r.1]).collect();
    let plot =
        Plot::new("Critical kappa of FB Euler", "parameter set, sorted", "kappa").scales(Scale::Linear, Scale::Log);
    plot.points("bisection", &points)
        .line("kappa = 1/2", &[[0.0, 0.5], [points.len() as f64, 0.5]])
        .save(&settings.output.join("stability.png"))
}

/// A set of §4.1.3 with at least one spring or damper.
fn draw(random: &mut Random) -> Parameters {
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
        let (size, h) = (random.choose(&[10, 20, 30]), random.choose(&[0.001, 0.01, 0.05, 0.1, 1.0]));
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
