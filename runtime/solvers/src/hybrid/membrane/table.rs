//! The energy of a baked database as a membrane.
//!
//!   ψ(F) = ψ(sx, sa, sy) − ψ(0, 0, 0),  sx = |F_u| − 1,  sa = cos φ,  sy = |F_v| − 1                  [Sperl21, Eq. 4]
//!
//! Between samples: cubic along each axis (tensor product; slopes of parabolas through three samples). It is continuously
//! differentiable, which Newton's method needs and the trilinear interpolant of displacements is not; it repeats parabolas on
//! non-uniform axes; and it looks at 64 samples around a point, where a spline would need all. It may overshoot between
//! samples where a fabric jams abruptly: bake more samples there.
//!
//! Beyond an axis ψ goes on straight, plus ½ C d² with d the way beyond. C is the larger of the mean curvature at that end and
//! the largest mixed derivatives at the table's edges along which two axes end: the force outward grows from there on, and
//! does not jump.
//!
//! A compressed sample may have a lower energy than rest (a knit at its relaxed size does not have to be at its smallest
//! energy): it is kept, so that cloth of this membrane wants to shrink as the pattern does.
//!
//! The tangent has the second derivatives in (l_u, φ, l_v) without their negative eigenvalues, plus the positive geometric
//! part.

use super::directions::{Directions, Stresses};
use super::hermite::weights;
use super::samples::energies;
use super::svk::positive_part;
use super::{Gradient, Tangent};
use crate::Result;
use nalgebra::{Matrix3, Vector3};
use std::sync::Arc;
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

/// ψ with its derivatives in (sx, sa, sy), J/m².
struct Density {
    value: f64,
    slope: Vector3<f64>,
    curvature: Matrix3<f64>,
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
        self.table.at(strains(&Directions::new(f))).value
    }

    /// P, N/m.
    pub fn stress(&self, f: &Gradient) -> Gradient {
        let directions = Directions::new(f);
        let density = self.table.at(strains(&directions));
        directions.stress(&stresses(&directions, &density))
    }

    /// Symmetric positive semi-definite, N/m.
    pub fn tangent(&self, f: &Gradient) -> Tangent {
        let directions = Directions::new(f);
        let density = self.table.at(strains(&directions));
        let to_angle = Matrix3::from_diagonal(&Vector3::new(1.0, -directions.angle.sine, 1.0));
        let mut stiffness = to_angle * density.curvature * to_angle;
        stiffness[(1, 1)] -= directions.angle.cosine * density.slope.y;
        directions.tangent(&positive_part(&stiffness), &stresses(&directions, &density))
    }
}

/// (sx, sa, sy).
fn strains(directions: &Directions) -> [f64; 3] {
    let [u, v] = &directions.sides;
    [u.strain(), directions.angle.cosine, v.strain()]
}

/// ∂ψ/∂(l_u, φ, l_v), N/m.
fn stresses(directions: &Directions, density: &Density) -> Stresses {
    let [x, a, y] = density.slope.into();
    Stresses::new(x, -directions.angle.sine * a, y)
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
