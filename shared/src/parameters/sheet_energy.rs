//! A [`TensorSpline`] ready for evaluation, also beyond the data.
//!
//! Beyond the breaks, and beyond the shear that the data cover, psi continues straight plus 1/2 C d^2, with d how far beyond and
//! C the mean of the second derivative at that end, so that the force outward grows. C is at least the sum of the mixed second
//! derivatives there, so that no corner runs away.

use super::tensor_spline::{LARGEST_POWER, TensorSpline};
use crate::spline::{basis, knots_of_breaks};
use nalgebra::{Matrix3, Vector3};

/// psi with its derivatives in (sx, sa, sy), J/m^2.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Density {
    /// psi.
    pub value: f64,
    /// First derivatives.
    pub slope: Vector3<f64>,
    /// Second derivatives.
    pub curvature: Matrix3<f64>,
}

/// psi of a sheet, zero at rest.
#[derive(Clone, Debug)]
pub struct SheetEnergy {
    spline: TensorSpline,
    knots: [Vec<f64>; 2],
    /// C below and above each axis, J/m^2.
    beyond: [[f64; 2]; 3],
    /// What the spline has at rest, J/m^2.
    rest: f64,
}

/// Functions along an axis that are not zero, by derivative.
struct Along<const N: usize> {
    first: usize,
    of: [[f64; N]; 3],
}

/// As many as there may be powers of sa.
const POWERS: usize = LARGEST_POWER as usize + 1;

/// Places of sa at which the ends of the other axes are looked at.
const SHEARS: usize = 5;

impl SheetEnergy {
    /// Of a spline without [fault](TensorSpline::fault).
    pub fn new(spline: &TensorSpline) -> Self {
        let knots = [&spline.sx, &spline.sy].map(|breaks| knots_of_breaks(breaks));
        let mut energy = SheetEnergy { spline: spline.clone(), knots, beyond: [[0.0; 2]; 3], rest: 0.0 };
        energy.rest = energy.at([0.0; 3]).value;
        energy.beyond = energy.end_stiffness();
        energy
    }

    /// The coefficients.
    pub fn spline(&self) -> &TensorSpline {
        &self.spline
    }

    /// What the coefficients give at rest, J/m^2, which psi is counted from.
    pub fn offset(&self) -> f64 {
        self.rest
    }

    /// psi at (sx, sa, sy).
    pub fn at(&self, strain: [f64; 3]) -> Density {
        let ends = self.spline.ends();
        let inside: [f64; 3] = std::array::from_fn(|k| strain[k].clamp(ends[k][0], ends[k][1]));
        let beyond: [f64; 3] = std::array::from_fn(|k| strain[k] - inside[k]);
        let [x, y] = [0, 1].map(|k| self.splines(k, inside[2 * k], beyond[2 * k]));
        let a = self.powers(inside[1], beyond[1]);
        let mut density = Density { value: -self.rest, slope: Vector3::zeros(), curvature: Matrix3::zeros() };
        for (p, list) in self.spline.coefficients.iter().enumerate() {
            let along = |dx: usize, dy: usize| -> f64 {
                let row = |j: usize| -> f64 {
                    (0..4).map(|i| x.of[dx][i] * list[self.spline.place(x.first + i, y.first + j)]).sum()
                };
                (0..4).map(|j| y.of[dy][j] * row(j)).sum()
            };
            let [v, s, c] = [0, 1, 2].map(|d| a.of[d][p]);
            let (f, fx, fy) = (along(0, 0), along(1, 0), along(0, 1));
            density.value += v * f;
            density.slope += Vector3::new(v * fx, s * f, v * fy);
            let (xa, ay, xy) = (s * fx, s * fy, v * along(1, 1));
            density.curvature += Matrix3::new(v * along(2, 0), xa, xy, xa, c * f, ay, xy, ay, v * along(0, 2));
        }
        for axis in (0..3).filter(|k| beyond[*k] != 0.0) {
            let c = self.beyond[axis][usize::from(beyond[axis] > 0.0)];
            density.value += 0.5 * c * beyond[axis] * beyond[axis];
            density.slope[axis] += c * beyond[axis];
            density.curvature[(axis, axis)] += c;
        }
        density
    }

    /// Splines of sx (0) or sy (1), straight beyond their ends.
    fn splines(&self, axis: usize, inside: f64, beyond: f64) -> Along<4> {
        let b = basis(&self.knots[axis], inside);
        let mut of = [b.value, b.slope, b.curvature];
        continue_straight(&mut of, beyond);
        Along { first: b.first, of }
    }

    /// Powers of sa, straight beyond their ends.
    fn powers(&self, inside: f64, beyond: f64) -> Along<POWERS> {
        let mut of = [[0.0; POWERS]; 3];
        for (k, p) in self.spline.powers.iter().enumerate() {
            let derived = |d: u32| -> f64 {
                let factor: f64 = (0..d).map(|i| f64::from(*p) - f64::from(i)).product();
                if *p < d { 0.0 } else { factor * inside.powi((*p - d) as i32) }
            };
            [of[0][k], of[1][k], of[2][k]] = [derived(0), derived(1), derived(2)];
        }
        continue_straight(&mut of, beyond);
        Along { first: 0, of }
    }

    /// C of each end of each axis.
    fn end_stiffness(&self) -> [[f64; 2]; 3] {
        let ends = self.spline.ends();
        let shears = (0..SHEARS).map(|k| {
            let t = k as f64 / (SHEARS - 1) as f64;
            // The ends themselves must not be missed by rounding.
            if k + 1 == SHEARS { ends[1][1] } else { ends[1][0] + t * (ends[1][1] - ends[1][0]) }
        });
        let shears: Vec<f64> = shears.collect();
        let (mut mean, mut mixed) = ([[(0.0, 0.0); 2]; 3], [[0.0_f64; 2]; 3]);
        let places = self.spline.sx.iter().flat_map(|x| self.spline.sy.iter().map(move |y| (*x, *y)));
        for at in places.flat_map(|(x, y)| shears.iter().map(move |a| [x, *a, y])) {
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
                let (sum, count): (f64, f64) = mean[axis][end];
                (sum / count).max(mixed[axis][end])
            })
        })
    }
}

/// Values go on with their slope, slopes stay, second derivatives end.
fn continue_straight<const N: usize>(of: &mut [[f64; N]; 3], beyond: f64) {
    if beyond != 0.0 {
        let [value, slope, curvature] = of;
        value.iter_mut().zip(slope).for_each(|(v, s)| *v += *s * beyond);
        *curvature = [0.0; N];
    }
}
