//! Stage `patches`: each face's surface as polynomials of its barycentrics (b, c).
//!
//! Phong deformation \[James20\] with amount alpha blends, at a point p of the face, the three planes that touch the
//! surface at the corners:
//!
//!   phi(p) = sum_i b_i x_i + alpha sum_i b_i F_i (p - X_i)                        [Sperl21, Section 4.5]
//!
//! With p - X_0 = b e1 + c e2 (and so on) this is a quadratic polynomial of (b, c). Its six coefficients are computed
//! here once per face, so that a yarn vertex only evaluates it. Normal, forms and gradient are linear in (b, c).
//!
//! Directors are turned into the world by the gradient. The reference program takes that of the face, so that directors
//! jump where a yarn crosses from one triangle into the next; here it is the corners' averages, which do not.

use super::vector::{Vec3, combine, scaled, sub, xyz};
use crate::gpu::{FaceChart, FaceLinks, Patch, SurfaceForms};

/// The patch of one face from its own forms and those of all material vertices; `phong` is alpha. With `face_gradient`
/// directors follow the face's own gradient.
pub fn patch(
    positions: &[[f32; 3]],
    face: &SurfaceForms,
    vertices: &[SurfaceForms],
    links: &FaceLinks,
    chart: &FaceChart,
    phong: f32,
    face_gradient: bool,
) -> Patch {
    let x = links.corners.map(|i| positions[i as usize]);
    let v = links.material.map(|i| &vertices[i as usize]);
    let [e1, e2] = [[chart.edges[0], chart.edges[1]], [chart.edges[2], chart.edges[3]]];
    // G_i(e) = alpha F_i e.
    let g = |i: usize, e: [f32; 2]| scaled(combine(xyz(v[i].du), e[0], xyz(v[i].dv), e[1]), phong);
    let bb = sub(g(1, e1), g(0, e1));
    let cc = sub(g(2, e2), g(0, e2));
    let bc = combine(combine(g(1, e2), 1.0, g(2, e1), 1.0), 1.0, combine(g(0, e1), 1.0, g(0, e2), 1.0), -1.0);
    let n = v.map(SurfaceForms::normal);
    let second = v.map(|v| scaled(xyz(v.second), links.scale));
    let first = v.map(|v| xyz(v.first));
    let [du, dv] = if face_gradient {
        [[xyz(face.du); 3], [xyz(face.dv); 3]]
    } else {
        [v.map(|v| xyz(v.du)), v.map(|v| xyz(v.dv))]
    };
    Patch {
        position: row(x[0]),
        normal: [n[0][0], n[0][1], n[0][2], links.scale],
        position_b: row(sub(sub(x[1], x[0]), bb)),
        normal_b: row(sub(n[1], n[0])),
        position_c: row(sub(sub(x[2], x[0]), cc)),
        normal_c: row(sub(n[2], n[0])),
        first: row(first[0]),
        second: row(second[0]),
        first_b: row(sub(first[1], first[0])),
        second_b: row(sub(second[1], second[0])),
        first_c: row(sub(first[2], first[0])),
        second_c: row(sub(second[2], second[0])),
        du: row(du[0]),
        dv: row(dv[0]),
        du_b: row(sub(du[1], du[0])),
        dv_b: row(sub(dv[1], dv[0])),
        du_c: row(sub(du[2], du[0])),
        dv_c: row(sub(dv[2], dv[0])),
        position_bb: row(bb),
        position_bc: row(bc),
        position_cc: row(cc),
        inverse: chart.inverse.map(|c| c * links.scale),
    }
}

fn row(v: Vec3) -> [f32; 4] {
    [v[0], v[1], v[2], 0.0]
}
