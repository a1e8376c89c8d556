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
