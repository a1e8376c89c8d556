//! Orthotropic St. Venant-Kirchhoff membrane [Casafranca20, §4.1]; formulas are in `yarnwise-solvers`.

use super::super::vector::{Vec3, combine, dot};
use super::matrix::{Mat3, add, outer, positive_part};
use super::membrane::{Membrane, MembraneInput};

const ONE: Mat3 = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];

pub(super) fn st_venant_kirchhoff(input: &MembraneInput<'_>, u: Vec3, v: Vec3) -> Membrane {
    let e = [0.5 * (dot(u, u) - 1.0), 0.5 * dot(u, v), 0.5 * (dot(v, v) - 1.0)];
    let [c11, c22, c12, c66] = input.hybrid.membrane;
    let s = [c11 * e[0] + c12 * e[2], 2.0 * c66 * e[1], c12 * e[0] + c22 * e[2]];
    let c = input.material_factor();
    let [p11, p22, p12, p66] = input.hybrid.positive.map(|p| p * c);
    let h = input.scalars.h;
    let tension = positive_part(s).map(|s| s * h * h);
    let mut m = Membrane { stress: [combine(u, s[0], v, s[1]), combine(u, s[1], v, s[2])], ..Membrane::default() };
    for (block, parts) in [
        (&mut m.uu, [(outer(u, u), p11), (outer(v, v), p66), (ONE, tension[0])]),
        (&mut m.vv, [(outer(v, v), p22), (outer(u, u), p66), (ONE, tension[2])]),
        (&mut m.uv, [(outer(u, v), p12), (outer(v, u), p66), (ONE, tension[1])]),
    ] {
        parts.iter().for_each(|(part, factor)| add(block, part, *factor));
    }
    m
}
