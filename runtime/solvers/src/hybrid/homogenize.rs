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
//! and a general mesh one factor, [`super::mesh_factor()`]. [Casafranca20, §7] fits without saying how.

use super::membrane::{Gradient, Matched, Membrane, StVenantKirchhoff};
use crate::Result;
use crate::cloth::model::curvature;
use crate::yarn::YarnMaterial;
use yarnwise_shared::parameters::{MembraneParameters, SheetBending, SheetConstants};
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
        let c66 = Membrane::from(Matched::new(material, draft)).tangent(&rest)[(1, 1)];
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

    /// What was estimated; where bending was not, that of `yarns`.
    pub fn of_parameters(parameters: &MembraneParameters<f64>, yarns: &Homogenized) -> Self {
        let SheetConstants { c11, c22, c12, c66 } = parameters.in_plane.at_rest();
        let own = SheetBending { d11: yarns.d11, d22: yarns.d22, d_mixed: yarns.d_mixed };
        let SheetBending { d11, d22, d_mixed } = parameters.bending.unwrap_or(own);
        Homogenized { c11, c22, c12, c66, d11, d22, d_mixed }
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

#[cfg(test)]
mod tests {
    use super::super::tests::{database, state};
    use super::*;

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
