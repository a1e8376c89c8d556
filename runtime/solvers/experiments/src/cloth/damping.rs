//! Energies without damping, with plain and with projected damping [Boxerman03, §4.2.4, Figs. 4.4-4.6].

use super::parameters::{Configuration, Parameters};
use crate::report::Outcome;
use anyhow::Result;
use serde::Serialize;
use yarnwise_lab::plot::Plot;
use yarnwise_solvers::cloth::model::{ClothMaterial, Damping};
use yarnwise_solvers::cloth::{ClothOptions, Energies, Integrator};

/// The energies of each kind of damping over time.
#[derive(Serialize)]
pub(super) struct Dampings {
    cases: Vec<Case>,
}

#[derive(Serialize)]
struct Case {
    name: &'static str,
    /// Of the dampers, N s/m.
    damping: f64,
    /// J.
    total_after_1_s: f64,
    /// J.
    total_after_2_s: f64,
    /// Sum of the changes of the internal energy after 0.3 s, J.
    internal_variation: f64,
    curve: Vec<Point>,
}

/// Energies at a time, J.
#[derive(Serialize)]
struct Point {
    /// Seconds.
    time: f64,
    kinetic: f64,
    stretch: f64,
    shear: f64,
    bend: f64,
    gravitational: f64,
}

impl Point {
    fn new(time: f64, e: &Energies) -> Self {
        let Energies { kinetic, stretch, shear, bend, gravitational } = *e;
        Point { time, kinetic, stretch, shear, bend, gravitational }
    }

    fn internal(&self) -> f64 {
        self.stretch + self.shear + self.bend
    }

    fn total(&self) -> f64 {
        self.kinetic + self.internal() + self.gravitational
    }
}

pub(super) fn run() -> Result<Dampings> {
    let cases = [
        simulate("none", Damping::Projected, 0.0)?,
        simulate("plain", Damping::Plain, 0.1)?,
        simulate("projected", Damping::Projected, 10.0)?,
    ];
    Ok(Dampings { cases: cases.into() })
}

fn simulate(name: &'static str, damping: Damping, k_d: f64) -> Result<Case> {
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
    let mut curve = vec![Point::new(0.0, &cloth.energies())];
    for _ in 0..200 {
        cloth.step(set.k)?;
        curve.push(Point::new(cloth.time(), &cloth.energies()));
    }
    Ok(Case {
        name,
        damping: k_d,
        total_after_1_s: curve[100].total(),
        total_after_2_s: curve[200].total(),
        internal_variation: curve[30..].windows(2).map(|w| (w[1].internal() - w[0].internal()).abs()).sum(),
        curve,
    })
}

impl Outcome for Dampings {
    fn table(&self) -> String {
        let mut text =
            "energies over 2 s, 40 x 40 particles, k = 0.01 s, backward Euler [Boxerman03, Figs. 4.4-4.6]\n".to_owned();
        text += &format!(
            "  {:<28}{:>16}{:>16}{:>24}\n",
            "damping", "total at 1 s, J", "total at 2 s, J", "internal, variation, J"
        );
        for c in &self.cases {
            let name = format!("{}, k_d = {} N s/m", c.name, c.damping);
            let (one, two) = (c.total_after_1_s, c.total_after_2_s);
            text += &format!("  {name:<28}{one:>16.3}{two:>16.3}{:>24.4}\n", c.internal_variation);
        }
        text
    }

    fn plots(&self) -> Vec<(String, Plot)> {
        self.cases.iter().flat_map(Case::plots).collect()
    }
}

impl Case {
    fn plots(&self) -> [(String, Plot); 2] {
        let of = |value: fn(&Point) -> f64| self.curve.iter().map(|p| [p.time, value(p)]).collect::<Vec<_>>();
        let title = format!("{} damping, k_d = {} N s/m", self.name, self.damping);
        let all = Plot::new(&format!("Energies, {title}"), "time (s)", "J")
            .line("total", &of(Point::total))
            .line("gravitational", &of(|p| p.gravitational))
            .line("kinetic", &of(|p| p.kinetic))
            .line("internal", &of(Point::internal));
        let internal = Plot::new(&format!("Internal energies, {title}"), "time (s)", "J")
            .line("stretch", &of(|p| p.stretch))
            .line("shear", &of(|p| p.shear))
            .line("bend", &of(|p| p.bend));
        [(format!("energy-{}", self.name), all), (format!("energy-{}-internal", self.name), internal)]
    }
}
