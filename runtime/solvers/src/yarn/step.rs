//! One step of backward Euler: Newton's method on the velocity at its end.
//!
//!   A = (1 + hα) M + hβK + h D_f + h² K,  v ← v − A⁻¹ r(v),  q ← q_n + h v,  p ← M v
//!
//! The first iteration linearizes at the start of the step, the others at its end.

use super::guard::{Rejection, check};
use super::model::{NodeKind, Weave};
use super::options::{Method, Precision, YarnOptions, YarnPreconditioner};
use super::system::{
    Coarse, CoarseMatrices, Evaluation, Lattices, LineOrder, Lines, NodeBlocks, NodeConstraint, NodeFilter, PackScalar,
    RowOperator, Rows, StepData,
};
use crate::linear::{
    Age, Operator, PIECE, PiecewiseFilter, Preconditioner, SolveReport, StoppingRule, conjugate_residuals, dot,
    mpcg_from_rest,
};
use nalgebra::Vector3;
use rayon::prelude::*;

/// What a step took.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct YarnStepReport {
    /// Seconds.
    pub step: f64,
    /// Iterations of Newton's method.
    pub newton: usize,
    /// Iterations of the linear solves, all of them.
    pub iterations: usize,
    /// Attempts that were taken back before.
    pub rejected: usize,
    /// Nodes held by bodies.
    pub contacts: usize,
    /// Places where the cloth may have touched itself.
    pub self_contacts: usize,
    /// Changes of topology after the step.
    pub changes: usize,
    /// The residual at the end as a part of the first, where it was looked at.
    pub residual: f64,
}

/// Newton's method ends where no node moves by more than this part of the radius any more.
pub(crate) const SMALL_MOTION: f64 = 1e-3;

/// A step is taken where the residual has fallen to this part of the first, even if the tolerance was not met.
pub(crate) const ACCEPTABLE: f64 = 0.02;

/// Impulses that mean nothing, as a part of a node's weight over the step.
pub(crate) const NEGLIGIBLE: f64 = 1e-7;

/// Memory that steps use again.
#[derive(Debug, Default)]
pub(super) struct Workspace {
    single: Solver<f32>,
    double: Solver<f64>,
    /// r where positions are prescribed, at the end of the last step, by node, kg m/s.
    impulses: Vec<(u32, [f64; 3])>,
    /// Lines of the yarns and lattices of the cloth, while links stay as they are.
    orders: Orders,
}

/// Preconditioners that serve several steps.
#[derive(Debug)]
struct Kept<T: PackScalar> {
    blocks: Option<NodeBlocks<T>>,
    coarse: Option<CoarseMatrices<T>>,
    /// What was prescribed when the blocks were made.
    constraints: Vec<NodeConstraint>,
    age: Age,
}

impl<T: PackScalar> Default for Kept<T> {
    fn default() -> Self {
        Kept { blocks: None, coarse: None, constraints: Vec::new(), age: Age::default() }
    }
}

impl<T: PackScalar> Kept<T> {
    fn prepare(&mut self, operator: &RowOperator<'_, T>, lattices: Option<&Lattices>, filter: &NodeFilter, h: f64) {
        let aged = self.age.is_old(h);
        if self.blocks.is_none() || aged || self.constraints != filter.nodes {
            // First the old ones go: there is no room for both.
            self.blocks = None;
            self.blocks = Some(NodeBlocks::new(operator, filter));
            self.constraints.clone_from(&filter.nodes);
        }
        if let Some(lattices) = lattices
            && (self.coarse.is_none() || aged)
        {
            self.coarse = None;
            self.coarse = Some(CoarseMatrices::new(lattices, operator, filter));
        }
        if aged {
            self.age.renew(h);
        }
    }
}

/// What preconditioners know of the links.
#[derive(Debug, Default)]
struct Orders {
    lines: Option<LineOrder>,
    lattices: Option<Lattices>,
}

impl Orders {
    fn prepare(&mut self, weave: &Weave, kind: YarnPreconditioner) {
        use YarnPreconditioner::{CoarseBlocks, CoarseLines, Lines, WarpWeftWarp};
        if matches!(kind, Lines | WarpWeftWarp | CoarseLines) && self.lines.is_none() {
            self.lines = Some(LineOrder::new(weave));
        }
        if matches!(kind, CoarseBlocks | CoarseLines) && self.lattices.is_none() {
            self.lattices = Some(Lattices::new(weave));
        }
    }
}

impl Clone for Workspace {
    /// Nothing in it outlives a step but the impulses of the last.
    fn clone(&self) -> Self {
        Workspace { impulses: self.impulses.clone(), ..Workspace::default() }
    }
}

impl Workspace {
    /// After links have changed.
    pub(super) fn links_changed(&mut self) {
        self.orders = Orders::default();
        self.forget();
    }

    /// Makes preconditioners anew, so that what follows depends on the state alone.
    pub(super) fn forget(&mut self) {
        self.single.kept = Kept::default();
        self.double.kept = Kept::default();
    }

    /// The change of a node's velocity over the step that was tried last, m/s.
    pub(super) fn change(&self, precision: Precision, node: usize) -> [f64; 5] {
        match precision {
            Precision::Single => self.single.change[node].map(f64::from),
            Precision::Double => self.double.change[node],
        }
    }

    /// r of a node at the end of the last step, kg m/s: the impulse that a pin or a body gave, where the position is prescribed.
    pub(super) fn impulse(&self, node: u32) -> Option<Vector3<f64>> {
        let at = self.impulses.binary_search_by_key(&node, |(node, _)| *node).ok()?;
        Some(self.impulses[at].1.into())
    }
}

#[derive(Debug, Default)]
struct Solver<T: PackScalar> {
    rows: Rows<T>,
    residual: Vec<[T; 5]>,
    /// v − v_n, m/s.
    change: Vec<[T; 5]>,
    kept: Kept<T>,
}

/// What is prescribed in a step.
pub(super) struct Prescribed {
    /// Which entries.
    pub(super) filter: NodeFilter,
    /// Drag of bodies on sliding nodes: coefficient (N s) and impulse, by node.
    pub(super) drag: Vec<(u32, f64, [f64; 3])>,
    /// Impulses on nodes, N s.
    pub(super) impulses: Vec<(u32, [f64; 3])>,
}

impl Prescribed {
    /// Whether nothing holds or pushes the yarns.
    pub(super) fn is_free(&self, weave: &Weave) -> bool {
        let held = |(c, kind): (&NodeConstraint, &NodeKind)| {
            (c.has(NodeConstraint::POSITION) || c.has(NodeConstraint::PARTIAL)) && *kind != NodeKind::Gone
        };
        self.drag.is_empty() && self.impulses.is_empty() && !self.filter.nodes.iter().zip(&weave.kinds).any(held)
    }
}

/// Tries a step. The velocities of the start have what is prescribed in them; on return the workspace has the change of velocities over
/// the step, and the impulses.
pub(super) fn attempt(
    data: &StepData<'_>,
    options: &YarnOptions,
    prescribed: &Prescribed,
    workspace: &mut Workspace,
) -> Result<YarnStepReport, Rejection> {
    let Workspace { single, double, impulses, orders } = workspace;
    orders.prepare(data.weave, options.preconditioner);
    match options.precision {
        Precision::Single => Newton { data, options, prescribed, orders, impulses, solver: single }.run(),
        Precision::Double => Newton { data, options, prescribed, orders, impulses, solver: double }.run(),
    }
}

struct Newton<'a, T: PackScalar> {
    data: &'a StepData<'a>,
    options: &'a YarnOptions,
    prescribed: &'a Prescribed,
    orders: &'a Orders,
    impulses: &'a mut Vec<(u32, [f64; 3])>,
    solver: &'a mut Solver<T>,
}

impl<T: PackScalar> Newton<'_, T>
where
    for<'a> RowOperator<'a, T>: Operator<T>,
    for<'a> Lines<'a, T>: Preconditioner<T>,
    for<'a> Coarse<'a, NodeBlocks<T>, T>: Preconditioner<T>,
    for<'a> Coarse<'a, Lines<'a, T>, T>: Preconditioner<T>,
{
    fn run(mut self) -> Result<YarnStepReport, Rejection> {
        let (weave, h) = (self.data.weave, self.data.h);
        let mut report = YarnStepReport { step: h, residual: f64::NAN, ..Default::default() };
        let mut first = 0.0;
        let mut settled = false;
        let single = self.options.newton_iterations == 1;
        let change = &mut self.solver.change;
        change.clear();
        change.resize(weave.node_count(), [T::ZERO; 5]);
        loop {
            self.evaluate(report.newton > 0);
            let norm = self.norm();
            if !norm.is_finite() {
                return Err(Rejection::NotFinite);
            }
            if report.newton == 0 {
                first = norm.max(f64::MIN_POSITIVE);
            }
            report.residual = norm / first;
            let converged = norm <= (self.options.newton_tolerance * first).max(self.negligible());
            if report.newton > 0 && (converged || settled) {
                break;
            }
            if report.newton >= self.options.newton_iterations {
                if report.residual > ACCEPTABLE {
                    return Err(Rejection::NotConverged);
                }
                break;
            }
            let (solved, largest) = self.correct(!single);
            report.newton += 1;
            report.iterations += solved.iterations;
            check(self.data, Evaluation::End(&self.solver.change))?;
            if single {
                break;
            }
            settled = h * largest <= SMALL_MOTION * weave.material.radius;
        }
        Ok(report)
    }

    fn evaluate(&mut self, end: bool) {
        let Solver { rows, residual, change, .. } = &mut *self.solver;
        let at = if end { Evaluation::End(&*change) } else { Evaluation::Start };
        let drag = &self.prescribed.drag;
        rows.drag.clear();
        rows.drag.extend(self.data.lumped_diagonal().map(T::from_f64));
        if !drag.is_empty() {
            rows.drag.resize(self.data.weave.node_count(), T::ZERO);
            drag.iter().for_each(|(node, c, _)| rows.drag[*node as usize] += T::from_f64(*c));
        }
        self.data.evaluate(at, rows, residual);
        for (node, impulse) in &self.prescribed.impulses {
            (0..3).for_each(|k| residual[*node as usize][k] -= T::from_f64(impulse[k]));
        }
        for (node, c, impulse) in drag {
            let v = at.velocity(self.data.start, *node as usize);
            (0..3).for_each(|k| residual[*node as usize][k] += T::from_f64(c * v[k] - impulse[k]));
        }
        // The solve overwrites the residual.
        self.impulses.clear();
        for (i, c) in self.prescribed.filter.nodes.iter().enumerate() {
            if c.has(NodeConstraint::POSITION) || c.has(NodeConstraint::PARTIAL) {
                let [x, y, z, ..] = residual[i].map(T::to_f64);
                self.impulses.push((i as u32, [x, y, z]));
            }
        }
    }

    /// |S r|.
    fn norm(&self) -> f64 {
        let pieces = self.solver.residual.as_flattened().par_chunks(PIECE).enumerate();
        let squares: Vec<f64> = pieces
            .map(|(k, r)| {
                let mut free = r.to_vec();
                self.prescribed.filter.apply_piece(k * PIECE, &mut free);
                dot(&free, &free)
            })
            .collect();
        squares.iter().sum::<f64>().sqrt()
    }

    fn negligible(&self) -> f64 {
        let mass = 2.0 * self.data.k.density * self.data.weave.material.spacing;
        let weight = mass * 9.81 * self.data.h;
        NEGLIGIBLE * weight * (self.data.weave.node_count() as f64).sqrt()
    }

    /// v ← v − A⁻¹ r; returns the largest change, m/s, where it is asked for.
    fn correct(&mut self, measure: bool) -> (SolveReport, f64) {
        let Solver { rows, residual, change, kept } = &mut *self.solver;
        let before = if measure { change.clone() } else { Vec::new() };
        residual.par_iter_mut().with_min_len(4096).for_each(|r| *r = r.map(|r| -r));
        let filter = &self.prescribed.filter;
        let operator = RowOperator::new(self.data.weave, self.data.bands, rows);
        let solve = Solve { options: self.options, operator: &operator, filter };
        let (b, flat) = (residual.as_flattened_mut(), change.as_flattened_mut());
        let report = match self.options.preconditioner {
            YarnPreconditioner::Lines | YarnPreconditioner::WarpWeftWarp | YarnPreconditioner::CoarseLines => {
                solve.run_with_lines(self.orders, b, flat)
            }
            YarnPreconditioner::Blocks | YarnPreconditioner::CoarseBlocks => {
                let lattices = self.orders.lattices.as_ref();
                kept.prepare(&operator, lattices, filter, self.data.h);
                let report = match (&kept.blocks, lattices, &kept.coarse) {
                    (Some(fine), Some(lattices), Some(coarse)) => {
                        solve.run(&Coarse { fine, lattices, coarse, filter }, b, flat)
                    }
                    (Some(fine), ..) => solve.run(fine, b, flat),
                    _ => SolveReport::default(),
                };
                kept.age.used(report.iterations);
                report
            }
        };
        let largest = before
            .par_iter()
            .zip(&*change)
            .with_min_len(4096)
            .map(|(before, after)| (0..5).fold(0.0_f64, |m, k| m.max((after[k] - before[k]).to_f64().abs())));
        (report, largest.reduce(|| 0.0, f64::max))
    }
}

/// A linear solve with the options' method; it adds the solution to x.
struct Solve<'a, T> {
    options: &'a YarnOptions,
    operator: &'a RowOperator<'a, T>,
    filter: &'a NodeFilter,
}

impl<T: PackScalar> Solve<'_, T>
where
    for<'a> RowOperator<'a, T>: Operator<T>,
    for<'a> Lines<'a, T>: Preconditioner<T>,
    for<'a> Coarse<'a, Lines<'a, T>, T>: Preconditioner<T>,
{
    fn run(&self, preconditioner: &impl Preconditioner<T>, b: &mut [T], x: &mut [T]) -> SolveReport {
        let rule = StoppingRule {
            tolerance_squared: self.options.tolerance.powi(2),
            plain_residual: true,
            negligible: 0.0,
            max_iterations: self.options.max_iterations,
        };
        let operator: &dyn Operator<T> = self.operator;
        match self.options.method {
            Method::ConjugateGradients => mpcg_from_rest(operator, self.filter, preconditioner, b, x, &rule),
            Method::ConjugateResiduals => {
                let mut solution = vec![T::ZERO; x.len()];
                let report = conjugate_residuals(operator, self.filter, preconditioner, b, &mut solution, &rule);
                x.iter_mut().zip(solution).for_each(|(x, s)| *x += s);
                report
            }
        }
    }

    /// Lines are made for each solve: their factors are as large as the matrix.
    fn run_with_lines(&self, orders: &Orders, b: &mut [T], x: &mut [T]) -> SolveReport {
        let Some(order) = &orders.lines else { return SolveReport::default() };
        let Solve { operator, filter, .. } = *self;
        let sequential = self.options.preconditioner == YarnPreconditioner::WarpWeftWarp;
        let fine = &Lines::new(order, operator, filter, sequential);
        match &orders.lattices {
            Some(lattices) => {
                let coarse = &CoarseMatrices::new(lattices, operator, filter);
                self.run(&Coarse { fine, lattices, coarse, filter }, b, x)
            }
            None => self.run(fine, b, x),
        }
    }
}
