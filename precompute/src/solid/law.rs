//! The material of a solid yarn: compressible and isotropic, with fibers along the yarn that add stiffness.
//!
//!   W  = mu/2 (|F|^2 - 3 - 2 ln J) + lambda/2 (ln J)^2 + E_f/2 (l - 1)^2,   J = det F, a = F a0, l = |a|
//!   P  = mu (F - F^-T) + lambda ln J F^-T + E_f (1 - 1/l) a a0^T
//!   dP = mu dF + (mu - lambda ln J) F^-T dF^T F^-T + lambda tr(F^-1 dF) F^-T
//!        + E_f [(1 - 1/l) dF a0 + (a . dF a0) a / l^3] a0^T
//!
//! W in J/m^3, P = first Piola-Kirchhoff stress (Pa), F = gradient of the deformation from the straight yarn, a0 = e3, the axis.
//! \[MartinGarrido18\] do not print their material: this is the plainest one with E_T across and E_L = E_T + E_f along the yarn.
//! Not defined for J <= 0, where an element is turned inside out.

use nalgebra::{Matrix3, SMatrix, Vector3};
use std::ops::AddAssign;
use yarnwise_shared::{Result, range};

/// Moduli of a solid yarn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SolidMaterial {
    /// E_T, Young's modulus across the yarn, Pa.
    pub transverse: f64,
    /// E_f, what fibers add along the yarn, Pa; zero for an isotropic material.
    pub fiber: f64,
    /// Poisson's ratio of the material without its fibers.
    pub poisson: f64,
}

/// Young's moduli, Pa: those of [`yarnwise_shared::pattern::material::YarnMaterial`].
const MODULUS: [f64; 2] = [1.0, 1e13];

impl SolidMaterial {
    /// The isotropic material with this Young's modulus (Pa): that of a yarn with gamma = 1. nu = 0.3 (*chosen*).
    pub fn isotropic(young: f64) -> Self {
        SolidMaterial { transverse: young, fiber: 0.0, poisson: 0.3 }
    }

    /// E_L, Young's modulus along the yarn, Pa.
    pub fn axial(&self) -> f64 {
        self.transverse + self.fiber
    }

    /// Refuses what no yarn is made of.
    pub fn check(&self) -> Result<()> {
        range::check("solid", "the modulus across the yarn", self.transverse, MODULUS, " Pa")?;
        range::check("solid", "the modulus of fibers", self.fiber, [0.0, MODULUS[1]], " Pa")?;
        range::check("solid", "Poisson's ratio", self.poisson, [0.0, 0.49], "")
    }
}

/// d P_iJ / d F_kL with row 3 i + J and column 3 k + L, Pa.
pub(crate) type Tangent = SMatrix<f64, 9, 9>;

/// The law in the form that is evaluated.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Law {
    /// Shear modulus, Pa.
    pub(crate) mu: f64,
    /// First Lame parameter, Pa.
    pub(crate) lambda: f64,
    /// E_f, Pa.
    pub(crate) fiber: f64,
}

impl Law {
    pub(crate) fn new(solid: &SolidMaterial) -> Self {
        let (e, nu) = (solid.transverse, solid.poisson);
        Law { mu: e / (2.0 * (1.0 + nu)), lambda: e * nu / ((1.0 + nu) * (1.0 - 2.0 * nu)), fiber: solid.fiber }
    }

    /// W, J/m^3: that of the matrix and that of the fibers; not finite where an element is turned inside out.
    pub(crate) fn value(&self, f: &Matrix3<f64>) -> [f64; 2] {
        // With H = F - I terms of first order cancel here instead of in the sum: small strains keep their digits.
        let h = f - Matrix3::identity();
        let trace = h.trace();
        let second = 0.5 * (trace * trace - (h * h).trace()) + h.determinant();
        let j = trace + second;
        if j <= -1.0 || j.is_nan() {
            return [f64::INFINITY; 2];
        }
        let (log, l) = (j.ln_1p(), f.column(2).norm());
        [
            self.mu * (0.5 * h.norm_squared() - second + (j - log)) + 0.5 * self.lambda * log * log,
            0.5 * self.fiber * (l - 1.0) * (l - 1.0),
        ]
    }

    /// P, Pa. F must have a positive determinant.
    pub(crate) fn stress(&self, f: &Matrix3<f64>) -> Matrix3<f64> {
        let (inverse, log) = inverse_transposed(f);
        let mut p = (f - inverse) * self.mu + inverse * (self.lambda * log);
        let a: Vector3<f64> = f.column(2).into();
        let pull = a * (self.fiber * (1.0 - 1.0 / a.norm()));
        p.column_mut(2).add_assign(&pull);
        p
    }

    /// dP / dF, Pa. F must have a positive determinant.
    pub(crate) fn tangent(&self, f: &Matrix3<f64>) -> Tangent {
        let (g, log) = inverse_transposed(f);
        let mixed = self.mu - self.lambda * log;
        let mut out = Tangent::from_fn(|row, column| {
            let ((i, j), (k, l)) = ((row / 3, row % 3), (column / 3, column % 3));
            mixed * g[(i, l)] * g[(k, j)] + self.lambda * g[(i, j)] * g[(k, l)]
        });
        (0..9).for_each(|d| out[(d, d)] += self.mu);
        let a: Vector3<f64> = f.column(2).into();
        let l = a.norm();
        for (i, k) in (0..3).flat_map(|i| (0..3).map(move |k| (i, k))) {
            let across = if i == k { 1.0 - 1.0 / l } else { 0.0 };
            out[(3 * i + 2, 3 * k + 2)] += self.fiber * (across + a[i] * a[k] / (l * l * l));
        }
        out
    }
}

/// F^-T and ln det F.
fn inverse_transposed(f: &Matrix3<f64>) -> (Matrix3<f64>, f64) {
    let [a, b, c]: [Vector3<f64>; 3] = [0, 1, 2].map(|k| f.column(k).into());
    let j = a.dot(&b.cross(&c));
    (Matrix3::from_columns(&[b.cross(&c), c.cross(&a), a.cross(&b)]) / j, j.ln())
}

/// sqrt(3/2) |dev sigma| with sigma = P F^T / J, Pa: the stress of von Mises.
pub(crate) fn von_mises(p: &Matrix3<f64>, f: &Matrix3<f64>) -> f64 {
    let sigma = p * f.transpose() / f.determinant();
    let deviator = sigma - Matrix3::from_diagonal_element(sigma.trace() / 3.0);
    (1.5 * deviator.norm_squared()).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    const LAW: Law = Law { mu: 0.4, lambda: 0.6, fiber: 9.0 };

    fn example() -> (Matrix3<f64>, Matrix3<f64>) {
        (
            Matrix3::new(1.1, 0.2, -0.1, 0.05, 0.9, 0.3, -0.2, 0.1, 1.25),
            Matrix3::new(0.3, -0.7, 0.5, 0.9, 0.2, -0.4, 0.6, 0.8, -0.3),
        )
    }

    fn total(law: &Law, f: &Matrix3<f64>) -> f64 {
        law.value(f).iter().sum()
    }

    /// The largest relative errors of P and dP against central differences.
    fn errors(law: &Law, against: &Law) -> [f64; 2] {
        let (f, _) = example();
        let h = 1e-5;
        let (mut first, mut second) = (0.0_f64, 0.0_f64);
        for k in 0..9 {
            let mut d = Matrix3::zeros();
            d[(k / 3, k % 3)] = h;
            let slope = (total(law, &(f + d)) - total(law, &(f - d))) / (2.0 * h);
            first = first.max((slope - against.stress(&f)[(k / 3, k % 3)]).abs());
            let change = (law.stress(&(f + d)) - law.stress(&(f - d))) / (2.0 * h);
            let column = against.tangent(&f).column(k).into_owned();
            second = second.max((0..9).map(|r| (change[(r / 3, r % 3)] - column[r]).abs()).fold(0.0, f64::max));
        }
        [first / law.stress(&f).norm(), second / law.tangent(&f).norm()]
    }

    #[test]
    fn stress_and_tangent_agree_with_differences() {
        assert!(LAW.stress(&example().0).norm() > 0.5, "the gradient is not zero");
        let [first, second] = errors(&LAW, &LAW);
        assert!(first < 1e-8 && second < 1e-8, "{first:e} {second:e}");
        for wrong in [Law { mu: 0.4001, ..LAW }, Law { lambda: 0.6001, ..LAW }, Law { fiber: 9.001, ..LAW }] {
            let [first, second] = errors(&LAW, &wrong);
            assert!(first > 1e-7 && second > 1e-7, "the comparison can fail: {first:e} {second:e}");
        }
    }

    #[test]
    fn the_tangent_is_symmetric_and_rotations_cost_nothing() {
        let (f, _) = example();
        let t = LAW.tangent(&f);
        assert!((t - t.transpose()).norm() < 1e-13);
        let j = f.determinant();
        let plain = 0.2 * (f.norm_squared() - 3.0 - 2.0 * j.ln()) + 0.3 * j.ln().powi(2);
        assert!((LAW.value(&f)[0] - plain).abs() < 1e-15, "the same sum as in the formula");
        let turn = nalgebra::Rotation3::from_euler_angles(0.3, -0.8, 1.9).into_inner();
        assert!(total(&LAW, &turn).abs() < 1e-15 && LAW.stress(&turn).norm() < 1e-14);
        assert!((total(&LAW, &(turn * f)) - total(&LAW, &f)).abs() < 1e-14);
        assert_eq!(LAW.value(&Matrix3::from_diagonal_element(-1.0)), [f64::INFINITY; 2]);
    }

    #[test]
    fn small_strains_have_the_moduli_that_were_asked_for() {
        let solid = SolidMaterial { transverse: 2.0, fiber: 5.0, poisson: 0.3 };
        let law = Law::new(&solid);
        // Uniaxial stress along the yarn: the sides contract by nu of the matrix.
        let e = 1e-6;
        let f = Matrix3::from_diagonal(&Vector3::new(1.0 - 0.3 * e, 1.0 - 0.3 * e, 1.0 + e));
        let p = law.stress(&f);
        assert!((p[(2, 2)] / e - solid.axial()).abs() < 1e-4 && p[(0, 0)].abs() / e < 1e-4);
        let across = Matrix3::from_diagonal(&Vector3::new(1.0 + e, 1.0 - 0.3 * e, 1.0 - 0.3 * e));
        let p = Law::new(&SolidMaterial { fiber: 0.0, ..solid }).stress(&across);
        assert!((p[(0, 0)] / e - 2.0).abs() < 1e-4);
        assert!((von_mises(&p, &across) / (2.0 * e) - 1.0).abs() < 1e-4, "of uniaxial stress it is that stress");
        assert!(von_mises(&law.stress(&(Matrix3::identity() * 1.1)), &Matrix3::identity()) > 0.0);
    }
}
