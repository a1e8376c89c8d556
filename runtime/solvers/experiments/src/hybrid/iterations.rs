//! Iterations on the system of one step: forms, preconditioners, lengths of step.

use super::options::{RegionArg, model, stuck_sheet, undamped};
use crate::options::Output;
use crate::report::{Outcome, progress_of};
use anyhow::{Result, ensure};
use nalgebra::Vector3;
use serde::Serialize;
use yarnwise_lab::plot::{Plot, Scale};
use yarnwise_program::number::within;
use yarnwise_solvers::hybrid::linear_step::{LinearSolve, LinearStep, wave};
use yarnwise_solvers::hybrid::{HybridModel, HybridPreconditioner, HybridState};
use yarnwise_solvers::yarn::YarnMaterial;

/// Errors of velocities to which iterations are counted.
const GOALS: [f64; 3] = [1e-1, 1e-2, 1e-3];
/// What is compared.
const SOLVES: [(LinearSolve, &str); 7] = [
    (LinearSolve::FilteredNone, "filtered, none"),
    (LinearSolve::FilteredMass, "filtered, mass diagonal"),
    (LinearSolve::FilteredPaper, "filtered, paper's"),
    (LinearSolve::Reduced(HybridPreconditioner::Mass), "reduced, mass"),
    (LinearSolve::Reduced(HybridPreconditioner::BlendedMass), "reduced, blended mass"),
    (LinearSolve::Reduced(HybridPreconditioner::Lines), "reduced, lines"),
    (LinearSolve::Reduced(HybridPreconditioner::LinesCoarse), "reduced, lines + coarse"),
];

#[derive(Clone, Debug, clap::Args, Serialize)]
pub(crate) struct Args {
    /// Crossings along a side
    #[arg(long, default_value_t = 40, value_parser = clap::value_parser!(u16).range(12..=1000))]
    size: u16,
    /// Crossings along the side of a mesh square
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u16).range(4..=100))]
    cell: u16,
    /// Steps, ms, with commas between them
    #[arg(long, value_name = "MS", value_delimiter = ',', default_value = "0.1,1", allow_negative_numbers = true)]
    step: Vec<f64>,
    /// Where cloth is yarns: half, island, or a file with numbers of faces
    #[arg(long, default_value_t = RegionArg::Half, value_name = "half|island|FILE")]
    region: RegionArg,
    /// Only preconditioners whose name contains this
    #[arg(long, value_name = "NAME")]
    preconditioner: Option<String>,
    /// Size of the wave: 0.3 for strains to 2.4 %, 1 for strains to 20 %
    #[arg(long, default_value_t = 0.3, allow_negative_numbers = true)]
    amplitude: f64,
    /// Let yarns slide, with friction, damping of strain and the mass matrix of sliding yarns; the paper's form has none of it and is left out
    #[arg(long)]
    sliding: bool,
    /// The most iterations of a solve
    #[arg(long, default_value_t = 3000, value_parser = clap::value_parser!(u32).range(1..))]
    max_iterations: u32,
    #[serde(skip)]
    #[command(flatten)]
    pub(super) output: Output,
}

/// Iterations of every solve.
#[derive(Serialize)]
pub(super) struct Iterations {
    nodes: usize,
    hybrid_nodes: usize,
    hybrid_vertices: usize,
    counts: Vec<Count>,
}

#[derive(Serialize)]
struct Count {
    /// Seconds.
    step: f64,
    solver: &'static str,
    /// To 1e-1, 1e-2 and 1e-3; none where the error was not reached.
    iterations: [Option<usize>; 3],
    #[serde(skip)]
    curve: Vec<f64>,
}

pub(super) fn run(args: &Args) -> Result<Iterations> {
    args.step.iter().try_for_each(|h| within("--step", *h, [1e-3, 1e3]).map(|_| ()))?;
    within("--amplitude", args.amplitude, [0.0, 2.0])?;
    let material = if args.sliding { YarnMaterial::default() } else { undamped() };
    let mut sheet = stuck_sheet(args.size.into(), args.cell.into(), material)?;
    (sheet.build.sliding, sheet.build.lumped) = (args.sliding, !args.sliding);
    let model = model(&sheet, &args.region)?;
    let mut state = HybridState::at_rest(&model);
    wave(&mut state, sheet.extent(), args.amplitude);
    let wanted = |name: &str| args.preconditioner.as_ref().is_none_or(|n| name.contains(n.as_str()));
    let filtered = |s: &LinearSolve| !matches!(s, LinearSolve::Reduced(_));
    let solves: Vec<_> =
        SOLVES.into_iter().filter(|(s, name)| wanted(name) && !(args.sliding && filtered(s))).collect();
    let names = || SOLVES.map(|(_, name)| name).join("; ");
    ensure!(!solves.is_empty(), "--preconditioner: no name of these contains it, or it cannot slide: {}", names());
    let bar = progress_of("solve", args.step.len() * solves.len());
    let right = sheet.extent()[0];
    let held = held_vertices(&model, right);
    let mut counts = Vec::new();
    for h in args.step.iter().map(|ms| 1e-3 * ms) {
        let gravity = Vector3::new(0.0, 0.0, -9.81);
        let step = LinearStep::new(&model, &state, h, gravity, &held, &[]);
        let solution = step.solution();
        for (solve, name) in &solves {
            let curve = step.curve(*solve, &solution, args.max_iterations as usize, 1e-4);
            let iterations = GOALS.map(|goal| curve.iter().position(|e| *e < goal));
            counts.push(Count { step: h, solver: name, iterations, curve });
            bar.inc(1);
        }
    }
    bar.finish_and_clear();
    Ok(Iterations {
        nodes: model.weave().node_count(),
        hybrid_nodes: model.hybrid_nodes().len(),
        hybrid_vertices: model.coupling().vertex_count(),
        counts,
    })
}

/// Vertices of triangles alone at the end of the sheet.
fn held_vertices(model: &HybridModel, right: f64) -> Vec<u32> {
    let alone = model.active_vertices()[..model.free_vertices()].iter().copied();
    alone.filter(|v| f64::from(model.mesh().positions()[*v as usize][0]) > right - 1e-6).collect()
}

impl Outcome for Iterations {
    fn table(&self) -> String {
        let mut text = format!(
            "iterations to an error of velocities; {} nodes, {} of them hybrid, {} hybrid vertices\n  {:<10}{:<28}{:>8}{:>8}{:>8}\n",
            self.nodes, self.hybrid_nodes, self.hybrid_vertices, "step, ms", "solver", "1e-1", "1e-2", "1e-3"
        );
        for c in &self.counts {
            let [a, b, d] = c.iterations.map(|n| n.map_or("-".into(), |n| n.to_string()));
            text += &format!("  {:<10}{:<28}{a:>8}{b:>8}{d:>8}\n", 1e3 * c.step, c.solver);
        }
        text
    }

    fn plots(&self) -> Vec<(String, Plot)> {
        let mut steps: Vec<f64> = self.counts.iter().map(|c| c.step).collect();
        steps.dedup();
        let plot = |h: f64| {
            let title = format!("Error of velocities, step {} ms", 1e3 * h);
            let mut plot = Plot::new(&title, "iteration", "error").scales(Scale::Linear, Scale::Logarithmic);
            for c in self.counts.iter().filter(|c| c.step == h) {
                let points = c.curve.iter().enumerate().map(|(k, e)| [k as f64, e.max(1e-12)]);
                plot = plot.line(c.solver, &points.collect::<Vec<_>>());
            }
            (format!("iterations-{}-us", (1e6 * h).round()), plot)
        };
        steps.into_iter().map(plot).collect()
    }
}
