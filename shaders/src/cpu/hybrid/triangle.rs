//! Stages `triangle_force` and `triangle_product`.

use super::super::vector::{Vec3, combine, scaled, sub};
use super::super::yarn_solver::fixed::difference;
use super::matched::matched;
use super::matrix::{Mat3, times, transposed};
use super::membrane::{Membrane, MembraneInput};
use super::svk::st_venant_kirchhoff;
use crate::gpu::{MembraneTangent, MembraneTriangle, NodePosition, NodeVector, membrane_law};

/// The tangent of a triangle, and what it gives to −r at its corners: h f − (h² K + hβ C) v. Vertices are numbered from the first one.
pub fn triangle_force(
    input: &MembraneInput<'_>,
    triangle: &MembraneTriangle,
    positions: &[NodePosition],
    d: &[NodeVector],
) -> (MembraneTangent, [Vec3; 3]) {
    let [zero, one, two] = triangle.corners.map(|c| &positions[c as usize]);
    let edges = [one, two].map(|p| difference(zero, p, input.params.unit));
    let [u, v] = columns(edges, &triangle.gradients);
    let m =
        if input.hybrid.law == membrane_law::MATCHED { matched(input, u, v) } else { st_venant_kirchhoff(input, u, v) };
    let tangent = packed(&m);
    let [du, dv] = changes(triangle, d);
    let [su, sv] = stress_of(&tangent, du, dv);
    let h = input.scalars.h;
    let stress = [combine(m.stress[0], h, su, 1.0), combine(m.stress[1], h, sv, 1.0)];
    (tangent, forces(triangle, stress, -1.0))
}

/// The tangent times d, at the corners.
pub fn triangle_product(triangle: &MembraneTriangle, tangent: &MembraneTangent, d: &[NodeVector]) -> [Vec3; 3] {
    let [du, dv] = changes(triangle, d);
    forces(triangle, stress_of(tangent, du, dv), 1.0)
}

fn columns([a, b]: [Vec3; 2], g: &[f32; 4]) -> [Vec3; 2] {
    [combine(a, g[0], b, g[2]), combine(a, g[1], b, g[3])]
}

fn changes(triangle: &MembraneTriangle, d: &[NodeVector]) -> [Vec3; 2] {
    let [zero, one, two] = triangle.corners.map(|c| {
        let d = &d[c as usize];
        [d.x, d.y, d.z]
    });
    columns([sub(one, zero), sub(two, zero)], &triangle.gradients)
}

/// ± A P ∇N at the corners, weight included.
fn forces(triangle: &MembraneTriangle, [u, v]: [Vec3; 2], sign: f32) -> [Vec3; 3] {
    let (g, weight) = (&triangle.gradients, sign * triangle.weight);
    let one = scaled(combine(u, g[0], v, g[1]), weight);
    let two = scaled(combine(u, g[2], v, g[3]), weight);
    [combine(one, -1.0, two, -1.0), one, two]
}

fn packed(m: &Membrane) -> MembraneTangent {
    let lower = |b: &Mat3| [b[0][0], b[1][0], b[1][1], b[2][0], b[2][1], b[2][2]];
    let columns = transposed(&m.uv);
    MembraneTangent { uu: lower(&m.uu), vv: lower(&m.vv), uv: std::array::from_fn(|k| columns[k / 3][k % 3]) }
}

fn stress_of(tangent: &MembraneTangent, du: Vec3, dv: Vec3) -> [Vec3; 2] {
    let full = |l: &[f32; 6]| [[l[0], l[1], l[3]], [l[1], l[2], l[4]], [l[3], l[4], l[5]]];
    let uv: Mat3 = std::array::from_fn(|r| std::array::from_fn(|c| tangent.uv[3 * c + r]));
    [
        combine(times(&full(&tangent.uu), du), 1.0, times(&uv, dv), 1.0),
        combine(times(&full(&tangent.vv), dv), 1.0, times(&transposed(&uv), du), 1.0),
    ]
}
