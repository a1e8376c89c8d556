//! The linear system of one step, solved in several ways and watched: for experiments and tests.

use super::model::HybridModel;
use super::options::HybridPreconditioner;
use super::state::HybridState;
use super::step::{lumped_mass, vertex_mass};
use super::system::{
    BlendedMass, CoarseCorrection, FilteredSystem, HybridFilter, LineMatrices, LowRankMass, MassDiagonal,
    ReducedOperator, ShellStep, ShellSystem, Unknowns, dense_blended_mass,
};
use crate::linear::{Constraint, Filter, Operator, Preconditioner, Unpreconditioned, dot};
use crate::yarn::crossing::{update_compression, update_normals};
use crate::yarn::system::{Bands, Evaluation, NodeConstraint, RowOperator, Rows, StepData};
use crate::yarn::{Damping, Inertia, own_filter};
use nalgebra::{DMatrix, Vector3};

/// A way to solve the system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinearSolve {
    /// The paper's unknowns without a preconditioner.
    FilteredNone,
    /// The paper's unknowns with the diagonal of the mass.
    FilteredMass,
    /// The paper's unknowns with its low-rank preconditioner [Casafranca20, Eq. 15].
    FilteredPaper,
    /// The reduced unknowns.
    Reduced(HybridPreconditioner),
}

/// The system of a step from a state, with everything evaluated at its start.
pub struct LinearStep<'a> {
    model: &'a HybridModel,
    bands: Bands,
    rows: Rows<f64>,
    shell: ShellSystem,
    filter: HybridFilter,
    h: f64,
    b_nodes: Vec<[f64; 5]>,
    b_vertices: Vec<[f64; 3]>,
}

/// Velocities of nodes and of active vertices, m/s.
type Velocities = (Vec<[f64; 3]>, Vec<[f64; 3]>);

impl<'a> LinearStep<'a> {
    /// From a state, for a step of h seconds under gravity (m/s²), with vertices of triangles alone held (by their number in the mesh) and
    /// nodes held.
    pub fn new(
        model: &'a HybridModel,
        state: &HybridState,
        h: f64,
        gravity: Vector3<f64>,
        held_vertices: &[u32],
        held_nodes: &[u32],
    ) -> Self {
        let bands = Bands::new(model.weave());
        let k = model.weave().material.stiffness();
        let mut state = state.clone();
        state.fit(model);
        update_normals(model.weave(), &mut state.yarns);
        update_compression(model.weave(), &bands, &k, &mut state.yarns);
        model.complete_compression(&mut state.yarns.compression);
        let mut filter = HybridFilter {
            nodes: own_filter(model.weave(), Some(&model.blend)),
            vertices: vec![Constraint::Free; model.free],
        };
        for place in held_vertices.iter().filter_map(|v| model.place_of_vertex[*v as usize]) {
            filter.vertices[place as usize] = Constraint::Fixed;
        }
        for node in held_nodes {
            filter.nodes.nodes[*node as usize].insert(NodeConstraint::POSITION | NodeConstraint::U | NodeConstraint::V);
        }
        let material = &model.weave().material;
        let data = StepData {
            weave: model.weave(),
            bands: &bands,
            k: &k,
            start: &state.yarns,
            h,
            gravity,
            damping: Damping::Strain,
            inertia: Inertia::Momentum,
            contacts: &[],
            blend: Some(&model.blend),
        };
        let mut rows = Rows::default();
        rows.drag.extend(data.lumped_diagonal());
        let mut b_nodes = Vec::new();
        data.evaluate(Evaluation::<f64>::Start, &mut rows, &mut b_nodes);
        b_nodes.iter_mut().flatten().for_each(|r| *r = -*r);
        let mut shell = ShellSystem::new(model);
        let step = ShellStep {
            model,
            start: &state.vertices,
            velocities: &state.vertex_velocities,
            h,
            gravity,
            mass_damping: material.mass_damping,
            stiffness_damping: material.stiffness_damping,
        };
        shell.evaluate(&step, &state.vertex_velocities, true);
        let b_vertices = shell.residual.iter().map(|r| (-r).into()).collect();
        LinearStep { model, bands, rows, shell, filter, h, b_nodes, b_vertices }
    }

    fn unknowns(&self) -> Unknowns<'_> {
        Unknowns { model: self.model }
    }

    fn yarns(&self) -> RowOperator<'_, f64> {
        RowOperator::new(self.model.weave(), &self.bands, &self.rows)
    }

    /// b_p + Eᵀ b_v.
    fn reduced_right_side(&self) -> Vec<f64> {
        let mut b: Vec<f64> = self.b_nodes.as_flattened().to_vec();
        b.resize(self.unknowns().len(), 0.0);
        self.unknowns().add_transposed(&self.b_vertices, &mut b);
        b
    }

    fn filtered<'s>(&'s self, yarns: &'s RowOperator<'s, f64>) -> FilteredSystem<'s> {
        let damped = 1.0 + self.h * self.model.weave().material.mass_damping;
        FilteredSystem {
            unknowns: self.unknowns(),
            yarns,
            triangles: &self.shell.matrix,
            vertex_mass: vertex_mass(self.model, self.h),
            node_mass: self.model.node_masses().iter().map(|m| m * damped).collect(),
        }
    }

    fn reduced_velocities(&self, x: &[f64]) -> Velocities {
        let (nodes, _) = self.unknowns().split(x);
        (nodes.iter().map(|v| [v[0], v[1], v[2]]).collect(), self.unknowns().vertices(x))
    }

    /// The solution: lines with the coarse correction until nothing changes any more.
    pub fn solution(&self) -> Velocities {
        let mut x = Vec::new();
        self.run(LinearSolve::Reduced(HybridPreconditioner::LinesCoarse), 20_000, 1e-15, |v, _| {
            x = v.to_vec();
            true
        });
        self.reduced_velocities(&x)
    }

    /// The error of velocities after each iteration, as a part of the solution's size, until it falls below `goal`.
    pub fn curve(&self, solve: LinearSolve, solution: &Velocities, iterations: usize, goal: f64) -> Vec<f64> {
        let size = |v: &Velocities| v.0.iter().chain(&v.1).flatten().map(|x| x * x).sum::<f64>().sqrt();
        let norm = size(solution);
        let mut curve = vec![1.0];
        let yarns = self.yarns();
        let filtered = self.filtered(&yarns);
        self.run(solve, iterations, 0.0, |x, _| {
            let (p, v) = match solve {
                LinearSolve::Reduced(_) => self.reduced_velocities(x),
                _ => {
                    let (v, p) = filtered.positions(x);
                    (p, v)
                }
            };
            let less = |a: &[[f64; 3]], b: &[[f64; 3]]| {
                a.iter().zip(b).map(|(a, b)| std::array::from_fn(|k| a[k] - b[k])).collect::<Vec<[f64; 3]>>()
            };
            let error = size(&(less(&p, &solution.0), less(&v, &solution.1))) / norm;
            curve.push(error);
            // Written so that NaN ends it.
            error > goal
        });
        curve
    }

    /// Iterates, and shows every iterate and what is left of the residual; continues while `watch` asks for it and the residual, measured by the
    /// preconditioner, is above `tolerance` of the first.
    fn run(&self, solve: LinearSolve, most: usize, tolerance: f64, watch: impl FnMut(&[f64], f64) -> bool) -> usize {
        let yarns = self.yarns();
        let unknowns = self.unknowns();
        if let LinearSolve::Reduced(kind) = solve {
            let operator = ReducedOperator { unknowns, yarns: &yarns, triangles: &self.shell.matrix };
            let b = self.reduced_right_side();
            let mass = || lumped_mass(self.model, &yarns, self.h);
            let go = |p: &dyn Preconditioner, watch| cg(&operator, &self.filter, p, &b, most, tolerance, watch);
            let lines = || LineMatrices::new(unknowns, &yarns, &self.filter.nodes, &vertex_mass(self.model, self.h));
            return match kind {
                HybridPreconditioner::None => go(&Unpreconditioned, watch),
                HybridPreconditioner::Mass => go(&BlendedMass::new(unknowns, &mass(), false), watch),
                HybridPreconditioner::BlendedMass => go(&BlendedMass::new(unknowns, &mass(), true), watch),
                HybridPreconditioner::Lines => {
                    go(&lines().with_frames(unknowns, &yarns, self.shell.matrix.inverse_blocks(self.model.free)), watch)
                }
                HybridPreconditioner::LinesCoarse => {
                    let mut coarse = CoarseCorrection::new(self.model, &yarns, &self.shell.matrix);
                    coarse.update(&yarns, &self.shell.matrix, &self.filter);
                    let stiffest = self.shell.matrix.stiffest();
                    let lines = LineMatrices::new(unknowns, &yarns, &self.filter.nodes, &stiffest);
                    go(&coarse.with(unknowns, lines.with_frames(unknowns, &yarns, Vec::new())), watch)
                }
            };
        }
        let system = self.filtered(&yarns);
        let b = system.right_side(&self.b_vertices, &self.b_nodes);
        let filter = system.filter(
            |v| self.filter.vertices.get(v).is_some_and(|c| *c == Constraint::Fixed),
            |n| self.filter.nodes.nodes[n].has(NodeConstraint::POSITION),
        );
        let go = |p: &dyn Preconditioner, watch| cg(&system, &filter, p, &b, most, tolerance, watch);
        match solve {
            LinearSolve::FilteredMass => go(&MassDiagonal::new(&system), watch),
            LinearSolve::FilteredPaper => match LowRankMass::new(&system) {
                Some(paper) => go(&paper, watch),
                None => 0,
            },
            _ => go(&Unpreconditioned, watch),
        }
    }

    /// How far three forms of the paper's preconditioner are apart on a residual in the range of S, as a part of the result: Woodbury's formula
    /// [Casafranca20, Eq. 15], the dense P [Casafranca20, Eq. 12] inverted, and our symmetric form. Dense: for small models.
    pub fn preconditioner_differences(&self) -> Option<[f64; 2]> {
        let yarns = self.yarns();
        let system = self.filtered(&yarns);
        let n = system.rows();
        let filter = system.filter(|_| false, |_| false);
        let mut r: Vec<f64> = (0..3 * n).map(|i| (1.0 + 0.37 * i as f64).sin() * 1e-6).collect();
        Filter::apply(&filter, &mut r);
        let mut paper = vec![0.0; 3 * n];
        LowRankMass::new(&system)?.apply_inverse(&r, &mut paper);
        // In units in which masses are about 1: P mixes them with pure numbers.
        let scale = system.node_mass.len() as f64 / system.node_mass.iter().sum::<f64>();
        let scaled = FilteredSystem {
            unknowns: system.unknowns,
            yarns: system.yarns,
            triangles: system.triangles,
            vertex_mass: system.vertex_mass.iter().map(|m| m * scale).collect(),
            node_mass: system.node_mass.iter().map(|m| m * scale).collect(),
        };
        let dense = dense_blended_mass(&scaled).lu();
        let right = DMatrix::from_fn(n, 3, |i, k| r[3 * i + k]);
        let exact = dense.solve(&right)? * scale;
        // Ours: the residual of nodes and vertices is what the reduced form sees, and the result is turned back into (v, x).
        let ours = self.reduced_form_of(&system, &r);
        let size = dot(&paper, &paper).sqrt();
        let distance =
            |other: &dyn Fn(usize) -> f64| (0..3 * n).map(|i| (paper[i] - other(i)).powi(2)).sum::<f64>().sqrt() / size;
        Some([distance(&|i| exact[(i / 3, i % 3)]), distance(&|i| ours[i])])
    }

    /// N⁻¹ of a residual of the filtered form, as (v, x). With (v, Fx) ↦ p one to one, the residual of nodes is Bᵀ-free: r_p = r_x + B K⁻¹ r_v.
    fn reduced_form_of(&self, system: &FilteredSystem<'_>, r: &[f64]) -> Vec<f64> {
        let unknowns = self.unknowns();
        let (vertices, nodes) = r.split_at(3 * self.model.active.len());
        let vertices: Vec<[f64; 3]> = vertices.as_chunks().0.to_vec();
        let mut b = vec![0.0; unknowns.len()];
        {
            let (out, _) = unknowns.split_mut(&mut b);
            for (out, r) in out.iter_mut().zip(nodes.as_chunks::<3>().0) {
                out[..3].copy_from_slice(r);
            }
        }
        unknowns.add_transposed(&vertices, &mut b);
        let yarns = self.yarns();
        let mut y = vec![0.0; b.len()];
        BlendedMass::new(unknowns, &lumped_mass(self.model, &yarns, self.h), true).apply_inverse(&b, &mut y);
        let (p, v) = self.reduced_velocities(&y);
        // x = p − B v.
        let carried: Vec<f64> = v.iter().flatten().copied().chain(vec![0.0; 3 * p.len()]).collect();
        let (_, on_nodes) = system.positions(&carried);
        let x = p.iter().zip(on_nodes).flat_map(|(p, c)| [p[0] - c[0], p[1] - c[1], p[2] - c[2]]);
        v.iter().flatten().copied().chain(x).collect()
    }
}

/// Filtered conjugate gradients from rest.
fn cg(
    a: &dyn Operator,
    filter: &dyn Filter,
    p: &dyn Preconditioner,
    b: &[f64],
    most: usize,
    tolerance: f64,
    mut watch: impl FnMut(&[f64], f64) -> bool,
) -> usize {
    let n = b.len();
    let mut x = vec![0.0; n];
    let mut r = b.to_vec();
    filter.apply(&mut r);
    let mut z = vec![0.0; n];
    p.apply_inverse(&r, &mut z);
    filter.apply(&mut z);
    let mut d = z.clone();
    let mut w = vec![0.0; n];
    let mut delta = dot(&r, &z);
    let first = delta;
    for k in 0..most {
        a.apply(&d, &mut w);
        filter.apply(&mut w);
        let curvature = dot(&d, &w);
        // NaN and rounding end it.
        if curvature.is_nan() || curvature <= 0.0 || delta <= tolerance * tolerance * first {
            return k;
        }
        let alpha = delta / curvature;
        x.iter_mut().zip(&d).for_each(|(x, d)| *x += alpha * d);
        r.iter_mut().zip(&w).for_each(|(r, w)| *r -= alpha * w);
        p.apply_inverse(&r, &mut z);
        filter.apply(&mut z);
        let new = dot(&r, &z);
        let ratio = new / delta;
        d.iter_mut().zip(&z).for_each(|(d, z)| *d = z + ratio * *d);
        delta = new;
        if !watch(&x, delta / first) {
            return k + 1;
        }
    }
    most
}

/// The wave of the experiments: stretched along u by 2 % times `amplitude`, and bent to a tenth of its width times that; `extent` in meters.
pub fn wave(state: &mut HybridState, extent: [f64; 2], amplitude: f64) {
    use std::f64::consts::PI;
    let bent = |x: &mut Vector3<f64>| {
        x.z = 0.1 * extent[0] * amplitude * (2.0 * PI * x.x / extent[0]).sin() * (PI * x.y / extent[0]).cos();
        x.x *= 1.0 + 0.02 * amplitude;
    };
    state.yarns.positions.iter_mut().for_each(bent);
    state.vertices.iter_mut().for_each(bent);
}

#[cfg(test)]
mod tests {
    use super::super::sheet::HybridSheet;
    use super::*;
    use crate::yarn::YarnMaterial;

    fn material() -> YarnMaterial {
        YarnMaterial {
            mass_damping: 0.0,
            stiffness_damping: 0.0,
            friction: 0.0,
            shear_friction: 0.0,
            ..YarnMaterial::default()
        }
    }

    fn stuck(cells: [usize; 2], cell: usize) -> HybridSheet {
        let mut sheet = HybridSheet::new(cells, cell, material()).unwrap();
        (sheet.build.sliding, sheet.build.lumped) = (false, true);
        sheet
    }

    fn waved(model: &HybridModel, extent: [f64; 2]) -> HybridState {
        let mut state = HybridState::at_rest(model);
        wave(&mut state, extent, 0.3);
        state.fit(model);
        state
    }

    const GRAVITY: Vector3<f64> = Vector3::new(0.0, 0.0, -9.81);

    #[test]
    fn woodbury_is_the_dense_inverse_and_our_symmetric_form() {
        let sheet = stuck([4, 3], 5);
        let model = sheet.model(|x, _| x < 2.0).unwrap();
        let state = waved(&model, sheet.extent());
        let step = LinearStep::new(&model, &state, 1e-3, GRAVITY, &[], &[]);
        let [dense, ours] = step.preconditioner_differences().unwrap();
        assert!(dense < 1e-12 && ours < 1e-12, "against the dense inverse {dense:.1e}, against ours {ours:.1e}");
        // Another mass must be seen.
        let mut other = model.clone();
        other.vertex_masses[model.free] *= 1.001;
        let changed = LinearStep::new(&other, &state, 1e-3, GRAVITY, &[], &[]);
        let yarns = changed.yarns();
        let mut r = vec![0.0; 3 * changed.filtered(&yarns).rows()];
        r.iter_mut().enumerate().for_each(|(i, r)| *r = (i as f64).cos());
        let apply = |s: &LinearStep<'_>| {
            let yarns = s.yarns();
            let system = s.filtered(&yarns);
            let mut filtered = r.clone();
            Filter::apply(&system.filter(|_| false, |_| false), &mut filtered);
            let mut out = vec![0.0; r.len()];
            LowRankMass::new(&system).unwrap().apply_inverse(&filtered, &mut out);
            out
        };
        let (a, b) = (apply(&step), apply(&changed));
        let difference = a.iter().zip(&b).fold(0.0_f64, |m, (a, b)| m.max((a - b).abs()));
        assert!(difference > 1e-9 * a.iter().fold(0.0_f64, |m, a| m.max(a.abs())));
    }

    #[test]
    fn both_forms_iterate_alike() {
        let sheet = stuck([4, 4], 10);
        let model = sheet.model(|x, _| x < 2.0).unwrap();
        let state = waved(&model, sheet.extent());
        let held: Vec<u32> = (20..25).collect();
        for h in [1e-4, 1e-3] {
            let step = LinearStep::new(&model, &state, h, GRAVITY, &held, &[]);
            let solution = step.solution();
            let paper = step.curve(LinearSolve::FilteredPaper, &solution, 40, 0.0);
            let ours = step.curve(LinearSolve::Reduced(HybridPreconditioner::BlendedMass), &solution, 40, 0.0);
            let worst = paper.iter().zip(&ours).fold(0.0_f64, |m, (a, b)| m.max((a - b).abs() / a));
            assert!(paper.len() == 41 && worst < 1e-10, "h {h}: error curves within {worst:.1e}");
            // Another preconditioner goes another way.
            let other = step.curve(LinearSolve::FilteredMass, &solution, 40, 0.0);
            assert!(paper.iter().zip(&other).any(|(a, b)| (a - b).abs() > 1e-3 * a));
        }
    }
}
