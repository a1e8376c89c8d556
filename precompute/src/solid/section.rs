//! The section of a solid yarn: a butterfly of quads.
//!
//! A core of 2x2 quads and one or two rings of 8. Eight corners lie on the outside; an octagon has the area of the circle when they
//! are at r sqrt(pi / (4 sin 45 deg)) = 1.0539 r, and its second moment is then 0.23 % above pi r^4 / 4.

use std::f64::consts::{FRAC_PI_4, PI};

/// Half the width of the core, in radii (*chosen*: quads of the core and the ring are about as large).
const CORE: f64 = 0.45;

/// Corners on the outside.
const AROUND: usize = 8;

/// A plane mesh.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Section {
    /// Places of corners, in radii; the center of the section is one of them.
    pub(crate) points: Vec<[f64; 2]>,
    /// Corners of each quad, counterclockwise.
    pub(crate) quads: Vec<[usize; 4]>,
}

/// Which point of a section is its center.
pub(crate) const CENTER: usize = 4;

impl Section {
    /// A core with `rings` around it.
    pub(crate) fn butterfly(rings: usize) -> Self {
        let row = |y: f64| [-CORE, 0.0, CORE].map(|x| [x, y]);
        let mut points: Vec<[f64; 2]> = [-CORE, 0.0, CORE].into_iter().flat_map(row).collect();
        let mut quads = vec![[0, 1, 4, 3], [1, 2, 5, 4], [3, 4, 7, 6], [4, 5, 8, 7]];
        // The border of the core counterclockwise, from the corner at -135 degrees.
        let core = [0, 1, 2, 5, 8, 7, 6, 3];
        let mut inner = core;
        for ring in 1..=rings {
            let share = ring as f64 / rings as f64;
            let first = points.len();
            for (k, from) in core.into_iter().enumerate() {
                let [from, to] = [points[from], outside(k)];
                points.push([0, 1].map(|c| from[c] + (to[c] - from[c]) * share));
            }
            let outer: [usize; AROUND] = std::array::from_fn(|k| first + k);
            for k in 0..AROUND {
                let next = (k + 1) % AROUND;
                quads.push([inner[k], outer[k], outer[next], inner[next]]);
            }
            inner = outer;
        }
        Section { points, quads }
    }

    /// The quad of the outermost ring that `angle` (from the x axis) points to, and where: from -1 to 1 between its corners
    /// inwards and outwards, then between its sides. The place is on the ray at `radius` radii, also when it is a little outside.
    pub(crate) fn locate(&self, angle: f64, radius: f64) -> (usize, [f64; 2]) {
        let turn = (angle + 3.0 * FRAC_PI_4).rem_euclid(2.0 * PI) / FRAC_PI_4;
        // A hair before a corner is that corner.
        let sector = (turn + 1e-9).floor() as usize % AROUND;
        let quad = self.quads.len() - AROUND + sector;
        let corners = self.quads[quad].map(|p| self.points[p]);
        (quad, inverse_bilinear(&corners, [radius * angle.cos(), radius * angle.sin()]))
    }
}

fn outside(k: usize) -> [f64; 2] {
    let angle = FRAC_PI_4 * (k as f64 - 3.0);
    let radius = (PI / (4.0 * FRAC_PI_4.sin())).sqrt();
    [radius * angle.cos(), radius * angle.sin()]
}

/// Where in a quad a place is: Newton's method, from the middle of its outer side.
fn inverse_bilinear(corners: &[[f64; 2]; 4], at: [f64; 2]) -> [f64; 2] {
    let mut s = [1.0, 0.0];
    for _ in 0..20 {
        let [u, v] = s;
        let n = [(1.0 - u) * (1.0 - v), (1.0 + u) * (1.0 - v), (1.0 + u) * (1.0 + v), (1.0 - u) * (1.0 + v)];
        let du = [v - 1.0, 1.0 - v, 1.0 + v, -1.0 - v];
        let dv = [u - 1.0, -1.0 - u, 1.0 + u, 1.0 - u];
        let sum = |w: &[f64; 4], c: usize| (0..4).map(|k| 0.25 * w[k] * corners[k][c]).sum::<f64>();
        let e = [0, 1].map(|c| at[c] - sum(&n, c));
        let (a, b, c, d) = (sum(&du, 0), sum(&dv, 0), sum(&du, 1), sum(&dv, 1));
        let det = a * d - b * c;
        s = [u + (d * e[0] - b * e[1]) / det, v + (a * e[1] - c * e[0]) / det];
    }
    s
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_area_is_that_of_the_circle_and_the_second_moment_nearly() {
        for (rings, quads, points) in [(1, 12, 17), (2, 20, 25)] {
            let section = Section::butterfly(rings);
            assert_eq!((section.quads.len(), section.points.len()), (quads, points));
            assert_eq!(section.points[CENTER], [0.0; 2]);
            let (mut area, mut moment) = (0.0, 0.0);
            for quad in &section.quads {
                for k in 0..4 {
                    let [a, b] = [section.points[quad[k]], section.points[quad[(k + 1) % 4]]];
                    let cross = a[0] * b[1] - a[1] * b[0];
                    area += cross / 2.0;
                    moment += cross * (a[0] * a[0] + a[0] * b[0] + b[0] * b[0]) / 12.0;
                }
                let [a, b, c, _] = quad.map(|p| section.points[p]);
                assert!((b[0] - a[0]) * (c[1] - b[1]) - (b[1] - a[1]) * (c[0] - b[0]) > 0.0, "counterclockwise");
            }
            assert!((area / PI - 1.0).abs() < 1e-14);
            assert!((moment / (PI / 4.0) - 1.0023).abs() < 1e-4, "{}", moment / (PI / 4.0));
        }
    }

    #[test]
    fn places_on_the_outside_are_located() {
        for rings in [1, 2] {
            let section = Section::butterfly(rings);
            for k in 0..32 {
                let angle = f64::from(k) * PI / 16.0 - 1.0;
                let (quad, [u, v]) = section.locate(angle, 1.0);
                let n = [(1.0 - u) * (1.0 - v), (1.0 + u) * (1.0 - v), (1.0 + u) * (1.0 + v), (1.0 - u) * (1.0 + v)];
                let coordinate = |i: usize, c: usize| section.points[section.quads[quad][i]][c];
                let at = [0, 1].map(|c| (0..4).map(|i| 0.25 * n[i] * coordinate(i, c)).sum::<f64>());
                assert!((f64::hypot(at[0] - angle.cos(), at[1] - angle.sin())) < 1e-13);
                assert!(u > 0.5 && u < 1.25 && v.abs() < 1.0 + 1e-9, "{u} {v}");
            }
            let (_, [u, v]) = section.locate(-PI / 2.0, 1.0539);
            assert!((u - 1.0).abs() < 1e-3 && (v + 1.0).abs() < 1e-9);
        }
    }
}
