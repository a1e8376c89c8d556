//! The energy of a weave as a membrane; formulas are in `yarnwise-solvers`.

use super::super::vector::{Vec3, combine, dot, scaled, sub};
use super::super::yarn_solver::angle::Angle;
use super::super::yarn_solver::compression::bent;
use super::super::yarn_solver::elements::shear;
use super::matrix::{Mat3, add, outer, positive_part};
use super::membrane::{Membrane, MembraneInput};
use crate::gpu::constants::{COLLAPSED, FOLDED, PARALLEL_SINE, PI};

/// Force along the normal on the middle of a yarn that runs over (1) and under as the bits say, N.
fn woven_force(input: &MembraneInput<'_>, sides: u32, stretch: f32) -> f32 {
    let params = input.params;
    let side = |k: usize| if sides >> k & 1 == 1 { params.radius } else { -params.radius };
    let p: [Vec3; 5] = std::array::from_fn(|k| [(k as f32 - 2.0) * params.spacing * stretch, 0.0, side(k)]);
    let rest = params.spacing;
    let bend = |k: usize| bent(params.bend, p[k], p[k + 1], p[k + 2], rest, rest);
    let ((ahead, _, first), (g1, g2, middle), (_, behind, last)) = (bend(0), bend(1), bend(2));
    let mut force = scaled(ahead, -first);
    force = combine(force, 1.0, combine(g1, 1.0, g2, 1.0), middle);
    force = combine(force, 1.0, behind, -last);
    let tension = (params.stretch * (stretch - 1.0)).max(0.0);
    for other in [p[1], p[3]] {
        let d = sub(other, p[2]);
        force = combine(force, 1.0, d, tension / dot(d, d).sqrt());
    }
    force[2]
}

/// Corners at φ that do not jam and that do, and at π − φ, each times 1 + c_n F_n/F_0.
fn growth(input: &MembraneInput<'_>, weft: f32, warp: f32) -> [f32; 4] {
    let mut growth = [0.0; 4];
    for crossing in input.crossings {
        let over = if crossing.warp >> 2 & 1 == 1 { 1.0 } else { -1.0 };
        let pressed = woven_force(input, crossing.warp, warp) - woven_force(input, crossing.weft, weft);
        let force = (-0.5 * over * pressed).max(0.0);
        for (sum, corners) in growth.iter_mut().zip(crossing.corners) {
            *sum += corners * (1.0 + input.params.shear_compression * force);
        }
    }
    growth
}

/// Moment and stiffness of all corners, per area.
fn woven_shear(input: &MembraneInput<'_>, phi: f32, growth: [f32; 4]) -> (f32, f32) {
    let params = input.params;
    let at = |angle: f32, jams: bool| shear(params, angle, params.shear, jams);
    let corners = [at(phi, false), at(phi, true), at(PI - phi, false), at(PI - phi, true)];
    let area = params.spacing * params.spacing;
    let signs = [1.0, 1.0, -1.0, -1.0];
    let moment: f32 = (0..4).map(|k| signs[k] * growth[k] * corners[k].0).sum();
    let stiffness: f32 = (0..4).map(|k| growth[k] * corners[k].1).sum();
    (moment / area, stiffness / area)
}

/// Stress and stiffness of one family of yarns, per area.
fn woven_stretch(input: &MembraneInput<'_>, length: f32) -> (f32, f32) {
    let strain = length - 1.0;
    let ratio = if strain < 0.0 { input.params.compression_ratio } else { 1.0 };
    let k = input.params.stretch / input.params.spacing * ratio;
    (k * strain, k)
}

pub(super) fn matched(input: &MembraneInput<'_>, u: Vec3, v: Vec3) -> Membrane {
    let lengths = [u, v].map(|c| dot(c, c).sqrt());
    let direction = |c: Vec3, l: f32| if l > COLLAPSED { scaled(c, 1.0 / l) } else { [1.0, 0.0, 0.0] };
    let (t1, t3) = (direction(u, lengths[0]), direction(v, lengths[1]));
    let [iu, iv] = lengths.map(|l| 1.0 / l.max(FOLDED));
    let angle = Angle::between(t1, t3);
    let (moment, stiffness) = woven_shear(input, angle.value(), growth(input, lengths[0], lengths[1]));
    let ((tension_u, along_u), (tension_v, along_v)) =
        (woven_stretch(input, lengths[0]), woven_stretch(input, lengths[1]));
    let (g1, g3) = (scaled(angle.e1, -iu), scaled(angle.e3, -iv));
    let (c, turning) = (input.material_factor(), stiffness.max(0.0));
    let mut m = Membrane {
        stress: [combine(t1, tension_u, g1, moment), combine(t3, tension_v, g3, moment)],
        ..Membrane::default()
    };
    add(&mut m.uu, &outer(t1, t1), c * along_u);
    add(&mut m.uu, &outer(g1, g1), c * turning);
    add(&mut m.vv, &outer(t3, t3), c * along_v);
    add(&mut m.vv, &outer(g3, g3), c * turning);
    add(&mut m.uv, &outer(g1, g3), c * turning);
    let h = input.scalars.h;
    add(&mut m.uu, &in_plane(t1, angle.e1, moment * iu * iu, tension_u * iu), h * h);
    add(&mut m.vv, &in_plane(t3, angle.e3, moment * iv * iv, tension_v * iv), h * h);
    let sine = angle.sine.max(PARALLEL_SINE);
    let cotangent = angle.cosine / sine;
    let across = positive_part([
        tension_u * iu + moment * cotangent * iu * iu,
        -moment * iu * iv / sine,
        tension_v * iv + moment * cotangent * iv * iv,
    ]);
    let normal = outer(angle.normal, angle.normal);
    add(&mut m.uu, &normal, across[0] * h * h);
    add(&mut m.uv, &normal, across[1] * h * h);
    add(&mut m.vv, &normal, across[2] * h * h);
    m
}

/// The positive part of the stiffness of tension in the plane of a yarn's direction and the one across it.
fn in_plane(t: Vec3, e: Vec3, mixed: f32, along: f32) -> Mat3 {
    let [tt, te, ee] = positive_part([0.0, mixed, along]);
    let mut sum = [[0.0; 3]; 3];
    add(&mut sum, &outer(t, t), tt);
    add(&mut sum, &outer(t, e), te);
    add(&mut sum, &outer(e, t), te);
    add(&mut sum, &outer(e, e), ee);
    sum
}
