//! Stages `hinge_force` and `hinge_product`; formulas are in `yarnwise-solvers`.

use super::super::angle::atan2;
use super::super::vector::{Vec3, combine, cross, dot, scaled, sub};
use super::super::yarn_solver::fixed::difference;
use crate::gpu::constants::FLAT;
use crate::gpu::{HingeElement, HingeRow, NodePosition, NodeVector, YarnSolverParams, YarnSolverScalars};

/// The row of a hinge, and what it gives to −r at its corners. Vertices are numbered from the first one.
pub fn hinge_force(
    params: &YarnSolverParams,
    scalars: &YarnSolverScalars,
    hinge: &HingeElement,
    positions: &[NodePosition],
    d: &[NodeVector],
) -> (HingeRow, [Vec3; 4]) {
    let [zero, one, two, three] = hinge.corners.map(|c| &positions[c as usize]);
    let [e, a, b] = [one, two, three].map(|p| difference(zero, p, params.unit));
    let n1 = cross(scaled(a, -1.0), sub(e, a));
    let n2 = cross(sub(e, b), scaled(b, -1.0));
    let shortest = FLAT * hinge.length;
    let length = dot(e, e).sqrt();
    let angle = atan2(dot(cross(n1, n2), e) / length.max(shortest), dot(n1, n2));
    let height = |n: Vec3, area: f32| scaled(n, -length / dot(n, n).max((2.0 * FLAT * area).powi(2)));
    let (g2, g3) = (height(n1, hinge.area_1), height(n2, hinge.area_2));
    let square = (length * length).max(shortest * shortest);
    let (f2, f3) = (dot(a, e) / square, dot(b, e) / square);
    let g0 = combine(g2, f2 - 1.0, g3, f3 - 1.0);
    let g1 = combine(g2, -f2, g3, -f3);
    let gradients = [g0, g1, g2, g3];
    let h = scalars.h;
    let stiffness = 2.0 * hinge.weight;
    let weight = h * (h + params.stiffness_damping) * stiffness;
    let moment = h * stiffness * (angle - hinge.rest_angle) + weight * turn(hinge, &gradients, d);
    let row = HingeRow { gradients: std::array::from_fn(|k| gradients[k / 3][k % 3]), weight };
    (row, gradients.map(|g| scaled(g, -moment)))
}

/// The row times d, at the corners.
pub fn hinge_product(hinge: &HingeElement, row: &HingeRow, d: &[NodeVector]) -> [Vec3; 4] {
    let gradients: [Vec3; 4] = std::array::from_fn(|c| std::array::from_fn(|k| row.gradients[3 * c + k]));
    let factor = row.weight * turn(hinge, &gradients, d);
    gradients.map(|g| scaled(g, factor))
}

fn turn(hinge: &HingeElement, gradients: &[Vec3; 4], d: &[NodeVector]) -> f32 {
    let corners = hinge.corners.iter().zip(gradients);
    corners.map(|(c, g)| dot(*g, [d[*c as usize].x, d[*c as usize].y, d[*c as usize].z])).sum()
}
