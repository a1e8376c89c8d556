//! Cost and gain of decomposition [Boxerman03, §6.4, Figs. 6.9, 6.10].

use super::clock::{in_turn, on_one_thread};
use super::parameters::{Configuration, Parameters, Random};
use super::plot::{Plot, Scale};
use super::{Settings, mean, progress};
use anyhow::Result;
use yarnwise_solvers::cloth::{ClothOptions, SelfContact, Simulation};

/// Decomposing over full solver, for one parameter set.
struct Ratio {
    n: f64,
    time: f64,
    row_products: f64,
    full_row_products: f64,
    components: f64,
    /// Whether bend springs were implicit, as their κ asks: they join what would fall apart.
    implicit_bend: bool,
}

pub(super) fn run(settings: &Settings) -> Result<()> {
    let runs = settings.runs_or(20);
    let sizes: Vec<usize> = (2..=16).map(|i| 5 * i).collect();
    let cases = [
        (Configuration::Pinned, "two corners pinned", "time at most +2.3 %, products -0.8 %"),
        (Configuration::Sphere, "sphere", "products about -20 % from 700 particles on"),
        (Configuration::Floor, "loose on the floor", "products -30 to -40 %"),
    ];
    println!("decomposing solver over full solver [Boxerman03, §6.4]");
    println!(
        "  {:<22}{:>6}{:>8}{:>14}{:>16}{:>14}   thesis",
        "", "runs", "time", "row products", "from 700 on", "components"
    );
    for (configuration, name, thesis) in cases {
        let mut random = Random::new(settings.seed);
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
        let (implicit, explicit): (Vec<&Ratio>, Vec<&Ratio>) = ratios.iter().partition(|r| r.implicit_bend);
        row(name, &ratios.iter().collect::<Vec<_>>(), thesis);
        row("  bend explicit", &explicit, "(bend springs are always explicit)");
        row("  bend implicit", &implicit, "");
        if configuration == Configuration::Sphere {
            draw(&ratios, settings)?;
        }
    }
    Ok(())
}

fn row(name: &str, ratios: &[&Ratio], thesis: &str) {
    let large = ratios.iter().filter(|r| r.n >= 700.0);
    println!(
        "  {name:<22}{:>6}{:>8.3}{:>14.3}{:>16.3}{:>14.1}   {thesis}",
        ratios.len(),
        mean(ratios.iter().map(|r| r.time)),
        mean(ratios.iter().map(|r| r.row_products)),
        mean(large.map(|r| r.row_products)),
        mean(ratios.iter().map(|r| r.components))
    );
}

fn draw(ratios: &[Ratio], settings: &Settings) -> Result<()> {
    let points = |y: fn(&Ratio) -> f64| ratios.iter().map(|r| [r.n, y(r)]).collect::<Vec<_>>();
    Plot::new("Row-vector products, sphere", "particles", "products")
        .scales(Scale::Log, Scale::Log)
        .points("full", &points(|r| r.full_row_products))
        .points("decomposed", &points(|r| r.full_row_products * r.row_products))
        .save(&settings.output.join("decomposition-products.png"))?;
    Plot::new("Row-vector products, decomposed over full, sphere", "particles", "ratio")
        .scales(Scale::Log, Scale::Linear)
        .points("ratio", &points(|r| r.row_products))
        .save(&settings.output.join("decomposition-ratio.png"))
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
