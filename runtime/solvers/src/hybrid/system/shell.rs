//! The triangles' side of a step: residual and matrix of the active vertices.
//!
//!   r_v(v) = (1 + hα) M_v v − M_v v_n − h [f(x_n + h v) + M_v g] + hβ C v,   A_v = (1 + hα) M_v + h² K + hβ C
//!
//! K is the positive semi-definite tangent of the membranes and hinges. C v stands for what resists the change of strain over the step with
//! the stiffness of its start, as for yarns: damping must not brake rotation. The first iteration has f linearized at the start of the step,
//! f(x_n) − hK v, as that of yarns has.

use super::vertex_matrix::VertexMatrix;
use crate::hybrid::membrane::{Gradient, Membrane, Tangent};
use crate::hybrid::model::{HybridModel, Shell};
use crate::hybrid::triangle::Triangle;
use nalgebra::{Matrix3, Vector3};
use rayon::prelude::*;
use std::f64::consts::TAU;

/// What the vertices of a step start from.
#[derive(Clone, Copy)]
pub(crate) struct ShellStep<'a> {
    pub(crate) model: &'a HybridModel,
    /// x_n of the active vertices, meters.
    pub(crate) start: &'a [Vector3<f64>],
    /// v_n, m/s.
    pub(crate) velocities: &'a [Vector3<f64>],
    /// Seconds.
    pub(crate) h: f64,
    /// m/s².
    pub(crate) gravity: Vector3<f64>,
    /// α, 1/s.
    pub(crate) mass_damping: f64,
    /// β, s.
    pub(crate) stiffness_damping: f64,
}

/// Residual and matrix.
#[derive(Clone, Debug, Default)]
pub(crate) struct ShellSystem {
    /// kg m/s.
    pub(crate) residual: Vec<Vector3<f64>>,
    pub(crate) matrix: VertexMatrix,
    /// The laws of triangles during the present step.
    laws: Vec<Membrane>,
}

impl ShellSystem {
    /// Room for the elements of a model.
    pub(crate) fn new(model: &HybridModel) -> Self {
        let n = model.active_vertices().len();
        let matrix = match &model.shell {
            Shell::Membrane { triangles, hinges, .. } => {
                let corners = triangles.iter().map(|(t, _)| t.corners.as_slice());
                VertexMatrix::new(n, corners.chain(hinges.iter().map(|h| h.corners.as_slice())))
            }
            Shell::Springs(springs) => {
                let pairs: Vec<[u32; 2]> = springs.model().springs.iter().map(|s| [s.i, s.j]).collect();
                VertexMatrix::new(n, pairs.iter().map(|p| p.as_slice()))
            }
        };
        ShellSystem { residual: vec![Vector3::zeros(); n], matrix, laws: Vec::new() }
    }

    /// Evaluates at velocities v (m/s): at the end of the step, or linearized at its start, which comes first.
    pub(crate) fn evaluate(&mut self, step: &ShellStep<'_>, v: &[Vector3<f64>], linearized: bool) {
        let ShellStep { model, start, velocities, h, gravity, mass_damping, .. } = *step;
        self.matrix.clear();
        let damped = 1.0 + h * mass_damping;
        for (i, mass) in model.vertex_masses.iter().enumerate() {
            self.residual[i] = (v[i] * damped - velocities[i] - gravity * h) * *mass;
            self.matrix.add(i, i, &Matrix3::from_diagonal_element(damped * mass));
        }
        let x: Vec<Vector3<f64>> =
            if linearized { start.to_vec() } else { start.iter().zip(v).map(|(x, v)| x + v * h).collect() };
        match &model.shell {
            Shell::Membrane { .. } => self.add_membrane(step, &x, v, linearized),
            Shell::Springs(_) => self.add_springs(step, &x, v, linearized),
        }
    }

    fn add_membrane(&mut self, step: &ShellStep<'_>, x: &[Vector3<f64>], v: &[Vector3<f64>], linearized: bool) {
        let ShellStep { model, start, h, stiffness_damping: beta, .. } = *step;
        let Shell::Membrane { membrane, triangles, hinges } = &model.shell else { return };
        if linearized {
            let law = |(triangle, _): &(Triangle, f64)| {
                lagged(membrane, &triangle.deformation(triangle.corners.map(|c| start[c as usize])))
            };
            triangles.par_iter().with_min_len(64).map(law).collect_into_vec(&mut self.laws);
        }
        let of = |((triangle, weight), law): (&(Triangle, f64), &Membrane)| {
            let corners = triangle.corners.map(|c| c as usize);
            let f = triangle.deformation(corners.map(|c| x[c]));
            let mut stress = law.stress(&f) * h;
            let mut implicit = law.tangent(&f) * (h * h);
            if beta > 0.0 {
                let (damping, tangent) = law.damping(&triangle.deformation(corners.map(|c| start[c])), &f);
                stress += damping * beta;
                implicit += tangent * (h * beta);
            }
            if linearized {
                stress += times(&implicit, &triangle.deformation(corners.map(|c| v[c])));
            }
            (triangle.forces(&(stress * *weight)), implicit * *weight)
        };
        let evaluated: Vec<_> = triangles.par_iter().zip(&self.laws).with_min_len(64).map(of).collect();
        for ((triangle, _), (forces, tangent)) in triangles.iter().zip(&evaluated) {
            for (c, force) in triangle.corners.iter().zip(forces) {
                self.residual[*c as usize] -= force;
            }
            self.add_tangent(triangle, tangent);
        }
        for hinge in hinges {
            let corners = hinge.corners.map(|c| c as usize);
            let bend = hinge.bend(corners.map(|c| x[c]));
            let implicit = h * (h + beta) * bend.stiffness;
            let damping = if linearized {
                implicit * bend.gradient.iter().zip(corners).map(|(g, c)| g.dot(&v[c])).sum::<f64>()
            } else {
                let turn = bend.angle - hinge.bend(corners.map(|c| start[c])).angle;
                beta * bend.stiffness * (turn - TAU * (turn / TAU).round())
            };
            let moment = h * bend.moment + damping;
            for (c, g) in corners.iter().zip(&bend.gradient) {
                self.residual[*c] += g * moment;
            }
            self.matrix.add_row(&hinge.corners, &bend.gradient, implicit);
        }
    }

    /// A ∇N_kᵀ C ∇N_l between the corners of a triangle.
    fn add_tangent(&mut self, triangle: &Triangle, tangent: &Tangent) {
        let quarter = |r: usize, c: usize| tangent.fixed_view::<3, 3>(3 * r, 3 * c).into_owned();
        let quarters = [[quarter(0, 0), quarter(0, 1)], [quarter(1, 0), quarter(1, 1)]];
        for (a, ga) in triangle.corners.iter().zip(&triangle.gradients) {
            for (b, gb) in triangle.corners.iter().zip(&triangle.gradients) {
                let mut block = Matrix3::zeros();
                for r in 0..2 {
                    for c in 0..2 {
                        block += quarters[r][c] * (triangle.area * ga[r] * gb[c]);
                    }
                }
                self.matrix.add(*a as usize, *b as usize, &block);
            }
        }
    }

    fn add_springs(&mut self, step: &ShellStep<'_>, x: &[Vector3<f64>], v: &[Vector3<f64>], linearized: bool) {
        let h = step.h;
        let Shell::Springs(springs) = &step.model.shell else { return };
        let mut forces = vec![Vector3::zeros(); x.len()];
        let product = springs.add_forces(x, v, &mut forces);
        if linearized {
            let mut stiff = vec![Vector3::zeros(); x.len()];
            springs.add_product(&product, [h, 0.0], v, &mut stiff);
            forces.iter_mut().zip(stiff).for_each(|(f, s)| *f -= s);
        }
        self.residual.iter_mut().zip(forces).for_each(|(r, f)| *r -= f * h);
        springs.each_block(&product, [h * h, h], |i, j, block| {
            for (a, b, sign) in [(i, i, 1.0), (j, j, 1.0), (i, j, -1.0), (j, i, -1.0)] {
                self.matrix.add(a, b, &(block * sign));
            }
        });
    }
}

/// The law of a triangle during a step: how crossings are compressed is that of its start, as for yarns.
pub(crate) fn lagged(membrane: &Membrane, start: &Gradient) -> Membrane {
    match membrane {
        Membrane::Matched(matched) => Membrane::Matched(matched.in_state(start)),
        other => other.clone(),
    }
}

fn times(tangent: &Tangent, rate: &Gradient) -> Gradient {
    let flat = nalgebra::Vector6::from_column_slice(rate.as_slice());
    Gradient::from_column_slice((tangent * flat).as_slice())
}
