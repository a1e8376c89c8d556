//! Coefficients of triangles that stand for a weave or for a baked pattern.
//!
//! A crossing owns L²: two segments, two bends, four corners. For small strains [Cirio14, Eq. 7, 8, 11] give
//!
//!   C11 = C22 = k_s/L,  C12 = 0,  C66 = Σ_corners k_x/L (4 k_x/L),  D11 = D22 = k_b/L,  D12 = D66 = 0
//!
//! with k_x of the compression at rest. A mesh of squares with one diagonal that is bent to a cylinder turns at its generators
//! only and stores 3 k_e κ² per area, so that k_e = D/6; an edge with rest normal n gets k_e = D(n)/6,
//!
//!   D(n) = D11 n_u⁴ + D22 n_v⁴ + (2 D12 + 4 D66) n_u² n_v²
//!
//! and a general mesh one factor, [`mesh_factor`]. [Casafranca20, §7] fits without saying how.

use super::hinge::Hinge;
use super::membrane::{Gradient, Matched, StVenantKirchhoff};
use super::triangle::Triangle;
use crate::Result;
use crate::cloth::model::curvature;
use crate::yarn::YarnMaterial;
use yarnwise_shared::pattern::weave::Draft;
use yarnwise_shared::table::Table;
use yarnwise_shared::table::database::{Database, SampleRecord};

/// A sheet for small strains and curvatures.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Homogenized {
    /// Stretch along u, N/m.
    pub c11: f64,
    /// Stretch along v, N/m.
    pub c22: f64,
    /// Between the two, N/m.
    pub c12: f64,
    /// Shear, N/m.
    pub c66: f64,
    /// Bending along u, N m.
    pub d11: f64,
    /// Bending along v, N m.
    pub d22: f64,
    /// 2 D12 + 4 D66: bending between the two, N m.
    pub d_mixed: f64,
}

impl Homogenized {
    /// A weave: small strains in tension, sheared at the compression of rest.
    pub fn of_weave(material: &YarnMaterial, draft: &Draft) -> Self {
        let (k, l) = (material.stiffness(), material.spacing);
        let rest = Gradient::identity();
        // The tangent of the matched membrane at rest: entry (u across, u across) is C66.
        let c66 = Matched::new(material, draft).tangent(&rest)[(1, 1)];
        let (c, d) = (k.stretch / l, k.bend / l);
        Homogenized { c11: c, c22: c, c12: 0.0, c66, d11: d, d22: d, d_mixed: 0.0 }
    }

    /// A baked pattern: membrane by the fit of [`crate::cloth::model::ClothMaterial::stretching_like`] (which leaves C12 at
    /// zero), bending from the bending tables. A database without energies of bent fabric gets the bending of the default
    /// [`YarnMaterial`], a light plain weave, 2e-6 N m. That a fabric is curved at rest is not looked at.
    pub fn of_database(database: &Database) -> Result<Self> {
        let [c11, c66, c22] = [0, 1, 2].map(|axis| curvature(database, axis));
        let default = default_bending();
        let tables = database.bending();
        let d11 = tables.and_then(|t| bending(&t.x, &t.x_samples)).unwrap_or(default);
        let d22 = tables.and_then(|t| bending(&t.y, &t.y_samples)).unwrap_or(default);
        Ok(Homogenized { c11: c11?, c22: c22?, c12: 0.0, c66: c66?, d11, d22, d_mixed: 0.0 })
    }

    /// The membrane that is tangent to it at rest.
    pub fn membrane(&self) -> StVenantKirchhoff {
        StVenantKirchhoff { c11: self.c11, c22: self.c22, c12: self.c12, c66: self.c66 }
    }

    /// D(n) for a unit vector in the material plane, N m.
    pub fn bending(&self, [u, v]: [f64; 2]) -> f64 {
        let (u2, v2) = (u * u, v * v);
        self.d11 * u2 * u2 + self.d22 * v2 * v2 + self.d_mixed * u2 * v2
    }

    /// k_e of an edge with this rest normal, N m, before the factor of the mesh.
    pub fn hinge_stiffness(&self, normal: [f64; 2]) -> f64 {
        self.bending(normal) / 6.0
    }
}

/// Of the tank top of [Cirio14, Table 1], N m.
fn default_bending() -> f64 {
    let material = YarnMaterial::default();
    material.stiffness().bend / material.spacing
}

/// D from the samples at rest in the plane and nearest to flat, by a parabola, N m; none where energies are missing or do not
/// grow.
fn bending(table: &Table<4>, samples: &[SampleRecord]) -> Option<f64> {
    let grid = table.grid();
    let [x, a, y, flat] = [grid.0[0].zero()?, grid.0[1].zero()?, grid.0[2].zero()?, grid.0[3].zero()?];
    let energy = |index: usize| {
        let record = &samples[grid.sample([x, a, y, index])];
        record.energy_density.filter(|_| !record.status.failed())
    };
    let zero = energy(flat)?;
    let curvatures = grid.0[3].values();
    // (ψ − ψ₀)/κ, whose slope is half of D.
    let rise = |index: usize| energy(index).map(|e| (curvatures[index], (e - zero) / curvatures[index]));
    let below = (0..flat).rev().find_map(rise);
    let above = (flat + 1..curvatures.len()).find_map(rise);
    let stiffness = match (below, above) {
        (Some((k0, r0)), Some((k1, r1))) => 2.0 * (r1 - r0) / (k1 - k0),
        (Some((k, r)), None) | (None, Some((k, r))) => 2.0 * r / k,
        (None, None) => return None,
    };
    (stiffness > 0.0).then_some(stiffness)
}

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
    use super::super::tests::{database, state};
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

    #[test]
    fn a_weave_has_the_coefficients_of_its_yarns() {
        let material = YarnMaterial::default();
        let k = material.stiffness();
        let draft = Draft::preset("plain").unwrap();
        let sheet = Homogenized::of_weave(&material, &draft);
        // c_n = 1: at rest the stiffness of corners is doubled.
        let expected = [1963.495, 1963.495, 2.0 * 4.0 * k.shear / 1e-3, 1.963495e-6];
        for (value, expected) in [sheet.c11, sheet.c22, sheet.c66, sheet.d11].into_iter().zip(expected) {
            assert!((value / expected - 1.0).abs() < 1e-6, "{value} {expected}");
        }
        let matched = Matched::new(&material, &draft);
        for f in [state(1.0 + 1e-5, 1.0, 0.0), state(1.0, 1.0, 1e-4)] {
            let ratio = sheet.membrane().energy(&f) / matched.energy(&f);
            assert!((ratio - 1.0).abs() < 1e-3, "{ratio}");
        }
        let far = sheet.membrane().energy(&state(1.1, 1.0, 0.0)) / matched.energy(&state(1.1, 1.0, 0.0));
        assert!(far > 1.05, "only tangent: {far}");
        assert!((sheet.hinge_stiffness([1.0, 0.0]) - sheet.d11 / 6.0).abs() < 1e-20);
        assert!((sheet.hinge_stiffness([0.6, 0.8]) - sheet.d11 * (0.1296 + 0.4096) / 6.0).abs() < 1e-18);
    }

    #[test]
    fn a_database_gives_a_sheet() {
        for name in ["stockinette.ydb", "satin.ydb", "plain.ydb"] {
            let database = database(name);
            let sheet = Homogenized::of_database(&database).unwrap();
            assert!(sheet.c11 > 0.0 && sheet.c22 > 0.0 && sheet.c66 > 0.0, "{name}: {sheet:?}");
            assert!(sheet.d11 > 1e-9 && sheet.d11 < 1e-2, "{name}: {sheet:?}");
            if database.bending().is_none() {
                assert_eq!(sheet.d11, default_bending());
            }
        }
    }

    #[test]
    fn bending_is_found_in_tables_also_of_curled_fabric() {
        use yarnwise_shared::table::database::SampleStatus;
        use yarnwise_shared::table::grid::{Axis, Grid};
        let axis = |values: &[f64]| Axis::new("axis", values.to_vec()).unwrap();
        let grid = Grid([axis(&[0.0, 1.0]), axis(&[0.0, 0.5]), axis(&[0.0, 1.0]), axis(&[-80.0, 0.0, 100.0])]);
        let record = |i: usize| SampleRecord {
            status: SampleStatus::Converged,
            energy_density: Some(1.0 + 0.5 * 3e-6 * (grid.coordinates(i)[3] - 20.0).powi(2)),
            ..SampleRecord::IMPORTED
        };
        let mut samples: Vec<_> = (0..grid.sample_count()).map(record).collect();
        let table = Table::new(grid.clone(), 1, vec![[0.0; 4]; grid.sample_count()]).unwrap();
        assert!((bending(&table, &samples).unwrap() / 3e-6 - 1.0).abs() < 1e-9);
        samples.iter_mut().for_each(|s| s.energy_density = None);
        assert_eq!(bending(&table, &samples), None);
    }
}
