//! Fundamental forms of the large-scale deformation and the strains that name them.
//!
//! Generic over `f32` (run time) and `f64` (bake): one formula, both halves.

use nalgebra::{RealField, convert};

/// The smallest determinant of I that the quadratic bending model divides by: a collapsed I stays finite.
pub const MIN_DETERMINANT: f32 = 1e-6;

/// The smallest half difference of eigenvalues that the clamp divides by; below it both are equal.
pub const MIN_SPREAD: f32 = 1e-20;

/// The smallest sqrt(I11 I22) that [`Strain::saturated`] divides by.
pub const MIN_AREA: f32 = 1e-12;

/// A symmetric 2x2 matrix: a fundamental form, or a stretch.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct Sym2<T> {
    /// Entry (1, 1).
    pub xx: T,
    /// Entries (1, 2) and (2, 1).
    pub xy: T,
    /// Entry (2, 2).
    pub yy: T,
}

/// In-plane strains of [Sperl21, Eq. 4], dimensionless.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct Strain<T> {
    /// Stretch along X1 minus one: sqrt(I11) - 1.
    pub sx: T,
    /// Cosine of the angle between the deformed axes: I12 / sqrt(I11 I22).
    pub sa: T,
    /// Stretch along X2 minus one: sqrt(I22) - 1.
    pub sy: T,
}

/// How the bending of the cloth enters the look-up of displacements, at the height h (m) above the midsurface.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Hash, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
#[serde(rename_all = "lowercase")]
pub enum Bending {
    /// Not at all: I(h) = I
    None,
    /// I(h) = I - 2 h II [Sperl21, Eq. 7]; may turn indefinite where h times curvature comes near 1
    #[default]
    Linearized,
    /// I(h) = I - 2 h II + h^2 II I^-1 II, the whole of [Sperl21, Eq. 21]; never indefinite
    Quadratic,
    /// By the database's bending tables [Sperl21, App. C], at the strain of the midsurface: I(h) = I
    Tables,
}

impl Bending {
    /// All of them.
    pub const ALL: [Bending; 4] = [Bending::None, Bending::Linearized, Bending::Quadratic, Bending::Tables];

    /// As scenes and command lines write it.
    pub fn name(self) -> &'static str {
        match self {
            Bending::None => "none",
            Bending::Linearized => "linearized",
            Bending::Quadratic => "quadratic",
            Bending::Tables => "tables",
        }
    }
}

impl<T: RealField + Copy> Sym2<T> {
    /// The matrix with these entries.
    pub fn new(xx: T, xy: T, yy: T) -> Self {
        Sym2 { xx, xy, yy }
    }

    /// The identity: the first fundamental form at rest.
    pub fn identity() -> Self {
        Sym2::new(T::one(), T::zero(), T::one())
    }

    /// xx + yy.
    pub fn trace(self) -> T {
        self.xx + self.yy
    }

    /// xx yy - xy^2.
    pub fn determinant(self) -> T {
        self.xx * self.yy - self.xy * self.xy
    }

    /// a times this plus b times `other`.
    pub fn combine(self, a: T, other: Self, b: T) -> Self {
        Sym2::new(a * self.xx + b * other.xx, a * self.xy + b * other.xy, a * self.yy + b * other.yy)
    }

    /// The matrix times a vector.
    pub fn apply(self, v: [T; 2]) -> [T; 2] {
        [self.xx * v[0] + self.xy * v[1], self.xy * v[0] + self.yy * v[1]]
    }

    /// The inverse; entries are infinite or NaN when the determinant is zero.
    pub fn inverse(self) -> Self {
        let d = T::one() / self.determinant();
        Sym2::new(self.yy * d, -self.xy * d, self.xx * d)
    }

    /// `m self m` for a symmetric m (itself symmetric).
    pub fn sandwich(self, m: Self) -> Self {
        let c1 = self.apply([m.xx, m.xy]);
        let c2 = self.apply([m.xy, m.yy]);
        Sym2::new(m.xx * c1[0] + m.xy * c1[1], m.xx * c2[0] + m.xy * c2[1], m.xy * c2[0] + m.yy * c2[1])
    }

    /// The smaller and the larger eigenvalue.
    pub fn eigenvalues(self) -> [T; 2] {
        let half = T::one() / (T::one() + T::one());
        let mean = half * self.trace();
        let radius = ((self.xx - self.yy) * half).hypot(self.xy);
        [mean - radius, mean + radius]
    }

    /// The symmetric square root S with S S = self, for a positive semidefinite matrix.
    ///
    ///   S = (A + sqrt(det A) 1) / sqrt(tr A + 2 sqrt(det A))
    ///
    /// by the theorem of Cayley and Hamilton. Zero for the zero matrix.
    pub fn sqrt(self) -> Self {
        let s = self.determinant().max(T::zero()).sqrt();
        let t = (self.trace() + s + s).max(T::zero()).sqrt();
        let inv = if t > T::zero() { T::one() / t } else { T::zero() };
        Sym2::new((self.xx + s) * inv, self.xy * inv, (self.yy + s) * inv)
    }

    /// Raises eigenvalues below `min` to `min`, keeping the eigenvectors [Sperl21, Section 4.3].
    ///
    /// With eigenvalues m -+ d, the clamped ones l1 <= l2 and the ratio k = (l2 - l1) / 2d in [0, 1], the result is
    /// (l1 + l2)/2 1 + k (A - m 1): no eigenvectors, no case for equal eigenvalues. Where d is 0, A - m 1 is 0 as
    /// well and k does not matter. Finite input gives finite output.
    pub fn clamp_eigenvalues(self, min: T) -> Self {
        let half = T::one() / (T::one() + T::one());
        let mean = half * self.trace();
        let half_difference = half * (self.xx - self.yy);
        let d = half_difference.hypot(self.xy);
        let l1 = (mean - d).max(min);
        let l2 = (mean + d).max(min);
        let k = half * (l2 - l1) / d.max(convert(f64::from(MIN_SPREAD)));
        let center = half * (l1 + l2);
        let deviation = k * half_difference;
        Sym2::new(center + deviation, k * self.xy, center - deviation)
    }

    /// The first fundamental form at height `h` (m) above a midsurface with forms `self` (I) and `second` (II, 1/m).
    pub fn at_height(self, second: Self, h: T, bending: Bending) -> Self {
        let two = T::one() + T::one();
        match bending {
            Bending::None | Bending::Tables => self,
            Bending::Linearized => self.combine(T::one(), second, -two * h),
            Bending::Quadratic => {
                // h^2 II I^-1 II with the adjugate of I.
                let det = self.determinant().max(convert(f64::from(MIN_DETERMINANT)));
                let adjugate = Sym2::new(self.yy, -self.xy, self.xx);
                let square = adjugate.sandwich(second);
                self.combine(T::one(), second, -two * h).combine(T::one(), square, h * h / det)
            }
        }
    }
}

impl<T: RealField + Copy> Strain<T> {
    /// The strains with these values.
    pub fn new(sx: T, sa: T, sy: T) -> Self {
        Strain { sx, sa, sy }
    }

    /// The strains of a first fundamental form [Sperl21, Eq. 4]. NaN or infinite unless I11 and I22 are positive.
    pub fn from_first_form(form: Sym2<T>) -> Self {
        let (x, y) = (form.xx.sqrt(), form.yy.sqrt());
        Self::of_stretches(x, y, form.xy / (x * y))
    }

    /// [`Strain::from_first_form`] for the look-up of a table: finite for every finite form. A negative I11 or I22 counts as
    /// zero, and sa then lies beyond every table.
    pub fn saturated(form: Sym2<T>) -> Self {
        let (x, y) = (form.xx.max(T::zero()).sqrt(), form.yy.max(T::zero()).sqrt());
        Self::of_stretches(x, y, form.xy / (x * y).max(convert(f64::from(MIN_AREA))))
    }

    fn of_stretches(x: T, y: T, cosine: T) -> Self {
        Strain { sx: x - T::one(), sa: cosine, sy: y - T::one() }
    }

    /// The first fundamental form with these strains. Positive definite for sx, sy > -1 and |sa| < 1.
    pub fn first_form(self) -> Sym2<T> {
        let (x, y) = (T::one() + self.sx, T::one() + self.sy);
        Sym2::new(x * x, self.sa * x * y, y * y)
    }
}

impl<T> From<[T; 3]> for Strain<T> {
    /// From sx, sa, sy.
    fn from([sx, sa, sy]: [T; 3]) -> Self {
        Strain { sx, sa, sy }
    }
}

impl<T> From<Strain<T>> for [T; 3] {
    /// sx, sa, sy: the point of a table.
    fn from(strain: Strain<T>) -> Self {
        [strain.sx, strain.sa, strain.sy]
    }
}

/// As the list sx, sa, sy.
impl serde::Serialize for Strain<f64> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        <[f64; 3]>::from(*self).serialize(serializer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::{Matrix2, SymmetricEigen};
    use proptest::prelude::*;

    fn matrix(s: Sym2<f64>) -> Matrix2<f64> {
        Matrix2::new(s.xx, s.xy, s.xy, s.yy)
    }

    /// A clamp by way of a general eigen-solver: the oracle.
    fn clamp_by_eigenvectors(s: Sym2<f64>, min: f64) -> Matrix2<f64> {
        let eigen = SymmetricEigen::new(matrix(s));
        let values = Matrix2::from_diagonal(&eigen.eigenvalues.map(|l| l.max(min)));
        eigen.eigenvectors * values * eigen.eigenvectors.transpose()
    }

    fn any_sym2(range: f64) -> impl Strategy<Value = Sym2<f64>> {
        let entry = || -range..range;
        (entry(), entry(), entry()).prop_map(|(xx, xy, yy)| Sym2::new(xx, xy, yy))
    }

    fn any_strain() -> impl Strategy<Value = Strain<f64>> {
        (-0.9..3.0, -0.99..0.99, -0.9..3.0).prop_map(|(sx, sa, sy)| Strain::new(sx, sa, sy))
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        #[test]
        fn strains_survive_the_way_to_the_first_form_and_back(s in any_strain()) {
            let back = Strain::from_first_form(s.first_form());
            for (a, b) in [(s.sx, back.sx), (s.sa, back.sa), (s.sy, back.sy)] {
                prop_assert!((a - b).abs() < 1e-13, "{s:?} {back:?}");
            }
        }

        #[test]
        fn the_square_root_squares_to_the_matrix(s in any_strain()) {
            let form = s.first_form();
            let root = matrix(form.sqrt());
            prop_assert!((root * root - matrix(form)).norm() < 1e-13 * matrix(form).norm());
            prop_assert!(form.sqrt().eigenvalues()[0] > 0.0);
        }

        #[test]
        fn the_clamp_agrees_with_a_general_eigen_solver(s in any_sym2(4.0), min in 0.0..2.0) {
            let clamped = matrix(s.clamp_eigenvalues(min));
            prop_assert!((clamped - clamp_by_eigenvectors(s, min)).norm() < 1e-12);
        }

        /// Where the two eigenvalues meet, the reference program's clamp jumps by up to 1e-2. Ours may not jump at all.
        #[test]
        fn the_clamp_is_continuous_at_equal_eigenvalues(
            value in 0.1..2.0, d in any_sym2(1.0), exponent in -16.0..-2.0, min in 0.1..2.0,
        ) {
            let size = 10f64.powf(exponent);
            let near = Sym2::new(value, 0.0, value).combine(1.0, d, size);
            let at = Sym2::new(value, 0.0, value).clamp_eigenvalues(min);
            prop_assert!((matrix(near.clamp_eigenvalues(min)) - matrix(at)).norm() <= 2.0 * size + 1e-15);
            prop_assert!((matrix(near.clamp_eigenvalues(min)) - clamp_by_eigenvectors(near, min)).norm() < 1e-12);
        }

        #[test]
        fn a_clamp_below_the_eigenvalues_changes_nothing(s in any_strain()) {
            let form = s.first_form();
            let clamped = form.clamp_eigenvalues(form.eigenvalues()[0] - 1e-9);
            prop_assert!((matrix(clamped) - matrix(form)).norm() < 1e-13 * matrix(form).norm());
        }

        /// I(h) of the quadratic model is (1 - h B)^T I (1 - h B) with the shape operator B = I^-1 II.
        #[test]
        fn the_quadratic_model_is_the_metric_at_height(s in any_strain(), second in any_sym2(200.0), h in -0.01..0.01) {
            let form = s.first_form();
            prop_assume!(form.determinant() > 1e-2);
            let shape = matrix(form).try_inverse().unwrap() * matrix(second);
            let map: Matrix2<f64> = Matrix2::identity() - shape * h;
            let expected = map.transpose() * matrix(form) * map;
            let got = form.at_height(second, h, Bending::Quadratic);
            prop_assert!((matrix(got) - expected).norm() < 1e-11 * (1.0 + expected.norm()));
            prop_assert!(got.eigenvalues()[0] > -1e-11 * (1.0 + expected.norm()), "never indefinite");
            let linear = form.at_height(second, h, Bending::Linearized);
            prop_assert!((matrix(linear) - (matrix(form) - 2.0 * h * matrix(second))).norm() < 1e-12);
            prop_assert_eq!(form.at_height(second, h, Bending::None), form);
        }
    }

    #[test]
    fn saturated_strains_are_those_of_the_form_and_finite_beyond_it() {
        let form = Strain::new(0.3, -0.4, 1.2).first_form();
        assert_eq!(Strain::saturated(form), Strain::from_first_form(form));
        for (xx, xy, yy) in [(0.0, 0.0, 0.0), (-1.0, 0.5, 2.0), (1.0, -3.0, -1e-9), (0.0, 1.0, 0.0)] {
            let s = Strain::saturated(Sym2::new(xx, xy, yy));
            assert!([s.sx, s.sa, s.sy].iter().all(|v: &f32| v.is_finite()) && s.sx >= -1.0 && s.sy >= -1.0, "{s:?}");
        }
    }

    #[test]
    fn degenerate_matrices_stay_finite() {
        let zero = Sym2::new(0.0f32, 0.0, 0.0);
        assert_eq!(zero.sqrt(), zero);
        assert_eq!(zero.clamp_eigenvalues(0.8), Sym2::new(0.8, 0.0, 0.8));
        assert_eq!(zero.clamp_eigenvalues(0.0), zero);
        let bent = zero.at_height(Sym2::new(300.0, 0.0, -300.0), 0.002, Bending::Quadratic);
        assert!(bent.xx.is_finite() && bent.yy.is_finite());
        let singular = Sym2::new(1.0f32, 1.0, 1.0);
        let root = singular.sqrt();
        assert!((root.xx - 0.5f32.sqrt()).abs() < 1e-6, "{root:?}");
    }
}
