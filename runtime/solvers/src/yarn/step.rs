//! One step of backward Euler: Newton's method on the velocity at its end.
//!
//!   A = (1 + hα) M + hβK + h D_f + h² K,  v ← v − A⁻¹ r(v),  q ← q_n + h v,  p ← M v
//!
//! The first iteration linearizes at the start of the step, the others at its end.

use super::guard::{Rejection, check};
use super::material::Stiffness;
use super::model::Weave;
use super::options::{Inertia, Method, Precision, YarnOptions, YarnPreconditioner};
use super::system::{
    Evaluation, LineOrder, Lines, NodeBlocks, NodeConstraint, NodeFilter, RowOperator, Rows, StepData, Stress,
    momentum, residual,
};
use crate::linear::{
    Filter, Operator, Preconditioner, Scalar, SolveReport, StoppingRule, conjugate_residuals, dot, mpcg,
};
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
    /// The residual at the end as a part of the first, where it was looked at.
    pub residual: f64,
}

/// Newton's method ends where no node moves by more than this part of the radius any more.
const SMALL_MOTION: f64 = 1e-3;

/// A step is taken where the residual has fallen to this part of the first, even if the tolerance was not met.
const ACCEPTABLE: f64 = 0.02;

/// Impulses that mean nothing, as a part of a node's weight over the step.
const NEGLIGIBLE: f64 = 1e-7;

/// Memory that steps use again.
#[derive(Clone, Debug, Default)]
pub(super) struct Workspace {
    single: Solver<f32>,
    double: Solver<f64>,
    residual: Vec<[f64; 5]>,
    /// Lines of the yarns, while links stay as they are.
    lines: Option<LineOrder>,
}

impl Workspace {
    /// After links have changed.
    pub(super) fn links_changed(&mut self) {
        self.lines = None;
    }

    /// r at the end of the last step, kg m/s: the impulses that pins and bodies gave, where positions are prescribed.
    pub(super) fn impulses(&self) -> &[[f64; 5]] {
        &self.residual
    }
}

#[derive(Clone, Debug, Default)]
struct Solver<T> {
    rows: Rows<T>,
    stress: Vec<Stress<T>>,
    b: Vec<[T; 5]>,
    x: Vec<[T; 5]>,
}

/// What is prescribed in a step.
pub(super) struct Prescribed {
    /// Which entries.
    pub(super) filter: NodeFilter,
    /// Drag of bodies on sliding nodes: coefficient (N s) and impulse, by node.
    pub(super) drag: Vec<(u32, f64, [f64; 3])>,
}

/// A step that was taken: velocities at its end, momenta, and how.
pub(super) struct Taken {
    pub(super) velocities: Vec<[f64; 5]>,
    pub(super) momenta: Vec<[f64; 5]>,
    pub(super) report: YarnStepReport,
}

/// Tries a step. `v` starts as the velocity of the last step with what is prescribed in it. On return the workspace has the impulses.
pub(super) fn attempt(
    data: &StepData<'_>,
    options: &YarnOptions,
    prescribed: &Prescribed,
    v: Vec<[f64; 5]>,
    workspace: &mut Workspace,
) -> Result<Taken, Rejection> {
    let Workspace { single, double, residual, lines } = workspace;
    if options.preconditioner != YarnPreconditioner::Blocks && lines.is_none() {
        *lines = Some(LineOrder::new(data.weave));
    }
    let lines = lines.as_ref();
    match options.precision {
        Precision::Single => Newton { data, options, prescribed, lines, solver: single }.run(v, residual),
        Precision::Double => Newton { data, options, prescribed, lines, solver: double }.run(v, residual),
    }
}

struct Newton<'a, T> {
    data: &'a StepData<'a>,
    options: &'a YarnOptions,
    prescribed: &'a Prescribed,
    lines: Option<&'a LineOrder>,
    solver: &'a mut Solver<T>,
}

impl<T: Scalar> Newton<'_, T>
where
    for<'a> RowOperator<'a, T>: Operator<T>,
    for<'a> Lines<'a, T>: Preconditioner<T>,
{
    fn run(mut self, mut v: Vec<[f64; 5]>, r: &mut Vec<[f64; 5]>) -> Result<Taken, Rejection> {
        let (weave, start, h) = (self.data.weave, self.data.start, self.data.h);
        let mut report = YarnStepReport { step: h, residual: f64::NAN, ..Default::default() };
        let mut first = 0.0;
        let mut settled = false;
        let single = self.options.newton_iterations == 1;
        loop {
            let at = if report.newton == 0 { Evaluation::Start(&v) } else { Evaluation::End(&v) };
            self.evaluate(at, r);
            let norm = self.norm(r);
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
            let (solved, largest) = self.correct(r, &mut v);
            report.newton += 1;
            report.iterations += solved.iterations;
            check(weave, start, &v, h)?;
            if single {
                break;
            }
            settled = h * largest <= SMALL_MOTION * weave.material.radius;
        }
        let mut momenta = vec![[0.0; 5]; v.len()];
        momentum(self.data, &self.solver.rows, &v, &mut momenta);
        self.level(&mut v, &mut momenta);
        Ok(Taken { velocities: v, momenta, report })
    }

    fn evaluate(&mut self, at: Evaluation<'_>, r: &mut Vec<[f64; 5]>) {
        let Solver { rows, stress, .. } = &mut *self.solver;
        let drag = &self.prescribed.drag;
        rows.drag.clear();
        if !drag.is_empty() {
            rows.drag.resize(self.data.weave.node_count(), T::ZERO);
            drag.iter().for_each(|(node, c, _)| rows.drag[*node as usize] = T::from_f64(*c));
        }
        self.data.evaluate(at, rows, stress);
        residual(self.data, at, rows, stress, r);
        let v = match at {
            Evaluation::Start(_) => None,
            Evaluation::End(v) => Some(v),
        };
        for (node, c, impulse) in drag {
            let node = *node as usize;
            for k in 0..3 {
                r[node][k] += v.map_or(0.0, |v| c * v[node][k]) - impulse[k];
            }
        }
    }

    /// |S r|.
    fn norm(&self, r: &[[f64; 5]]) -> f64 {
        let mut free = r.to_vec();
        Filter::apply(&self.prescribed.filter, free.as_flattened_mut());
        dot(free.as_flattened(), free.as_flattened()).sqrt()
    }

    fn negligible(&self) -> f64 {
        let mass = 2.0 * self.data.k.density * self.data.weave.material.spacing;
        let weight = mass * 9.81 * self.data.h;
        NEGLIGIBLE * weight * (self.data.weave.node_count() as f64).sqrt()
    }

    /// v ← v − A⁻¹ r; returns the largest change, m/s.
    fn correct(&mut self, r: &[[f64; 5]], v: &mut [[f64; 5]]) -> (SolveReport, f64) {
        let Solver { rows, b, x, .. } = &mut *self.solver;
        b.resize(r.len(), [T::ZERO; 5]);
        b.par_iter_mut().zip(r).with_min_len(4096).for_each(|(b, r)| *b = r.map(|r| T::from_f64(-r)));
        x.clear();
        x.resize(r.len(), [T::ZERO; 5]);
        let (weave, filter) = (self.data.weave, &self.prescribed.filter);
        let operator = RowOperator::new(weave, rows);
        let solve = Solve { options: self.options, operator: &operator, filter };
        let (b, flat) = (b.as_flattened(), x.as_flattened_mut());
        let report = match (self.options.preconditioner, self.lines) {
            (YarnPreconditioner::Lines, Some(order)) => {
                solve.run(&Lines::new(order, &operator, filter, false), b, flat)
            }
            (YarnPreconditioner::WarpWeftWarp, Some(order)) => {
                solve.run(&Lines::new(order, &operator, filter, true), b, flat)
            }
            _ => solve.run(&NodeBlocks::new(weave, rows, filter), b, flat),
        };
        let largest = v.par_iter_mut().zip(&*x).with_min_len(4096).map(|(v, x)| {
            let change = x.map(T::to_f64);
            v.iter_mut().zip(change).for_each(|(v, x)| *v += x);
            change.iter().fold(0.0_f64, |m, c| m.max(c.abs()))
        });
        (report, largest.reduce(|| 0.0, f64::max))
    }

    /// Where nothing holds the yarns, gives all of them the same small velocity, so that the sum of momenta is exact although the
    /// solve was not.
    fn level(&self, v: &mut [[f64; 5]], momenta: &mut Vec<[f64; 5]>) {
        let held = |c: &NodeConstraint| c.has(NodeConstraint::POSITION) || c.has(NodeConstraint::PARTIAL);
        let Prescribed { filter, drag } = self.prescribed;
        if self.data.inertia == Inertia::Dropped || !drag.is_empty() || filter.nodes.iter().any(held) {
            return;
        }
        let StepData { weave, k, start, h, gravity, .. } = *self.data;
        let damped = 1.0 + h * weave.material.mass_damping;
        let mass = total_mass(weave, k, &start.arcs);
        // Twice: the first shift is exact up to the rounding of the sums before it.
        for _ in 0..2 {
            let shift: [f64; 3] = std::array::from_fn(|c| {
                let sum = |p: &[[f64; 5]]| p.iter().map(|p| p[c]).sum::<f64>();
                (sum(&start.momenta) + h * mass * gravity[c] - damped * sum(momenta)) / (damped * mass)
            });
            v.iter_mut().for_each(|v| (0..3).for_each(|c| v[c] += shift[c]));
            momentum(self.data, &self.solver.rows, v, momenta);
        }
    }
}

/// A linear solve with the options' method.
struct Solve<'a, T> {
    options: &'a YarnOptions,
    operator: &'a RowOperator<'a, T>,
    filter: &'a NodeFilter,
}

impl<T: Scalar> Solve<'_, T>
where
    for<'a> RowOperator<'a, T>: Operator<T>,
{
    fn run(&self, preconditioner: &impl Preconditioner<T>, b: &[T], x: &mut [T]) -> SolveReport {
        let rule = StoppingRule {
            tolerance_squared: self.options.tolerance.powi(2),
            plain_residual: true,
            negligible: 0.0,
            max_iterations: self.options.max_iterations,
        };
        let operator: &dyn Operator<T> = self.operator;
        match self.options.method {
            Method::ConjugateGradients => {
                let z = vec![T::ZERO; b.len()];
                mpcg(operator, self.filter, preconditioner, b, &z, x, &rule)
            }
            Method::ConjugateResiduals => conjugate_residuals(operator, self.filter, preconditioner, b, x, &rule),
        }
    }
}

/// Mass of all yarns, kg.
fn total_mass(weave: &Weave, k: &Stiffness, arcs: &[[f64; 2]]) -> f64 {
    let length = |i: usize, c: usize| {
        weave.links[i][2 * c + 1].get().map_or(0.0, |(n, back)| arcs[n][back.slot().index()] - arcs[i][c])
    };
    k.density * (0..weave.node_count()).map(|i| length(i, 0) + length(i, 1)).sum::<f64>()
}
