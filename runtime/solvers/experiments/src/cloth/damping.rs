//! Energies without damping, with plain and with projected damping [Boxerman03, §4.2.4, Figs. 4.4-4.6].

use super::Settings;
use super::parameters::{Configuration, Parameters};
use super::plot::Plot;
use anyhow::Result;
use yarnwise_solvers::cloth::model::{ClothMaterial, Damping};
use yarnwise_solvers::cloth::{ClothOptions, Energies, Integrator};

pub(super) fn run(settings: &Settings) -> Result<()> {
    let cases = [
        ("none", "no damping", Damping::Projected, 0.0),
        ("plain", "plain damping, kd = 0.1", Damping::Plain, 0.1),
        ("projected", "projected damping, kd = 10", Damping::Projected, 10.0),
    ];
    println!("energies over 2 s, 40 x 40 particles, k = 0.01 s, backward Euler [Boxerman03, Figs. 4.4-4.6]");
    println!("  {:<28}{:>16}{:>16}{:>22}", "", "total at 1 s, J", "total at 2 s, J", "internal, variation, J");
    for (name, title, damping, k_d) in cases {
        let energies = simulate(damping, k_d)?;
        let variation: f64 = energies[30..].windows(2).map(|w| (w[1].1.internal() - w[0].1.internal()).abs()).sum();
        println!("  {title:<28}{:>16.3}{:>16.3}{variation:>22.4}", energies[100].1.total(), energies[200].1.total());
        draw(name, title, &energies, settings)?;
    }
    Ok(())
}

type Curve = Vec<(f64, Energies)>;

fn simulate(damping: Damping, k_d: f64) -> Result<Curve> {
    let material = ClothMaterial {
        density: 0.5,
        stretch_stiffness: 1000.0,
        weft_stiffness: None,
        shear_stiffness: 1000.0,
        bend_stiffness: 0.01,
        stretch_damping: k_d,
        shear_damping: k_d,
        damping,
    };
    let configuration = Configuration::Pinned;
    let set = Parameters { configuration, size: 40, h: 0.025, material, air_damping: 0.0, k: 0.01, friction: 0.0 };
    let options = ClothOptions { integrator: Integrator::BackwardEuler, ..ClothOptions::default() };
    let mut cloth = set.simulation(options);
    let mut curve = vec![(0.0, cloth.energies())];
    for _ in 0..200 {
        cloth.step(set.k)?;
        curve.push((cloth.time(), cloth.energies()));
    }
    Ok(curve)
}

fn draw(name: &str, title: &str, curve: &Curve, settings: &Settings) -> Result<()> {
    let of = |value: fn(&Energies) -> f64| curve.iter().map(|(t, e)| [*t, value(e)]).collect::<Vec<_>>();
    Plot::new(&format!("Energies, {title}"), "time (s)", "J")
        .line("total", &of(Energies::total))
        .line("gravitational", &of(|e| e.gravitational))
        .line("kinetic", &of(|e| e.kinetic))
        .line("internal", &of(Energies::internal))
        .save(&settings.output.join(format!("energy-{name}.png")))?;
    Plot::new(&format!("Internal energies, {title}"), "time (s)", "J")
        .line("stretch", &of(|e| e.stretch))
        .line("shear", &of(|e| e.shear))
        .line("bend", &of(|e| e.bend))
        .save(&settings.output.join(format!("energy-{name}-internal.png")))
}
