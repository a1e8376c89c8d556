//! Time a step beside yarns alone in the same run, and how it grows with the number of nodes.

use super::options::PreconditionerArg;
use crate::options::Output;
use crate::report::{Outcome, progress_of};
use crate::statistics::mean;
use anyhow::{Result, ensure};
use nalgebra::Vector3;
use serde::Serialize;
use std::time::Instant;
use yarnwise_lab::plot::{Plot, Scale};
use yarnwise_program::number::within;
use yarnwise_solvers::hybrid::{HybridModel, HybridOptions, HybridSheet, HybridSimulation};
use yarnwise_solvers::yarn::{YarnMaterial, YarnOptions, YarnPin, YarnPreconditioner, YarnSimulation};

/// Shares of yarn nodes that the paper has factors for, and these [Casafranca20, Table 1: puckering, dress].
const PAPER: [[f64; 2]; 2] = [[0.288, 4.2], [0.043, 25.0]];

/// Across the sheet, m/s².
const GRAVITY: Vector3<f64> = Vector3::new(0.0, 0.0, -9.81);

#[derive(Clone, Debug, clap::Args, Serialize)]
pub(crate) struct Args {
    /// Crossings along a side of the sheet that is compared
    #[arg(long, default_value_t = 200, value_parser = clap::value_parser!(u16).range(40..=4000))]
    size: u16,
    /// Crossings along the side of a mesh square
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u16).range(4..=100))]
    cell: u16,
    /// Step, ms
    #[arg(long, value_name = "MS", default_value_t = 1.0, allow_negative_numbers = true)]
    step: f64,
    /// Steps that are measured
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    steps: u32,
    /// Steps before them
    #[arg(long, default_value_t = 2, value_parser = clap::value_parser!(u32).range(..=100_000))]
    warm_up: u32,
    /// The most iterations of Newton's method
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u8).range(1..=100))]
    newton: u8,
    /// Residual to which each linear solve goes, as a part of the first
    #[arg(long, default_value_t = 1e-4, allow_negative_numbers = true)]
    tolerance: f64,
    /// Preconditioner of the hybrid
    #[arg(long, value_enum, default_value_t = PreconditionerArg::LinesCoarse)]
    preconditioner: PreconditionerArg,
    /// Also sheets that are half yarns, from 1e4 nodes up to this many: how cost grows
    #[arg(long, value_name = "NODES", default_value_t = 0)]
    largest: usize,
    #[serde(skip)]
    #[command(flatten)]
    pub(super) output: Output,
}

/// Times.
#[derive(Serialize)]
pub(super) struct Speed {
    /// Yarns alone with the two best preconditioners of the yarn solver: blocks and lines, each with its coarse correction.
    yarns: [Timing; 2],
    hybrids: Vec<Hybrid>,
    growth: Vec<Timing>,
    /// R² of the best line through seconds a step over nodes; none for fewer than three sheets.
    linearity: Option<f64>,
}

#[derive(Serialize)]
struct Timing {
    nodes: usize,
    vertices: usize,
    /// Wall time a step.
    seconds: f64,
    iterations: f64,
    newton: f64,
    halved: usize,
}

#[derive(Serialize)]
struct Hybrid {
    timing: Timing,
    /// Part of the nodes of yarns alone.
    share: f64,
    /// How many times as fast as the faster of the yarns alone, and what the paper has at its share.
    faster: f64,
    paper: [f64; 2],
}

pub(super) fn run(args: &Args) -> Result<Speed> {
    within("--step", args.step, [1e-3, 1e2])?;
    within("--tolerance", args.tolerance, [1e-12, 0.5])?;
    let (size, cell) = (usize::from(args.size), usize::from(args.cell));
    ensure!(
        size.is_multiple_of(cell) && size / cell >= 4,
        "--size {size} must be at least four times --cell {cell}, and a multiple"
    );
    let sizes = growth_sizes(args.largest, cell);
    let bar = progress_of("sheet", 4 + sizes.len());
    let yarns = |preconditioner| {
        let timing = measure_yarns(args, size, cell, preconditioner);
        bar.inc(1);
        timing
    };
    let yarns = [yarns(YarnPreconditioner::CoarseBlocks)?, yarns(YarnPreconditioner::CoarseLines)?];
    let fastest = yarns[0].seconds.min(yarns[1].seconds);
    let mut hybrids = Vec::new();
    for paper in PAPER {
        let sheet = sheet(size, cell)?;
        let model = island(&sheet, paper[0])?;
        let share = model.weave().node_count() as f64 / yarns[0].nodes as f64;
        let timing = measure_hybrid(args, &sheet, model)?;
        hybrids.push(Hybrid { share, faster: fastest / timing.seconds, timing, paper });
        bar.inc(1);
    }
    let mut growth = Vec::new();
    for n in sizes {
        let sheet = sheet(n, cell)?;
        let half = (sheet.cells[0] / 2) as f64;
        growth.push(measure_hybrid(args, &sheet, sheet.model(|x, _| x < half)?)?);
        bar.inc(1);
    }
    bar.finish_and_clear();
    let points: Vec<[f64; 2]> = growth.iter().map(|t: &Timing| [t.nodes as f64, t.seconds]).collect();
    Ok(Speed { yarns, hybrids, linearity: (points.len() > 2).then(|| determination(&points)), growth })
}

/// Crossings along the sides of sheets whose half has 1e4, 3e4, ... nodes.
fn growth_sizes(largest: usize, cell: usize) -> Vec<usize> {
    let nodes = [1e4, 3.16e4, 1e5, 3.16e5, 1e6].into_iter().filter(|n| *n <= largest as f64);
    nodes.map(|n| ((2.0 * n).sqrt() / cell as f64).round() as usize * cell).collect()
}

/// R² of the best line.
fn determination(points: &[[f64; 2]]) -> f64 {
    let (mx, my) = (mean(points.iter().map(|p| p[0])), mean(points.iter().map(|p| p[1])));
    let sum = |f: &dyn Fn(&[f64; 2]) -> f64| points.iter().map(f).sum::<f64>();
    let slope = sum(&|p| (p[0] - mx) * (p[1] - my)) / sum(&|p| (p[0] - mx).powi(2));
    1.0 - sum(&|p| (p[1] - my - slope * (p[0] - mx)).powi(2)) / sum(&|p| (p[1] - my).powi(2))
}

/// A sheet of the tank top of [Cirio14, Table 1]; yarns slide.
fn sheet(size: usize, cell: usize) -> Result<HybridSheet> {
    Ok(HybridSheet::new([size / cell; 2], cell, YarnMaterial::default())?)
}

/// A rectangle of yarns in the middle, so that the share of simulated nodes is nearest to the wanted one.
fn island(sheet: &HybridSheet, share: f64) -> Result<HybridModel> {
    let n = sheet.cells[0];
    let all = (n * n) as f64;
    let sides = (1..n - 2).flat_map(|a| (a..n - 2).map(move |b| (a, b)));
    // A ring of one square around; two of its corners are cut.
    let off = |(a, b): &(usize, usize)| (((a + 2) * (b + 2)) as f64 - 1.0 - share * all).abs() + 1e-3 * (b - a) as f64;
    let (a, b) = sides.min_by(|x, y| off(x).total_cmp(&off(y))).unwrap_or((1, 1));
    let (left, low) = (((n - a) / 2) as f64, ((n - b) / 2) as f64);
    let inside = |x: f64, y: f64| (left..left + a as f64).contains(&x) && (low..low + b as f64).contains(&y);
    Ok(sheet.model(inside)?)
}

fn measure_yarns(args: &Args, size: usize, cell: usize, preconditioner: YarnPreconditioner) -> Result<Timing> {
    let sheet = sheet(size, cell)?;
    let model = sheet.model(|_, _| true)?;
    let options = YarnOptions {
        step: 1e-3 * args.step,
        newton_iterations: args.newton.into(),
        tolerance: args.tolerance,
        changes: false,
        preconditioner,
        ..Default::default()
    };
    let mut simulation = YarnSimulation::new(model.weave().clone(), options);
    simulation.gravity = GRAVITY;
    let corners = corners(&model, sheet.extent());
    simulation.pins.push(YarnPin::still(corners));
    measure(args, [simulation.weave().node_count(), 0], |h| {
        let report = simulation.step(h)?;
        Ok(Taken { step: report.step, counts: [report.iterations, report.newton, report.rejected] })
    })
}

/// What a step took: its length in seconds; iterations, iterations of Newton's method, attempts that were taken back.
struct Taken {
    step: f64,
    counts: [usize; 3],
}

/// Times steps of a cloth with these nodes and vertices.
fn measure(args: &Args, [nodes, vertices]: [usize; 2], mut step: impl FnMut(f64) -> Result<Taken>) -> Result<Timing> {
    let h = 1e-3 * args.step;
    for _ in 0..args.warm_up {
        step(h)?;
    }
    let begin = Instant::now();
    let (mut time, mut counts) = (0.0, [0; 3]);
    for _ in 0..args.steps {
        let taken = step(h)?;
        time += taken.step;
        counts = std::array::from_fn(|k| counts[k] + taken.counts[k]);
    }
    let steps = time / h;
    let [iterations, newton] = [counts[0], counts[1]].map(|count| count as f64 / steps);
    let seconds = begin.elapsed().as_secs_f64() / steps;
    Ok(Timing { nodes, vertices, seconds, iterations, newton, halved: counts[2] })
}

/// Nodes near two corners of the sheet.
fn corners(model: &HybridModel, [width, height]: [f64; 2]) -> Vec<u32> {
    let l = model.weave().material.spacing;
    let at = |[u, v]: &[f64; 2]| v > &(height - l) && (u < &l || u > &(width - l));
    (0..model.node_uvs().len() as u32).filter(|n| at(&model.node_uvs()[*n as usize])).collect()
}

/// A sheet that falls from two corners.
fn measure_hybrid(args: &Args, sheet: &HybridSheet, model: HybridModel) -> Result<Timing> {
    let h = 1e-3 * args.step;
    let options = HybridOptions {
        step: h,
        newton_iterations: args.newton.into(),
        tolerance: args.tolerance,
        preconditioner: args.preconditioner.kind(),
        ..Default::default()
    };
    let mut simulation = HybridSimulation::new(model, options);
    simulation.gravity = GRAVITY;
    let [width, height] = sheet.extent();
    let l = sheet.build.material.spacing;
    let pin = simulation.points_in(|[u, v]| v > height - l && (u < l || u > width - l));
    simulation.pin(pin)?;
    let counts = [simulation.model().weave().node_count(), simulation.model().active_vertices().len()];
    measure(args, counts, |h| {
        let report = simulation.step(h)?;
        Ok(Taken { step: report.step, counts: [report.iterations, report.newton, report.rejected] })
    })
}

fn line(name: &str, t: &Timing, more: &str) -> String {
    let nanoseconds = 1e9 * t.seconds / (t.nodes as f64 * t.iterations.max(1.0));
    format!(
        "  {name:<14}{:>9}{:>10}{:>12.2}{:>12.1}{:>8.2}{:>8}{:>18.1}{more}\n",
        t.nodes,
        t.vertices,
        1e3 * t.seconds,
        t.iterations,
        t.newton,
        t.halved,
        nanoseconds
    )
}

impl Outcome for Speed {
    fn table(&self) -> String {
        let mut text = format!(
            "  {:<14}{:>9}{:>10}{:>12}{:>12}{:>8}{:>8}{:>18}\n",
            "cloth", "nodes", "vertices", "ms a step", "iterations", "Newton", "halved", "ns a node, iter."
        );
        text += &line("yarns, blocks", &self.yarns[0], "");
        text += &line("yarns, lines", &self.yarns[1], "");
        for h in &self.hybrids {
            let more = format!(
                "   {:.1} % of the nodes: {:.1} times as fast (paper: {} at {:.1} %)",
                100.0 * h.share,
                h.faster,
                h.paper[1],
                100.0 * h.paper[0]
            );
            text += &line("hybrid", &h.timing, &more);
        }
        for t in &self.growth {
            text += &line("half yarns", t, "");
        }
        if let Some(r) = self.linearity {
            text += &format!("  seconds a step over nodes: R² = {r:.4}\n");
        }
        text
    }

    fn plots(&self) -> Vec<(String, Plot)> {
        let mut plot = Plot::new("Time a step", "nodes", "ms").scales(Scale::Logarithmic, Scale::Logarithmic);
        let point = |t: &Timing| [t.nodes as f64, 1e3 * t.seconds];
        let hybrids: Vec<[f64; 2]> = self.hybrids.iter().map(|h| point(&h.timing)).collect();
        plot = plot
            .line_with_points("yarns alone", &self.yarns.each_ref().map(point))
            .line_with_points("hybrid", &hybrids);
        if !self.growth.is_empty() {
            plot = plot.line_with_points("half yarns", &self.growth.iter().map(point).collect::<Vec<_>>());
        }
        vec![("speed".into(), plot)]
    }
}
