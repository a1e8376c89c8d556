//! Stage `faces`: gradient, normal and fundamental forms of each face.
//!
//!   F  = [x1 - x0, x2 - x0] Dm^-1,   I = F^T F                                    [Sperl21, Section 4.1]
//!   II = sum_i theta_i l_i / (2 A) (F^T t_i)(F^T t_i)^T                           [Grinspun06, averaged]
//!
//! over the edges e_i = x_{i+1} - x_i of length l_i, with t_i = e_i x n / l_i the unit vector across the edge in the
//! face's plane, A the face's area in the world and theta_i the angle between the face's normal and its neighbor's.
//! II has the sign -grad(phi)^T grad(n): -1/R on the outside of a cylinder. A border edge does not bend.
//!
//! A face that has collapsed in the world has normal zero and II zero or at least bounded (heights l_i / 2A below
//! `MIN_HEIGHT` count as that); one without area in the material plane has F, I and II zero.

use super::angle::atan2;
use super::vector::{cross, dot, normalized, sub};
use crate::gpu::constants::{MAX_GRADIENT, MIN_HEIGHT};
use crate::gpu::{FaceChart, FaceLinks, NONE, SurfaceForms};

/// The forms of one face.
pub fn face(positions: &[[f32; 3]], links: &FaceLinks, chart: &FaceChart) -> SurfaceForms {
    let x = links.corners.map(|i| positions[i as usize]);
    let (e1, e2) = (sub(x[1], x[0]), sub(x[2], x[0]));
    let [i11, i12, i21, i22] = chart.inverse;
    let column = |s: f32, t: f32| -> [f32; 3] {
        std::array::from_fn(|k| (e1[k] * s + e2[k] * t).clamp(-MAX_GRADIENT, MAX_GRADIENT))
    };
    let (du, dv) = (column(i11, i21), column(i12, i22));
    let area_normal = cross(e1, e2);
    let normal = normalized(area_normal);
    let second = second_form(positions, links, x, normal, dot(area_normal, normal), [du, dv]);
    SurfaceForms {
        du: [du[0], du[1], du[2], normal[0]],
        dv: [dv[0], dv[1], dv[2], normal[1]],
        first: [dot(du, du), dot(du, dv), dot(dv, dv), normal[2]],
        second: [second[0], second[1], second[2], 0.0],
    }
}

fn second_form(
    positions: &[[f32; 3]],
    links: &FaceLinks,
    x: [[f32; 3]; 3],
    normal: [f32; 3],
    double_area: f32,
    [du, dv]: [[f32; 3]; 2],
) -> [f32; 3] {
    let mut second = [0.0; 3];
    for i in 0..3 {
        if links.opposite[i] == NONE {
            continue;
        }
        let edge = sub(x[(i + 1) % 3], x[i]);
        let length = dot(edge, edge).sqrt();
        let direction = normalized(edge);
        let neighbor = cross(sub(positions[links.opposite[i] as usize], x[i]), edge);
        let angle = -atan2(dot(direction, cross(normal, neighbor)), dot(normal, neighbor));
        let across = cross(direction, normal);
        let height = double_area.max(MIN_HEIGHT * length);
        let weight = if height > 0.0 { angle * length / height } else { 0.0 };
        let (u, v) = (dot(du, across), dot(dv, across));
        second[0] += weight * u * u;
        second[1] += weight * u * v;
        second[2] += weight * v * v;
    }
    second
}

/// The gradient as it is seen from a material plane turned by (cos, sin) against the face's.
pub(super) fn turned(forms: &SurfaceForms, [c, s]: [f32; 2]) -> SurfaceForms {
    let du = std::array::from_fn(|k| if k < 3 { c * forms.du[k] + s * forms.dv[k] } else { forms.du[k] });
    let dv = std::array::from_fn(|k| if k < 3 { c * forms.dv[k] - s * forms.du[k] } else { forms.dv[k] });
    // R^T M R with R = [c -s; s c].
    let turn = |m: [f32; 4]| {
        let [xx, xy, yy, rest] = m;
        [
            c * c * xx + 2.0 * c * s * xy + s * s * yy,
            c * s * (yy - xx) + (c * c - s * s) * xy,
            s * s * xx - 2.0 * c * s * xy + c * c * yy,
            rest,
        ]
    };
    SurfaceForms { du, dv, first: turn(forms.first), second: turn(forms.second) }
}

/// A row times a number, for the averages.
pub(super) fn add_scaled(sum: &mut SurfaceForms, forms: &SurfaceForms, weight: f32) {
    for (sum, row) in [
        (&mut sum.du, forms.du),
        (&mut sum.dv, forms.dv),
        (&mut sum.first, forms.first),
        (&mut sum.second, forms.second),
    ] {
        for k in 0..4 {
            sum[k] += weight * row[k];
        }
    }
}

/// The same forms with another normal.
pub(super) fn with_normal(mut forms: SurfaceForms, normal: [f32; 3]) -> SurfaceForms {
    (forms.du[3], forms.dv[3], forms.first[3]) = (normal[0], normal[1], normal[2]);
    forms
}
