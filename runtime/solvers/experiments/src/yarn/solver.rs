//! Iterations of the linear solver on the matrix of one step of a wavy sheet that is stretched by 1 %, with noise.

use super::options::{DraftArgs, MaterialArgs, NamedDraft, file_part};
use crate::options::Output;
use crate::report::{Outcome, progress_of};
use anyhow::Result;
use nalgebra::Vector3;
use serde::Serialize;
use std::f64::consts::PI;
use yarnwise_lab::plot::{Plot, Scale};
use yarnwise_program::number::within;
use yarnwise_shared::random::Random;
use yarnwise_solvers::linear::{Filter, Operator, Preconditioner, StoppingRule, conjugate_residuals, dot, mpcg};
use yarnwise_solvers::yarn::model::Sheet;
use yarnwise_solvers::yarn::system::{
    Bands, Coarse, CoarseMatrices, Evaluation, Lattices, LineOrder, Lines, NodeBlocks, NodeConstraint, NodeFilter,
    RowOperator, Rows, StepData,
};
use yarnwise_solvers::yarn::{Damping, Inertia, Method, YarnMaterial, YarnOptions, YarnPreconditioner, YarnSimulation};

/// Tolerances to which iterations are counted, on |S r| / |S b|.
const TOLERANCES: [f64; 2] = [1e-3, 1e-6];
/// How far the residual that a method keeps may be from the true one.
const ROUNDING: f64 = 1.5;
/// What is compared.
const SOLVERS: [(YarnPreconditioner, Method, &str); 8] = [
    (YarnPreconditioner::Blocks, Method::ConjugateGradients, "blocks, CG"),
    (YarnPreconditioner::Blocks, Method::ConjugateResiduals, "blocks, CR"),
    (YarnPreconditioner::Lines, Method::ConjugateGradients, "lines, CG"),
    (YarnPreconditioner::Lines, Method::ConjugateResiduals, "lines, CR"),
    (YarnPreconditioner::WarpWeftWarp, Method::ConjugateGradients, "warp-weft-warp, CG"),
    (YarnPreconditioner::WarpWeftWarp, Method::ConjugateResiduals, "warp-weft-warp, CR"),
    (YarnPreconditioner::CoarseBlocks, Method::ConjugateGradients, "coarse, blocks, CG"),
    (YarnPreconditioner::CoarseLines, Method::ConjugateGradients, "coarse, lines, CG"),
];

#[derive(Clone, Debug, clap::Args, Serialize)]
pub(crate) struct Args {
    #[command(flatten)]
    draft: DraftArgs,
    /// Yarns along a side, with commas between several
    #[arg(long, value_delimiter = ',', default_value = "16,32,48", value_parser = clap::value_parser!(u16).range(2..=2000))]
    size: Vec<u16>,
    /// Damping β of bending, shear and stretch, s, with commas between several
    #[arg(long, value_name = "S", value_delimiter = ',', default_value = "0.05,0", allow_negative_numbers = true)]
    damping: Vec<f64>,
    /// Step, ms
    #[arg(long, value_name = "MS", default_value_t = 1.0, allow_negative_numbers = true)]
    step: f64,
    /// Friction of yarn on yarn
    #[arg(long, value_name = "MU", default_value_t = 0.3, allow_negative_numbers = true)]
    friction: f64,
    /// The most iterations of a solve
    #[arg(long, default_value_t = 20_000, value_parser = clap::value_parser!(u32).range(1..))]
    max_iterations: u32,
    /// Seed of the noise
    #[arg(long, default_value_t = 1)]
    seed: u64,
    #[command(flatten)]
    material: MaterialArgs,
    #[serde(skip)]
    #[command(flatten)]
    pub(super) output: Output,
}

/// Iterations of every solver.
#[derive(Serialize)]
pub(super) struct Solvers {
    counts: Vec<Count>,
}

#[derive(Serialize)]
struct Count {
    draft: String,
    size: usize,
    /// β, s.
    beta: f64,
    damping: Damping,
    solver: &'static str,
    /// To 1e-3 and 1e-6; none where the tolerance was not met.
    iterations: [Option<usize>; 2],
}

pub(super) fn run(args: &Args) -> Result<Solvers> {
    within("--step", args.step, [1e-3, 1e3])?;
    let drafts = args.draft.read()?;
    let kinds = |beta: f64| if beta > 0.0 { vec![Damping::Lagged, Damping::Strain] } else { vec![Damping::Strain] };
    let matrices: usize = args.damping.iter().map(|b| kinds(*b).len()).sum();
    let bar = progress_of("solve", drafts.len() * args.size.len() * matrices * SOLVERS.len());
    let mut counts = Vec::new();
    for draft in &drafts {
        for beta in &args.damping {
            let own = YarnMaterial { friction: args.friction, stiffness_damping: *beta, ..Default::default() };
            let material = args.material.apply(own)?;
            for damping in kinds(*beta) {
                for size in args.size.iter().map(|n| usize::from(*n)) {
                    let system = System::new(args, draft, size, &material, damping)?;
                    for (preconditioner, method, solver) in SOLVERS {
                        let iterations = system.count(preconditioner, method, args.max_iterations as usize);
                        counts.push(Count {
                            draft: draft.name.clone(),
                            size,
                            beta: *beta,
                            damping,
                            solver,
                            iterations,
                        });
                        bar.inc(1);
                    }
                }
            }
        }
    }
    bar.finish_and_clear();
    Ok(Solvers { counts })
}

/// A x = b of the first Newton iteration of a step.
struct System {
    simulation: YarnSimulation,
    bands: Bands,
    rows: Rows<f64>,
    filter: NodeFilter,
    b: Vec<[f64; 5]>,
}

impl System {
    fn new(args: &Args, draft: &NamedDraft, n: usize, material: &YarnMaterial, damping: Damping) -> Result<Self> {
        let sheet = Sheet::new(n, n, draft.draft.clone(), *material);
        let mut simulation = YarnSimulation::new(sheet.weave()?, YarnOptions::default());
        simulation.gravity = Vector3::new(0.0, 0.0, -4.0 * 9.81);
        let mut state = simulation.state().clone();
        disturb(&mut state.positions, material.spacing, n, args.seed);
        simulation.set_state(state);
        let pinned = [0, n - 1].map(|i| sheet.crossing(i, n - 1));
        let filter = filter(&simulation, &pinned);
        let bands = Bands::new(simulation.weave());
        let data = StepData {
            weave: simulation.weave(),
            bands: &bands,
            k: simulation.stiffness(),
            start: simulation.state(),
            h: 1e-3 * args.step,
            gravity: simulation.gravity,
            damping,
            inertia: Inertia::Momentum,
            contacts: &[],
            blend: None,
        };
        let (mut rows, mut b) = (Rows::<f64>::default(), Vec::new());
        data.evaluate(Evaluation::Start, &mut rows, &mut b);
        b.iter_mut().flatten().for_each(|b| *b = -*b);
        Filter::apply(&filter, b.as_flattened_mut());
        Ok(System { simulation, bands, rows, filter, b })
    }

    fn count(&self, preconditioner: YarnPreconditioner, method: Method, most: usize) -> [Option<usize>; 2] {
        let weave = self.simulation.weave();
        let operator = RowOperator::new(weave, &self.bands, &self.rows);
        let (order, lattices) = (LineOrder::new(weave), Lattices::new(weave));
        let filter = &self.filter;
        let lines = |sequential: bool| Lines::new(&order, &operator, filter, sequential);
        let blocks = || NodeBlocks::new(&operator, filter);
        let coarse = &CoarseMatrices::new(&lattices, &operator, filter);
        TOLERANCES.map(|tolerance| match preconditioner {
            YarnPreconditioner::Blocks => self.solve(&operator, &blocks(), method, tolerance, most),
            YarnPreconditioner::Lines => self.solve(&operator, &lines(false), method, tolerance, most),
            YarnPreconditioner::WarpWeftWarp => self.solve(&operator, &lines(true), method, tolerance, most),
            YarnPreconditioner::CoarseBlocks => {
                let both = Coarse { fine: &blocks(), lattices: &lattices, coarse, filter };
                self.solve(&operator, &both, method, tolerance, most)
            }
            YarnPreconditioner::CoarseLines => {
                let both = Coarse { fine: &lines(false), lattices: &lattices, coarse, filter };
                self.solve(&operator, &both, method, tolerance, most)
            }
        })
    }

    fn solve(
        &self,
        operator: &dyn Operator<f64>,
        preconditioner: &impl Preconditioner<f64>,
        method: Method,
        tolerance: f64,
        max_iterations: usize,
    ) -> Option<usize> {
        let b = self.b.as_flattened();
        // Only the plain residual counts: a solve is done where it is negligible.
        let negligible = tolerance.powi(2) * dot(b, b);
        let rule = StoppingRule { tolerance_squared: 0.0, plain_residual: true, negligible, max_iterations };
        let mut x = vec![0.0; b.len()];
        let report = match method {
            Method::ConjugateGradients => {
                let z = vec![0.0; b.len()];
                mpcg(operator, &self.filter, preconditioner, b, &z, &mut x, &rule)
            }
            Method::ConjugateResiduals => conjugate_residuals(operator, &self.filter, preconditioner, b, &mut x, &rule),
        };
        let true_residual = self.residual_of(operator, &x);
        (true_residual <= ROUNDING * negligible.sqrt()).then_some(report.iterations)
    }

    /// |S (b − A x)|.
    fn residual_of(&self, operator: &dyn Operator<f64>, x: &[f64]) -> f64 {
        let mut r = vec![0.0; x.len()];
        operator.apply(x, &mut r);
        r.iter_mut().zip(self.b.as_flattened()).for_each(|(r, b)| *r = b - *r);
        Filter::apply(&self.filter, &mut r);
        dot(&r, &r).sqrt()
    }
}

/// Two waves along each side, 1 % longer along the warps, and noise of 0.3 % of the spacing.
fn disturb(positions: &mut [Vector3<f64>], spacing: f64, n: usize, seed: u64) {
    let k = 4.0 * PI / (n as f64 * spacing);
    let mut random = Random::new(seed);
    for x in positions {
        x.z = 0.4 * spacing * (k * x.x).sin() * (k * x.y).cos();
        x.y *= 1.01;
        *x += Vector3::from_fn(|_, _| 0.003 * spacing * normal(&mut random));
    }
}

/// A number with the normal distribution (Box and Muller).
fn normal(random: &mut Random) -> f64 {
    let radius = (-2.0 * (1.0 - random.unit()).ln()).sqrt();
    radius * (2.0 * PI * random.unit()).cos()
}

/// Two crossings are held, yarns slide there; ends do not slide.
fn filter(simulation: &YarnSimulation, pinned: &[usize]) -> NodeFilter {
    let kinds = simulation.weave().kinds.iter();
    let of = |crossing: bool| NodeConstraint::new(if crossing { 0 } else { NodeConstraint::U | NodeConstraint::V });
    let mut nodes: Vec<NodeConstraint> = kinds.map(|kind| of(kind.is_crossing())).collect();
    pinned.iter().for_each(|i| nodes[*i].insert(NodeConstraint::POSITION));
    NodeFilter { nodes, partial: Default::default() }
}

impl Count {
    /// The matrix it was counted on.
    fn matrix(&self) -> String {
        let kind = match (self.beta > 0.0, self.damping) {
            (false, _) => "undamped",
            (true, Damping::Lagged) => "lagged damping",
            (true, Damping::Strain) => "strain damping",
        };
        format!("{}, β = {} s, {kind}", self.draft, self.beta)
    }
}

impl Outcome for Solvers {
    fn table(&self) -> String {
        let text = |n: Option<usize>| n.map_or("-".into(), |n| n.to_string());
        let mut table = String::from("iterations to a residual of 1e-3 / 1e-6\n");
        for matrix in self.counts.chunk_by(|a, b| a.matrix() == b.matrix()) {
            let mut sizes: Vec<usize> = matrix.iter().map(|c| c.size).collect();
            sizes.dedup();
            let heads: String = sizes.iter().map(|n| format!("{:>16}", format!("{n} x {n}"))).collect();
            table += &format!("{}\n  {:<22}{heads}\n", matrix[0].matrix(), "");
            for (.., solver) in SOLVERS {
                let cells = matrix.iter().filter(|c| c.solver == solver).map(|c| {
                    let [coarse, fine] = c.iterations.map(text);
                    format!("{:>16}", format!("{coarse} / {fine}"))
                });
                table += &format!("  {solver:<22}{}\n", cells.collect::<String>());
            }
        }
        table
    }

    fn plots(&self) -> Vec<(String, Plot)> {
        let plot = |matrix: &[Count]| {
            let title = format!("Iterations to 1e-6, {}", matrix[0].matrix());
            let mut plot =
                Plot::new(&title, "yarns along a side", "iterations").scales(Scale::Logarithmic, Scale::Logarithmic);
            for (.., solver) in SOLVERS {
                let points: Vec<[f64; 2]> = matrix
                    .iter()
                    .filter(|c| c.solver == solver)
                    .filter_map(|c| Some([c.size as f64, c.iterations[1]? as f64]))
                    .collect();
                plot = plot.line_with_points(solver, &points);
            }
            (format!("solver-{}", file_part(&matrix[0].matrix().replace("β = ", ""))), plot)
        };
        self.counts.chunk_by(|a, b| a.matrix() == b.matrix()).map(plot).collect()
    }
}
