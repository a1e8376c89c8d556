//! Solids against what is known of them: affine motions, bars, cylinders in contact.

mod bars;
mod cells;
mod contact;
mod hertz;
mod patch;

use super::assembly::SolidBody;
use super::law::SolidMaterial;
use super::mesh::Mesh;
use super::yarn::CenterLine;
use crate::newton::{Holds, Minimum, Newton, NewtonOptions};
use nalgebra::Vector3;

/// Young's modulus 1 Pa, isotropic.
fn material() -> SolidMaterial {
    SolidMaterial::isotropic(1.0)
}

fn solve(
    assembly: &mut SolidBody,
    start: Vec<Vector3<f64>>,
    holds: Holds,
    tolerance: f64,
) -> (Minimum, Vec<Vector3<f64>>) {
    let options = NewtonOptions { tolerance, rho: 0.0, ..NewtonOptions::default() };
    let mut newton = Newton::new(assembly, start, holds, &options);
    (newton.run(), newton.into_x())
}

/// Gradient and second derivatives as lists of numbers.
fn derivatives(assembly: &mut SolidBody, x: &[Vector3<f64>]) -> (Vec<f64>, nalgebra::DMatrix<f64>) {
    use crate::newton::{Objective, PointMatrix};
    assembly.refresh(x);
    let mut pairs = Vec::new();
    assembly.couplings(&mut |a, b| pairs.push((a, b)));
    let mut matrix = PointMatrix::new(x, pairs.into_iter());
    let mut gradient = vec![Vector3::zeros(); x.len()];
    assembly.derivatives(x, &mut gradient, &mut matrix);
    (gradient.iter().flat_map(|g| g.iter().copied()).collect(), matrix.dense())
}

/// A block of bricks with these levels along the axes; `move_corner` takes a corner's indices and place and gives its place.
fn block(
    brick: super::Brick,
    levels: [&[f64]; 3],
    place: impl Fn([usize; 3], Vector3<f64>) -> Vector3<f64>,
) -> (Mesh, Vec<Vector3<f64>>) {
    let n = levels.map(<[f64]>::len);
    let number = |[i, j, k]: [usize; 3]| i + n[0] * (j + n[1] * k);
    let all =
        |n: [usize; 3]| (0..n[2]).flat_map(move |k| (0..n[1]).flat_map(move |j| (0..n[0]).map(move |i| [i, j, k])));
    let corner = |at: [usize; 3]| place(at, Vector3::new(levels[0][at[0]], levels[1][at[1]], levels[2][at[2]]));
    let corners: Vec<Vector3<f64>> = all(n).map(corner).collect();
    let hexahedron = |[i, j, k]: [usize; 3]| {
        [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0], [0, 0, 1], [1, 0, 1], [1, 1, 1], [0, 1, 1]]
            .map(|[a, b, c]| number([i + a, j + b, k + c]))
    };
    let hexahedra: Vec<[usize; 8]> = all(n.map(|n| n - 1)).map(hexahedron).collect();
    Mesh::new(brick, &corners, &hexahedra).expect("no element is inside out")
}

/// Holds gradient and second derivatives against central differences, for motions of some points.
fn check_differences(assembly: &mut SolidBody, x: &[Vector3<f64>], points: impl Iterator<Item = usize>) {
    use crate::newton::Objective;
    let h = 1e-5;
    let (gradient, hessian) = derivatives(assembly, x);
    let size = [gradient.iter().fold(0.0, |m: f64, g| m.max(g.abs())), hessian.amax()];
    assert!(size[0] > 0.0, "the gradient is not zero");
    let (mut first, mut second) = (0.0_f64, 0.0_f64);
    for (p, axis) in points.flat_map(|p| (0..3).map(move |a| (p, a))) {
        let moved = |by: f64| {
            let mut x = x.to_vec();
            x[p][axis] += by;
            x
        };
        let slope = (assembly.value(&moved(h)) - assembly.value(&moved(-h))) / (2.0 * h);
        first = first.max((slope - gradient[3 * p + axis]).abs());
        let [up, down] = [h, -h].map(|by| assembly.gradient(&moved(by)));
        let entry = |g: &[Vector3<f64>], r: usize| g[r / 3][r % 3];
        for r in 0..gradient.len() {
            second = second.max(((entry(&up, r) - entry(&down, r)) / (2.0 * h) - hessian[(r, 3 * p + axis)]).abs());
        }
    }
    assert!(first / size[0] < 1e-8 && second / size[1] < 1e-8, "{:e} {:e}", first / size[0], second / size[1]);
}
