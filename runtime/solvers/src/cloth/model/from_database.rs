//! Stiffness of a sheet from the energy of its pattern.
//!
//! A bake stores the energy density ψ of each sample. Near rest, a sheet of the grid's springs has
//!
//!   ψ(sx) = ½ (k_u + k_shear) sx²,  ψ(sy) = ½ (k_v + k_shear) sy²,  ψ(sa) = ½ (k_shear / 2) sa²
//!
//! (both diagonals of a cell lengthen under stretch, one of the two under shear), so that the sheet stretches like the
//! pattern it shows.

use super::ClothMaterial;
use crate::{Error, Result};
use yarnwise_shared::parameters::SheetConstants;
use yarnwise_shared::table::database::Database;

/// Strains up to which ψ is taken for a parabola.
const SMALL: f64 = 0.35;

impl ClothMaterial {
    /// The material with the in-plane stiffness of a database's pattern; all else stays.
    pub fn stretching_like(self, database: &Database) -> Result<Self> {
        let [along_u, shear, along_v] = [0, 1, 2].map(|axis| curvature(database, axis));
        let (along_u, shear, along_v) = (along_u?, shear?, along_v?);
        Ok(self.with_stiffness([along_u, along_v, shear]))
    }

    /// The material with what springs can carry of a sheet: C11, C22 and C66 at small strains; all else stays. Springs along the
    /// diagonals couple warp and weft by 2 C66 whatever C12 is.
    pub fn stretching_as(self, sheet: &SheetConstants<f64>) -> Self {
        self.with_stiffness([sheet.c11, sheet.c22, sheet.c66])
    }

    /// Of second derivatives of ψ by sx, sy, sa, N/m.
    fn with_stiffness(self, [along_u, along_v, shear]: [f64; 3]) -> Self {
        let shear_stiffness = 2.0 * shear;
        // A knit may shear so stiffly that no spring along warp or weft is left over; keep the smallest that holds.
        let rest = |k: f64| (k - shear_stiffness).max(0.1 * k);
        ClothMaterial { stretch_stiffness: rest(along_u), weft_stiffness: Some(rest(along_v)), shear_stiffness, ..self }
    }
}

/// Least-squares fit of ψ = ψ₀ + ½ c s² along one axis through rest, N/m: sx, sa, sy are the axes 0, 1, 2.
///
/// Of sx and sy only lengthening counts: in compression cloth folds.
pub(crate) fn curvature(database: &Database, axis: usize) -> Result<f64> {
    let grid = database.table().grid();
    let fault = |problem: &str| {
        let name = ["sx", "sa", "sy"][axis];
        Error::invalid(database.name(), format!("stiffness along {name}: {problem}"))
    };
    let rest = [0, 1, 2].map(|a| grid.0[a].zero());
    let [Some(x), Some(a), Some(y)] = rest else { return Err(fault("the grid has no sample at rest")) };
    let density = |index: usize| {
        let mut at = [x, a, y];
        at[axis] = index;
        database.samples()[grid.sample(at)].energy_density
    };
    let unknown = "the database has no energies there; bake it with this program";
    let zero = density([x, a, y][axis]).ok_or_else(|| fault(unknown))?;
    let (mut top, mut bottom) = (0.0, 0.0);
    for (index, s) in grid.0[axis].values().iter().enumerate() {
        let counts = s.abs() <= SMALL && (*s > 0.0 || (axis == 1 && *s < 0.0));
        if let Some(energy) = density(index).filter(|_| counts) {
            let half_square = 0.5 * s * s;
            top += (energy - zero) * half_square;
            bottom += half_square * half_square;
        }
    }
    if bottom == 0.0 {
        return Err(fault("no sample at a strain between 0 and 0.35 has an energy"));
    }
    let curvature = top / bottom;
    if curvature > 0.0 { Ok(curvature) } else { Err(fault("the energy does not grow with strain")) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use yarnwise_shared::pattern::pyp;
    use yarnwise_shared::table::Table;
    use yarnwise_shared::table::database::{DatabaseData, SampleRecord, SampleStatus};
    use yarnwise_shared::table::grid::{Axis, Grid};

    /// A database whose energies are those of a sheet of springs.
    fn database(k_u: f64, k_v: f64, k_shear: f64, known: bool) -> Database {
        let text = "*pattern\n0.01 0.01 0.001 2\n*Q\n0 0 0 0\n0.005 0 0 0\n*E\n0 1 0 0\n1 0 1 0\n*RL\n0.005\n0.005\n\
                    *RefD1\n0 0 1\n0 0 1\n";
        let pattern = pyp::parse(text.as_bytes(), "small").unwrap();
        let axis = |values: &[f64]| Axis::new("axis", values.to_vec()).unwrap();
        let grid = Grid([axis(&[-0.1, 0.0, 0.1, 0.3, 1.0]), axis(&[-0.2, 0.0, 0.2]), axis(&[0.0, 0.2, 0.9])]);
        let energy = |[sx, sa, sy]: [f64; 3]| {
            0.7 + 0.5 * (k_u + k_shear) * sx * sx + 0.5 * (k_v + k_shear) * sy * sy + 0.25 * k_shear * sa * sa
        };
        let record = |i: usize| SampleRecord {
            status: SampleStatus::Converged,
            energy_density: known.then(|| energy(grid.coordinates(i))),
            ..SampleRecord::IMPORTED
        };
        let samples = (0..grid.sample_count()).map(record).collect();
        let table = Table::new(grid.clone(), 2, vec![[0.0; 4]; 2 * grid.sample_count()]).unwrap();
        let data = DatabaseData::imported("springs", "", "", pattern, table);
        Database::new(DatabaseData { samples, ..data }).unwrap()
    }

    #[test]
    fn the_springs_of_a_sheet_are_found_again() {
        let base = ClothMaterial { density: 0.4, ..ClothMaterial::default() };
        let found = base.stretching_like(&database(300.0, 120.0, 40.0, true)).unwrap();
        assert!((found.stretch_stiffness - 300.0).abs() < 1e-6);
        assert!((found.weft_stiffness.unwrap() - 120.0).abs() < 1e-6);
        assert!((found.shear_stiffness - 40.0).abs() < 1e-6);
        assert_eq!(found.density, 0.4);
    }

    #[test]
    fn a_sheet_gives_the_springs_that_a_database_of_it_gives() {
        let sheet = SheetConstants { c11: 340.0, c22: 160.0, c12: 77.0, c66: 20.0 };
        let base = ClothMaterial::default();
        let (found, expected) =
            (base.stretching_as(&sheet), base.stretching_like(&database(300.0, 120.0, 40.0, true)).unwrap());
        assert!((found.stretch_stiffness - expected.stretch_stiffness).abs() < 1e-6);
        assert!((found.along_v() - expected.along_v()).abs() < 1e-6);
        assert!((found.shear_stiffness - expected.shear_stiffness).abs() < 1e-6);
    }

    #[test]
    fn unknown_energies_are_reported() {
        let error = ClothMaterial::default().stretching_like(&database(1.0, 1.0, 1.0, false)).unwrap_err().to_string();
        assert!(error.contains("springs: stiffness along sx: the database has no energies"), "{error}");
    }
}
