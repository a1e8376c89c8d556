//! One step of backward Euler: Newton's method on the velocities at its end, in the reduced form.
//!
//!   v ← v − A⁻¹ r(v),   r = r_p + Eᵀ r_v,   A = A_p + Eᵀ A_v E                                   [Casafranca20, Eq. 11]
//!
//! The paper leaves the right-hand side of its Eq. 11 open; r is the residual that Newton's method brings to zero.

use super::model::HybridModel;
use super::options::{HybridOptions, HybridPreconditioner};
use super::system::{
    BlendedMass, CoarseCorrection, HybridFilter, LineMatrices, LumpedMass, ReducedOperator, ShellStep, ShellSystem,
    Unknowns, VertexMatrix,
};
use crate::linear::{
    Age, Filter, Operator, Preconditioner, SolveReport, StoppingRule, Unpreconditioned, dot, mpcg_from_rest,
};
use crate::yarn::system::{Evaluation, RowOperator, Rows, StepData, operator_block};
use crate::yarn::{ACCEPTABLE, NEGLIGIBLE, Rejection, SMALL_MOTION, check};
use nalgebra::Vector3;

/// What a step took.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct HybridStepReport {
    /// Seconds.
    pub step: f64,
    /// Iterations of Newton's method.
    pub newton: usize,
    /// Iterations of the linear solves, all of them.
    pub iterations: usize,
    /// Attempts that were taken back before.
    pub rejected: usize,
    /// Nodes and vertices held by bodies.
    pub contacts: usize,
    /// The residual at the end as a part of the first, where it was looked at.
    pub residual: f64,
}

/// The largest change of a yarn's strain in a step.
const LARGEST_STRAIN_CHANGE: f64 = 0.1;

/// Lengths of steps whose lines are kept.
const KEPT_LENGTHS: usize = 6;

/// What is prescribed in a step.
pub(super) struct Prescribed {
    pub(super) filter: HybridFilter,
    /// Drag of bodies: by node, then by vertex of triangles alone; coefficient (kg) and impulse (kg m/s).
    pub(super) drag: Vec<(u32, f64, [f64; 3])>,
    /// Impulses on nodes and vertices of triangles alone, kg m/s: by entry of the reduced vector.
    pub(super) impulses: Vec<f64>,
}

/// What steps keep.
#[derive(Debug, Default)]
pub(super) struct Workspace {
    rows: Rows<f64>,
    shell: Option<ShellSystem>,
    lines: Vec<(u64, LineMatrices)>,
    coarse: Option<CoarseCorrection>,
    coarse_age: Age,
    /// Change of velocities over the step that was tried last, m/s, and the residual at its end, kg m/s.
    pub(super) change: Vec<f64>,
    pub(super) residual: Vec<f64>,
}

impl Clone for Workspace {
    /// Nothing in it outlives a step.
    fn clone(&self) -> Self {
        Workspace::default()
    }
}

impl Workspace {
    /// Makes preconditioners anew, so that what follows depends on the state alone.
    pub(super) fn forget(&mut self) {
        self.lines.clear();
        self.coarse = None;
        self.coarse_age = Age::default();
    }
}

/// What a step is computed from.
pub(super) struct HybridStep<'a> {
    pub(super) model: &'a HybridModel,
    /// With the velocities that are prescribed.
    pub(super) data: StepData<'a>,
    pub(super) shell: ShellStep<'a>,
    /// Velocities of vertices of triangles alone with what is prescribed, m/s.
    pub(super) free_velocities: &'a [Vector3<f64>],
    pub(super) options: &'a HybridOptions,
    pub(super) prescribed: &'a Prescribed,
}

impl HybridStep<'_> {
    fn unknowns(&self) -> Unknowns<'_> {
        Unknowns { model: self.model }
    }

    pub(super) fn attempt(&self, workspace: &mut Workspace) -> Result<HybridStepReport, Rejection> {
        let h = self.data.h;
        let mut report = HybridStepReport { step: h, residual: f64::NAN, ..Default::default() };
        let (mut first, mut settled) = (0.0, false);
        let single = self.options.newton_iterations == 1;
        workspace.change.clear();
        workspace.change.resize(self.unknowns().len(), 0.0);
        loop {
            self.evaluate(workspace, report.newton > 0);
            let norm = self.norm(&workspace.residual);
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
            let (solved, largest) = self.correct(workspace);
            if !largest.is_finite() {
                return Err(Rejection::NotFinite);
            }
            report.newton += 1;
            report.iterations += solved.iterations;
            self.check(&workspace.change)?;
            if single {
                break;
            }
            settled = h * largest <= SMALL_MOTION * self.data.weave.material.radius;
        }
        Ok(report)
    }

    /// Velocities of the active vertices, with a change.
    fn vertex_velocities(&self, change: &[f64]) -> Vec<Vector3<f64>> {
        let (nodes, free) = self.unknowns().split(change);
        let mut out: Vec<Vector3<f64>> =
            self.free_velocities.iter().zip(free).map(|(v, c)| v + Vector3::from(*c)).collect();
        let velocities = &self.data.start.velocities;
        out.extend(
            self.model
                .coupling
                .fit(|row| {
                    let node = self.model.hybrid_nodes[row] as usize;
                    std::array::from_fn(|k| velocities[node][k] + nodes[node][k])
                })
                .into_iter()
                .map(Vector3::from),
        );
        out
    }

    /// Rows, matrix of the vertices, and the residual.
    pub(super) fn evaluate(&self, workspace: &mut Workspace, end: bool) {
        let Workspace { rows, shell, change, residual, .. } = workspace;
        let unknowns = self.unknowns();
        let (nodes, free) = unknowns.split(change);
        let at = if end { Evaluation::End(nodes) } else { Evaluation::Start };
        rows.drag.clear();
        rows.drag.extend(self.data.lumped_diagonal());
        let mut of_nodes = Vec::new();
        self.data.evaluate(at, rows, &mut of_nodes);
        let velocities = self.vertex_velocities(change);
        let shell = shell.get_or_insert_with(|| ShellSystem::new(self.model));
        shell.evaluate(&self.shell, &velocities, !end);
        let count = unknowns.node_count();
        residual.clear();
        residual.extend(of_nodes.as_flattened());
        residual.resize(unknowns.len(), 0.0);
        for (p, c, impulse) in &self.prescribed.drag {
            let p = *p as usize;
            let v = match p.checked_sub(count) {
                None => at.velocity(self.data.start, p)[..3].try_into().unwrap_or_default(),
                Some(vertex) => std::array::from_fn::<f64, 3, _>(|k| self.free_velocities[vertex][k] + free[vertex][k]),
            };
            let entry = if p < count { 5 * p } else { 5 * count + 3 * (p - count) };
            (0..3).for_each(|k| residual[entry + k] += c * v[k] - impulse[k]);
            match p.checked_sub(count) {
                None => rows.drag[p] += c,
                Some(vertex) => {
                    shell.matrix.add(vertex, vertex, &nalgebra::Matrix3::from_diagonal_element(*c));
                }
            }
        }
        residual.iter_mut().zip(&self.prescribed.impulses).for_each(|(r, i)| *r -= i);
        let of_vertices: Vec<[f64; 3]> = shell.residual.iter().map(|r| (*r).into()).collect();
        unknowns.add_transposed(&of_vertices, residual);
    }

    /// |S r|.
    fn norm(&self, residual: &[f64]) -> f64 {
        let mut free = residual.to_vec();
        Filter::apply(&self.prescribed.filter, &mut free);
        dot(&free, &free).sqrt()
    }

    fn negligible(&self) -> f64 {
        let mass = 2.0 * self.data.k.density * self.data.weave.material.spacing;
        let count = (self.unknowns().node_count() + self.model.free) as f64;
        NEGLIGIBLE * mass * 9.81 * self.data.h * count.sqrt()
    }

    /// v ← v − A⁻¹ r; returns the largest change, m/s.
    fn correct(&self, workspace: &mut Workspace) -> (SolveReport, f64) {
        let mut b: Vec<f64> = workspace.residual.iter().map(|r| -r).collect();
        let mut x = vec![0.0; b.len()];
        let report = self.solve(workspace, &mut b, &mut x);
        let largest = x.iter().fold(0.0_f64, |m, x| if x.is_nan() { f64::NAN } else { m.max(x.abs()) });
        workspace.change.iter_mut().zip(&x).for_each(|(c, x)| *c += x);
        (report, largest)
    }

    /// Solves the system that was evaluated last, from rest.
    pub(super) fn solve(&self, workspace: &mut Workspace, b: &mut [f64], x: &mut [f64]) -> SolveReport {
        let Workspace { rows, shell, lines, coarse, coarse_age, .. } = workspace;
        let Some(shell) = shell else { return SolveReport::default() };
        let yarns = RowOperator::new(self.data.weave, self.data.bands, rows);
        let unknowns = self.unknowns();
        let operator = ReducedOperator { unknowns, yarns: &yarns, triangles: &shell.matrix };
        let filter = &self.prescribed.filter;
        let run = |p: &dyn Preconditioner, b: &mut [f64], x: &mut [f64]| {
            mpcg_from_rest(&operator as &dyn Operator, filter, p, b, x, &self.rule())
        };
        match self.options.preconditioner {
            HybridPreconditioner::None => run(&Unpreconditioned, b, x),
            HybridPreconditioner::Mass => {
                run(&BlendedMass::new(unknowns, &lumped_mass(self.model, &yarns, self.data.h), false), b, x)
            }
            HybridPreconditioner::BlendedMass => {
                run(&BlendedMass::new(unknowns, &lumped_mass(self.model, &yarns, self.data.h), true), b, x)
            }
            HybridPreconditioner::Lines | HybridPreconditioner::LinesCoarse => {
                let key = self.data.h.to_bits();
                let at = lines.iter().position(|(h, _)| *h == key).unwrap_or_else(|| {
                    let vertices = self.vertices_of_lines(&shell.matrix);
                    lines.drain(..(lines.len() + 1).saturating_sub(KEPT_LENGTHS));
                    lines.push((key, LineMatrices::new(unknowns, &yarns, &filter.nodes, &vertices)));
                    lines.len() - 1
                });
                let lines = &lines[at].1;
                if self.options.preconditioner == HybridPreconditioner::Lines {
                    let blocks = shell.matrix.inverse_blocks(self.model.free);
                    return run(&lines.with_frames(unknowns, &yarns, blocks), b, x);
                }
                let fine = lines.with_frames(unknowns, &yarns, Vec::new());
                let coarse = coarse.get_or_insert_with(|| CoarseCorrection::new(self.model, &yarns, &shell.matrix));
                if coarse_age.is_old(self.data.h) {
                    coarse.update(&yarns, &shell.matrix, filter);
                    coarse_age.renew(self.data.h);
                }
                let report = run(&coarse.with(unknowns, fine), b, x);
                coarse_age.used(report.iterations);
                report
            }
        }
    }

    /// What lines know of the vertices: their mass, or, where the coarse correction has all of their motions, their stiffness, so that lines leave them alone.
    fn vertices_of_lines(&self, triangles: &VertexMatrix) -> Vec<f64> {
        match self.options.preconditioner {
            HybridPreconditioner::LinesCoarse => triangles.stiffest(),
            _ => vertex_mass(self.model, self.data.h),
        }
    }

    fn rule(&self) -> StoppingRule {
        StoppingRule {
            tolerance_squared: self.options.tolerance.powi(2),
            // Entries of nodes and of vertices have different masses.
            plain_residual: false,
            negligible: 0.0,
            max_iterations: self.options.max_iterations,
        }
    }

    /// Refuses what a step must not do.
    fn check(&self, change: &[f64]) -> Result<(), Rejection> {
        let (nodes, free) = self.unknowns().split(change);
        check(&self.data, Evaluation::End(nodes))?;
        if free.iter().flatten().any(|v| v.is_nan() || v.abs() >= 1e6) {
            return Err(Rejection::NotFinite);
        }
        let (weave, start, h) = (self.data.weave, self.data.start, self.data.h);
        let velocity = |i: usize| {
            let (v, c) = (start.velocities[i], nodes[i]);
            Vector3::new(v[0] + c[0], v[1] + c[1], v[2] + c[2])
        };
        let strained = |i: usize| {
            (0..2).any(|c| {
                let link = weave.links[i][2 * c + 1];
                let (Some((n, _)), Some(before)) = (link.get(), start.segment_ahead(i, c, link)) else { return false };
                let way = before.direction * before.length + (velocity(n) - velocity(i)) * h;
                (way.norm() - before.length).abs() > LARGEST_STRAIN_CHANGE * before.rest
            })
        };
        // With one iteration a step is linear and may not be judged by its end alone.
        if (0..weave.node_count()).any(strained) { Err(Rejection::Crowded) } else { Ok(()) }
    }
}

/// (1 + hα) M_v of active vertices, kg.
pub(super) fn vertex_mass(model: &HybridModel, h: f64) -> Vec<f64> {
    let damped = 1.0 + h * model.weave().material.mass_damping;
    model.vertex_masses.iter().map(|m| m * damped).collect()
}

/// The mass that preconditioners invert: lumped at nodes, and the matrix's own diagonal for arc coordinates.
pub(super) fn lumped_mass(model: &HybridModel, yarns: &RowOperator<'_, f64>, h: f64) -> LumpedMass {
    let damped = 1.0 + h * model.weave().material.mass_damping;
    let own = model.node_masses();
    let sliding = |i: usize| {
        let block = operator_block(yarns, i);
        [3, 4].map(|k| if block[(k, k)] > 0.0 { block[(k, k)] } else { 1.0 })
    };
    LumpedMass {
        nodes: own.iter().map(|m| m * damped).collect(),
        sliding: (0..own.len()).map(sliding).collect(),
        vertices: vertex_mass(model, h),
    }
}
