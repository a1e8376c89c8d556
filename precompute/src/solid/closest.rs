//! The squared distance of a point and a triangle, with its derivatives by all four places.
//!
//!   d^2 = min over w of |r|^2,   r = p - sum_i w_i x_i
//!
//! With c = (1, -w) for (p, x), e_k = the directions in which w is free (two edges on the face, one on an edge, none at a corner) and
//! G_kl = e_k . e_l, the minimum over w gives
//!
//!   d(d^2)/dx_i = 2 c_i r,   d2(d^2)/dx_i dx_j = 2 (c_i c_j I - sum_kl B_ik (G^-1)_kl B_jl^T),   B_ik = dc_i/dw_k r - c_i e_k.

use nalgebra::{Matrix2, Matrix3, Vector3};

/// Where on a triangle a point is nearest.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Closest {
    /// Weights of the corners.
    pub(crate) weights: [f64; 3],
    /// From there to the point, m.
    pub(crate) offset: Vector3<f64>,
    /// The corners between which the place is free to move: none, one edge, or two edges from one corner.
    free: ([[usize; 2]; 2], usize),
}

/// The place on the triangle nearest to `p`: regions of corners, edges and the face are tested in turn \[Ericson05, 5.1.5\].
pub(crate) fn closest(p: &Vector3<f64>, x: &[Vector3<f64>; 3]) -> Closest {
    let [ab, ac, ap] = [x[1] - x[0], x[2] - x[0], p - x[0]];
    let (d1, d2) = (ab.dot(&ap), ac.dot(&ap));
    if d1 <= 0.0 && d2 <= 0.0 {
        return corner(p, x, 0);
    }
    let bp = p - x[1];
    let (d3, d4) = (ab.dot(&bp), ac.dot(&bp));
    if d3 >= 0.0 && d4 <= d3 {
        return corner(p, x, 1);
    }
    let cp = p - x[2];
    let (d5, d6) = (ab.dot(&cp), ac.dot(&cp));
    if d6 >= 0.0 && d5 <= d6 {
        return corner(p, x, 2);
    }
    let (va, vb, vc) = (d3 * d6 - d5 * d4, d5 * d2 - d1 * d6, d1 * d4 - d3 * d2);
    if vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0 {
        return edge(p, x, [0, 1], d1 / (d1 - d3));
    }
    if vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0 {
        return edge(p, x, [0, 2], d2 / (d2 - d6));
    }
    if va <= 0.0 && d4 >= d3 && d5 >= d6 {
        return edge(p, x, [1, 2], (d4 - d3) / ((d4 - d3) + (d5 - d6)));
    }
    let inverse = 1.0 / (va + vb + vc);
    let weights = [va * inverse, vb * inverse, vc * inverse];
    at(p, x, weights, ([[0, 1], [0, 2]], 2))
}

fn corner(p: &Vector3<f64>, x: &[Vector3<f64>; 3], k: usize) -> Closest {
    let mut weights = [0.0; 3];
    weights[k] = 1.0;
    at(p, x, weights, ([[0, 1]; 2], 0))
}

fn edge(p: &Vector3<f64>, x: &[Vector3<f64>; 3], ends: [usize; 2], share: f64) -> Closest {
    let mut weights = [0.0; 3];
    weights[ends[0]] = 1.0 - share;
    weights[ends[1]] = share;
    at(p, x, weights, ([ends; 2], 1))
}

fn at(p: &Vector3<f64>, x: &[Vector3<f64>; 3], weights: [f64; 3], free: ([[usize; 2]; 2], usize)) -> Closest {
    let offset = p - (x[0] * weights[0] + x[1] * weights[1] + x[2] * weights[2]);
    Closest { weights, offset, free }
}

impl Closest {
    /// c: how much of each place, the point first, is in the offset.
    pub(crate) fn shares(&self) -> [f64; 4] {
        let [a, b, c] = self.weights;
        [1.0, -a, -b, -c]
    }

    /// Half of the second derivatives of the squared distance by point and corners.
    pub(crate) fn half_hessian(&self, x: &[Vector3<f64>; 3]) -> [[Matrix3<f64>; 4]; 4] {
        let c = self.shares();
        let mut out = [[Matrix3::zeros(); 4]; 4];
        for (i, j) in (0..4).flat_map(|i| (0..4).map(move |j| (i, j))) {
            out[i][j] = Matrix3::from_diagonal_element(c[i] * c[j]);
        }
        let (edges, count) = &self.free;
        let directions = edges.map(|[from, to]| x[to] - x[from]);
        let b = |i: usize, k: usize| {
            let [from, to] = edges[k];
            let change = if i == from + 1 { 1.0 } else { 0.0 } - if i == to + 1 { 1.0 } else { 0.0 };
            self.offset * change - directions[k] * c[i]
        };
        let inverse = inverse_gram(&directions, *count);
        for (k, l) in (0..*count).flat_map(|k| (0..*count).map(move |l| (k, l))) {
            for (i, j) in (0..4).flat_map(|i| (0..4).map(move |j| (i, j))) {
                out[i][j] -= b(i, k) * b(j, l).transpose() * inverse[(k, l)];
            }
        }
        out
    }
}

/// The inverse of the matrix of scalar products of the first `count` directions.
fn inverse_gram(e: &[Vector3<f64>; 2], count: usize) -> Matrix2<f64> {
    let (a, b, c) = (e[0].norm_squared(), e[0].dot(&e[1]), e[1].norm_squared());
    match count {
        2 => Matrix2::new(c, -b, -b, a) / (a * c - b * b),
        _ => Matrix2::new(1.0 / a, 0.0, 0.0, 0.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TRIANGLE: [[f64; 3]; 3] = [[0.0, 0.1, 0.0], [1.0, 0.0, 0.2], [0.3, 0.9, -0.1]];

    /// Points over the face, the three edges and the three corners.
    const POINTS: [[f64; 3]; 7] = [
        [0.4, 0.3, 0.5],
        [0.5, -0.6, 0.2],
        [-0.5, 0.7, 0.3],
        [1.0, 0.9, -0.4],
        [-0.5, -0.4, 0.1],
        [1.8, -0.5, 0.3],
        [0.4, 1.9, 0.2],
    ];

    fn places(p: [f64; 3]) -> [Vector3<f64>; 4] {
        [p, TRIANGLE[0], TRIANGLE[1], TRIANGLE[2]].map(Vector3::from)
    }

    fn half(x: &[Vector3<f64>; 4]) -> f64 {
        0.5 * closest(&x[0], &[x[1], x[2], x[3]]).offset.norm_squared()
    }

    fn gradient(x: &[Vector3<f64>; 4]) -> [Vector3<f64>; 4] {
        let c = closest(&x[0], &[x[1], x[2], x[3]]);
        c.shares().map(|s| c.offset * s)
    }

    #[test]
    fn no_place_on_the_triangle_is_nearer() {
        let mut features = Vec::new();
        for p in POINTS {
            let x = places(p);
            let c = closest(&x[0], &[x[1], x[2], x[3]]);
            features.push(c.weights.iter().filter(|w| **w > 0.0).count());
            assert!((c.weights.iter().sum::<f64>() - 1.0).abs() < 1e-14 && c.weights.iter().all(|w| *w >= 0.0));
            let nearest = (0..=200)
                .flat_map(|i| (0..=200 - i).map(move |j| (f64::from(i) / 200.0, f64::from(j) / 200.0)))
                .map(|(u, v)| (x[0] - (x[1] * (1.0 - u - v) + x[2] * u + x[3] * v)).norm())
                .fold(f64::INFINITY, f64::min);
            assert!(c.offset.norm() <= nearest && c.offset.norm() > nearest - 1e-2);
        }
        assert_eq!(features, [3, 2, 2, 2, 1, 1, 1]);
    }

    #[test]
    fn derivatives_agree_with_differences_at_face_edges_and_corners() {
        let h = 1e-5;
        for p in POINTS {
            let x = places(p);
            let hessian = closest(&x[0], &[x[1], x[2], x[3]]).half_hessian(&[x[1], x[2], x[3]]);
            let (mut first, mut second) = (0.0_f64, 0.0_f64);
            for (j, axis) in (0..4).flat_map(|j| (0..3).map(move |a| (j, a))) {
                let (mut up, mut down) = (x, x);
                up[j][axis] += h;
                down[j][axis] -= h;
                first = first.max(((half(&up) - half(&down)) / (2.0 * h) - gradient(&x)[j][axis]).abs());
                let (gu, gd) = (gradient(&up), gradient(&down));
                for i in 0..4 {
                    let change = (gu[i] - gd[i]) / (2.0 * h);
                    second = second.max((change - hessian[i][j].column(axis)).norm());
                }
            }
            assert!(first < 1e-9 && second < 1e-8, "{p:?}: {first:e} {second:e}");
            assert!((hessian[1][2] - hessian[2][1].transpose()).norm() < 1e-14);
        }
    }
}
