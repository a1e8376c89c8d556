//! Cost and gain of decomposition [Boxerman03, §6.4, Figs. 6.9, 6.10].

use super::clock::{Clock, on_one_thread};
use super::parameters::{Configuration, Parameters, Random};
use super::plot::{Plot, Scale};
use super::{Settings, mean, progress};
use anyhow::Result;
use yarnwise_runtime::cloth::SolverOptions;
use yarnwise_runtime::cloth::contact::SelfContact;

/// Decomposing over full solver, for one parameter set.
struct Ratio {
    n: f64,
    time: f64,
    row_products: f64,
    full_row_products: f64,
    components: f64,
}

pub(super) fn run(settings: &Settings) -> Result<()> {
    let runs = settings.runs_or(20);
    let sizes: Vec<usize> = (2..=if settings.full { 16 } else { 8 }).map(|i| 5 * i).collect();
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
        let mut random = Random(settings.seed);
        let bar = progress(runs);
        let mut ratios = Vec::with_capacity(runs);
        for _ in 0..runs {
            let set = Parameters::sheet(&mut random, configuration, 1.5, &sizes);
            ratios.push(on_one_thread(|| compare(&set, configuration != Configuration::Pinned))??);
            bar.inc(1);
        }
        bar.finish_and_clear();
        let large = ratios.iter().filter(|r| r.n >= 700.0);
        println!(
            "  {name:<22}{runs:>6}{:>8.3}{:>14.3}{:>16.3}{:>14.1}   {thesis}",
            mean(ratios.iter().map(|r| r.time)),
            mean(ratios.iter().map(|r| r.row_products)),
            mean(large.map(|r| r.row_products)),
            mean(ratios.iter().map(|r| r.components))
        );
        if configuration == Configuration::Sphere {
            draw(&ratios, settings)?;
        }
    }
    Ok(())
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

/// Both solvers step by step; each has its own cloth, which differ as much as the tolerance lets them.
fn compare(set: &Parameters, self_contact: bool) -> Result<Ratio> {
    let start = |decompose| {
        let mut cloth = set.simulation(SolverOptions { decompose, ..SolverOptions::default() });
        cloth.self_contact = self_contact.then(SelfContact::default);
        cloth
    };
    let mut cloths = [start(true), start(false)];
    let (mut seconds, mut products, mut components) = ([0.0; 2], [0_u64; 2], 0.0);
    let steps = (1.0 / set.k).round() as usize;
    for _ in 0..steps {
        for (n, cloth) in cloths.iter_mut().enumerate() {
            let clock = Clock::start();
            let report = cloth.step(set.k)?;
            seconds[n] += clock.seconds();
            products[n] += report.solve.row_products;
            if n == 0 {
                components += report.solve.components as f64 / steps as f64;
            }
        }
    }
    Ok(Ratio {
        n: (set.size * set.size) as f64,
        time: seconds[0] / seconds[1],
        row_products: products[0] as f64 / products[1] as f64,
        full_row_products: products[1] as f64,
        components,
    })
}
