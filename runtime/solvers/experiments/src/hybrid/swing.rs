//! A sheet held at one side falls from rest; every step has a fixed number of iterations [Casafranca20, Fig. 2].

use super::options::{RegionArg, model, stuck_sheet, undamped};
use crate::options::Output;
use crate::report::{Outcome, progress_of};
use anyhow::Result;
use nalgebra::Vector3;
use serde::Serialize;
use yarnwise_lab::plot::{Plot, Scale};
use yarnwise_program::number::within;
use yarnwise_solvers::hybrid::{HybridOptions, HybridPreconditioner, HybridSimulation};

/// What is compared.
const PRECONDITIONERS: [(HybridPreconditioner, &str); 5] = [
    (HybridPreconditioner::None, "none"),
    (HybridPreconditioner::Mass, "mass"),
    (HybridPreconditioner::BlendedMass, "paper's"),
    (HybridPreconditioner::Lines, "lines"),
    (HybridPreconditioner::LinesCoarse, "lines + coarse"),
];

#[derive(Clone, Debug, clap::Args, Serialize)]
pub(crate) struct Args {
    /// Crossings along a side
    #[arg(long, default_value_t = 40, value_parser = clap::value_parser!(u16).range(12..=400))]
    size: u16,
    /// Crossings along the side of a mesh square
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u16).range(4..=100))]
    cell: u16,
    /// Step, ms
    #[arg(long, value_name = "MS", default_value_t = 0.3, allow_negative_numbers = true)]
    step: f64,
    /// Steps
    #[arg(long, default_value_t = 60, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    steps: u32,
    /// Iterations a step, with commas between several
    #[arg(long, value_delimiter = ',', default_value = "20,100", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    iterations: Vec<u32>,
    /// Where cloth is yarns: half, island, or a file with numbers of faces
    #[arg(long, default_value_t = RegionArg::Half, value_name = "half|island|FILE")]
    region: RegionArg,
    /// Only the preconditioner with this name: none, mass, paper's, lines, lines + coarse
    #[arg(long, value_name = "NAME")]
    preconditioner: Option<String>,
    #[serde(skip)]
    #[command(flatten)]
    pub(super) output: Output,
}

/// Errors of swings.
#[derive(Serialize)]
pub(super) struct Swings {
    /// The farthest way of a node, spacings.
    motion: f64,
    swings: Vec<Swing>,
}

#[derive(Serialize)]
struct Swing {
    preconditioner: &'static str,
    iterations: u32,
    /// The largest distance of a node from where exact solves put it, spacings; at the end and at any time.
    error: f64,
    largest: f64,
    #[serde(skip)]
    curve: Vec<[f64; 2]>,
}

pub(super) fn run(args: &Args) -> Result<Swings> {
    within("--step", args.step, [1e-3, 1e2])?;
    let wanted = |name: &str| args.preconditioner.as_ref().is_none_or(|n| n == name);
    let kinds: Vec<_> = PRECONDITIONERS.into_iter().filter(|(_, name)| wanted(name)).collect();
    anyhow::ensure!(!kinds.is_empty(), "--preconditioner: choose none, mass, paper's, lines or lines + coarse");
    let bar = progress_of("swing", 1 + kinds.len() * args.iterations.len());
    let exact = swing(args, HybridPreconditioner::LinesCoarse, 20_000, 1e-12)?;
    bar.inc(1);
    let l = undamped().spacing;
    let far =
        |a: &[Vector3<f64>], b: &[Vector3<f64>]| a.iter().zip(b).map(|(a, b)| (a - b).norm() / l).fold(0.0, f64::max);
    let mut swings = Vec::new();
    for iterations in &args.iterations {
        for (kind, name) in &kinds {
            let path = swing(args, *kind, *iterations as usize, 1e-12)?;
            let curve: Vec<[f64; 2]> =
                path.iter().zip(&exact).enumerate().map(|(k, (a, b))| [k as f64 * args.step, far(a, b)]).collect();
            let largest = curve.iter().fold(0.0_f64, |m, p| m.max(p[1]));
            let error = curve.last().map_or(0.0, |p| p[1]);
            swings.push(Swing { preconditioner: name, iterations: *iterations, error, largest, curve });
            bar.inc(1);
        }
    }
    bar.finish_and_clear();
    let motion = match (exact.first(), exact.last()) {
        (Some(first), Some(last)) => far(first, last),
        _ => 0.0,
    };
    Ok(Swings { motion, swings })
}

/// Positions of the nodes before the first step and after each, meters.
fn swing(
    args: &Args,
    preconditioner: HybridPreconditioner,
    iterations: usize,
    tolerance: f64,
) -> Result<Vec<Vec<Vector3<f64>>>> {
    let sheet = stuck_sheet(args.size.into(), args.cell.into(), undamped())?;
    let h = 1e-3 * args.step;
    let options = HybridOptions {
        step: h,
        newton_iterations: 1,
        tolerance,
        max_iterations: iterations,
        preconditioner,
        ..Default::default()
    };
    let mut simulation = HybridSimulation::new(model(&sheet, &args.region)?, options);
    simulation.gravity = Vector3::new(0.0, 0.0, -9.81);
    let end = sheet.extent()[0];
    let pin = simulation.points_in(|[u, _]| u > end - 1e-6);
    simulation.pin(pin)?;
    let mut path = vec![simulation.state().yarns.positions.clone()];
    for _ in 0..args.steps {
        simulation.step(h)?;
        path.push(simulation.state().yarns.positions.clone());
    }
    Ok(path)
}

impl Outcome for Swings {
    fn table(&self) -> String {
        let mut text = format!(
            "largest distance of a node from where exact solves put it, spacings; nodes move by {:.2}\n  {:<12}{:<18}{:>12}{:>12}\n",
            self.motion, "iterations", "preconditioner", "at the end", "at any time"
        );
        for s in &self.swings {
            text += &format!("  {:<12}{:<18}{:>12.4}{:>12.4}\n", s.iterations, s.preconditioner, s.error, s.largest);
        }
        text
    }

    fn plots(&self) -> Vec<(String, Plot)> {
        let mut counts: Vec<u32> = self.swings.iter().map(|s| s.iterations).collect();
        counts.dedup();
        let plot = |n: u32| {
            let title = format!("Distance from exact solves, {n} iterations a step");
            let mut plot = Plot::new(&title, "ms", "spacings").scales(Scale::Linear, Scale::Logarithmic);
            for s in self.swings.iter().filter(|s| s.iterations == n) {
                let points: Vec<[f64; 2]> = s.curve.iter().skip(1).map(|p| [p[0], p[1].max(1e-9)]).collect();
                plot = plot.line(s.preconditioner, &points);
            }
            (format!("swing-{n}"), plot)
        };
        counts.into_iter().map(plot).collect()
    }
}
