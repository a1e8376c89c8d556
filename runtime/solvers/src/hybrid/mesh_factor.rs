//! How much the hinges of a mesh are to be corrected, measured on two cylinders.

use super::hinge::Hinge;
use super::homogenize::Homogenized;
use super::triangle::Triangle;

/// What to multiply every k_e with, so that the mesh bent to a cylinder along u and one along v stores ½ D κ² per area of both
/// together. Measured on the triangles that have a neighbor at each edge, in the limit of small curvature; 1 for a mesh
/// without such triangles, and for one that does not bend at all.
pub fn mesh_factor(triangles: &[Triangle], hinges: &[Hinge], sheet: &Homogenized) -> f64 {
    // Half of a hinge's energy belongs to either triangle: at κ = 1/m, summed over both cylinders.
    let mut stored = vec![(0.0, 0); triangles.len()];
    for hinge in hinges {
        let Some(turns) = turns(triangles, hinge) else { continue };
        let energy = hinge.weight() * (turns[0] * turns[0] + turns[1] * turns[1]);
        for t in hinge.triangles {
            let (sum, edges) = &mut stored[t as usize];
            *sum += 0.5 * energy;
            *edges += 1;
        }
    }
    let whole = triangles.iter().zip(&stored).filter(|(_, (_, edges))| *edges == 3);
    let (mut measured, mut area) = (0.0, 0.0);
    for (triangle, (energy, _)) in whole {
        measured += energy;
        area += triangle.area;
    }
    let expected = 0.5 * (sheet.d11 + sheet.d22) * area;
    if measured > 0.0 && expected > 0.0 { expected / measured } else { 1.0 }
}

/// By how much a hinge turns, radians, on the surfaces z = ½ u² and z = ½ v²; none at seams, which have two material planes.
///
/// A height z_k at the corners is the slope Σ z_k ∇N_k of a triangle; the hinge turns by the difference of two slopes.
fn turns(triangles: &[Triangle], hinge: &Hinge) -> Option<[f64; 2]> {
    let sides = hinge.triangles.map(|t| &triangles[t as usize]);
    let local = |t: &Triangle, vertex: u32| t.corners.iter().position(|c| *c == vertex);
    let [first, last, ..] = hinge.corners;
    let mut slopes = [[[0.0; 2]; 2]; 2];
    let mut edges = [[0.0; 2]; 2];
    for (side, triangle) in sides.into_iter().enumerate() {
        let origin = local(triangle, first)?;
        edges[side] = triangle.edge(origin, local(triangle, last)?);
        for k in 0..3 {
            let from_origin = triangle.edge(origin, k);
            for (cylinder, slope) in slopes[side].iter_mut().enumerate() {
                let height = 0.5 * from_origin[cylinder].powi(2);
                slope[0] += height * triangle.gradients[k][0];
                slope[1] += height * triangle.gradients[k][1];
            }
        }
    }
    let gap = (edges[0][0] - edges[1][0]).hypot(edges[0][1] - edges[1][1]);
    let same_plane = gap < 1e-4 * hinge.length;
    let jump = |c: usize| (slopes[0][c][0] - slopes[1][c][0]).hypot(slopes[0][c][1] - slopes[1][c][1]);
    same_plane.then(|| [jump(0), jump(1)])
}

#[cfg(test)]
mod tests {
    use super::super::hinge::hinges;
    use super::*;
    use nalgebra::Vector3;

    const SHEET: Homogenized =
        Homogenized { c11: 1.0, c22: 1.0, c12: 0.0, c66: 1.0, d11: 2e-6, d22: 5e-6, d_mixed: 0.0 };

    /// `n` × `n` cells with one diagonal each, of `size` meters, moved by `warp`.
    fn mesh(n: usize, size: f64, warp: impl Fn([f64; 2]) -> [f64; 2]) -> (Vec<[f64; 2]>, Vec<Triangle>) {
        let place = |i: usize| warp([(i % (n + 1)) as f64 * size / n as f64, (i / (n + 1)) as f64 * size / n as f64]);
        let uvs: Vec<[f64; 2]> = (0..(n + 1) * (n + 1)).map(place).collect();
        let mut triangles = Vec::new();
        for (i, j) in (0..n).flat_map(|j| (0..n).map(move |i| (i, j))) {
            let a = j * (n + 1) + i;
            let (b, d) = (a + 1, a + n + 1);
            let c = d + 1;
            for corners in [[a, b, c], [a, c, d]] {
                let number = triangles.len() + 1;
                triangles
                    .push(Triangle::new(corners.map(|c| c as u32), corners.map(|c| uvs[c]), number, "mesh").unwrap());
            }
        }
        (uvs, triangles)
    }

    /// Energy of the mesh on a cylinder of curvature κ that bends along the axis, over that of the sheet, for triangles with
    /// three neighbors.
    fn cylinder(n: usize, axis: usize, warp: impl Fn([f64; 2]) -> [f64; 2]) -> f64 {
        let (uvs, triangles) = mesh(n, 0.1, warp);
        let hinges = hinges(&triangles, &SHEET, "mesh").unwrap();
        let kappa = 10.0;
        let place = |uv: &[f64; 2]| {
            let (sin, cos) = (kappa * uv[axis]).sin_cos();
            Vector3::new(sin / kappa, uv[1 - axis], (1.0 - cos) / kappa)
        };
        let positions: Vec<_> = uvs.iter().map(place).collect();
        let mut stored = vec![(0.0, 0); triangles.len()];
        for hinge in &hinges {
            let energy = hinge.bend(hinge.corners.map(|c| positions[c as usize])).energy;
            for t in hinge.triangles {
                stored[t as usize].0 += 0.5 * energy;
                stored[t as usize].1 += 1;
            }
        }
        let whole = stored.iter().zip(&triangles).filter(|((_, edges), _)| *edges == 3);
        let (energy, area) = whole.fold((0.0, 0.0), |(e, a), ((energy, _), t)| (e + energy, a + t.area));
        let d = [SHEET.d11, SHEET.d22][axis];
        energy / (0.5 * d * kappa * kappa * area)
    }

    #[test]
    fn a_mesh_of_squares_on_a_cylinder_stores_the_energy_of_the_sheet() {
        for (axis, n) in [(0, 20), (1, 20), (0, 4), (1, 4)] {
            let ratio = cylinder(n, axis, |p| p);
            assert!((ratio - 1.0).abs() < 1e-9, "axis {axis}, {n} cells: {ratio}");
            // Negative control: on rhombs it does not.
            let ratio = cylinder(n, axis, |[u, v]| [u + 0.3 * v, v + 0.2 * u]);
            assert!((ratio - 1.0).abs() > 0.01, "axis {axis}, {n} cells: {ratio}");
        }
    }

    #[test]
    fn the_factor_of_a_mesh_is_one_on_squares_and_mends_others() {
        let factor = |warp: &dyn Fn([f64; 2]) -> [f64; 2]| {
            let (_, triangles) = mesh(10, 0.1, warp);
            mesh_factor(&triangles, &hinges(&triangles, &SHEET, "mesh").unwrap(), &SHEET)
        };
        assert!((factor(&|p| p) - 1.0).abs() < 1e-12, "{}", factor(&|p| p));
        let skewed = |[u, v]: [f64; 2]| [u + 0.3 * v, v];
        assert!((factor(&skewed) - 1.0).abs() > 0.01, "{}", factor(&skewed));
        let (_, triangles) = mesh(10, 0.1, skewed);
        let mut mended = hinges(&triangles, &SHEET, "mesh").unwrap();
        let by = mesh_factor(&triangles, &mended, &SHEET);
        mended.iter_mut().for_each(|h| h.stiffness *= by);
        assert!((mesh_factor(&triangles, &mended, &SHEET) - 1.0).abs() < 1e-12);
        assert_eq!(mesh_factor(&triangles[..1], &[], &SHEET), 1.0);
    }
}
