//! The energy of a baked database as a membrane.
//!
//!   ψ(F) = ψ(sx, sa, sy) − ψ(0, 0, 0),  sx = |F_u| − 1,  sa = cos φ,  sy = |F_v| − 1                  [Sperl21, Eq. 4]
//!
//! Between samples: cubic along each axis (tensor product; slopes of parabolas through three samples). It is continuously
//! differentiable, which Newton's method needs and the trilinear interpolant of displacements is not; it repeats parabolas on
//! non-uniform axes; and it looks at 64 samples around a point, where a spline would need all. It may overshoot between
//! samples where a fabric jams abruptly: bake more samples there.
//!
//! Beyond an axis ψ continues straight, plus ½ C d² with d the way beyond. C is the larger of the mean curvature at that end and
//! the largest mixed derivatives at the table's edges along which two axes end: the force outward grows from there on, and
//! does not jump.
//!
//! A compressed sample may have a lower energy than rest (a knit at its relaxed size does not have to be at its smallest
//! energy): it is kept, so that cloth of this membrane wants to shrink as the pattern does.

use super::Gradient;
use super::density::{second_order, strains_of, stress};
use super::directions::SecondOrder;
use super::hermite::weights;
use super::samples::energies;
use crate::Result;
use nalgebra::{Matrix3, Vector3};
use std::sync::Arc;
use yarnwise_shared::parameters::Density;
use yarnwise_shared::table::database::Database;
use yarnwise_shared::table::grid::StrainGrid;

/// ψ of a database.
#[derive(Clone, Debug)]
pub struct EnergyTable {
    table: Arc<Table>,
}

#[derive(Debug)]
struct Table {
    grid: StrainGrid,
    /// J/m².
    energies: Vec<f64>,
    /// C below and above each axis, J/m².
    beyond: [[f64; 2]; 3],
}

impl EnergyTable {
    /// Of a database with energies. Samples that did not converge are filled from their neighbors, up to a tenth of them.
    pub fn new(database: &Database) -> Result<Self> {
        let grid = database.table().grid().clone();
        let mut table = Table { grid, energies: energies(database)?, beyond: [[0.0; 2]; 3] };
        let rest = table.at([0.0; 3]).value;
        table.energies.iter_mut().for_each(|e| *e -= rest);
        table.beyond = table.end_stiffness();
        Ok(EnergyTable { table: Arc::new(table) })
    }

    /// ψ, J/m².
    pub fn energy(&self, f: &Gradient) -> f64 {
        self.table.at(strains_of(f)).value
    }

    /// P, N/m.
    pub fn stress(&self, f: &Gradient) -> Gradient {
        stress(f, |s| self.table.at(s))
    }

    /// ψ up to second order.
    pub(super) fn second_order(&self, f: &Gradient) -> SecondOrder {
        second_order(f, |s| self.table.at(s))
    }
}

impl Table {
    fn at(&self, strains: [f64; 3]) -> Density {
        let axes: [_; 3] = std::array::from_fn(|k| weights(&self.grid.0[k], strains[k]));
        let mut density = Density { value: 0.0, slope: Vector3::zeros(), curvature: Matrix3::zeros() };
        let [x, a, y] = &axes;
        // Orders of the derivatives along the axes, for slopes and for the upper half of the curvature.
        for (j, k) in (0..y.count).flat_map(|k| (0..a.count).map(move |j| (j, k))) {
            let start = self.grid.sample([x.first, a.first + j, y.first + k]);
            let along: [f64; 3] =
                std::array::from_fn(|d| (0..x.count).map(|i| x.of[d][i] * self.energies[start + i]).sum());
            let term = |dx: usize, da: usize, dy: usize| along[dx] * a.of[da][j] * y.of[dy][k];
            density.value += term(0, 0, 0);
            density.slope += Vector3::new(term(1, 0, 0), term(0, 1, 0), term(0, 0, 1));
            let (xa, ay, xy) = (term(1, 1, 0), term(0, 1, 1), term(1, 0, 1));
            density.curvature += Matrix3::new(term(2, 0, 0), xa, xy, xa, term(0, 2, 0), ay, xy, ay, term(0, 0, 2));
        }
        for (axis, weights) in axes.iter().enumerate() {
            let c = self.beyond[axis][usize::from(weights.beyond > 0.0)];
            if weights.beyond != 0.0 {
                density.value += 0.5 * c * weights.beyond * weights.beyond;
                density.slope[axis] += c * weights.beyond;
                density.curvature[(axis, axis)] += c;
            }
        }
        density
    }

    /// C of each end of each axis.
    fn end_stiffness(&self) -> [[f64; 2]; 3] {
        let ends = self.grid.0.each_ref().map(|axis| [axis.values()[0], axis.values()[axis.len() - 1]]);
        let mut mean = [[(0.0, 0.0); 2]; 3];
        let mut mixed = [[0.0_f64; 2]; 3];
        for sample in 0..self.energies.len() {
            let at = self.grid.coordinates(sample);
            let side = |axis: usize| ends[axis].iter().position(|end| *end == at[axis]);
            if (0..3).all(|axis| side(axis).is_none()) {
                continue;
            }
            let curvature = self.at(at).curvature;
            for axis in 0..3 {
                let Some(end) = side(axis) else { continue };
                mean[axis][end].0 += curvature[(axis, axis)];
                mean[axis][end].1 += 1.0;
                let others = (0..3).filter(|other| *other != axis && side(*other).is_some());
                let sum: f64 = others.map(|other| curvature[(axis, other)].abs()).sum();
                mixed[axis][end] = mixed[axis][end].max(sum);
            }
        }
        std::array::from_fn(|axis| {
            std::array::from_fn(|end| {
                let (sum, count) = mean[axis][end];
                (sum / count).max(mixed[axis][end])
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::tests::{database, numeric_tangent, state};
    use super::super::Membrane;
    use super::*;
    use yarnwise_shared::table::database::SampleStatus;
    use yarnwise_shared::table::grid::{Axis, Grid};

    const NAMES: [&str; 5] = ["stockinette", "plain", "rib2x2", "satin", "twill"];

    fn table(name: &str) -> EnergyTable {
        EnergyTable::new(&database(&format!("{name}.ydb"))).unwrap()
    }

    /// With a quadratic energy on uneven axes, no moment at right angles.
    fn quadratic() -> EnergyTable {
        let axis = |values: &[f64]| Axis::new("axis", values.to_vec()).unwrap();
        let grid = Grid([axis(&[-0.1, 0.0, 0.15, 0.6]), axis(&[-0.5, -0.1, 0.0, 0.4]), axis(&[-0.2, 0.0, 0.3])]);
        let energy = |[x, a, y]: [f64; 3]| 150.0 * x * x + 60.0 * y * y + 30.0 * x * y + 10.0 * a * a;
        let energies = (0..grid.sample_count()).map(|i| energy(grid.coordinates(i))).collect();
        let mut table = Table { grid, energies, beyond: [[0.0; 2]; 3] };
        table.beyond = table.end_stiffness();
        EnergyTable { table: Arc::new(table) }
    }

    #[test]
    fn the_tangent_is_exact_under_tension_inside_and_beyond() {
        let membrane = Membrane::from(quadratic());
        for (u, v) in [(1.123, 1.157), (1.9, 1.1), (1.3, 1.4)] {
            let f = state(u, v, 0.0);
            let (tangent, numeric) = (membrane.tangent(&f), numeric_tangent(&membrane, &f));
            let error = (tangent - numeric).amax() / numeric.amax();
            assert!(error < 1e-5, "{u} {v}: {error}");
        }
        // Negative control: compressed, the positive one is another.
        let f = state(0.93, 0.95, 0.1);
        let numeric = numeric_tangent(&membrane, &f);
        assert!((membrane.tangent(&f) - numeric).amax() > 0.01 * numeric.amax());
    }

    #[test]
    fn second_derivatives_are_those_of_the_slope() {
        for name in NAMES {
            let table = table(name).table;
            let (s, h) = ([0.113, 0.041, 0.087], 1e-6);
            let exact = table.at(s).curvature;
            for axis in 0..3 {
                let at = |offset: f64| {
                    let mut s = s;
                    s[axis] += offset;
                    table.at(s).slope
                };
                let numeric = (at(h) - at(-h)) / (2.0 * h);
                assert!(
                    (exact.column(axis) - numeric).amax() < 1e-5 * exact.amax(),
                    "{name} {axis}: {exact} {numeric}"
                );
            }
        }
    }

    #[test]
    fn it_passes_through_the_samples_and_is_zero_at_rest() {
        for name in NAMES {
            let database = database(&format!("{name}.ydb"));
            let (table, grid) = (EnergyTable::new(&database).unwrap(), database.table().grid());
            let at = |sample: usize| table.table.at(grid.coordinates(sample)).value;
            let known =
                |i: usize| database.samples()[i].energy_density.filter(|_| !database.samples()[i].status.failed());
            let rest = grid.sample([0, 1, 2].map(|k| grid.0[k].zero().unwrap()));
            let zero = known(rest).unwrap();
            assert!(at(rest).abs() < 1e-9);
            for sample in (0..grid.sample_count()).filter(|i| known(*i).is_some()) {
                let expected = known(sample).unwrap() - zero;
                assert!((at(sample) - expected).abs() < 1e-9 * (1.0 + expected.abs()), "{name} {sample}");
            }
        }
    }

    #[test]
    fn slopes_do_not_jump_between_cells_or_at_the_ends() {
        for name in NAMES {
            let table = table(name).table;
            let others = [0.013, 0.021, 0.017];
            for axis in 0..3 {
                for x in table.grid.0[axis].values() {
                    let at = |offset: f64| {
                        let mut s = others;
                        s[axis] = x + offset;
                        table.at(s)
                    };
                    let e = 1e-9;
                    let (below, above) = (at(-e), at(e));
                    let jump = (below.slope - above.slope).amax();
                    let allowed = 3.0 * e * (below.curvature.amax() + above.curvature.amax()) + 1e-9;
                    assert!(jump <= allowed, "{name}: {jump} at {x} of axis {axis}");
                }
            }
        }
    }

    #[test]
    fn beyond_the_table_force_outward_grows() {
        for name in NAMES {
            let table = table(name).table;
            for axis in 0..3 {
                let values = table.grid.0[axis].values();
                for (end, sign) in [(values[0], -1.0), (values[values.len() - 1], 1.0)] {
                    let force = |d: f64| {
                        let mut s = [0.0; 3];
                        s[axis] = end + sign * d;
                        sign * table.at(s).slope[axis]
                    };
                    let forces: Vec<f64> = (0..20).map(|i| force(0.1 * f64::from(i))).collect();
                    assert!(forces.windows(2).all(|w| w[1] >= w[0]), "{name}, axis {axis}: {forces:?}");
                }
            }
        }
    }

    #[test]
    fn parabolas_are_repeated_on_uneven_axes() {
        for values in [vec![-0.3, 0.0, 0.05, 0.4, 1.0], vec![-1.0, 0.5, 2.0], vec![0.0, 1.0]] {
            let axis = Axis::new("x", values.clone()).unwrap();
            let quadratic = if values.len() > 2 { 3.0 } else { 0.0 };
            let f = |x: f64| 1.0 + 2.0 * x + quadratic * x * x;
            for x in [-0.2, 0.01, 0.3, 0.77].into_iter().filter(|x| *x >= values[0]) {
                let w = weights(&axis, x);
                let sum = |d: usize| (0..w.count).map(|k| w.of[d][k] * f(values[w.first + k])).sum::<f64>();
                assert!((sum(0) - f(x)).abs() < 1e-12, "{x}");
                assert!((sum(1) - 2.0 - 2.0 * quadratic * x).abs() < 1e-11, "{x}");
                assert!((sum(2) - 2.0 * quadratic).abs() < 1e-10, "{x}");
            }
        }
    }

    #[test]
    fn failed_samples_are_filled_in_and_too_many_are_refused() {
        let whole = database("plain.ydb");
        let grid = whole.table().grid().clone();
        let spoil = |step: usize| {
            let mut data = whole.clone().into_data();
            for record in data.samples.iter_mut().step_by(step) {
                (record.status, record.energy_density) = (SampleStatus::NotConverged, Some(1e9));
                record.kinds = None;
            }
            EnergyTable::new(&Database::new(data).unwrap())
        };
        let (filled, expected) = (spoil(31).unwrap(), EnergyTable::new(&whole).unwrap());
        let largest = expected.table.energies.iter().fold(0.0_f64, |m, e| m.max(e.abs()));
        for i in (0..grid.sample_count()).filter(|i| i % 31 != 0) {
            let error = (filled.table.energies[i] - expected.table.energies[i]).abs();
            assert!(error < 1e-6 * largest, "{i}: {error}");
        }
        // Inside the grid a guess is near; 1e9 J/m² is what the samples say.
        let inside = |i: usize| grid.indices(i).iter().zip(&grid.0).all(|(k, axis)| *k > 0 && *k + 1 < axis.len());
        for i in (0..grid.sample_count()).step_by(31).filter(|i| inside(*i)) {
            let error = (filled.table.energies[i] - expected.table.energies[i]).abs();
            assert!(error < 0.05 * largest, "{i}: {error}");
        }
        let error = spoil(5).unwrap_err().to_string();
        assert!(error.contains("the first at sample 1 (sx") && error.contains("bake it again"), "{error}");
    }
}
