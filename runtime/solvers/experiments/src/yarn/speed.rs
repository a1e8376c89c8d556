//! Time and memory a node and step, beside [Cirio14, Table 2].

use super::options::{DraftArgs, MaterialArgs, NamedDraft, checked};
use super::stepping::Effort;
use crate::memory::Reserved;
use crate::options::Output;
use crate::report::{Outcome, progress_of};
use anyhow::{Result, ensure};
use indicatif::ProgressBar;
use nalgebra::Vector3;
use rayon::{ThreadPool, ThreadPoolBuilder};
use serde::Serialize;
use std::time::Instant;
use yarnwise_lab::plot::{Plot, Scale};
use yarnwise_program::memory;
use yarnwise_program::number::within;
use yarnwise_solvers::yarn::model::Sheet;
use yarnwise_solvers::yarn::{
    Method, Precision, YarnMaterial, YarnOptions, YarnPin, YarnPreconditioner, YarnSimulation,
};

/// Nodes of the sheets, about.
const NODES: [usize; 5] = [10_000, 31_623, 100_000, 316_228, 1_000_000];
/// ns a node and step of [Cirio14, Table 2]: its sheet of a million nodes, and its tank top.
const PAPER: [f64; 2] = [2153.0, 8966.0];
/// Sheets with at most this many nodes are compared with ones that are solved exactly.
const COMPARED: usize = 12_000;
/// Bytes a node that a run may need in all, for a check before it begins.
const BYTES: u64 = 6000;

#[derive(Clone, Debug, clap::Args, Serialize)]
pub(crate) struct Args {
    #[command(flatten)]
    draft: DraftArgs,
    /// The most nodes: 10000, 31623, 100000, 316228 and 1000000 are run up to it
    #[arg(long, value_name = "NODES", default_value_t = 1_000_000)]
    largest: usize,
    /// Steps that are measured, for each size and number of threads; preconditioners are made anew every tenth
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    steps: u32,
    /// Steps before them
    #[arg(long, default_value_t = 2, value_parser = clap::value_parser!(u32).range(..=100_000))]
    warm_up: u32,
    /// Numbers of threads, with commas between them; 0 for all cores
    #[arg(long, value_delimiter = ',', default_value = "1,0", value_parser = clap::value_parser!(u16).range(..=1024))]
    threads: Vec<u16>,
    /// Step, ms
    #[arg(long, value_name = "MS", default_value_t = 1.0, allow_negative_numbers = true)]
    step: f64,
    /// Preconditioner
    #[arg(long, value_enum, default_value_t = PreconditionerArg::CoarseBlocks)]
    preconditioner: PreconditionerArg,
    /// Method of the linear solver
    #[arg(long, value_enum, default_value_t = MethodArg::Cg)]
    method: MethodArg,
    /// Digits of the linear solver
    #[arg(long, value_enum, default_value_t = PrecisionArg::Single)]
    precision: PrecisionArg,
    /// Residual to which each linear solve goes, as a part of the first
    #[arg(long, default_value_t = 1e-2, allow_negative_numbers = true)]
    tolerance: f64,
    /// The most iterations of Newton's method; with 1 every step is taken as it is
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u8).range(1..=100))]
    newton: u8,
    /// Friction of yarn on yarn
    #[arg(long, value_name = "MU", default_value_t = 0.3, allow_negative_numbers = true)]
    friction: f64,
    /// Damping β of the strain rate, s
    #[arg(long, value_name = "S", default_value_t = 0.01, allow_negative_numbers = true)]
    damping: f64,
    #[command(flatten)]
    material: MaterialArgs,
    #[serde(skip)]
    #[command(flatten)]
    pub(super) output: Output,
}

#[derive(Clone, Copy, Debug, clap::ValueEnum, Serialize)]
#[serde(rename_all = "kebab-case")]
enum PreconditionerArg {
    /// 5 x 5 blocks of the nodes
    Blocks,
    /// Yarns as lines, added
    Lines,
    /// Yarns as lines: warps, wefts, warps
    WarpWeftWarp,
    /// Blocks with a coarse correction
    CoarseBlocks,
    /// Lines, added, with a coarse correction
    CoarseLines,
}

#[derive(Clone, Copy, Debug, clap::ValueEnum, Serialize)]
#[serde(rename_all = "kebab-case")]
enum MethodArg {
    /// Conjugate gradients
    Cg,
    /// Conjugate residuals
    Cr,
}

#[derive(Clone, Copy, Debug, clap::ValueEnum, Serialize)]
#[serde(rename_all = "kebab-case")]
enum PrecisionArg {
    /// 32 bits
    Single,
    /// 64 bits
    Double,
}

impl Args {
    fn options(&self) -> YarnOptions {
        YarnOptions {
            step: 1e-3 * self.step,
            newton_iterations: usize::from(self.newton),
            tolerance: self.tolerance,
            preconditioner: match self.preconditioner {
                PreconditionerArg::Blocks => YarnPreconditioner::Blocks,
                PreconditionerArg::Lines => YarnPreconditioner::Lines,
                PreconditionerArg::WarpWeftWarp => YarnPreconditioner::WarpWeftWarp,
                PreconditionerArg::CoarseBlocks => YarnPreconditioner::CoarseBlocks,
                PreconditionerArg::CoarseLines => YarnPreconditioner::CoarseLines,
            },
            method: match self.method {
                MethodArg::Cg => Method::ConjugateGradients,
                MethodArg::Cr => Method::ConjugateResiduals,
            },
            precision: match self.precision {
                PrecisionArg::Single => Precision::Single,
                PrecisionArg::Double => Precision::Double,
            },
            ..Default::default()
        }
    }
}

/// The time of steps, by size and number of threads.
#[derive(Serialize)]
pub(super) struct Speed {
    timings: Vec<Timing>,
    /// The paper's ns a node and step.
    paper: [f64; 2],
}

#[derive(Serialize)]
struct Timing {
    draft: String,
    nodes: usize,
    threads: usize,
    /// Wall time a node and step.
    nanoseconds: f64,
    /// The same over the iterations of the linear solver in a step.
    nanoseconds_per_iteration: f64,
    iterations: f64,
    newton: f64,
    /// The largest residual at the end of a step as a part of that at its start; none with a single Newton iteration, which does not look.
    residual: Option<f64>,
    halved: usize,
    /// The most memory a node in the steps that are measured; and while the sheet was made and the solver began.
    bytes: f64,
    peak_bytes: f64,
    /// The largest distance of a node from where it would be with solves to 1e-6 and up to five Newton iterations in 64 bits, and the farthest
    /// way of a node until then, in spacings; for small sheets only.
    distance: Option<[f64; 2]>,
}

pub(super) fn run(args: &Args) -> Result<Speed> {
    within("--step", args.step, [1e-3, 1e3])?;
    within("--tolerance", args.tolerance, [1e-12, 0.5])?;
    let own = YarnMaterial { friction: args.friction, stiffness_damping: args.damping, ..YarnMaterial::fine_sheet() };
    let material = checked(args.material.apply(own)?)?;
    let sizes: Vec<usize> = NODES.into_iter().filter(|n| *n <= args.largest).collect();
    let Some(largest) = sizes.last() else {
        anyhow::bail!("--largest {}: the smallest sheet has {} nodes", args.largest, NODES[0]);
    };
    let what = format!("a sheet of {largest} nodes");
    let cure = "choose a smaller --largest";
    memory::check(&memory::Work { what: &what, bytes: BYTES * *largest as u64, threads: 0, cure })?;
    ensure!(!args.threads.is_empty(), "--threads: no number is given");
    let pools = args.threads.iter().map(|n| Ok(ThreadPoolBuilder::new().num_threads(usize::from(*n)).build()?));
    let pools: Vec<ThreadPool> = pools.collect::<Result<_>>()?;
    let drafts = args.draft.read()?;
    let per_sheet = (args.warm_up + args.steps) as usize * pools.len();
    let bar = progress_of("step", drafts.len() * sizes.len() * per_sheet);
    let mut timings = Vec::new();
    for draft in &drafts {
        for nodes in &sizes {
            timings.extend(measure(args, draft, &material, *nodes, &pools, &bar)?);
        }
    }
    bar.finish_and_clear();
    Ok(Speed { timings, paper: PAPER })
}

/// A horizontal sheet that falls, held by two corners; every number of threads has a sheet of its own, so that memory is that of one.
fn measure(
    args: &Args,
    draft: &NamedDraft,
    material: &YarnMaterial,
    nodes: usize,
    pools: &[ThreadPool],
    bar: &ProgressBar,
) -> Result<Vec<Timing>> {
    // n² crossings and 4 n ends.
    let n = ((nodes as f64 + 4.0).sqrt() - 2.0).round() as usize;
    let sheet = Sheet { up: Vector3::z(), ..Sheet::new(n, n, draft.draft.clone(), *material) };
    let corners = [0, n - 1].map(|i| sheet.crossing(i, n - 1) as u32);
    let h = 1e-3 * args.step;
    let mut timings = Vec::new();
    for pool in pools {
        let memory = Reserved::now();
        let mut simulation = YarnSimulation::new(sheet.weave()?, args.options());
        simulation.pins.push(YarnPin::still(corners.to_vec()));
        pool.install(|| steps(&mut simulation, h, args.warm_up, bar))?;
        let nodes = simulation.weave().node_count();
        let first = memory.most();
        let begin = Instant::now();
        let effort = pool.install(|| steps(&mut simulation, h, args.steps, bar))?;
        let seconds = begin.elapsed().as_secs_f64();
        let nanoseconds = 1e9 * seconds / (effort.steps * nodes) as f64;
        timings.push(Timing {
            draft: draft.name.clone(),
            nodes,
            threads: pool.current_num_threads(),
            nanoseconds,
            nanoseconds_per_iteration: nanoseconds / effort.iterations_per_step(),
            iterations: effort.iterations_per_step(),
            newton: effort.newton_per_step(),
            residual: (args.newton > 1).then_some(effort.residual),
            halved: effort.halved,
            bytes: memory.most() / nodes as f64,
            peak_bytes: first / nodes as f64,
            distance: None,
        });
        // All numbers of threads end in the same place.
        if let (true, [timing]) = (nodes <= COMPARED, &mut timings[..]) {
            let exact = YarnOptions {
                newton_iterations: 5,
                newton_tolerance: 1e-5,
                tolerance: 1e-6,
                precision: Precision::Double,
                ..args.options()
            };
            let mut other = YarnSimulation::new(sheet.weave()?, exact);
            other.pins.push(YarnPin::still(corners.to_vec()));
            pool.install(|| other.advance(simulation.time()))?;
            let positions = other.state().positions.iter();
            let off = largest(positions.clone().zip(&simulation.state().positions)) / material.spacing;
            timing.distance = Some([off, largest(positions.zip(&other.weave().positions)) / material.spacing]);
        }
    }
    Ok(timings)
}

fn largest<'a>(pairs: impl Iterator<Item = (&'a Vector3<f64>, &'a Vector3<f64>)>) -> f64 {
    pairs.map(|(a, b)| (a - b).norm()).fold(0.0, f64::max)
}

fn steps(simulation: &mut YarnSimulation, h: f64, count: u32, bar: &ProgressBar) -> Result<Effort> {
    let mut effort = Effort::default();
    for _ in 0..count {
        effort.add(&simulation.step(h)?);
        bar.inc(1);
    }
    Ok(effort)
}

impl Outcome for Speed {
    fn table(&self) -> String {
        let mut text = format!(
            "ns a node and step; [Cirio14, Table 2] has {} to {} on its GPU\n  {:<12}{:>10}{:>9}{:>10}{:>14}{:>12}{:>9}{:>10}{:>8}{:>14}{:>12}{:>16}\n",
            PAPER[0],
            PAPER[1],
            "draft",
            "nodes",
            "threads",
            "ns",
            "ns/iteration",
            "iterations",
            "Newton",
            "residual",
            "halved",
            "bytes/node",
            "at first",
            "off, of way/L"
        );
        for t in &self.timings {
            text += &format!(
                "  {:<12}{:>10}{:>9}{:>10.0}{:>14.1}{:>12.1}{:>9.2}{:>10}{:>8}{:>14.0}{:>12.0}{:>16}\n",
                t.draft,
                t.nodes,
                t.threads,
                t.nanoseconds,
                t.nanoseconds_per_iteration,
                t.iterations,
                t.newton,
                t.residual.map_or("-".into(), |r| format!("{r:.1e}")),
                t.halved,
                t.bytes,
                t.peak_bytes,
                t.distance.map_or("-".into(), |[off, way]| format!("{off:.3}, {way:.1}"))
            );
        }
        text
    }

    fn plots(&self) -> Vec<(String, Plot)> {
        let mut plot = Plot::new("Time a node and step", "nodes", "ns").scales(Scale::Logarithmic, Scale::Logarithmic);
        let mut threads: Vec<usize> = self.timings.iter().map(|t| t.threads).collect();
        threads.sort_unstable();
        threads.dedup();
        let ends = [NODES[0] as f64, NODES[NODES.len() - 1] as f64];
        for n in threads {
            let of = self.timings.iter().filter(|t| t.threads == n);
            let points: Vec<[f64; 2]> = of.map(|t| [t.nodes as f64, t.nanoseconds]).collect();
            plot = plot.line_with_points(&format!("threads: {n}"), &points);
        }
        for (ns, name) in PAPER.into_iter().zip(["paper, sheet of a million", "paper, tank top"]) {
            plot = plot.line(name, &ends.map(|x| [x, ns]));
        }
        vec![("speed".into(), plot)]
    }
}
